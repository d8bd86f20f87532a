"""The backward walk on Tensors: accumulation, retention, hooks, in-place changes, higher orders."""

import copy
import pickle

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa.core.errors import GraphFreedError, ModifiedInPlaceError


def leaf(*values, dtype="float32"):
    return paddle.to_tensor(np.array(values, dtype), stop_gradient=False)


def test_gradients_accumulate_over_passes_and_uses():
    x = leaf(1.0, 2.0)
    for _ in range(2):
        (x * x + x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * (2 * x.numpy() + 1))


def test_a_shared_subexpression_is_visited_once_with_its_whole_gradient():
    x = leaf(0.5)
    y = x.exp()
    z = y * y + y
    calls = []
    y.register_hook(lambda g: calls.append(g.numpy()))
    z.backward()
    assert len(calls) == 1
    np.testing.assert_allclose(calls[0], 2 * np.exp(0.5) + 1, rtol=1e-6)


def test_a_hook_gets_the_gradient_of_a_value_without_dimensions_as_a_tensor():
    x = paddle.to_tensor(3.0, stop_gradient=False)
    y = x * x
    calls = []
    y.register_hook(lambda g: calls.append((g.numpy(), g.shape)) or g * 2.0)
    paddle.sin(y).backward()
    assert calls == [(np.cos(np.float32(9.0)), [])]
    np.testing.assert_allclose(x.grad.numpy(), 12 * np.cos(9.0), rtol=1e-6)


def test_second_pass_needs_retain_graph():
    x = leaf(3.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert float(x.grad) == 12.0
    with pytest.raises(GraphFreedError, match="retain_graph=True"):
        y.backward()


@pytest.mark.parametrize("retain_graph", [None, False])
def test_grad_keeps_the_graph(retain_graph):
    """As in Paddle: what it is asked of may be asked again, by whichever way, till `backward` frees it."""
    x = leaf(3.0)
    y = x * x
    z = (y.exp() * y).sum()
    first, = paddle.grad(z, x, retain_graph=retain_graph)
    second, = paddle.grad([z, y], [y], retain_graph=retain_graph)
    assert float(second) == pytest.approx(np.exp(9.0) * 10.0 + 1.0, rel=1e-6)
    z.backward()
    np.testing.assert_array_equal(x.grad.numpy(), first.numpy())
    with pytest.raises(GraphFreedError):
        paddle.grad(z, x)


def test_what_does_not_save_values_survives_too():
    x = leaf(3.0)
    y = (x + 1.0) * 2.0
    y.backward()
    with pytest.raises(GraphFreedError):
        y.backward()


@pytest.mark.parametrize(
    "change", [lambda y: y.add_(paddle.ones([1])), lambda y: y.__setitem__(0, 5.0), lambda y: y.exp_()])
def test_in_place_change_of_a_needed_value_is_an_error(change):
    x = leaf(1.0)
    y = x.exp()
    z = y * 2.0
    change(y)
    with pytest.raises(ModifiedInPlaceError, match="'exp'"):
        z.backward()


def test_in_place_change_of_a_value_nobody_needs_is_fine():
    x = leaf(1.0)
    y = x + 1.0
    z = y * 2.0
    y.add_(paddle.ones([1]))
    z.backward()
    assert float(x.grad) == 2.0


@pytest.mark.parametrize(("operation", "needed"), [
    (paddle.multiply, [1]), (paddle.matmul, [1]), (paddle.divide, [1]), (paddle.maximum, [0, 1])])
@pytest.mark.parametrize("recorded", [False, True])
def test_in_place_change_of_an_operand_that_only_a_gradient_nobody_wants_needs_is_fine(operation, needed, recorded):
    for which in (0, 1):
        x, y = leaf([1.0, 2.0], [3.0, 5.0]), leaf([2.0, 1.0], [1.0, 4.0])
        y.stop_gradient = True
        values = [x * 1.0, y * 1.0]
        z = operation(*values)
        [before] = paddle.grad(z, x)
        values[which].add_(paddle.ones([2, 2]))
        if which in needed:
            with pytest.raises(ModifiedInPlaceError):
                paddle.grad(z, x, create_graph=recorded)
        else:
            assert paddle.grad(z, x, create_graph=recorded)[0].tolist() == before.tolist()


@pytest.mark.parametrize(("operation", "changed"), [
    (paddle.std, 0), (lambda x: paddle.var(x, axis=1), 0), (lambda x: F.cross_entropy(x, paddle.to_tensor([1, 0])), 0),
    (lambda x: F.cross_entropy(x, paddle.to_tensor([[0.5, 0.5], [0.2, 0.8]]), soft_label=True), 0),
    (lambda x: F.smooth_l1_loss(x, paddle.zeros([2, 2])), 0), (lambda x: paddle.einsum("ij->j", x), 0),
    (lambda x: x ** paddle.full([2, 2], 3.0), 1), (paddle.tan, 1), (F.swish, 1), (F.celu, 1), (F.softshrink, 1)])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_gradient_that_paddle_takes_from_elsewhere_is_that_of_what_was_computed(operation, changed, recorded):
    x = leaf([1.0, 2.0], [3.0, 5.0])
    given = x * 0.5
    result = operation(given)
    [before] = paddle.grad(result, x, retain_graph=True)
    value = (given, result)[changed]
    value.add_(paddle.ones_like(value))
    np.testing.assert_allclose(paddle.grad(result, x, create_graph=recorded)[0].numpy(), before.numpy(), rtol=1e-6)


def test_the_error_says_the_versions_of_what_was_changed():
    y = leaf(1.0) * 2.0
    z = y.exp()
    z.add_(paddle.ones_like(z))
    z[0] = 0.0
    with pytest.raises(ModifiedInPlaceError, match="received tensor_version:2 != wrapper_version_snapshot:0"):
        z.backward()


def test_in_place_operation_carries_its_gradient():
    x = leaf(2.0)
    y = x * 3.0
    y.multiply_(x * 2.0)
    y.exp_()
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), [12 * 2.0 * np.exp(24.0)], rtol=1e-5)


