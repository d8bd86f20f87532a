"""Operators by their types, slots and messages, as tests of operators ask for them: the way of PaddlePaddle's own.

A Program of one operation on LoDTensors, its gradient by `append_backward`, the same operator by itself on a scope, an
element of an input moved a little, and applied to Tensors by `append_op` in eager code.
"""

import numpy as np
import proa as paddle
import pytest
from proa.base import framework
from proa.base.proto import framework_pb2 as pb

core = paddle.base.core
HOST = paddle.CPUPlace()
DRAW = np.random.default_rng(0)


def floats(*shape):
    return DRAW.uniform(0.1, 1.0, shape)


CASES = {
    "softmax": ({"X": floats(3, 4)}, {"axis": -1}, "Out"),
    "elementwise_add": ({"X": floats(2, 3, 4), "Y": floats(3)}, {"axis": 1}, "Out"),
    "concat": ({"X": [("a", floats(2, 3)), ("b", floats(2, 1))]}, {"axis": 1}, "Out"),
    "reshape2": ({"X": floats(2, 6)}, {"shape": [3, 4]}, "Out"),
    "matmul_v2": ({"X": floats(2, 3), "Y": floats(4, 3)}, {"trans_y": True}, "Out"),
    "layer_norm": ({"X": floats(3, 4), "Scale": floats(4), "Bias": floats(4)}, {"begin_norm_axis": 1}, "Y"),
    "reduce_sum": ({"X": floats(3, 4)}, {"dim": [1], "keep_dim": True}, "Out"),
}


def message_of(type, inputs, attrs, out):
    """The operator as a message; the types of its attributes are those that its OpProto says."""
    message = pb.OpDesc(type=type)
    for slot, value in inputs.items():
        names = [name for name, _ in value] if isinstance(value, list) else [slot]
        message.inputs.add(parameter=slot).arguments.extend(names)
    message.outputs.add(parameter=out).arguments.append("out")
    fields = {pb.INT: "i", pb.BOOLEAN: "b", pb.INTS: "ints", pb.FLOAT: "f"}
    for name, value in attrs.items():
        kind = core.get_attrtibute_type(type, name)
        attr = message.attrs.add(name=name, type=kind)
        if isinstance(value, list):
            getattr(attr, fields[kind]).extend(value)
        else:
            setattr(attr, fields[kind], value)
    return message


def arrays_of(inputs):
    return {name: array for slot, value in inputs.items()
            for name, array in (value if isinstance(value, list) else [(slot, value)])}


def lod_tensor(array):
    tensor = core.LoDTensor()
    tensor.set(array, HOST)
    return tensor


def scope_of(arrays):
    scope = core.Scope()
    for name, array in arrays.items():
        scope.var(name).get_tensor().set(array, HOST)
    return scope


def program_of(type, inputs, attrs, out):
    program = paddle.static.Program()
    block = program.global_block()
    proto = framework.OpProtoHolder.instance().get_op_proto(type)
    given = {}
    for slot in proto.inputs:
        if slot.name in inputs:
            value = inputs[slot.name]
            pairs = value if slot.duplicable else [(slot.name, value)]
            given[slot.name] = [block.create_var(name=name, shape=array.shape, dtype=array.dtype, stop_gradient=False)
                                for name, array in pairs]
        else:
            assert slot.dispensable
    made = {}
    for slot in proto.outputs:
        if slot.name == out:
            made[slot.name] = block.create_var(name="out", stop_gradient=False)
        elif slot.intermediate:
            made[slot.name] = block.create_var(name=slot.name)
        else:
            assert slot.dispensable
    op = block.append_op(type=type, inputs=given, outputs=made, attrs=attrs)
    op.desc.infer_var_type(block.desc)
    op.desc.infer_shape(block.desc)
    return program


@pytest.mark.parametrize("type", CASES)
def test_a_program_an_operator_and_tensors_give_the_same(type):
    inputs, attrs, out = CASES[type]
    arrays = arrays_of(inputs)
    with paddle.static.program_guard(paddle.static.Program()):
        program = program_of(type, inputs, attrs, out)
        feed = {name: lod_tensor(array) for name, array in arrays.items()}
        result, = paddle.static.Executor(HOST).run(program, feed=feed, fetch_list=["out"], return_numpy=False)
    scope = scope_of(arrays)
    core.Operator.create(message_of(type, inputs, attrs, out).SerializeToString()).run(scope, HOST)
    np.testing.assert_array_equal(np.array(result), np.array(scope.find_var("out").get_tensor()))
    block = paddle.static.default_main_program().global_block()
    operations = list(block.ops)
    tensors = {slot: [paddle.to_tensor(array) for array in arrays_of({slot: value}).values()]
               for slot, value in inputs.items()}
    waiting = block.create_var(dtype="float64", persistable=False, stop_gradient=False)
    block.append_op(type=type, inputs=tensors, outputs={out: [waiting]}, attrs=attrs)
    np.testing.assert_array_equal(np.array(result), waiting.numpy())
    assert block.ops == operations


