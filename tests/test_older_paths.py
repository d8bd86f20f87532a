"""Names by older paths, `paddle.tensor`, `paddle.base`, `paddle.framework`, seeds, and LazyGuard."""

import importlib

import numpy as np
import proa as paddle
import pytest
from proa import static


def test_every_name_of_base_is_there():
    for name in dir(paddle.base):
        assert getattr(paddle.base, name) is not None, name
    assert paddle.base.CPUPlace is paddle.CPUPlace
    assert paddle.base.framework.in_dygraph_mode() and paddle.base.in_dygraph_mode()
    assert paddle.base.core.VarDesc.VarType.FP32 is paddle.float32


def test_checks_of_arguments_by_the_path_of_packages():
    from proa.base.data_feeder import check_shape, check_type, check_variable_and_dtype, convert_dtype
    from proa.base.framework import convert_np_dtype_to_dtype_

    assert convert_dtype(paddle.float32) == convert_dtype(np.float32) == "float32"
    assert convert_np_dtype_to_dtype_(np.dtype("int64")) == paddle.int64
    check_type(1, "x", str, "f")  # eagerly nothing is checked, as in Paddle
    check_shape([1], "f")
    check_variable_and_dtype(paddle.ones([1]), "x", ["int32"], "f")


def test_what_values_hold():
    kinds = paddle.base.core.VarDesc.VarType
    x = paddle.ones([2])
    assert x.type == kinds.LOD_TENSOR and str(x.type) == "VarType.LOD_TENSOR" and x.type.value == 7
    by_rows = paddle.nn.Embedding(3, 2, sparse=True)
    by_rows(paddle.to_tensor([1])).sum().backward()
    assert by_rows.weight.grad.type == kinds.SELECTED_ROWS
    block = static.Program().global_block()
    named = {"tensor": "LOD_TENSOR", "array": "LOD_TENSOR_ARRAY", "scopes": "STEP_SCOPES", "pstring": "PSTRING"}
    for kind, name in named.items():
        assert static.Variable(block, kind, kind=kind).type.name == name


def test_to_static_shows_in_the_global_var():
    module = importlib.import_module("proa.base.dygraph.base")
    seen = []

    @paddle.jit.to_static
    def function(x):
        seen.append(module.global_var._in_to_static_mode_)
        return x + 1

    function(paddle.ones([1]))
    assert seen == [True] and not paddle.base.dygraph.base.global_var._in_to_static_mode_


def test_framework_answers():
    assert not paddle.framework.use_pir_api()
    assert paddle.framework._current_expected_place() == paddle.CPUPlace()
    paddle.framework.core._set_prim_backward_enabled(True)
    assert paddle.framework.core._is_bwd_prim_enabled()
    paddle.framework.core._set_prim_all_enabled(False)
    assert not paddle.framework.core._is_bwd_prim_enabled()
    with static.program_guard(static.Program(), static.Program()):
        paddle.framework.random._manual_program_seed(5)
        assert static.default_main_program().random_seed == 5
    paddle.disable_signal_handler()


def test_cuda_states_by_device():
    states = paddle.get_cuda_rng_state()
    paddle.set_cuda_rng_state(states)
    with pytest.raises(ValueError, match="CUDA devices"):
        paddle.set_cuda_rng_state([*states, {}])


def test_functions_by_the_modules_of_tensor():
    from proa.tensor.creation import to_tensor
    from proa.tensor.manipulation import squeeze
    from proa.tensor.math import add

    assert (add, squeeze, to_tensor) == (paddle.add, paddle.squeeze, paddle.to_tensor)
    assert paddle.tensor.linalg.matmul is paddle.matmul and paddle.tensor.random.randn is paddle.randn
    assert paddle.tensor.logic.equal is paddle.equal and paddle.tensor.search.topk is paddle.topk
    assert paddle.tensor.stat.mean is paddle.mean and paddle.tensor.ops.exp is paddle.exp
    assert paddle.tensor.attribute.shape is paddle.shape
    with pytest.raises(AttributeError, match="no_such"):
        paddle.tensor.math.no_such