def test_leaf_that_wants_a_gradient_cannot_change_in_place():
    x = leaf(2.0)
    with pytest.raises(RuntimeError, match="leaf"):
        x.add_(paddle.ones([1]))
    with paddle.no_grad():
        x.add_(paddle.ones([1]))
    assert float(x) == 3.0


def test_what_a_computed_value_was_before_set_value_keeps_its_gradient():
    """Fast weights of meta-learning: adapted by `set_value`, and asked for gradients of the loss before it again."""
    w, x = leaf(2.0), leaf(3.0)
    fast = w.clone()
    before = (x * fast).sum()
    paddle.grad(before, [fast], retain_graph=True)
    fast.set_value(fast * 10.0)
    assert float(paddle.grad(before, [x], retain_graph=True)[0]) == 2.0
    after = (x * fast).sum()
    after.backward()
    assert float(after) == 60.0 and float(x.grad) == 20.0 and float(w.grad) == 3.0


def test_so_does_what_was_seen_of_it_which_then_shows_the_new_value():
    w, x = leaf(2.0), leaf(3.0)
    fast = w.clone()
    seen = fast.reshape([1, 1])
    before = (x * seen).sum()
    fast.set_value(fast * 10.0)
    before.backward()
    assert seen.tolist() == [[20.0]] and float(x.grad) == 2.0 and float(w.grad) == 3.0


def test_optimizer_step_between_passes_is_noticed():
    x = leaf(2.0)
    w = paddle.create_parameter([1], "float32")
    y = (x * w) * w
    y.backward(retain_graph=True)
    paddle.optimizer.SGD(0.1, parameters=[w]).step()
    with pytest.raises(ModifiedInPlaceError):
        y.backward()


