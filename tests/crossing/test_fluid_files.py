"""Files of Paddle 1.x both ways with a live PaddlePaddle 1.8.5: set PROA_FLUID_ORACLE_PYTHON to its Python."""

import os
import subprocess
from pathlib import Path

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from fluid_files import read, run, write
from fluid_nets import NETS

PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
HERE = Path(__file__).parent
KINDS = ("model", "combined", "params", "persistables", "saved", "state")
AVAILABLE = list(NETS)

needs_oracle = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(command, folder):
    done = subprocess.run([PYTHON, str(HERE / "fluid_files.py"), command, str(folder), *AVAILABLE],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def check(folder, name):
    expected, found = np.load(folder / name / "expected.npz"), np.load(folder / name / "found.npz")
    assert found["names"].tolist() == expected["names"].tolist()
    for kind in KINDS:
        np.testing.assert_allclose(found[kind], expected["out"], rtol=1e-5, atol=1e-6, err_msg=f"{name}, {kind}")


@pytest.mark.parametrize("name", AVAILABLE)
def test_here_and_back(tmp_path, name):
    write(fluid, str(tmp_path), name)
    read(fluid, str(tmp_path), name)
    check(tmp_path, name)


@pytest.fixture(scope="module")
def written_there(tmp_path_factory):
    folder = tmp_path_factory.mktemp("there")
    there("write", folder)
    return folder


@needs_oracle
@pytest.mark.parametrize("name", AVAILABLE)
def test_1_8_writes_and_proa_reads(written_there, name):
    read(fluid, str(written_there), name)
    check(written_there, name)
    exe, folder = fluid.Executor(fluid.CPUPlace()), str(written_there / name / "combined")
    expected = np.load(written_there / name / "expected.npz")["out"]
    feed, _ = _fed(name)
    with fluid.scope_guard(fluid.Scope()):
        program, _, targets = paddle.static.load_inference_model(folder, exe, model_filename="net",
                                                                 params_filename="values")
        np.testing.assert_allclose(run(fluid, exe, program, feed, targets), expected, rtol=1e-5, atol=1e-6)
    names = np.load(written_there / name / "expected.npz")["names"].tolist()
    assert set(paddle.load(str(written_there / name / "saved" / "net.pdparams"))) == set(names)
    assert set(paddle.load(str(written_there / name / "params"))) == set(names)


def _fed(name):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        return NETS[name](fluid)


@needs_oracle
def test_proa_writes_and_1_8_reads(tmp_path):
    for name in AVAILABLE:
        write(fluid, str(tmp_path), name)
    there("read", tmp_path)
    for name in AVAILABLE:
        check(tmp_path, name)
