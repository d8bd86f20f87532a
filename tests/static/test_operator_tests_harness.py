"""What PaddlePaddle's own tests of operators import and do before and beside the operators themselves."""

import importlib

import numpy as np
import proa as paddle
import pytest
from proa import base
from proa.base import core, data_feeder, framework
from proa.base.backward import _append_grad_suffix_, _as_list, append_backward
from proa.base.executor import _as_lodtensor, _fetch_var, _to_name_str
from proa.base.proto import framework_pb2 as pb

HOST = core.CPUPlace()


def described(program, type="elementwise_mul"):
    """An operation of variables that are made as the tests make them, and its result."""
    block = program.global_block()
    for name in ("X", "Y"):
        block.create_var(name=name, shape=[2, 3], dtype=np.dtype("float64"), lod_level=0)
    out = block.create_var(dtype=np.dtype("float64"), shape=None, lod_level=None, name="Out")
    return block.append_op(type=type, inputs={"X": "X", "Y": "Y"}, outputs={"Out": "Out"}), out


def test_gradients_reach_variables_of_which_nothing_else_was_said():
    program = paddle.static.Program()
    _, out = described(program)
    block = program.global_block()
    loss = block.create_var(dtype=out.dtype, shape=[1])
    block.append_op(type="mean", inputs={"X": [out]}, outputs={"Out": [loss]})
    pairs = append_backward(loss, parameter_list=["X"], no_grad_set=set())
    assert [variable.name for variable, _ in pairs] == ["X"] and not block.var("Y").stop_gradient
    x, y = np.arange(6.0).reshape(2, 3), np.full((2, 3), 3.0)
    found, = base.Executor(HOST).run(program, feed={"X": x, "Y": y}, fetch_list=[pairs[0][1]])
    np.testing.assert_allclose(found, y / 6)


def test_the_axis_of_concat_may_be_known_to_a_run_alone():
    block = (program := paddle.static.Program()).global_block()
    given = {"a": np.ones((2, 1)), "b": np.ones((2, 2)), "weights": np.arange(6.0).reshape(2, 3), "axis": np.int32([1])}
    for name, array in given.items():
        block.create_var(name=name, shape=array.shape, dtype=array.dtype)
    for name in ("joined", "weighted", "loss"):
        block.create_var(name=name)
    block.append_op("concat", {"X": ["a", "b"], "AxisTensor": "axis"}, {"Out": "joined"})
    block.append_op("elementwise_mul", {"X": "joined", "Y": "weights"}, {"Out": "weighted"})
    block.append_op("reduce_sum", {"X": "weighted"}, {"Out": "loss"}, {"reduce_all": True})
    pairs = append_backward(block.var("loss"), parameter_list=["a", "b"])
    found = base.Executor(HOST).run(program, feed=given, fetch_list=[gradient for _, gradient in pairs])
    assert [each.tolist() for each in found] == [[[0], [3]], [[1, 2], [4, 5]]]


def test_nothing_is_made_for_some_results():
    with base.dygraph.base.guard(HOST):
        block = base.default_main_program().global_block()
        out, mask = (block.create_var(dtype="float32", persistable=False) for _ in range(2))
        block.append_op(type="dropout", inputs={"X": [paddle.ones([2])]}, outputs={"Out": [out], "Mask": [mask]},
                        attrs={"is_test": True, "dropout_prob": 0.5, "dropout_implementation": "upscale_in_train"})
    assert out.tolist() == [1, 1]


def test_whole_numbers_and_what_was_said_stop_gradients():
    block = paddle.static.Program().global_block()
    assert block.create_var(name="ids", shape=[2], dtype="int64").stop_gradient
    assert block.create_var(name="w", shape=[2], dtype="float32", stop_gradient=True).stop_gradient


def test_no_description_stands_for_a_gradient():
    operation, _ = described(paddle.static.Program())
    assert core.has_grad_op_maker("elementwise_mul")
    assert core.get_grad_op_desc(operation.desc, set(), []) == ([], {})