def test_backward_of_what_has_no_gradient():
    x = paddle.ones([1])
    with pytest.warns(UserWarning, match="stop_gradient") as told:
        x.backward()
    assert told[0].filename == __file__ and x.grad is None
    with paddle.no_grad():
        y = leaf(1.0) * 2.0
    with pytest.warns(UserWarning, match="no gradient can flow"):
        y.backward()
    assert y.grad is None
    with pytest.warns(UserWarning, match="no gradient can flow") as told:
        paddle.autograd.backward([x, y])
    assert told[0].filename == __file__


def test_start_gradient_and_its_shape():
    x = leaf(1.0, 2.0)
    y = x * x
    y.backward(paddle.to_tensor([1.0, 10.0]))
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 40.0])
    with pytest.raises(ValueError, match="shape"):
        (x * x).backward(paddle.ones([3]))


def test_hooks_replace_gradients_and_can_be_removed():
    x = leaf(1.0)
    handle = x.register_hook(lambda g: g * 10.0)
    (x * 2.0).backward()
    assert float(x.grad) == 20.0
    assert handle.remove() and not handle.remove()
    x.clear_grad()
    (x * 2.0).backward()
    assert float(x.grad) == 2.0


def test_hook_that_returns_something_else():
    x = leaf(1.0)
    x.register_hook(lambda g: "text")
    with pytest.raises(TypeError, match="must return a Tensor"):
        (x * 2.0).backward()


@pytest.mark.parametrize(("computed", "create_graph"), [(False, False), (True, False), (True, True)])
def test_a_hook_gives_a_gradient_of_the_same_shape(computed, create_graph):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2 if computed else x
    y.register_hook(lambda gradient: paddle.ones([3]))
    with pytest.raises(ValueError, match=r"the Tensor's shape, \[2\]. It returned one of shape \[3\]"):
        paddle.grad((y * y).sum(), x, create_graph=True) if create_graph else (y * y).sum().backward()
    assert x.grad is None


def test_what_cannot_be_called_is_no_hook():
    with pytest.raises(TypeError, match="can be called. Received 3"):
        paddle.to_tensor([1.0], stop_gradient=False).register_hook(3)
    with pytest.raises(TypeError, match="can be called. Received None"):
        paddle.nn.Linear(1, 1).register_forward_post_hook(None)


def test_hook_on_an_inner_value_changes_what_flows_on():
    x = leaf(1.0)
    y = x * 2.0
    y.register_hook(lambda g: paddle.zeros_like(g))
    (y * 3.0).backward()
    assert float(x.grad) == 0.0


def test_retain_grads_keeps_an_inner_gradient():
    x = leaf(1.0, 2.0)
    y = x * 2.0
    y.retain_grads()
    (y * y).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), 2 * y.numpy())


def test_retained_gradients_are_those_of_the_latest_pass():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * 3
    y.retain_grads()
    z = (y * y).sum()
    [g] = paddle.grad(z, x, retain_graph=True)
    assert (y.grad.item(), x.grad) == (12.0, None)
    z.backward(retain_graph=True)
    (z * 5).backward(retain_graph=True)
    assert (y.grad.item(), x.grad.item()) == (60.0, 36.0 * 6)


@pytest.mark.parametrize("by", ["backward", "grad"])
def test_a_failing_pass_takes_retained_gradients_back(by):
    x = paddle.to_tensor([2.0], stop_gradient=False)
    begun = x * 1
    y = begun * 3
    y.retain_grads()
    z = (y * y).sum()
    z.backward(retain_graph=True)
    before = y.grad

    def fail(gradient):
        raise KeyError("stop")

    begun.register_hook(fail)
    with pytest.raises(KeyError):
        (z * 5).backward(retain_graph=True) if by == "backward" else paddle.grad(z * 5, x)
    assert y.grad is before and x.grad.item() == 36.0


