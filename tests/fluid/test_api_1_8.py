"""`proa run --api 1.8`: what a script of that time finds, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import proa
import pytest

SCRIPT = """
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.version import full_version

assert paddle.__version__ == full_version == paddle.version.full_version == "1.8.5"
fluid.require_version("1.6.0", "1.8.5")
assert not fluid.in_dygraph_mode()
x = fluid.layers.data("x", [3])
loss = fluid.layers.mean(fluid.layers.fc(x, 2) * 2.0)
assert loss.shape == (1,) and x[0].shape == (3,)
assert f"{x.dtype} {fluid.layers.cast(x, 'int64').dtype!r}" == "VarType.FP32 VarType.INT64"
assert (x[:, 1].name, x[0][1:3].name, (-x).name) == ("x_slice_1", "x_slice_2_slice_0", "tmp_1")
main, (weight, bias) = fluid.default_main_program(), fluid.default_main_program().all_parameters()
assert str(x).startswith('name: "x"\\ntype {\\n  type: LOD_TENSOR\\n') and "stop_gradient" not in str(x)
assert weight.to_string(True, with_details=True).endswith(
    "persistable: true\\nerror_clip: None\\nstop_gradient: False\\ntrainable: True\\n"
    "optimize_attr: {'learning_rate': 1.0}\\nregularizer: None\\ndo_model_average: True\\n")
assert str(main).startswith("blocks {\\n  idx: 0\\n  parent_idx: -1\\n") and "is_parameter" not in str(main)
assert str(main.global_block()).startswith("idx: 0\\n")
assert 'inputs {\\n  parameter: "X"\\n' in str(main.global_block().ops[0])  # protobuf decides about the order
fluid.optimizer.SGD(0.1).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
value, = exe.run(fluid.default_main_program(), feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
assert value.shape == (1,)
with fluid.dygraph.guard():
    assert fluid.in_dygraph_mode()
    assert fluid.layers.mean(fluid.dygraph.to_variable(np.ones((2, 3), "float32"))).numpy().tolist() == [1.0]
import paddle.complex as cpx
from paddle.complex.tensor.math import kron
with fluid.dygraph.guard():
    z = fluid.dygraph.to_variable(np.array([[1 + 2j, 3 - 1j]], "complex64"), name="z")
    assert isinstance(z, fluid.framework.ComplexVariable) and z.name == {"real": "z.real", "imag": "z.imag"}
    assert paddle.complex.sum(z).numpy().tolist() == [4 + 1j] and kron is cpx.kron
reader = paddle.batch(paddle.reader.shuffle(lambda: iter(range(4)), 4), 2)
assert sorted(map(len, reader())) == [2, 2]
rows = fluid.create_lod_tensor(np.arange(3).reshape(3, 1), [[2, 1]], fluid.CPUPlace())
assert str(rows) == "\\tlod: {{0, 2, 3}}\\n\\tdim: 3, 1\\n\\tlayout: NCHW\\n\\tdtype: int64_t\\n\\tdata: [0 1 2]\\n"
print("done")
"""


def run(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(Path(proa.__file__).parents[1])}
    return subprocess.run([sys.executable, "-m", "proa", "run", *arguments], env=environment, capture_output=True,
                          text=True, timeout=120)


def test_a_script_of_its_time(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run("--api", "1.8", str(script))
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_without_it_the_version_is_the_later_one():
    done = run("-c", "import paddle, paddle.fluid; print(paddle.__version__, paddle.in_dynamic_mode())")
    assert done.stdout == "2.6.2 True\n", done.stderr


def test_another_api_is_refused():
    done = run("--api=3.0", "-c", "1")
    assert done.returncode == 2 and "takes 2.6, 2.4 or 1.8" in done.stderr
    with pytest.raises(ValueError, match=r"install\(api\)"):
        proa.compat.install("paddle_of_another_time", api="0.1")
