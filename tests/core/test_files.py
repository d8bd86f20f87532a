"""Files are written whole or not at all, whatever stops the writing."""

import errno
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from proa.core.files import CorruptFileError, atomic_group, atomic_write


def run_python(code, *args, **options):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def write(path, data):
    with atomic_write(path) as file:
        file.write(data)


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    write(path, b"old")
    write(str(path), b"new" * 1000)
    assert path.read_bytes() == b"new" * 1000
    assert os.listdir(path.parent) == ["file"]


def test_an_exception_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    write(path, b"old")
    with pytest.raises(KeyError, match="mine"), atomic_write(path) as file:
        file.write(b"x" * 3_000_000)
        raise KeyError("mine")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_exception_leaves_no_new_file(tmp_path):
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "file"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_nothing_is_in_place_before_the_end(tmp_path):
    path = tmp_path / "file"
    with atomic_write(path) as file:
        file.write(b"whole")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"whole"


def test_a_group_is_written_together(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    write(a, b"old a")
    with pytest.raises(ValueError, match="second"), atomic_group() as group:
        with group.open(a) as file:
            file.write(b"new a")
        assert a.read_bytes() == b"old a"
        with group.open(b) as file:
            raise ValueError("second")
    assert a.read_bytes() == b"old a"
    assert os.listdir(tmp_path) == ["a"]
    with atomic_group() as group:
        for path in (a, b):
            with group.open(path) as file:
                file.write(b"new")
    assert a.read_bytes() == b.read_bytes() == b"new"


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError) as caught, atomic_write(tmp_path):
        pass
    assert caught.value.errno == errno.EISDIR
    assert caught.value.filename == str(tmp_path)
    with pytest.raises(IsADirectoryError), atomic_write(f"{tmp_path}/name/"):
        pass


def test_a_device_is_never_replaced():
    with pytest.raises(OSError, match="regular file") as caught, atomic_write(os.devnull):
        pass
    assert caught.value.filename == os.devnull


def test_a_file_on_the_way_is_named(tmp_path):
    write(tmp_path / "file", b"")
    with pytest.raises(OSError, match="file") as caught, atomic_write(tmp_path / "file" / "below"):
        pass
    assert caught.value.errno in (errno.ENOTDIR, errno.EEXIST)
    assert "file" in str(caught.value.filename)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_missing_permission_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError) as caught, atomic_write(tmp_path / "file"):
            pass
    finally:
        tmp_path.chmod(0o700)
    assert caught.value.filename == str(tmp_path / "file")


def test_a_full_disk_keeps_errno_and_names_the_path(tmp_path):
    path = tmp_path / "file"
    write(path, b"old")
    with pytest.raises(OSError, match="nothing was changed") as caught, atomic_write(path) as file:
        file.write(b"new")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_error_of_another_file_is_left_alone(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "file"):
        open(tmp_path / "missing", "rb")
    assert caught.value.filename == str(tmp_path / "missing")


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
@pytest.mark.parametrize("piece", [1000, 3_000_000])
def test_a_file_that_may_not_grow(tmp_path, piece):
    """The system refuses the write, within the buffer's flush or before: the older file stays."""
    path = tmp_path / "file"
    write(path, b"old")
    process = run_python("""
        import errno, resource, sys
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        from proa.core.files import atomic_write
        try:
            with atomic_write(sys.argv[1]) as file:
                for _ in range(5_000_000 // int(sys.argv[2]) + 1):
                    file.write(bytes(int(sys.argv[2])))
        except OSError as error:
            assert error.errno == errno.EFBIG and error.filename == sys.argv[1], error
            print("refused")
        """, path, piece)
    output, errors = process.communicate(timeout=60)
    assert output == "refused\n", errors
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_process_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    write(path, b"0" * 4_000_000)
    for pause in (0.0, 0.004, 0.02):
        process = run_python("""
            import itertools, sys
            from proa.core.files import atomic_write
            for n in itertools.count(1):
                with atomic_write(sys.argv[1]) as file:
                    for _ in range(400):
                        file.write(str(n % 10).encode() * 10_000)
                if n == 1:
                    print("started", flush=True)
            """, path)
        process.stdout.readline()
        signal.sigtimedwait([], pause)
        process.kill()
        process.communicate()
        data = path.read_bytes()
        assert len(data) == 4_000_000
        assert data == data[:1] * len(data)
    leftovers = sorted(set(os.listdir(tmp_path)) - {"file"})
    assert all(name.startswith("file.") and name.endswith(".tmp") for name in leftovers)
    assert len(leftovers) <= 3


@pytest.mark.skipif(os.name != "posix", reason="modes and links")
def test_modes_and_links_are_kept(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    write(target, b"old")
    umask = os.umask(0)
    os.umask(umask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~umask
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_long_name(tmp_path):
    path = tmp_path / ("ä" * 120)
    write(path, b"data")
    assert path.read_bytes() == b"data"


def test_corrupt_file_error():
    import pickle

    error = CorruptFileError("net.pdmodel", 12, "it ends")
    assert str(error) == "net.pdmodel: byte 12: it ends"
    assert str(CorruptFileError("a", "block 0", "b")) == "a: block 0: b"
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.file, again.place, again.reason) == ("net.pdmodel", 12, "it ends")