def test_hooks_of_leaves_are_for_what_ends_in_grad():
    """As PaddlePaddle has it: `paddle.grad` calls those of computed values alone."""
    x = paddle.to_tensor([1.0], stop_gradient=False)
    x.register_hook(lambda g: g * 2)
    inner = x * 1
    inner.register_hook(lambda g: g * 5)
    assert [g.item() for g in paddle.grad(inner * inner, [inner, x])] == [10.0, 10.0]
    y = x * x
    [dx] = paddle.grad(y, x, create_graph=True)
    assert dx.item() == 2.0 and x.grad is None
    (y + dx).backward()
    assert x.grad.item() == 8.0


def test_retain_grads_of_a_tensor_without_gradients_does_nothing():
    x = paddle.to_tensor([1.0])
    (x * 2).retain_grads()
    x.retain_grads()
    assert x.grad is None


def test_a_flag_retains_all_gradients():
    paddle.set_flags({"FLAGS_retain_grad_for_all_tensor": True})
    try:
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        y = x * 2
        first, second = paddle.split(y * 3, 2)
        first.backward()
    finally:
        paddle.set_flags({"FLAGS_retain_grad_for_all_tensor": False})
    assert y.grad.tolist() == [3.0, 0.0] and first.grad.tolist() == [1.0] and x.grad.tolist() == [6.0, 0.0]
    z = x * 2
    z.sum().backward()
    assert z.grad is None


@pytest.mark.parametrize("wrong", [lambda x: paddle.grad(None, x), lambda x: paddle.grad(x, [1]),
                                   lambda x: paddle.grad(x, x, no_grad_vars=[1])])
def test_what_is_no_tensor_is_told(wrong):
    for kind in (AssertionError, TypeError):
        with pytest.raises(kind, match="must be"):
            wrong(leaf(1.0))


def test_grad_leaves_leaves_alone_and_takes_inner_values():
    x = leaf(2.0)
    y = x * x
    z = y * y
    gy, gx = paddle.grad(z, [y, x])
    assert (float(gy), float(gx)) == (8.0, 32.0)
    assert x.grad is None


def test_grad_of_an_unused_input():
    x, y = leaf(1.0), leaf(1.0)
    with pytest.raises(ValueError, match="allow_unused"):
        paddle.grad(x * 2.0, y)
    assert paddle.grad(x * 2.0, [x, y], allow_unused=True)[1] is None


def test_grad_with_starts_and_blocked_values():
    x = leaf(2.0)
    y = x * x
    [g] = paddle.grad(y * x, x, grad_outputs=paddle.to_tensor([3.0]), retain_graph=True)
    assert float(g) == 36.0
    [g] = paddle.grad(y * x, x, no_grad_vars=[y])
    assert float(g) == 4.0


@pytest.mark.parametrize("order", [1, 2, 3])
def test_higher_orders(order):
    x = leaf(0.7, dtype="float64")
    value = x.tanh() * x.exp()
    for _ in range(order):
        [value] = paddle.grad(value, x, create_graph=True)
    t, e = np.tanh(0.7), np.exp(0.7)
    d1, d2 = 1 - t * t, -2 * t * (1 - t * t)
    d3 = -2 * (1 - t * t) ** 2 + 4 * t * t * (1 - t * t)
    expected = {1: t + d1, 2: t + 2 * d1 + d2, 3: t + 3 * d1 + 3 * d2 + d3}[order] * e
    np.testing.assert_allclose(value.numpy(), [expected], rtol=1e-12)


def test_gradient_penalty_reaches_the_parameters():
    w, x = leaf(1.5), leaf(0.3)
    y = (w * x).tanh()
    [g] = paddle.grad(y, x, create_graph=True)
    (g * g).backward()
    eps = 1e-3
    f = lambda w: (w * (1 - np.tanh(w * 0.3) ** 2)) ** 2
    np.testing.assert_allclose(w.grad.numpy(), [(f(1.5 + eps) - f(1.5 - eps)) / (2 * eps)], rtol=1e-3)