@pytest.mark.parametrize("type", CASES)
def test_gradients_of_a_program_are_those_of_small_steps(type):
    inputs, attrs, out = CASES[type]
    arrays = arrays_of(inputs)
    with paddle.static.program_guard(paddle.static.Program()):
        program = program_of(type, inputs, attrs, out)
        block = program.global_block()
        weights = floats(*block.var("out").shape)
        block.create_var(name="weights", shape=weights.shape, dtype="float64", stop_gradient=True)
        for name in ("weighted", "loss"):
            block.create_var(name=name, stop_gradient=False)
        block.append_op(type="elementwise_mul", inputs={"X": "out", "Y": "weights"}, outputs={"Out": "weighted"})
        block.append_op(type="mean", inputs={"X": "weighted"}, outputs={"Out": "loss"})
        pairs = paddle.static.append_backward(block.var("loss"), parameter_list=list(arrays), no_grad_set=set())
        feed = {name: lod_tensor(array) for name, array in {**arrays, "weights": weights}.items()}
        found = paddle.static.Executor(HOST).run(program, feed=feed, fetch_list=[g for _, g in pairs])
    operator = core.Operator.create(message_of(type, inputs, attrs, out).SerializeToString())
    scope = scope_of(arrays)

    def loss():
        operator.run(scope, HOST)
        return (np.array(scope.find_var("out").get_tensor()) * weights).mean()

    assert [variable.name for variable, _ in pairs] == list(arrays)
    for (variable, _), gradient in zip(pairs, found):
        tensor = scope.find_var(variable.name).get_tensor()
        slopes = np.empty(tensor._numel())
        for index in range(tensor._numel()):
            middle = tensor._get_double_element(index)
            tensor._set_double_element(index, middle + 1e-5)
            above = loss()
            tensor._set_double_element(index, middle - 1e-5)
            slopes[index] = (above - loss()) / 2e-5
            tensor._set_double_element(index, middle)
        np.testing.assert_allclose(gradient, slopes.reshape(tensor.shape()), rtol=1e-6, atol=1e-9)


def test_messages_tell_what_paddle_tells():
    """The answers of PaddlePaddle 2.6.2 for three operators, of which the first has a list, the last optional slots."""
    told = {message.type: message for message in map(pb.OpProto.FromString, core.get_all_op_protos())}
    assert [(s.name, s.duplicable, s.dispensable) for s in told["concat"].inputs] == [
        ("X", True, False), ("AxisTensor", False, True)]
    assert [(s.name, s.intermediate) for s in told["reshape2"].outputs] == [("Out", False), ("XShape", True)]
    assert {s.name for s in told["batch_norm"].inputs if s.dispensable} == {"Scale", "Bias", "MomentumTensor"}
    assert {(a.name, a.type) for a in told["softmax"].attrs if not a.extra} >= {("axis", pb.INT)}
    assert {"op_role", "op_device"} <= {a.name for a in told["softmax"].attrs if a.extra}


def test_what_is_not_known_is_refused():
    with pytest.raises(ValueError, match="no_such_operator"):
        framework.OpProtoHolder.instance().get_op_proto("no_such_operator")
    with pytest.raises(ValueError, match="has no attribute 'depth'. It has: axis"):
        core.get_attrtibute_type("softmax", "depth")
    with pytest.raises(ValueError, match="hold no OpDesc"):
        core.Operator.create(b"\xff\xff")
    with pytest.raises(RuntimeError, match="softmax"):
        framework._dygraph_tracer()._get_kernel_signature("softmax", {}, {}, {})