def test_an_operator_that_is_several_here_is_applied_to_tensors():
    image = np.arange(16.0).reshape(1, 1, 4, 4)
    with base.dygraph.base.guard(HOST):
        block = base.default_main_program().global_block()
        out = block.create_var(dtype="float64", type=core.VarDesc.VarType.LOD_TENSOR, persistable=False)
        block.append_op(type="spp", inputs={"X": [paddle.to_tensor(image)]}, outputs={"Out": [out]},
                        attrs={"pyramid_height": 2, "pooling_type": "max"})
    assert out.tolist() == [[15, 5, 7, 13, 15]]


def test_attributes_that_say_nothing_are_passed_over_for_tensors_too():
    with base.dygraph.base.guard(HOST):
        block = base.default_main_program().global_block()
        out = block.create_var(dtype="float32", persistable=False, stop_gradient=False)
        block.append_op(type="relu", inputs={"X": [paddle.to_tensor([-1.0, 2.0])]}, outputs={"Out": [out]},
                        attrs={"is_test": False})
    assert out.tolist() == [0, 2]


def test_constants_are_read_from_their_fields_for_tensors_too():
    with base.dygraph.base.guard(HOST):
        block = base.default_main_program().global_block()
        out = block.create_var(dtype="float32", persistable=False, stop_gradient=False)
        block.append_op(type="set_value", inputs={"Input": [paddle.zeros([3, 2], "float64")]}, outputs={"Out": [out]},
                        attrs={"axes": [0], "starts": [1], "ends": [2], "steps": [1], "dtype": 6, "shape": [1],
                               "decrease_axes": [], "none_axes": [], "fp64_values": [5.0]})
    assert out.tolist() == [[0, 0], [5, 5], [0, 0]]


@pytest.mark.parametrize("type, optional", [("unique", {"Indices", "Counts"}), ("lstsq", {"Residuals"})])
def test_results_that_need_not_be_named(type, optional):
    proto = framework.OpProtoHolder.instance().get_op_proto(type)
    assert {slot.name for slot in proto.outputs if slot.dispensable} == optional


@pytest.mark.parametrize("type, names", [
    ("dropout", {"Mask"}), ("dropout_nd", {"Mask"}), ("layer_norm", {"Mean", "Variance"}), ("reshape2", {"XShape"}),
    ("fusion_squared_mat_sub", {"SquaredX", "SquaredY", "SquaredXY"}), ("batch_norm", {"SavedMean", "SavedVariance"})])
def test_results_that_are_there_for_gradients(type, names):
    """PaddlePaddle 2.6.2's intermediate ones, none of which it calls dispensable."""
    slots = framework.OpProtoHolder.instance().get_op_proto(type).outputs
    assert {slot.name for slot in slots if slot.intermediate} == names
    assert not any(slot.dispensable for slot in slots if slot.intermediate)


def test_flags_of_1_8_are_set_by_their_names_too():
    flags = importlib.import_module("proa.fluid.core").globals()
    with paddle.core.flags.flags_guard({"FLAGS_check_nan_inf": False}):
        flags["FLAGS_check_nan_inf"] = True
        assert flags.get("FLAGS_check_nan_inf") and paddle.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"]


@pytest.mark.parametrize("type, name, kind", [
    ("im2sequence", "kernels", pb.INTS), ("anchor_generator", "offset", pb.FLOAT), ("spp", "pyramid_height", pb.INT),
    ("spp", "pooling_type", pb.STRING), ("bipartite_match", "match_type", pb.STRING), ("nce", "sampler", pb.INT)])
def test_attributes_have_types(type, name, kind):
    """Those of PaddlePaddle 2.6.2, also where a declaration's annotations are kept as text."""
    assert core.get_attrtibute_type(type, name) == kind


def test_an_empty_tensor_is_told_its_sizes():
    tensor = core.LoDTensor()
    tensor.set_recursive_sequence_lengths([[2, 1]])
    tensor._set_dims((3, 4))
    assert tensor.shape() == [3, 4] and not tensor._is_initialized()
    tensor.set(np.zeros((3, 4)), HOST)
    tensor._set_dims([4, 3])
    assert tensor.shape() == [4, 3] and tensor._is_initialized()
    tensor._set_dims([5])
    assert tensor.shape() == [5] and not tensor._is_initialized()