def test_stop_gradient_can_be_taken_back():
    x = leaf(1.0)
    x.stop_gradient = True
    assert (x * 2.0).stop_gradient
    x.stop_gradient = False
    (x * 2.0).backward()
    assert float(x.grad) == 2.0


def test_no_grad_as_decorator_and_generator():
    x = leaf(1.0)

    @paddle.no_grad()
    def doubled():
        return x * 2.0

    @paddle.no_grad
    def several():
        yield x * 2.0
        yield x * 3.0

    assert doubled().stop_gradient
    assert all(v.stop_gradient for v in several())
    assert not (x * 2.0).stop_gradient
    with paddle.no_grad(), paddle.enable_grad():
        assert not (x * 2.0).stop_gradient


def test_the_graph_dies_with_its_last_value():
    import gc
    import weakref

    x = leaf(1.0)
    y = x.exp()
    node = weakref.ref(y._edge)
    gc.disable()
    try:
        del y
        assert node() is None
    finally:
        gc.enable()


def test_threads_have_their_own_grad_mode():
    import threading

    seen = []
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: seen.append(paddle.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_small_gradients_are_those_of_operators_one_by_one():
    draw = np.random.default_rng(1).standard_normal
    for shape in [(4,), (5, 4), (2, 5, 4)]:
        for kind in ("float32", "float64", "float16"):
            x, w, b = (paddle.to_tensor(draw(s).astype(kind), stop_gradient=False) for s in (shape, (4, 3), (3,)))
            y = paddle.nn.functional.linear(x, w, b)
            g = draw(tuple(y.shape)).astype(kind)
            y.backward(paddle.to_tensor(g))
            rows, starts = x.numpy().reshape(-1, 4).astype("float64"), g.reshape(-1, 3).astype("float64")
            wanted = (starts @ w.numpy().T).reshape(shape), rows.T @ starts, starts.sum(0)
            close = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-2}[kind]
            for value, right in zip((x, w, b), wanted, strict=True):
                assert value.grad.dtype is value.dtype and value.grad.shape == value.shape
                np.testing.assert_allclose(value.grad.numpy(), right, rtol=close, atol=close)


def test_targets_behind_lists_and_among_several_results():
    x, other = leaf(1.0, 2.0, 3.0, 4.0), leaf(5.0, 6.0)
    first, second = paddle.split(x * x, 2)
    joined = paddle.concat([first * 2.0, other, second.exp() * 0.0])
    found = paddle.grad((joined * joined).sum(), [first, other], create_graph=True)
    np.testing.assert_allclose(found[0].numpy(), 8 * first.numpy())
    np.testing.assert_allclose(found[1].numpy(), 2 * other.numpy())
    assert paddle.grad(other.sum(), [x], allow_unused=True) == [None]
    np.testing.assert_allclose(paddle.grad(found[0].sum(), x)[0].numpy(), [16.0, 32.0, 0.0, 0.0])


def test_a_target_far_behind_another():
    """What lies between them is walked too."""
    a = leaf(1.0, 2.0) * 3.0
    b = (a * a).exp() * 2.0
    found = paddle.grad((b * 5.0).sum(), [b, a])
    np.testing.assert_allclose(found[0].numpy(), [5.0, 5.0])
    np.testing.assert_allclose(found[1].numpy(), 10.0 * b.numpy() * a.numpy(), rtol=1e-6)


def test_a_target_that_another_was_computed_from():
    x = leaf(1.0, 2.0)
    a = x * 3.0
    b = a * a
    found = paddle.grad((b * a).sum(), [a, b], create_graph=True)
    np.testing.assert_allclose(found[0].numpy(), 3 * a.numpy() ** 2)
    np.testing.assert_allclose(found[1].numpy(), a.numpy())
    np.testing.assert_allclose(paddle.grad(found[0].sum(), x)[0].numpy(), 18 * a.numpy())


