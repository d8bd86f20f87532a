"""`proa run --api 2.4`: the `paddle.fluid` of Paddle 2.0 to 2.4, in a process of its own."""

import subprocess
import sys

SCRIPT = """
import paddle
import paddle.fluid as fluid
from paddle import nn
from paddle.fluid import core, framework, unique_name
from paddle.fluid.data_feeder import check_variable_and_dtype
from paddle.fluid.dygraph import Layer, LayerList, guard, to_variable
from paddle.fluid.dygraph.base import param_guard, program_desc_tracing_guard
from paddle.fluid.dygraph.layers import Layer as AsItsFile
from paddle.fluid.framework import _dygraph_tracer, in_dygraph_mode
from paddle.fluid.layers.utils import map_structure
from paddle.fluid.reader import _convert_places, _DatasetKind, _get_paddle_place_list

assert paddle.__version__ == "2.4.2" and paddle.fluid is fluid
assert isinstance(to_variable([1.0]), fluid.Variable)
assert fluid.initializer.TruncatedNormal and fluid.initializer.TruncatedNormalInitializer  # though never imported
assert fluid.Layer is Layer is nn.Layer is AsItsFile and LayerList is nn.LayerList
assert isinstance(paddle.CPUPlace(), fluid.core_avx.Place) and _DatasetKind.ITER == 1
assert _convert_places(paddle.CPUPlace()) == _get_paddle_place_list(["cpu"]) == [paddle.CPUPlace()]
assert in_dygraph_mode() and fluid.in_dygraph_mode() and _dygraph_tracer() is not None


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        half = fluid.initializer.ConstantInitializer(0.5)
        self.linear = nn.Linear(2, 2, weight_attr=paddle.ParamAttr(initializer=half))

    def forward(self, x):
        return fluid.layers.reduce_sum(fluid.layers.elementwise_add(self.linear(x), fluid.layers.ones([1], "float32")))


net = Net()
loss = net(to_variable([[1.0, 3.0]]))
loss.backward()
assert loss.shape == [1] and loss.item() == 6.0 and net.linear.weight.grad.tolist() == [[1.0, 1.0], [3.0, 3.0]]
assert type(fluid.layers.fill_constant([2], "float32", 1.0)) is paddle.Tensor

with framework._test_eager_guard():
    assert framework._non_static_mode() and fluid._non_static_mode() and not framework._in_legacy_dygraph()
assert fluid.dygraph.Flatten()(to_variable([[[1.0], [2.0]]])).shape == [1, 2]
start = fluid.layers.fill_constant([2], "int64", 0)
words = fluid.layers.GreedyEmbeddingHelper(nn.Embedding(9, 4), start_tokens=start, end_token=1)
cell = nn.GRUCell(4, 4)
decoder = fluid.layers.BasicDecoder(cell, words, output_fn=nn.Linear(4, 9))
decoded, last = nn.dynamic_decode(decoder, cell.get_initial_states(paddle.ones([2, 4])), max_step_num=0)
assert decoded.sample_ids.shape == [2, 1] and last.shape == [2, 4] and isinstance(decoder, nn.decode.Decoder)

from paddle.fluid.initializer import XavierInitializer

assert XavierInitializer is fluid.initializer.XavierInitializer
paddle.enable_static()
assert not in_dygraph_mode()
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup):
    x = fluid.data("x", [None, 3])
    y = fluid.layers.fc(x, 2) if x else None  # as Fluid's code asks for a mask that may be None
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
assert exe.run(main, {"x": [[1.0, 2.0, 3.0]]}, [y])[0].shape == (1, 2)
print("done")
"""


def test_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, "-m", "proa", "run", "--api", "2.4", str(script)], capture_output=True,
                          text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_names_that_later_paddle_moved():
    from proa.fluid import core, framework
    from proa.fluid.dygraph.base import param_guard

    assert param_guard and core.Generator and not framework.in_pir_mode()
    assert not hasattr(framework, "nothing") and not hasattr(core, "__nothing__")


SLIM = """
import paddle
import paddle.fluid as fluid
from paddle.fluid.contrib.slim.quantization import ImperativeQuantAware, PostTrainingQuantization
from paddle.fluid.contrib.slim.quantization.imperative.qat import ImperativeQuantAware as same
from paddle.fluid.contrib.slim.quantization.quantization_pass import QuantizationTransformPass
from paddle.fluid.layers import core

assert same is ImperativeQuantAware is paddle.quantization.ImperativeQuantAware and core.VarDesc
assert PostTrainingQuantization and fluid.contrib.slim.quantization.QuantWeightPass
assert fluid.contrib.slim.quantization.QuantizationTransformPass is QuantizationTransformPass
layer = paddle.nn.Sequential(paddle.nn.Linear(2, 3))
ImperativeQuantAware().quantize(layer)
print(layer(paddle.ones([1, 2])).shape)
"""


def test_quantization_where_packages_of_2_import_it(tmp_path):
    """paddleslim 2.2 and paddlex 2.1 do, GammaGL takes `core` from the layers."""
    script = tmp_path / "slim.py"
    script.write_text(SLIM)
    done = subprocess.run([sys.executable, "-m", "proa", "run", "--api", "2.4", str(script)], capture_output=True,
                          text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("[1, 3]\n", 0), done.stderr
