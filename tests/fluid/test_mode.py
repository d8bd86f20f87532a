"""Both faces in one process: the functions of 1.x write Programs, whatever mode the process is in."""

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.fluid.mode import compute


@pytest.fixture
def main():
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [4])
    return program, x


def test_layers_write_the_default_program_in_eager_mode():
    before = len(fluid.default_main_program().global_block().ops)
    x = fluid.data("mode_x", [None, 4])
    fluid.layers.fc(x, 3, bias_attr=False)
    assert [op.type for op in fluid.default_main_program().global_block().ops[before:]] == ["mul"]
    assert paddle.in_dynamic_mode()


def test_operators_and_methods_of_variables_write_their_own_program(main):
    program, x = main
    results = [x + 1, 2.0 / x, x[0], x.sum(), x.astype("float64"), -x, x > 0]
    assert all(value.program is program for value in results)
    assert {"scale", "elementwise_div", "reduce_sum", "cast"} <= {op.type for op in program.global_block().ops}


def test_functions_of_the_later_face_take_variables_in_eager_mode(main):
    program, x = main
    y = paddle.nn.functional.relu(paddle.add(x, x))
    assert [op.type for op in program.global_block().ops] == ["elementwise_add", "relu"]
    fetched = fluid.Executor().run(program, {"x": np.full((2, 4), 0.5, "float32")}, [y])
    np.testing.assert_array_equal(fetched[0], np.ones((2, 4), "float32"))


def test_layers_compute_within_a_guard_and_with_tensors():
    with compute():
        assert fluid.in_dygraph_mode()
        assert fluid.one_hot(paddle.to_tensor([1]), 3).tolist() == [[0.0, 1.0, 0.0]]
    assert not fluid.in_dygraph_mode()
    assert fluid.one_hot(paddle.to_tensor([2]), 3).tolist() == [[0.0, 0.0, 1.0]]


def test_a_program_within_a_guard_is_written():
    with compute(), fluid.program_guard(fluid.Program(), fluid.Program()):
        assert not fluid.in_dygraph_mode()
        assert fluid.layers.fc(fluid.data("x", [None, 4]), 3).shape == (-1, 3)


def test_layers_and_schedules_compute_within_a_guard():
    layers = fluid.layers
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones((3, 4), "float32"))
        label = fluid.dygraph.to_variable(np.zeros((3, 1), "int64"))
        assert layers.mean(x).numpy().tolist() == [1.0]
        assert layers.fill_constant_batch_size_like(x, [-1, 2], "float32", 1.0).shape == [3, 2]
        assert layers.cross_entropy(layers.softmax(x), label).shape == [3, 1]
        assert layers.accuracy(layers.softmax(x), label).shape == [1]
        assert layers.batch_norm(fluid.dygraph.to_variable(np.ones((2, 4, 2, 2), "float32"))).shape == [2, 4, 2, 2]
        assert layers.range(0, 5, 2, "int32").numpy().tolist() == [0, 2, 4]
        assert isinstance(layers.piecewise_decay([2], [0.1, 0.01]), fluid.dygraph.PiecewiseDecay)
        assert isinstance(layers.noam_decay(8, 2), fluid.dygraph.NoamDecay)
        assert isinstance(layers.cosine_decay(0.1, 2, 3), fluid.dygraph.CosineDecay)


def test_dynamic_mode_that_a_program_guard_asked_for_stays():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.enable_dygraph()
    try:
        assert fluid.in_dygraph_mode()
        assert fluid.layers.fill_constant([2], "float32", 3.0).numpy().tolist() == [3.0, 3.0]
    finally:
        fluid.disable_dygraph()
    assert not fluid.in_dygraph_mode()