def test_flags_are_set_by_the_dict_of_globals():
    flags = core.globals()
    before = flags["FLAGS_use_system_allocator"]
    flags["FLAGS_use_system_allocator"] = not before
    try:
        assert paddle.get_flags("FLAGS_use_system_allocator")["FLAGS_use_system_allocator"] is (not before)
    finally:
        flags["FLAGS_use_system_allocator"] = before
    assert "FLAGS_no_such" not in flags and flags.is_public("FLAGS_check_nan_inf")
    with pytest.raises(KeyError):
        flags["FLAGS_no_such"]
    with pytest.raises(TypeError, match="not taken away"):
        del flags["FLAGS_check_nan_inf"]


def test_only_what_code_itself_asks_the_default_program_for_in_eager_mode_is_a_tensor():
    with paddle.utils.unique_name.guard():
        block = paddle.static.default_main_program().global_block()
        waiting = block.create_var(name="waits", dtype="float32", stop_gradient=False, persistable=True)
        assert isinstance(waiting, paddle.Tensor) and waiting.name == "waits" and not waiting.stop_gradient
        assert isinstance(paddle.static.Program().global_block().create_var(name="y"), paddle.static.Variable)
        assert isinstance(paddle.static.data("declared_in_eager_mode", [2, 3]), paddle.static.Variable)
        block._remove_var("declared_in_eager_mode")
    with paddle.static.program_guard(paddle.static.Program()) as _:
        made = paddle.static.default_main_program().global_block().create_var(name="z", shape=[2], dtype="float32")
        assert isinstance(made, paddle.static.Variable)


def test_what_lies_below_eager_code():
    core, place = paddle.base.core, paddle.CPUPlace()
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert core.eager.scale(x, 2.0, 0.5, True, False).stop_gradient
    y = core.eager.scale(x, 2.0, 0.5, True, True)
    core.eager.run_backward([y], [paddle.to_tensor([1.0, 3.0])], False)
    assert y.tolist() == [2.5, 4.5] and x.grad.tolist() == [2.0, 6.0]
    value = core.LoDTensor()
    value._set_dims([2, 3])
    value._alloc_int(place)
    assert np.array(value).shape == (2, 3) and np.array(value).dtype == "int32"
    value._set_dims([0, 1])
    value._alloc_double(place)
    assert np.array(value).shape == (0, 1) and np.array(value).dtype == "float64"


def message_by_names(type, inputs, outputs, **floats):
    message = pb.OpDesc(type=type)
    for slots, given in ((message.inputs, inputs), (message.outputs, outputs)):
        for slot, name in given.items():
            slots.add(parameter=slot).arguments.append(name)
    for name, value in floats.items():
        message.attrs.add(name=name, type=pb.FLOAT, f=value)
    return core.Operator.create(message.SerializeToString())


def test_an_operator_on_some_rows_of_a_matrix():
    scope = core.Scope()
    gradient = scope.var("Grad").get_selected_rows()
    gradient.set_height(5)
    gradient.set_rows([3, 0, 3])
    gradient.get_tensor().set(np.float32([[1, 1], [2, 2], [4, 4]]), HOST)
    assert gradient.rows() == [3, 0, 3] and gradient.height() == 5 and scope.var("Grad").is_rows
    scope.var("Param").get_tensor().set(np.full((5, 2), 10, "float32"), HOST)
    scope.var("LearningRate").get_tensor().set(np.float32([0.5]), HOST)
    names = {"Param": "Param", "Grad": "Grad", "LearningRate": "LearningRate"}
    message_by_names("sgd", names, {"ParamOut": "Param"}).run(scope, HOST)
    assert np.array(scope.var("Param").get_tensor())[:, 0].tolist() == [9.0, 10.0, 10.0, 7.5, 10.0]
    out = scope.var("Out").get_selected_rows()
    message_by_names("scale", {"X": "Grad"}, {"Out": "Out"}, scale=2.0).run(scope, HOST)
    whole = np.zeros((5, 2), "float32")
    np.add.at(whole, out.rows(), np.array(out.get_tensor()))
    assert out.height() == 5 and whole[:, 0].tolist() == [4.0, 0.0, 0.0, 10.0, 0.0]
    gradient.set_rows([1])
    with pytest.raises(ValueError, match="a row of values for each of"):
        message_by_names("scale", {"X": "Grad"}, {"Out": "Out"}).run(scope, HOST)


def test_rows_of_a_matrix_by_hand():
    some = core.SelectedRows([0, 4, 7], 10)
    some.get_tensor().set(np.ones((3, 2), "float32"), HOST)
    some.sync_index()
    assert some.rows() == [0, 4, 7] and some.height() == 10 and some.get_tensor().shape() == [3, 2]
    assert some.matrix().to_dense().sum() == 6
