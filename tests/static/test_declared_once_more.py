"""What is said twice of a Program: a variable of a name that is there, initializers for all; what updates it."""

import numpy as np
import proa as paddle
import pytest
from proa import static

I = paddle.nn.initializer


@pytest.fixture
def programs():
    with paddle.utils.unique_name.guard(), static.program_guard(static.Program(), static.Program()):
        yield static.default_main_program(), static.default_startup_program()


def test_a_variable_of_another_shape_is_an_error(programs):
    block = programs[0].global_block()
    made = block.create_var(name="v", shape=[3, 4], dtype="float64")
    assert block.create_var(name="v") is made and block.create_var(name="v", shape=[3, 4]).shape == (3, 4)
    with pytest.raises(ValueError, match=r"variable 'v' already, of shape \[3, 4\].*shape \[5, 4\]"):
        block.create_var(name="v", shape=[5, 4])
    with pytest.raises(ValueError, match="float32"):
        block.create_var(name="v", shape=[3, 4], dtype="float32")
    with pytest.raises(ValueError, match="of lod_level 0. Received lod_level=1"):
        block.create_var(name="v", lod_level=1)


@pytest.mark.parametrize("layer", ["fc", "conv", "create"])
def test_initializers_for_all_reach_programs(programs, layer):
    I.set_global_initializer(I.Constant(2.0), I.Constant(0.5))
    try:
        if layer == "fc":
            static.nn.fc(static.data("x", [1, 3]), 2)
        elif layer == "conv":
            static.nn.conv2d(static.data("x", [1, 3, 8, 8]), 2, 3)
        else:
            paddle.create_parameter([2], "float32", default_initializer=I.Constant(7.0))
            paddle.create_parameter([2], "float32", is_bias=True)
    finally:
        I.set_global_initializer(None)
    values = {op.type: op.attr("value") for op in programs[1].global_block().ops}
    assert set(values) == {"fill_constant"}
    assert sorted(op.attr("value") for op in programs[1].global_block().ops) == [0.5, 2.0]


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("kind", ["SGD", "Momentum", "Adam", "AdamW", "Lamb", "RMSProp"])
def test_the_operations_that_update_are_given(programs, kind, halves):
    rule = getattr(paddle.optimizer, kind)(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
    loss = static.nn.fc(static.data("x", [None, 3]), 2).mean()
    if halves:
        pairs = rule.backward(loss)
        operations = rule.apply_gradients(pairs)
    else:
        operations, pairs = rule.minimize(loss)
    assert len(pairs) == 2 and operations == programs[0].global_block().ops[-len(operations):]
    updates = [op for op in operations if op.type == kind.lower()]
    assert len(updates) == 2 and "sqrt" not in {op.type for op in operations}  # none of the clipping


def test_on_tensors_no_operations_are_given():
    layer = paddle.nn.Linear(2, 1)
    rule = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    loss = layer(paddle.ones([1, 2])).sum()
    loss.backward()
    assert rule.minimize(loss)[0] == []


def test_a_fed_value_is_a_name(programs):
    with pytest.raises(ValueError, match="must be names. Received 2"):
        programs[0]._prune_with_input([2], [])


def test_a_description_says_where_gradients_stop(programs):
    x = static.data("x", [2])
    before = programs[0].desc.serialize_to_string()
    x.desc.set_stop_gradient(False)
    assert not x.stop_gradient and programs[0].desc.serialize_to_string() != before


def test_what_holds_an_array_keeps_its_dtype():
    held = paddle.framework.core.LoDTensor()
    held.set(np.full([2], 0.1), paddle.CPUPlace())
    assert paddle.to_tensor(held).dtype == paddle.float64 and paddle.to_tensor(held).tolist() == [0.1, 0.1]
    assert paddle.to_tensor(held, "float32").dtype == paddle.float32
