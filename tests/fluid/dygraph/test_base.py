"""guard, to_variable, no_grad, grad, enable_dygraph, and both faces in one process."""

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest

ONES = np.ones([2, 3], "float32")


def test_names_count_from_0_in_each_guard():
    for _ in range(2):
        with fluid.dygraph.guard():
            assert fluid.dygraph.Linear(3, 2).weight.name == "linear_0.w_0"
            assert fluid.dygraph.Layer("net").full_name() == "net_0"


def test_a_guard_ends_what_it_began():
    before = fluid.default_main_program()
    with pytest.raises(KeyError), fluid.dygraph.guard(fluid.CPUPlace()):
        assert fluid.in_dygraph_mode() and fluid.dygraph.enabled() and fluid.default_main_program() is not before
        assert fluid.framework._dygraph_tracer() is not None
        raise KeyError
    assert not fluid.in_dygraph_mode() and fluid.default_main_program() is before
    assert fluid.framework._dygraph_tracer() is None
    assert type(paddle.ones([1])) is paddle.Tensor


def test_enable_and_disable():
    fluid.enable_dygraph()
    fluid.enable_dygraph()
    assert fluid.in_dygraph_mode() and isinstance(fluid.dygraph.to_variable(ONES), fluid.core.VarBase)
    fluid.disable_dygraph()
    fluid.disable_dygraph()
    assert not fluid.in_dygraph_mode()


def test_to_variable():
    with pytest.raises(RuntimeError, match="guard"):
        fluid.dygraph.to_variable(ONES)
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(ONES, name="x")
        assert x.name == "x" and fluid.dygraph.to_variable(x) is x and x.stop_gradient
        assert fluid.dygraph.base.to_variable(np.ones(2)).dtype == "float64"
        with pytest.raises(TypeError, match="NumPy array"):
            fluid.dygraph.to_variable([1, 2])
        array = np.zeros(2, "float32")
        shared, own = fluid.dygraph.to_variable(array), fluid.dygraph.to_variable(array, zero_copy=False)
        array[0] = 5
        assert (shared.numpy().tolist(), own.numpy().tolist()) == ([5, 0], [0, 0])


def test_nothing_is_recorded_under_no_grad():
    @fluid.dygraph.no_grad
    def doubled(x):
        return x * 2.0

    @fluid.dygraph.no_grad
    def each(x):
        yield x * 2.0
        yield x * 3.0

    @fluid.dygraph.no_grad()
    def tripled(x):
        return x * 3.0

    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(ONES)
        x.stop_gradient = False
        with fluid.dygraph.no_grad():
            assert (x * 2.0).stop_gradient
        assert tripled(x).stop_gradient and tripled(x).stop_gradient
        with fluid.dygraph.base._switch_tracer_mode_guard_(is_train=False):
            assert (x * 2.0).stop_gradient and fluid.layers.dropout(x, 0.5).numpy().min() == 0.5
        assert doubled(x).stop_gradient and not (x * 2.0).stop_gradient
        for y in each(x):
            assert y.stop_gradient and not (x * 2.0).stop_gradient


def test_evaluation_records_nothing_until_training():
    with fluid.dygraph.guard():
        net = fluid.dygraph.Sequential(fluid.dygraph.Linear(3, 2), fluid.dygraph.Dropout(0.5))
        x = fluid.dygraph.to_variable(ONES)
        net.eval()
        assert net(x).stop_gradient and not net[1].training
        net.train()
        assert not net(x).stop_gradient
        net.eval()
    with fluid.dygraph.guard():
        assert not fluid.dygraph.Linear(3, 2)(fluid.dygraph.to_variable(ONES)).stop_gradient


def test_grad():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(ONES)
        x.stop_gradient = False
        [g] = fluid.dygraph.grad([x * x], [x], create_graph=True)
        assert g.numpy().tolist() == (2 * ONES).tolist() and x.gradient() is None
        [h] = fluid.dygraph.grad(g, x)
        assert h.numpy().tolist() == (2 * ONES).tolist()
        with pytest.raises(ValueError, match="allow_unused"):
            fluid.dygraph.grad(x * 2.0, fluid.dygraph.to_variable(ONES))


def test_both_faces_side_by_side():
    layer = paddle.nn.Linear(3, 2)
    x = paddle.ones([2, 3])
    with fluid.dygraph.guard():
        net = fluid.dygraph.Linear(3, 2)
        y = net(fluid.dygraph.to_variable(ONES))
    assert type(layer(x)) is paddle.Tensor and isinstance(y, fluid.core.VarBase)
    (layer(x) * layer(x)).sum().backward()
    y.backward()
    assert type(layer.weight.grad) is paddle.Tensor and net.weight.gradient().tolist() == [[2, 2]] * 3
    net.set_dict({key: value.numpy() for key, value in layer.state_dict().items()})
    np.testing.assert_array_equal(net.weight.numpy(), layer.weight.numpy())