def test_functions_of_tensor():
    assert paddle.tensor.tril is paddle.tril and paddle.tensor.pow is paddle.pow
    x = paddle.zeros([2])
    assert paddle.tensor.fill_constant([2], "float32", 2, out=x) is x and x.tolist() == [2.0, 2.0]
    assert paddle.tensor.create_tensor("float32").shape == [0]
    with pytest.raises(AttributeError, match="no attribute 'Model'"):
        paddle.tensor.Model


def test_lists_in_eager_mode():
    array = paddle.tensor.create_array("float32", [paddle.ones([1])])
    paddle.tensor.array_write(paddle.zeros([1]), paddle.to_tensor(1), array)
    paddle.tensor.array_write(paddle.full([1], 3.0), 0, array)
    assert [paddle.tensor.array_read(array, i).item() for i in range(paddle.tensor.array_length(array))] == [3.0, 0.0]
    with pytest.raises(IndexError, match="at most 2"):
        paddle.tensor.array_write(paddle.zeros([1]), 5, array)
    with pytest.raises(TypeError, match="create_array"):
        paddle.tensor.array_read(paddle.ones([1]), 0)
    with pytest.raises(TypeError, match="tensors"):
        paddle.tensor.create_array("float32", [1.0])


def test_lists_in_a_program():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2])
        at = paddle.tensor.fill_constant([1], "int64", 0)
        array = paddle.tensor.array_write(x, at)
        paddle.tensor.array_write(x * 2.0, at + 1, array)
        found = [paddle.tensor.array_read(array, at + 1), paddle.tensor.array_length(array)]
        made = paddle.tensor.create_tensor("float32", name="made")
    results = static.Executor().run(main, feed={"x": np.ones(2, "float32")}, fetch_list=found)
    assert results[0].tolist() == [2.0, 2.0] and results[1].tolist() == [2] and made.name == "made"
    assert {"write_to_array", "read_from_array", "lod_array_length"} <= {op.type for op in main.global_block().ops}


def test_check_shape():
    paddle.check_shape("anything", "zeros")
    with static.program_guard(static.Program(), static.Program()):
        size = static.data("size", [1], "int32")
        paddle.check_shape([2, size], "zeros")
        paddle.check_shape(size, "zeros")
        with pytest.raises(TypeError, match="zeros"):
            paddle.check_shape(3, "zeros")
        with pytest.raises(TypeError, match="element of shape"):
            paddle.check_shape([2.5], "zeros")
        with pytest.raises(TypeError, match="int32 or int64"):
            paddle.check_shape(static.data("f", [1]), "zeros")


def test_lazy_parameters_are_filled_when_asked():
    paddle.seed(4)
    expected = paddle.nn.Linear(3, 4)
    with paddle.LazyGuard():
        lazy = paddle.nn.Linear(3, 4)
    assert not lazy.weight.numpy().any() and paddle.nn.Linear(3, 4).weight.numpy().any()
    paddle.seed(4)
    for parameter in lazy.parameters():
        parameter.initialize()
    np.testing.assert_array_equal(lazy.weight.numpy(), expected.weight.numpy())
    lazy.weight.set_value(paddle.ones([3, 4]))
    lazy.weight.initialize()
    assert lazy.weight.numpy().all()
    lazy(paddle.ones([1, 3])).sum().backward()
    assert lazy.weight.grad is not None


def test_a_seed_is_whatever_int_takes():
    paddle.seed(3)
    expected = paddle.rand([2]).tolist()
    for seed in (3.0, "3", np.int64(3), np.array([3])[0]):
        paddle.seed(seed)
        assert paddle.rand([2]).tolist() == expected
    for wrong in ("three", None):
        with pytest.raises((TypeError, ValueError), match="must be an integer"):
            paddle.seed(wrong)
    paddle.seed(3)
