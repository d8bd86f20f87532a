"""VarBase: what 1.8's values do that Tensors do not."""

import copy

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.fluid.dygraph.varbase import ParamBase, VarBase


def _of(*values, dtype="float32"):
    x = fluid.dygraph.to_variable(np.array(values, dtype))
    x.stop_gradient = dtype != "float32"
    return x


@pytest.fixture(autouse=True)
def _dynamic():
    with fluid.dygraph.guard():
        yield


def test_a_result_has_a_dimension_at_least():
    x = _of([1.0, 2.0], [3.0, 4.0])
    results = paddle.sum(x), x[0, 1], paddle.mean(x), paddle.max(x), paddle.matmul(x[0], x[1])
    assert [result.shape for result in results] == [[1]] * 5
    assert all(type(result) is VarBase for result in results)
    (results[0] * results[1]).backward()
    np.testing.assert_array_equal(x.gradient(), [[2, 12], [2, 2]])


def test_gradients_of_gradients_of_a_scalar():
    x = _of(1.0, 2.0)
    mean = paddle.mean(x * x)
    [g] = fluid.dygraph.grad(mean * mean, x, create_graph=True)
    paddle.sum(g).backward()
    np.testing.assert_allclose(x.gradient(), [2 * 2.5 + 2 * (1 + 2), 2 * 2.5 + 2 * 2 * (1 + 2)])


def test_what_is_computed_has_its_gradient_while_someone_holds_it():
    x = _of(1.0, 2.0)
    y = x * x
    z = paddle.sum(y)
    w = z * 2.0
    parts = paddle.split(y, 2)
    (w + parts[0] * 3.0).backward()
    assert (y.gradient().tolist(), z.gradient().tolist(), w.gradient().tolist()) == ([5, 2], [2], [1])
    assert parts[0].gradient().tolist() == [3] and parts[1].gradient() is None
    assert x.gradient().tolist() == [10, 8]


def test_a_backward_pass_replaces_the_gradients_that_it_finds():
    x, y = _of(1.0, 2.0), _of(1.0)
    paddle.sum(x * 3.0 + y).backward()
    paddle.sum(x * 5.0).backward()
    assert (x.gradient().tolist(), y.gradient().tolist()) == ([5, 5], [2])
    x.clear_gradient()
    assert x.gradient().tolist() == [0, 0]
    t = paddle.to_tensor([1.0])
    assert type(t) is VarBase


def test_a_second_pass_ends_where_the_first_began():
    x = _of(1.0, 2.0)
    product = x * x
    z = paddle.sum(product)
    z.backward()
    with pytest.warns(UserWarning, match="this value alone gets a gradient"):
        z.backward()
    (z * 3.0).backward()
    assert (x.gradient().tolist(), z.gradient().tolist(), z.stop_gradient) == ([2, 4], [3], False)
    with pytest.raises(RuntimeError, match="freed"):
        paddle.sum(product).backward()


def test_backward_of_what_nothing_wants_warns():
    with pytest.warns(UserWarning, match="nothing gets a gradient"):
        fluid.dygraph.to_variable(np.ones(2, "float32")).backward()


def test_the_gradient_of_a_table_is_rows():
    table = fluid.dygraph.Embedding([5, 2], is_sparse=True)
    table(_of([1], [3], dtype="int64")).backward()
    values, rows = table.weight.gradient()
    assert (values.tolist(), rows.tolist()) == ([[1, 1], [1, 1]], [1, 3])
    table.clear_gradients()
    assert table.weight.gradient() is None


