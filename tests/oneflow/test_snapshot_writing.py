"""A snapshot is a folder that is there as a whole or not at all, whatever stops its writing."""

import errno
import itertools
import os
import shutil
import stat
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
from proa.core.files import atomic_group
from proa.oneflow.snapshot import layout
from proa.oneflow.snapshot.reading import is_whole, list_variables
from proa.oneflow.snapshot.writing import write_snapshot
from system_calls import can_trace, killed_at

VALUES = {"a-weight": np.arange(6, dtype="float32").reshape(2, 3), "b": np.array([7], "int64")}


def write(path, values=VALUES, later_form=False):
    write_snapshot(path, list(values), values.__getitem__, "CheckPoint.save", later_form)


def out(path, name):
    return (path / name / "out").read_bytes()


def files(folder):
    return sorted(os.path.relpath(os.path.join(root, name), folder) for root, folders, names in os.walk(folder)
                  for name in [*folders, *names])


def test_the_tree(tmp_path):
    write(tmp_path / "new" / "models")
    assert files(tmp_path / "new" / "models") == ["a-weight", "a-weight/out", "b", "b/out", "snapshot_done"]
    assert (tmp_path / "new" / "models" / "snapshot_done").is_dir()
    assert out(tmp_path / "new" / "models", "a-weight") == VALUES["a-weight"].tobytes()
    assert os.listdir(tmp_path / "new") == ["models"]


def test_the_later_form(tmp_path):
    write(tmp_path / "models", later_form=True)
    assert files(tmp_path / "models") == ["a-weight", "a-weight/meta", "a-weight/out", "b", "b/meta", "b/out",
                                          "snapshot_done"]
    assert (tmp_path / "models" / "snapshot_done").read_bytes() == b""
    assert (tmp_path / "models" / "a-weight" / "meta").read_text() == \
        "shape {\n  dim: 2\n  dim: 3\n}\ndata_type: kFloat\n"


def test_an_empty_folder_is_kept(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir(mode=0o700)
    before = os.stat(folder).st_ino
    write(folder)
    assert os.stat(folder).st_ino == before and stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert is_whole(folder)


def test_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(".")
    assert list_variables(".") == sorted(VALUES)


def test_a_link_to_a_folder(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "dangling").symlink_to(tmp_path / "later")
    for name, place in (("link", "there"), ("dangling", "later")):
        write(tmp_path / name)
        assert (tmp_path / name).is_symlink() and is_whole(tmp_path / place)


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path):
    folder = tmp_path / "models"
    write(folder)
    before = {name: os.stat(folder / name).st_mtime_ns for name in files(folder)}
    with pytest.raises(FileExistsError, match=r"CheckPoint.save\(path\): the folder is not empty, it holds 'a-weight', "
                                              r"'b', 'snapshot_done'. Nothing was written") as caught:
        write(folder, {"c": np.zeros(1)})
    assert caught.value.filename == str(folder)
    assert {name: os.stat(folder / name).st_mtime_ns for name in files(folder)} == before


def test_a_hidden_file_is_a_file(tmp_path):
    (tmp_path / ".mine").write_text("x")
    with pytest.raises(FileExistsError, match="'.mine'"):
        write(tmp_path)