def test_bits_of_bfloat16_are_set():
    tensor = core.LoDTensor()
    tensor.set(np.uint16([0x3F80, 0x4000]), HOST)
    assert paddle.to_tensor(np.uint16([0x3F80]), dtype="bfloat16").astype("float32").tolist() == [1]
    assert paddle.static.Program().global_block().create_var(dtype=np.dtype("uint16")).dtype == paddle.bfloat16
    with pytest.raises(TypeError, match="uint16"):
        paddle.to_tensor(np.uint16([0x3F80]))  # as numbers of 16 bits are read from images of depths
    assert tensor._dtype() == core.VarDesc.VarType.BF16 and tensor.__array__("float32").tolist() == [1, 2]


def test_exponentials_of_a_crf_are_those_of_all_scores():
    """That of the first and last tags stand before those of moves, as in PaddlePaddle 2.6.2."""
    given = {"Emission": np.ones((3, 2)), "Transition": np.arange(8.0).reshape(4, 2), "Label": np.eye(3, 1, dtype=int)}
    block = (program := paddle.static.Program()).global_block()
    feed = {}
    for name, array in given.items():
        level = int(name != "Transition")
        block.create_var(name=name, shape=array.shape, dtype=array.dtype, lod_level=level)
        feed[name] = core.LoDTensor(array, [[0, 3]] * level)
    results = ["LogLikelihood", "Alpha", "EmissionExps", "TransitionExps"]
    for name in results:
        block.create_var(name=name)
    block.append_op("linear_chain_crf", {name: name for name in given}, {name: name for name in results})
    found, = base.Executor(HOST).run(program, feed=feed, fetch_list=["TransitionExps"])
    np.testing.assert_allclose(found, np.exp(given["Transition"]))


def test_a_scale_is_told_where_none_was_given():
    block = (program := paddle.static.Program()).global_block()
    feed = {"X": np.float32([-3, 2]), "InAccum": np.float32([1]), "InState": np.float32([1])}
    for name, array in feed.items():
        block.create_var(name=name, shape=array.shape, dtype=array.dtype)
    results = ["Out", "OutScale", "OutState", "OutAccum"]
    for name in results:
        block.create_var(name=name)
    block.append_op("moving_average_abs_max_scale", {name: name for name in feed}, {name: name for name in results},
                    {"moving_rate": 0.5, "is_test": False})
    found = base.Executor(HOST).run(program, feed=feed, fetch_list=results[1:])
    assert [each.tolist() for each in found] == [[np.float32(3.5) / np.float32(1.5)], [1.5], [3.5]]


def test_places_are_classes_to_ask_about():
    kinds = (core.CUDAPlace, core.XPUPlace, core.IPUPlace, core.CustomPlace, core.CUDAPinnedPlace)
    assert not isinstance(HOST, kinds) and isinstance(HOST, core.Place)
    with pytest.raises(RuntimeError, match="Kunlun"):
        core.XPUPlace(0)


def test_rows_of_tensors_are_no_sequences():
    held = base.dygraph.base.to_variable(np.ones((3, 2))).value().get_tensor()
    held.set_recursive_sequence_lengths([])
    assert held.recursive_sequence_lengths() == []
    with pytest.raises(NotImplementedError, match="Feed a LoDTensor"):
        held.set_recursive_sequence_lengths([[1, 2]])


def test_modes_are_guarded():
    with framework._static_guard():
        assert not paddle.in_dynamic_mode()
        with framework._dygraph_guard(object()):
            assert paddle.in_dynamic_mode()
        assert not paddle.in_dynamic_mode()
    assert paddle.in_dynamic_mode()