@pytest.mark.parametrize("compute, wanted", [
    (lambda i, j, f, g: i / 2, [3, -3, 1]), (lambda i, j, f, g: i / j, [3, -3, -1]),
    (lambda i, j, f, g: i // 2, [3, -3, 1]), (lambda i, j, f, g: i % 2, [1, -1, 1]),
    (lambda i, j, f, g: i % j, [1, -1, 1]), (lambda i, j, f, g: 2 / i, [0, 0, 0]),
    (lambda i, j, f, g: i * 2.0, [14, -14, 6]), (lambda i, j, f, g: i + 1.0, [8, -6, 4]),
    (lambda i, j, f, g: 2 - i, [-5, 9, -1]), (lambda i, j, f, g: i ** 2, [49, 49, 9]),
    (lambda i, j, f, g: f % g, [1.5, 0.5, -1.0]), (lambda i, j, f, g: f % 2, [1.5, 0.5, 1.0]),
    (lambda i, j, f, g: 1 - f, [-6.5, 8.5, -2.0]), (lambda i, j, f, g: 3 / f, [0.4, -0.4, 1.0]),
    (lambda i, j, f, g: f / 2, [3.75, -3.75, 1.5]), (lambda i, j, f, g: 2 ** g, [4, 4, 0.25]),
    (lambda i, j, f, g: f > i, [True, False, False]), (lambda i, j, f, g: f != g, [True, True, True]),
    (lambda i, j, f, g: f * i, [52.5, 52.5, 9.0]), (lambda i, j, f, g: i * f, [49, 49, 9]),
    (lambda i, j, f, g: -i, [-7, 7, -3]), (lambda i, j, f, g: f + np.float32(1), [8.5, -6.5, 4.0])])
def test_operators_are_those_of_1_8(compute, wanted):
    found = compute(_of(7, -7, 3, dtype="int64"), _of(2, 2, -2, dtype="int64"), _of(7.5, -7.5, 3.0),
                    _of(2.0, 2.0, -2.0))
    assert found.numpy().tolist() == pytest.approx(wanted)


def test_an_integer_meets_no_fraction():
    with pytest.raises(ValueError, match="astype"):
        _of(7, dtype="int64") * 2.5
    assert (_of(1.0) == None) is False  # noqa: E711


def test_what_code_asks_of_it():
    x = _of([1.0, 2.5], [3.0, 4.0])
    assert x.name.startswith("generated_var_") and x.block.program is fluid.default_main_program()
    assert str(x).endswith("shape: [2, 2] \tlod: {}\n\tdim: 2, 2\n\tlayout: NCHW\n\tdtype: float\n"
                           "\tdata: [1 2.5 3 4]\n") and str(x).startswith(f"name {x.name}, dtype: VarType.FP32 ")
    assert isinstance(x, fluid.Variable) and isinstance(x, fluid.framework.Variable)
    assert not isinstance(x, fluid.framework.Parameter) and isinstance(x, fluid.core.VarBase)
    assert float(paddle.sum(x)) == 10.5 and len(x) == 2 and not bool(paddle.sum(x) * -1.0)
    assert x.astype("int64").dtype == "int64" and x.detach().stop_gradient
    held = x.value().get_tensor()
    held.set(np.zeros(3, "float32"), fluid.CPUPlace())
    assert x.shape == held.shape() == [3] and np.array(held).tolist() == [0, 0, 0] and held.lod() == []
    assert np.asarray(x._copy_to(fluid.CPUPlace(), True)).tolist() == [0, 0, 0] and x._is_initialized()


def test_a_parameter():
    weight = fluid.dygraph.Linear(2, 3).weight
    assert isinstance(weight, ParamBase) and isinstance(weight, fluid.framework.Parameter)
    assert isinstance(weight, fluid.framework.ParamBase)
    assert (weight.name, weight.trainable, weight.persistable, weight.is_distributed) == ("linear_0.w_0", 1, 1, 0)
    assert weight.gradient() is None and str(weight).startswith("name linear_0.w_0, dtype: VarType.FP32")
    with pytest.raises(ValueError, match="shape"):
        weight.set_value(np.zeros([3, 2], "float32"))
    with pytest.raises(ValueError, match="dtype"):
        weight.set_value(np.zeros([2, 3]))
    twin = copy.deepcopy(weight)
    assert type(twin) is ParamBase and twin.name != weight.name


def test_what_is_sorted_passes_gradients_on():
    x = _of(3.0, 1.0, 2.0)
    fluid.layers.reduce_sum(fluid.layers.argsort(x)[0] * _of(10.0, 20.0, 30.0)).backward()
    assert x.gradient().tolist() == [30.0, 10.0, 20.0]


def test_a_gradient_is_named_after_what_it_is_of():
    layer = fluid.dygraph.Linear(2, 3)
    fluid.layers.reduce_sum(layer(_of([1.0, 2.0]))).backward()
    assert layer.weight._grad_ivar().name == f"{layer.weight.name}@GRAD"


def test_a_value_that_is_stopped_after_it_was_used_passes_no_gradient():
    w = _of(1.0, 2.0)
    doubled = w * 2.0
    both = fluid.layers.reduce_sum(doubled * w)  # 2 w w: of both ways 2 w each
    doubled.stop_gradient = True
    both.backward()
    np.testing.assert_array_equal(w.gradient(), [2.0, 4.0])
    w.clear_gradient()
    tripled = w * 3.0
    whole = fluid.layers.reduce_sum(tripled * w)
    tripled.stop_gradient = True
    tripled.stop_gradient = False
    whole.backward()
    np.testing.assert_array_equal(w.gradient(), [6.0, 12.0])


def test_a_parameter_that_is_stopped_after_it_was_used_gets_no_gradient():
    weight = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
    net, x = fluid.dygraph.Linear(1, 1, param_attr=weight), _of([3.0])
    before, after = (fluid.layers.reduce_sum(net(x) * factor) for factor in (1.0, 2.0))
    before.backward()
    net.weight.stop_gradient = True
    after.backward()
    np.testing.assert_array_equal([net.weight.gradient()[0, 0], net.bias.gradient()[0]], [3.0, 2.0])
    net.weight.stop_gradient = False
    fluid.layers.reduce_sum(net(x)).backward()
    used = fluid.layers.reduce_sum(net(x) * 5.0)
    net.weight.stop_gradient = True
    net.weight.stop_gradient = False
    used.backward()
    np.testing.assert_array_equal([net.weight.gradient()[0, 0], net.bias.gradient()[0]], [15.0, 5.0])


def test_what_is_written_into_a_parameter_leaves_it_a_parameter():
    """Decay of weights and averages of networks are written so, by `assign` and others with an output."""
    with fluid.dygraph.guard():
        target = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(3.0))
        source = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(1.0))
        for write, value in ((lambda: fluid.layers.assign(target * 0.5, target), 1.5),
                             (lambda: fluid.layers.assign(target * 0.8 + source * 0.2, target), 1.4),
                             (lambda: fluid.layers.assign(np.array([2, 2], "float32"), target), 2.0)):
            write()
            fluid.layers.reduce_sum(target * target).backward()
            np.testing.assert_allclose(target.numpy(), [value] * 2, rtol=1e-6)
            np.testing.assert_allclose(target.gradient(), [2 * value] * 2, rtol=1e-6)
            assert source.gradient() is None
            target.clear_gradient()


