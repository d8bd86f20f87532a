"""`paddle.jit.sot`: conversion by the path of Paddle's translator of bytecode."""

import warnings

import proa as paddle
import pytest
from proa.jit import sot
from proa.jit.sot.opcode_translator.executor.executor_cache import OpcodeExecutorCache
from proa.jit.sot.utils import FallbackError, strict_mode_guard
from proa.jit.sot.utils.envs import min_graph_size_guard
from proa.jit.sot.utils.paddle_api_config import add_break_graph_apis


def summed(x, values):
    for value in values:
        x = x + value if x.sum() > 0 else x - value
    return x, values


@pytest.fixture
def cache():
    found = OpcodeExecutorCache()
    found.clear()
    yield found
    found.clear()


def test_one_program_for_a_function_that_is_asked_for_twice(cache):
    x = paddle.ones([2])
    for _ in range(2):
        found, values = sot.symbolic_translate(summed)(x, [1, 2])
        assert found.tolist() == [4.0, 4.0] and values == [1, 2]
    assert cache.translate_count == 1
    sot.symbolic_translate(summed)(paddle.ones([3]), [1, 2])
    assert cache.translate_count == 2
    cache.clear()
    assert cache.translate_count == 0


def test_functions_of_one_code_are_two():
    def adding(number):
        return lambda x: x + number

    assert [sot.symbolic_translate(adding(n))(paddle.zeros([1])).item() for n in (1, 2)] == [1.0, 2.0]


def test_methods_layers_and_what_is_no_function():
    class Net(paddle.nn.Layer):
        def forward(self, x):
            return x * 3

    net, x = Net(), paddle.ones([1])
    assert sot.symbolic_translate(net.forward)(x).item() == 3.0
    assert sot.symbolic_translate(net)(x).item() == 3.0
    assert sot.symbolic_translate(len)([1, 2]) == 2
    with pytest.raises(TypeError, match="unexpected arguments \\['depth'\\]"):
        sot.symbolic_translate(summed, depth=1)


def test_what_a_function_says_of_its_translation():
    seen = []

    @sot.psdb.check_no_breakgraph
    def broken(x):
        seen.append(sot.psdb.in_sot())
        x = x + 1
        sot.psdb.breakgraph()
        return x * 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        assert sot.symbolic_translate(broken)(paddle.ones([1])).item() == 4.0
    assert seen[-1] is False and broken(paddle.ones([1])).item() == 4.0
    with pytest.raises(FallbackError, match="psdb.fallback"):
        paddle.jit.to_static(broken, full_graph=True)(paddle.ones([1]))
    sot.psdb.assert_true(True)
    with pytest.raises(AssertionError):
        sot.psdb.assert_true(False)


@strict_mode_guard(False)
@min_graph_size_guard(10)
def test_blocks_that_change_nothing():
    add_break_graph_apis([paddle.to_tensor])
    assert sot.symbolic_translate(summed)(paddle.ones([1]), [1])[0].item() == 2.0