@pytest.mark.parametrize("change", [None, "scale_", "set_value"])
def test_a_computed_value_that_was_stopped_for_a_while_flows_on(change):
    a = leaf(1.0, 2.0)
    m = a * 3.0
    m.stop_gradient = True
    factor = 1.0 if change is None else 2.0
    if change == "scale_":
        m.scale_(2.0)
    elif change == "set_value":
        m.set_value(m * 2.0)
    assert (m * m).stop_gradient
    m.stop_gradient = False
    assert not m.is_leaf
    (m * m).sum().backward()
    assert a.grad.tolist() == [18.0 * factor, 36.0 * factor] and m.grad is None


def test_a_value_that_was_detached_in_place_has_a_gradient_of_its_own():
    a = leaf(1.0, 2.0)
    m = a * 3.0
    m.stop_gradient = True
    m.detach_()
    m.stop_gradient = False
    (m * m).sum().backward()
    assert a.grad is None and m.grad.tolist() == [6.0, 12.0]


def test_copies_of_a_stopped_value_know_nothing_of_its_graph():
    m = leaf(1.0, 2.0) * 3.0
    m.stop_gradient = True
    for one in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        one.stop_gradient = False
        assert one.is_leaf


def test_grad_of_what_was_stopped_since():
    a = leaf(1.0, 2.0)
    m = a * 3.0
    y = (m * m).sum()
    a.stop_gradient = m.stop_gradient = True
    assert [g.tolist() for g in paddle.grad(y, [m, a])] == [[6.0, 12.0], [18.0, 36.0]]


def test_no_grad_vars_are_constants():
    a = leaf(1.0, 2.0)
    m = a - 1.0
    called = []
    m.register_hook(called.append)
    m.retain_grads()
    y = (paddle.sqrt(m) + a).sum()  # the gradient of m is infinite
    for _ in range(2):
        [g] = paddle.grad(y, [a], no_grad_vars=[m], retain_graph=True)
        assert g.tolist() == [1.0, 1.0] and called == [] and m.grad is None
    [g] = paddle.grad(y, [a])
    assert g.tolist() == [np.inf, 1.5] and len(called) == 1


@pytest.mark.parametrize("create_graph", [False, True])
def test_nothing_is_found_where_no_grad_vars_block_all_ways(create_graph):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = x * 2.0
    first, second = paddle.split(y * w, 2)
    z = first * second

    def found(inputs, blocked, **options):
        return paddle.grad(z, inputs, no_grad_vars=blocked, create_graph=create_graph, **options)

    assert [g if g is None else g.tolist() for g in found([x, w], y, allow_unused=True)] == [None, [32.0, 24.0]]
    assert [g if g is None else g.tolist() for g in found([x, y, w], {x, w}, allow_unused=True)] == [
        None, [48.0, 24.0], None]
    assert found(y, [first, second], allow_unused=True) == [None]
    assert found(y, first)[0].tolist() == [0.0, 24.0]
    assert found(y, z)[0].tolist() == [48.0, 24.0]  # where the pass begins
    with pytest.raises(ValueError, match="no_grad_vars block the way"):
        found(x, [y])
    with pytest.raises(TypeError, match=r"no_grad_vars.*Received str"):
        found(x, "y")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gradient_of_a_mean_is_an_array_of_its_own_that_may_be_written_to(dtype):
    """Times a number, a gradient without dimensions is one of NumPy's numbers, not an array."""
    x = leaf([3.0, -1.0], [0.5, 2.0], dtype=dtype)
    x.mean().backward()
    assert x.grad.dtype == x.dtype and x.grad.tolist() == [[0.25, 0.25], [0.25, 0.25]]
    x.grad[0, 0] = 7.0
    assert x.grad.tolist() == [[7.0, 0.25], [0.25, 0.25]]


