"""Machine code on disk: found again, never trusted when damaged or in a stranger's folder, bounded."""

import os
import subprocess
import sys

import pytest
from proa.backend.loops import cache, is_ready
from proa.core.flags import flags_guard

PROGRAM = """
import numpy as np
from proa.backend.loops import compiler
from proa.backend.loops.functions import Function
from proa.backend.loops.kernel import Kernel
made = []
whole = compiler._Target.object_code
compiler._Target.object_code = lambda self, text: made.append(1) or whole(self, text)
out = np.zeros(3, "float32")
Kernel(Function(source="def f(out, n):\\n    for i in range(n):\\n        out[i] = exp(1.0)"))(out, 3)
print(len(made), round(float(out[2]), 4))
"""


@pytest.fixture
def folder(tmp_path):
    with flags_guard({"FLAGS_kernel_cache_dir": str(tmp_path / "kernels")}):
        yield tmp_path / "kernels"


def test_what_is_written_is_read(folder):
    cache.write("a" * 64, b"code")
    assert cache.read("a" * 64) == b"code"
    assert cache.read("b" * 64) is None
    assert (folder.stat().st_mode & 0o777) == 0o700


def test_damaged_code_is_not_used(folder):
    cache.write("a" * 64, b"code" * 100)
    file = folder / ("a" * 64 + ".o")
    content = bytearray(file.read_bytes())
    content[50] ^= 1
    file.write_bytes(content)
    assert cache.read("a" * 64) is None


def test_a_folder_that_others_may_write_is_not_used(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with flags_guard({"FLAGS_kernel_cache_dir": str(folder)}):
        cache.write("a" * 64, b"code")
        assert cache.read("a" * 64) is None and not list(folder.iterdir())


def test_the_oldest_go_when_it_grows_too_large(folder):
    keys = [f"{index:063x}0" for index in range(4)]  # at a key that ends so the sizes are looked at
    with flags_guard({"FLAGS_kernel_cache_megabytes": 1}):
        for index, key in enumerate(keys):
            cache.write(key, bytes(400_000))
            os.utime(folder / f"{key}.o", (index, index))
    assert [cache.read(key) is not None for key in keys] == [False, False, True, True]


def test_files_that_another_process_removes_meanwhile(folder, monkeypatch):
    keys = [f"{index:063x}1" for index in range(3)]
    for key in keys:
        cache.write(key, bytes(400_000))
    whole = os.scandir

    class Entries(list):
        looked_before = False

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.clear()

    def scandir(place):
        found = Entries(whole(place))
        if Entries.looked_before:  # once for what is unfinished, and then for what is whole
            os.unlink(folder / f"{keys[0]}.o")
        Entries.looked_before = True
        return found

    monkeypatch.setattr(os, "scandir", scandir)
    with flags_guard({"FLAGS_kernel_cache_megabytes": 1}):
        cache.write(f"{3:063x}0", bytes(400_000))
    monkeypatch.undo()
    assert cache.kept()[0] == 1


def test_nothing_is_kept_when_it_may_take_nothing(folder):
    with flags_guard({"FLAGS_kernel_cache_megabytes": 0}):
        cache.write("a" * 64, b"code")
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")
def test_a_second_process_compiles_nothing(tmp_path):
    environment = {**os.environ, "FLAGS_kernel_cache_dir": str(tmp_path / "kernels"),
                   "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True,
                           cwd=tmp_path) for _ in range(2)]
    assert [run.stdout.split() for run in runs] == [["1", "2.7183"], ["0", "2.7183"]]


def test_a_write_that_fails_leaves_nothing(folder, monkeypatch):
    def fails(*_):
        raise OSError("no room")

    monkeypatch.setattr(cache.os, "replace", fails)
    cache.write("a" * 64, b"code")
    assert cache.read("a" * 64) is None and not list(folder.iterdir())
