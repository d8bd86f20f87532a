"""Machine code linked once, loaded without LLVM: the same results, and what is not linked is loaded through LLVM."""

import os
import subprocess
import sys

import numpy as np
import pytest
from proa.backend.loops import compiler, is_ready, linking, loading
from proa.backend.loops.functions import Function
from proa.backend.loops.kernel import Kernel
from proa.core.flags import flags_guard

SOURCE = """def f(x, out, n):
    for i in parallel(n, 1 << 20):
        out[i] = exp(x[i]) + tanh(x[i]) * 3.25
"""
WARM = """
import sys
import numpy as np
from proa.backend.loops.functions import Function
from proa.backend.loops.kernel import Kernel
x, out = np.ones(5, "float32"), np.zeros(5, "float32")
Kernel(Function(source={source!r}))(x, out, 5)
print(round(float(out[4]), 4), "llvmlite" in sys.modules)
"""

needs_loops = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")


@pytest.fixture
def folder(tmp_path):
    with flags_guard({"FLAGS_kernel_cache_dir": str(tmp_path / "kernels")}):
        yield tmp_path / "kernels"


def run(kernel):
    x = np.linspace(-2, 2, 1000, dtype="float32")
    out = np.empty_like(x)
    kernel(x, out, x.size)
    np.testing.assert_allclose(out, np.exp(x) + np.tanh(x) * 3.25, rtol=1e-6, atol=1e-6)
    return out


def test_an_image_survives_being_kept():
    image = linking.Image(16, 64, 80, ("GOMP_parallel", "memset"), b"code")
    assert linking.Image.from_bytes(image.to_bytes()) == image
    assert linking.Image.from_bytes(b"\x7fELF and so on") is None


def test_what_is_no_object_file_is_not_linked():
    assert linking.linked(b"", "entry") is None
    assert linking.linked(b"\x7fELF" + bytes(100), "entry") is None


def test_an_unknown_function_is_not_found():
    assert loading.address_of("no_such_function_anywhere") is None
    assert loading.loaded(linking.Image(0, 0, 8, ("no_such_function_anywhere",), b"")) is None


@needs_loops
def test_code_that_is_not_linked_runs_the_same(folder, monkeypatch):
    linked = run(Kernel(Function(source=SOURCE)))
    for file in folder.iterdir():
        file.unlink()
    monkeypatch.setattr(linking, "linked", lambda code, entry: None)
    np.testing.assert_array_equal(run(Kernel(Function(source=SOURCE))), linked)
    (file,) = folder.iterdir()
    assert linking.Image.from_bytes(file.read_bytes()[32:]) is None
    np.testing.assert_array_equal(run(Kernel(Function(source=SOURCE))), linked)  # as it is on disk


@needs_loops
def test_code_that_cannot_be_loaded_is_made_by_llvm(folder, monkeypatch):
    monkeypatch.setattr(loading, "loaded", lambda image: None)
    run(Kernel(Function(source=SOURCE)))


@needs_loops
def test_a_second_process_does_without_llvm(folder, tmp_path):
    run(Kernel(Function(source=SOURCE)))
    if linking.Image.from_bytes(next(folder.iterdir()).read_bytes()[32:]) is None:
        pytest.skip("object code of this processor is not linked")
    environment = {**os.environ, "FLAGS_kernel_cache_dir": str(folder),
                   "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", WARM.format(source=SOURCE)], env=environment, capture_output=True,
                          text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == [str(round(float(np.exp(1) + np.tanh(1) * 3.25), 4)), "False"]


def test_the_version_is_told_without_the_import():
    if compiler.obstacle():
        pytest.skip("llvmlite is not installed")
    import llvmlite

    assert compiler.version() == llvmlite.__version__