@pytest.mark.parametrize("path", ["", 3, None])
def test_no_path(path):
    with pytest.raises(TypeError, match="a folder's path is a str"):
        write(path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match="this is a file, and a snapshot is a folder"):
        write(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        write(tmp_path / "file" / "models")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("name, reason", [
    ("a/b", "holds no '/'"), ("..", "no folder's name"), (".", "no folder's name"), ("", "no folder's name"),
    ("/etc/passwd", "holds no '/'"), ("a\0b", r"holds no '\\x00'"), ("a\\b", "holds no"), ("../../x", "holds no '/'"),
    ("snapshot_done", "mark of a whole snapshot"), ("x" * 256, "it has 256 bytes"), ("\udcff\ud800", "cannot write it"),
    (3, "is a str"),
])
def test_names_that_are_no_folders(tmp_path, name, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        write(tmp_path / "models", {"a": np.zeros(1), name: np.zeros(1)})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a b", "é", "System-Train-TrainStep-train_job", "x" * 255, "-", "~", "a.tmp", "out"])
def test_names_that_are_folders(tmp_path, name):
    write(tmp_path / "models", {name: VALUES["b"]})
    assert list_variables(tmp_path / "models") == [name]
    assert out(tmp_path / "models", name) == VALUES["b"].tobytes()


@pytest.mark.parametrize("make", [
    lambda a: a, lambda a: a.astype(">f4"), lambda a: np.asfortranarray(a), lambda a: a[::-1, ::2],
    lambda a: a.astype(">f8").T, lambda a: a.astype("float16"), lambda a: a > 3, lambda a: a.astype("complex64"),
    lambda a: a[:0], lambda a: np.float32(3), lambda a: a.astype(">i8")[:, 1], lambda a: a.astype("uint16"),
    lambda a: np.broadcast_to(a[0], (300, 400, 5)), lambda a: np.broadcast_to(a[0], (300, 400, 5)).astype(">f4"),
])
def test_elements_in_order_and_little_endian(tmp_path, make):
    array = make(np.arange(20, dtype="float32").reshape(4, 5))
    write(tmp_path / "models", {"w": array})
    expected = np.asarray(array)
    assert out(tmp_path / "models", "w") == np.ascontiguousarray(expected, expected.dtype.newbyteorder("<")).tobytes()


def test_bfloat16(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.arange(6).astype(ml_dtypes.bfloat16).reshape(2, 3)
    write(tmp_path / "models", {"w": array, "t": array.T}, later_form=True)
    assert out(tmp_path / "models", "w") == array.tobytes()
    assert out(tmp_path / "models", "t") == np.ascontiguousarray(array.T).tobytes()
    assert (tmp_path / "models" / "w" / "meta").read_text().endswith("data_type: kBFloat16\n")


@pytest.mark.parametrize("value", [np.array(["a"]), np.array([object()]), np.array([None]), np.zeros(2, "M8[s]"),
                                   np.zeros(2, [("a", "i4")])])
def test_what_is_no_number(tmp_path, value):
    with pytest.raises(TypeError, match="values of a snapshot are numbers"):
        write(tmp_path / "models", {"a": VALUES["b"], "w": value})
    assert os.listdir(tmp_path) == []


def test_what_the_later_form_has_no_name_for(tmp_path):
    with pytest.raises(TypeError, match="uint16"):
        write(tmp_path / "models", {"w": np.zeros(2, "uint16")}, later_form=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("stands", [False, True])
@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt()])
def test_an_exception_leaves_nothing(tmp_path, stands, error):
    folder = tmp_path / "models"
    if stands:
        folder.mkdir()

    def value_of(name):
        if name == "b":
            raise error
        return VALUES[name]

    with pytest.raises(type(error)):
        write_snapshot(folder, list(VALUES), value_of, "CheckPoint.save")
    assert files(tmp_path) == (["models"] if stands else [])


@pytest.mark.parametrize("stands", [False, True])
@pytest.mark.parametrize("call", range(30))
def test_a_system_that_refuses_leaves_nothing(tmp_path, monkeypatch, stands, call):
    """Each call in turn, as a full disk refuses it: the error names the path that was given; what was made is gone."""
    folder = tmp_path / "models"
    if stands:
        folder.mkdir()
    calls = itertools.count()

    def refusing(function):
        def refuse(*args, **options):
            if next(calls) == call:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *args[:1])
            return function(*args, **options)
        return refuse

    with monkeypatch.context() as patch:
        for name in ("mkdir", "open", "fsync", "rename", "replace"):
            patch.setattr(os, name, refusing(getattr(os, name)))
        try:
            write(folder)
        except OSError as error:
            assert error.errno == errno.ENOSPC and error.filename == str(folder)
            assert "No space left" in str(error) and "CheckPoint.save(path)" in str(error)
            refused = True
        else:
            refused = False
    if refused:
        assert files(tmp_path) == (["models"] if stands else [])
    else:
        assert is_whole(folder) and list_variables(folder) == sorted(VALUES)


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_disk_that_is_full_in_the_middle_of_a_value(tmp_path):
    process = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import errno, resource, sys
        import numpy as np
        from proa.oneflow.snapshot.writing import write_snapshot
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        values = {"small": np.zeros(3), "large": np.zeros(1_000_000)}
        try:
            write_snapshot(sys.argv[1], list(values), values.__getitem__, "CheckPoint.save")
        except OSError as error:
            assert error.errno == errno.EFBIG and error.filename == sys.argv[1], error
            print(error.strerror)
        """), str(tmp_path / "models")], capture_output=True, text=True, timeout=120)
    assert process.stdout == ("File too large. CheckPoint.save(path): writing of the variable 'large' failed, and what "
                              "was written is gone again\n"), process.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="who may write everywhere")
def test_a_missing_permission(tmp_path):
    os.chmod(tmp_path, 0o500)
    with pytest.raises(PermissionError, match="CheckPoint.save"):
        write(tmp_path / "models")
    os.chmod(tmp_path, 0o700)


def test_two_writers_of_one_folder(tmp_path):
    """The second comes while the first writes: one of them has the folder as a whole, the other is told."""
    folder = tmp_path / "models"

    def value_of(name):
        if not folder.exists():
            write(folder, {"theirs": VALUES["b"]})
        return VALUES[name]

    with pytest.raises(OSError) as caught:
        write_snapshot(folder, list(VALUES), value_of, "CheckPoint.save")
    assert caught.value.errno in (errno.ENOTEMPTY, errno.EEXIST)
    assert files(tmp_path) == ["models", "models/snapshot_done", "models/theirs", "models/theirs/out"]


def test_two_writers_of_one_empty_folder(tmp_path):
    def value_of(name):
        if not (tmp_path / "a-weight" / "mine").exists():
            (tmp_path / "b").mkdir(exist_ok=True)
        return VALUES[name]

    with pytest.raises(FileExistsError, match="of the variable 'b'"):
        write_snapshot(tmp_path, list(VALUES), value_of, "CheckPoint.save")
    assert files(tmp_path) == ["b"]


@pytest.mark.skipif(not can_trace(), reason="a child process cannot be traced here")
@pytest.mark.parametrize("stands, later_form", [(False, False), (True, False), (False, True)])
def test_killed_at_every_system_call(tmp_path, stands, later_form):
    """Where there is the mark of a whole snapshot, there is a whole snapshot; a new folder is there as a whole only."""
    folder = tmp_path / "models"
    wholes = 0
    for count in itertools.count(1):
        if stands:
            folder.mkdir()
        killed = killed_at(count, lambda: write(folder, later_form=later_form))
        if is_whole(folder):
            wholes += 1
            assert {name: out(folder, name) for name in list_variables(folder)} == \
                {name: value.tobytes() for name, value in VALUES.items()}
            if later_form:
                assert all((folder / name / "meta").stat().st_size > 20 for name in VALUES)
        else:
            assert folder.exists() == stands
        others = set(os.listdir(tmp_path)) - {"models"}
        assert all(name.startswith("models.") and name.endswith(".tmp") for name in others)
        for name in os.listdir(tmp_path):
            shutil.rmtree(tmp_path / name)
        if not killed:
            break
    assert count > 60 and 1 < wholes < count / 2


def test_the_harness_finds_a_writer_that_marks_too_early(tmp_path):
    """What the test above looks at is seen: the mark first, and the values behind it."""
    if not can_trace():
        pytest.skip("a child process cannot be traced here")

    def wrong():
        os.mkdir(tmp_path / "snapshot_done")
        with atomic_group() as group, group.open(tmp_path / "b" / "out") as file:
            file.write(b"x")

    found = False
    for count in itertools.count(1):
        killed = killed_at(count, wrong)
        found = found or is_whole(tmp_path) and list_variables(tmp_path) != ["b"]
        for name in os.listdir(tmp_path):
            shutil.rmtree(tmp_path / name)
        if not killed:
            break
    assert found


def test_values_are_written_from_where_they_lie(tmp_path):
    values = {"w": np.ones(4_000_000, "float32"), "t": np.ones((2000, 2000), "float32").T}
    tracemalloc.start()
    write(tmp_path / "models", values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000 and out(tmp_path / "models", "t") == values["t"].tobytes()


def test_values_are_asked_for_one_at_a_time(tmp_path):
    held = []

    def value_of(name):
        held.append(name)
        return np.full(3, len(held), "int32")

    write_snapshot(tmp_path / "models", ["a", "b", "c"], value_of, "CheckPoint.save")
    assert held == ["a", "b", "c"] and out(tmp_path / "models", "c") == np.full(3, 3, "int32").tobytes()


def test_what_the_layout_counts():
    assert layout.count_bytes((2, 0), layout.float32) == 0 and layout.count_bytes((), layout.float64) == 8
