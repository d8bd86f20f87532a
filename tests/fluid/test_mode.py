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