def test_helpers_by_their_older_paths():
    scope = core._Scope()
    core.set_variable(scope, _as_lodtensor(np.ones(2), HOST, paddle.float64), "x")
    assert _fetch_var("x", scope).tolist() == core.get_variable_tensor(scope, "x").__array__().tolist() == [1, 1]
    with pytest.raises(ValueError, match="holds no value of 'y'"):
        _fetch_var("y", scope)
    with pytest.raises(ValueError, match=r"\['x'\]"):
        core.get_variable_tensor(scope, "y")
    with pytest.raises(TypeError, match="needs a dtype"):
        _as_lodtensor([1.0], HOST)
    assert _as_lodtensor([1.0], HOST, "float32")._dtype() == paddle.float32
    assert (_append_grad_suffix_("x"), _to_name_str("x")) == ("x@GRAD", "x")
    assert (_as_list(None), _as_list((1, 2))) == ([], [1, 2])
    assert (core.kEmptyVarName(), core.grad_var_suffix(), core.size_of_dtype("int32")) == ("@EMPTY@", "@GRAD", 4)
    assert core.eager.ops.relu(paddle.to_tensor([-1.0])).tolist() == [0] and core.eager.Tensor is paddle.Tensor
    assert framework._get_paddle_place("cpu") == HOST and framework._get_paddle_place(None) is None
    bits = data_feeder.convert_float_to_uint16(np.float32([[1.5, -2]]))
    assert bits.dtype == np.uint16 and data_feeder.convert_uint16_to_float(bits).tolist() == [[1.5, -2]]


def test_what_the_newer_form_would_have_is_imported_and_refused():
    from proa.pir import decompose, vartype_to_datatype

    assert vartype_to_datatype[core.VarDesc.VarType.FP32] is paddle.float32
    with pytest.raises(NotImplementedError, match=r"Use paddle\.static\.Program"):
        decompose(paddle.static.Program(), [])


@pytest.mark.parametrize("call, error, words", [
    (lambda x: paddle.histogram(x, bins=-1), ValueError, "bins=-1"),
    (lambda x: paddle.histogram(x, bins=5, min=3, max=1), ValueError, "min=3, max=1"),
    (lambda x: paddle.bitwise_and(x, x), TypeError, "bitwise_and.*Received float32"),
    (lambda x: x | x, TypeError, "bitwise_or.*Received float32"),
    (lambda x: paddle.uniform([2], "int32"), TypeError, "Received int32"),
    (lambda x: paddle.randn([2], "int64"), TypeError, r"paddle\.randint"),
    (lambda x: paddle.optimizer.SGD(learning_rate=None), ValueError, "SGD.*Received None")])
def test_mistakes_are_told_where_a_program_is_written(call, error, words):
    """In static mode PaddlePaddle tells them then, too."""
    with pytest.raises(error, match=words):
        call(paddle.ones([3]))
    with framework._static_guard(), paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data("x", [3])
        with pytest.raises(error, match=words):
            call(x)


def test_a_run_sees_an_element_that_was_set():
    """As checks of second gradients move persistable values a little, and ask for the gradients again."""
    scope, program = core.Scope(), paddle.static.Program()
    with framework._static_guard(), paddle.static.program_guard(program):
        x = paddle.static.data("x", [3], "float64")
        x.stop_gradient, x.persistable = False, True
        start = program.global_block().create_var(name="start", shape=[3], dtype="float64", persistable=True)
        gradient, = base.gradients(x * x, x, start)
    held = {name: scope.var(name).get_tensor() for name in ("x", "start")}
    held["x"].set(np.array([1.0, 2.0, 3.0]), HOST)
    held["start"].set(np.zeros(3), HOST)

    def found():
        return base.Executor(HOST).run(program, scope=scope, fetch_list=[gradient])[0].tolist()

    for index, expected in enumerate(([2, 0, 0], [0, 4, 0], [0, 0, 6])):
        held["start"]._set_double_element(index, 1.0)
        assert found() == expected
        held["start"]._set_double_element(index, 0.0)
    held["start"]._set_double_element(0, 1.0)
    held["x"]._set_double_element(0, 5.0)
    assert found() == [10, 0, 0]