def test_results_are_written_into_tensors_of_any_shape():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones([2, 3], "float32"))
        for out in (fluid.layers.create_tensor("float32"), fluid.dygraph.to_variable(np.zeros(1, "float32"))):
            fluid.layers.assign(x * 2.0, out)
            assert out.numpy().tolist() == [[2.0] * 3] * 2
        counter = fluid.layers.create_global_var([1], 0, "int64", persistable=True, name="counter")
        fluid.layers.increment(counter)
        assert (counter.name, counter.persistable, counter.numpy().tolist()) == ("counter", True, [1])


def test_parameters_are_set_between_a_forward_pass_and_its_gradient():
    """As a spectral norm's vectors are, where a network is asked twice before one `backward`."""
    with fluid.dygraph.guard():
        weight = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(3.0))
        squares = [weight * weight]
        with fluid.dygraph.no_grad():
            weight.set_value(weight * 2.0)
        squares.append(weight * weight)
        fluid.layers.assign(weight * 0.5, weight)
        fluid.layers.reduce_sum(squares[0] + squares[1]).backward()
        assert weight.gradient().tolist() == [18.0] * 2 and weight.numpy().tolist() == [3.0] * 2


def test_smoothing_labels_passes_gradients_on():
    """In a Program it stops them; in dynamic mode the label keeps its gradient, and so does what is made of it."""
    x = _of([0.25, 0.75])
    fluid.layers.reduce_sum(fluid.layers.label_smooth(x, epsilon=0.2)).backward()
    assert not x.stop_gradient
    np.testing.assert_allclose(x.gradient(), [[0.8, 0.8]], rtol=1e-6)


def test_functions_of_programs_compute_at_once_as_well():
    """npair_loss, auc, row_conv of padded sequences, reshape's actual_shape: 1.8.5 computes all of them here."""
    layers, random = fluid.layers, np.random.RandomState(0)
    anchor, positive = (_of(*random.rand(4, 3)) for _ in range(2))
    loss = layers.npair_loss(anchor, positive, _of(0, 1, 0, 2))
    loss.backward()
    similar = anchor.numpy() @ positive.numpy().T
    share = np.array([[.5, 0, .5, 0], [0, 1, 0, 0], [.5, 0, .5, 0], [0, 0, 0, 1]])
    told = (share * (np.log(np.exp(similar).sum(1, keepdims=True)) - similar)).sum(1, keepdims=True)
    size = (anchor.numpy()**2).sum(1).mean() + (positive.numpy()**2).sum(1).mean()
    np.testing.assert_allclose(loss.numpy(), [size * 0.25 * 0.002 + (share * told).sum(0).mean()], rtol=1e-5)
    assert anchor.gradient().any() and loss.shape == [1]
    likely = _of([.9, .1], [.2, .8], [.4, .6], [.7, .3])
    for area in layers.auc(likely, _of([0], [1], [0], [1], dtype="int64"))[:2]:
        np.testing.assert_allclose(area.numpy(), [0.75], rtol=1e-6)
    steps = _of(*np.arange(12.0).reshape(2, 3, 2))
    ahead = layers.row_conv(steps, 1, fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0)))
    layers.reduce_sum(ahead).backward()
    np.testing.assert_array_equal(ahead.numpy()[0], [[2, 4], [6, 8], [4, 5]])
    np.testing.assert_array_equal(steps.gradient()[0], [[1, 1], [2, 2], [2, 2]])
    assert layers.reshape(steps, [6, -1], actual_shape=layers.assign(np.array([4, 3], "int32"))).shape == [4, 3]