def test_layers_compute_and_dropout_knows_of_evaluation():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(ONES)
        x.stop_gradient = False
        loss = fluid.layers.reduce_mean(fluid.layers.square(x) * 3.0)
        loss.backward()
        assert loss.shape == [1] and x.gradient().tolist() == ONES.tolist()
        net = fluid.dygraph.Linear(3, 3)
        assert (fluid.layers.dropout(x, 0.5).numpy() != 0.5).any()
        with fluid.dygraph.no_grad():
            assert (fluid.layers.dropout(x, 0.5).numpy() == 0.5).all()
        net.eval()
        assert (fluid.layers.dropout(x, 0.5).numpy() == 0.5).all()


def test_operators_by_their_types():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
        x.stop_gradient = False
        ops = fluid.core.ops
        y = ops.scale(x, "scale", 2.0, "bias", 1.0)
        rows = ops.reduce_sum(ops.elementwise_mul(y, x, "axis", -1), "dim", [1], "keep_dim", False)
        ops.mean(rows).backward()
        assert rows.numpy().tolist() == [13.0, 57.0]
        assert x.gradient().tolist() == [[2.5, 4.5], [6.5, 8.5]]


def test_a_result_is_written_to_an_empty_value():
    """As layers of 1.8 do that call `matmul` so: what it is written to has its shape and its gradient from then on."""
    with fluid.dygraph.guard():
        x, weight = (fluid.dygraph.to_variable(np.ones(shape, "float32")) for shape in ((2, 3), (3, 4)))
        weight.stop_gradient = False
        made = fluid.framework._varbase_creator(name="made", dtype=x.dtype)
        fluid.core.ops.matmul(x, weight, made, "transpose_X", False, "transpose_Y", False, "alpha", 2.0)
        assert (made.name, made.shape, made.numpy().max()) == ("made", [2, 4], 6.0)
        fluid.layers.reduce_sum(made).backward()
        assert weight.gradient().tolist() == [[4.0] * 4] * 3


def test_the_tracer_applies_operators_by_slots_and_knows_evaluation():
    with fluid.dygraph.guard():
        tracer = fluid.framework._dygraph_tracer()
        x, made = fluid.dygraph.to_variable(np.ones((2, 3), "float32")), fluid.framework._varbase_creator()
        x.stop_gradient = False
        tracer.trace_op(type="scale", inputs={"X": [x]}, outputs={"Out": [made]}, attrs={"scale": 3.0})
        fluid.layers.reduce_sum(made).backward()
        assert (made.shape, made.stop_gradient, x.gradient().tolist()) == ([2, 3], False, [[3.0] * 3] * 2)
        tracer.eval_mode()
        assert not tracer._train_mode and (x * 2.0).stop_gradient
        tracer._train_mode = True
        assert not (x * 2.0).stop_gradient


def test_operators_by_their_types_take_tensors_in_the_order_of_1_8():
    with fluid.dygraph.guard():
        ops, variable = fluid.core.ops, fluid.dygraph.to_variable
        table, numbers = variable(np.array([[1, 2], [3, 4]], "float32")), variable(np.array([[1], [0]], "int32"))
        rows = ops.lookup_table_v2(table, variable(np.array([1])), "padding_idx", -1)
        assert rows.numpy().tolist() == [[3.0, 4.0]]
        assert ops.multiplex(numbers, [table, table * 10.0]).numpy().tolist() == [[10.0, 20.0], [3.0, 4.0]]
        lengths, unit = ops.norm(table, "axis", 1, "epsilon", 0.0)
        assert (lengths.shape, unit.shape) == ([2, 1], [2, 2])


def test_what_layers_of_dynamic_mode_end_with():
    from proa.fluid.dygraph_utils import _append_activation_in_dygraph, _append_bias_in_dygraph

    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(-ONES)
        assert _append_bias_in_dygraph(x, None) is x and _append_activation_in_dygraph(x) is x
        added = _append_bias_in_dygraph(x, fluid.dygraph.to_variable(np.array([0, 1, 2], "float32")), axis=1)
        assert _append_activation_in_dygraph(added, "relu").numpy().tolist() == [[0.0, 0.0, 1.0]] * 2


def test_lists_of_tensors_are_pythons():
    with fluid.dygraph.guard():
        x, first = fluid.dygraph.to_variable(ONES), fluid.dygraph.to_variable(np.array([0]))
        items = fluid.layers.array_write(x * 2.0, first)
        assert type(items) is list and fluid.layers.create_array("float32") == []
        assert fluid.layers.array_read(items, first) is items[0] and fluid.layers.array_length(items) == 1
        fluid.layers.array_write(x, first + 1, items)
        assert fluid.layers.concat(items, 1).shape == [2, 6]