def test_what_is_no_tensor_is_named():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(TypeError, match=r"backward\(tensors\): must be Tensors. Received int"):
        paddle.autograd.backward(1)
    with pytest.raises(TypeError, match=r"backward\(grad_tensors\): must be Tensors. Received int"):
        paddle.autograd.backward([x * 2, x], [None, 3])
    assert x.grad is None


def test_nodes_tell_their_names_and_what_follows():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2.0
    z = paddle.concat([y, (y + x).exp()]).matmul(paddle.ones([4]))
    node = z.grad_fn
    assert node.name() == "MatmulGradNode"
    (joined,) = node.next_functions
    assert joined.name() == "ConcatGradNode"
    assert [each.name() for each in joined.next_functions] == ["ScaleGradNode", "ExpGradNode"]
    (leaf,) = y.grad_fn.next_functions
    assert leaf.name() == "GradNodeAccumulation" and list(leaf.next_functions) == []


@pytest.mark.parametrize(("pool", "shape"), [("adaptive_avg_pool2d", [1, 1, 4, 4]), ("avg_pool2d", [1, 1, 4, 4]),
                                             ("adaptive_avg_pool3d", [1, 1, 4, 4, 4])])
def test_means_of_windows_do_not_need_what_they_were_taken_of(pool, shape):
    x = paddle.rand(shape)
    x.stop_gradient = False
    y = x * 1.0
    z = getattr(F, pool)(y, 2)
    y.add_(paddle.ones(shape))
    z.sum().backward()
    assert x.grad.numpy().tolist() == np.full(shape, 2.0 ** (2 - len(shape))).tolist()


def test_maxima_of_windows_do():
    x = paddle.rand([1, 1, 4, 4])
    x.stop_gradient = False
    y = x * 1.0
    z = F.max_pool2d(y, 2)
    y.add_(paddle.ones([1, 1, 4, 4]))
    with pytest.raises(RuntimeError, match="in place"):
        z.sum().backward()


@pytest.mark.parametrize("apply", [
    lambda x, y: paddle.add_n([x, y]), lambda x, y: paddle.addmm(x, x, y), lambda x, y: paddle.addmm(y, x, x),
    lambda x, y: paddle.nn.functional.prelu(x, y[0, :1]), lambda x, y: paddle.linalg.multi_dot([x, y]),
    lambda x, y: paddle.atan2(x, y)], ids=["add_n", "product", "sum", "prelu", "multi_dot", "atan2"])
@pytest.mark.parametrize("kinds", [("float32", "float64"), ("float64", "float32")])
def test_gradients_have_the_dtype_of_what_they_are_of(apply, kinds):
    x, y = leaf([0.5, -1.5], [2.0, 1.0], dtype=kinds[0]), leaf([1.0, 2.0], [3.0, 0.5], dtype=kinds[1])
    apply(x, y).sum().backward()
    assert [t.grad.dtype.name for t in (x, y)] == list(kinds)
    of_both = paddle.grad(apply(x, y).sum(), [x, y])
    assert [g.dtype.name for g in of_both] == list(kinds)
    for g, t in zip(of_both, (x, y), strict=True):
        np.testing.assert_array_equal(g.numpy(), t.grad.numpy())


def test_an_output_that_is_an_input_counts_its_own_one():
    """PaddlePaddle counts it only where another input is asked for too."""
    x = paddle.ones([1])
    x.stop_gradient = False
    middle = x * 2
    end = middle * 3
    alone, = paddle.grad([end, middle], [middle], retain_graph=True)
    beside, first = paddle.grad([end, middle], [middle, x])
    assert (alone.item(), beside.item(), first.item()) == (4.0, 4.0, 8.0)


def test_a_part_that_nothing_uses_has_no_gradient():
    x = paddle.ones([4])
    x.stop_gradient = False
    used, unused = paddle.split(x * 2, 2)
    used.retain_grads()
    unused.retain_grads()
    used.sum().backward()
    assert used.grad.tolist() == [1.0, 1.0] and unused.grad is None
