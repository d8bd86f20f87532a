"""What was taken of a parameter before an update shows it where it is a view, and keeps its values else, or says that
it cannot: eager code, functions."""

import copy
import pickle

import numpy as np
import proa as paddle
import pytest
from looking import RULES, SHARING, VIEWS, parameter, step
from proa import nn
from proa.backend import aliasing
from proa.core.errors import ModifiedInPlaceError


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_seen_in_views_and_leaves_alone_what_was_computed(rule):
    w, optimizer = parameter(rule)
    views = [w.t(), w[1], w.reshape([6])]
    for _ in range(3):
        before = w.numpy()
        computed = [w * 1.0, paddle.flip(w, [0])]
        step(w, optimizer)
        now = w.numpy()
        assert not np.array_equal(now, before)
        wanted = [now.T, now[1], now.reshape(6), before, before[::-1]]
        for value, array in zip([*views, *computed], wanted, strict=True):
            np.testing.assert_array_equal(value.numpy(), array)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_shows_a_step_or_keeps_its_values(view):
    w, optimizer = parameter()
    step(w, optimizer)  # from here on it is updated in place
    taken = VIEWS[view](w)
    before = np.array(taken)
    again = paddle.to_tensor(taken) * 1.0 if isinstance(taken, np.ndarray) else taken * 1.0
    step(w, optimizer)
    np.testing.assert_array_equal(np.array(taken), np.array(VIEWS[view](w)) if view in SHARING else before)
    np.testing.assert_array_equal(again.numpy(), before)


@pytest.mark.parametrize("view", [v for v in VIEWS if v not in ("numpy", "contiguous")])
def test_every_view_that_a_converted_function_gives_shows_a_step_or_keeps_its_values(view):
    w, optimizer = parameter()
    step(w, optimizer)
    taken = paddle.jit.to_static(lambda: VIEWS[view](w), full_graph=True)()
    before = taken.numpy()
    step(w, optimizer)
    np.testing.assert_array_equal(taken.numpy(), VIEWS[view](w).numpy() if view in SHARING else before)


def test_the_value_that_a_converted_function_returns():
    w, optimizer = parameter()
    step(w, optimizer)
    taken = paddle.jit.to_static(lambda: (w, w), full_graph=True)()
    step(w, optimizer)
    for value in taken:  # which it is
        np.testing.assert_array_equal(value.numpy(), w.numpy())


def test_the_gradient_through_a_view_is_that_of_the_values_before():
    w, optimizer = parameter()
    step(w, optimizer)
    v, before = w.t(), w.numpy()
    s = (v * v).sum()
    step(w, optimizer)
    s.backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * before)


def test_a_gradient_that_needs_the_parameter_itself_says_so():
    w, optimizer = parameter()
    s = (w * w).sum()
    step(w, optimizer)
    with pytest.raises(ModifiedInPlaceError, match="call backward\\(\\) before the step"):
        s.backward()


class Times(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensor()
        return g * w, g * x


def test_a_pylayer_that_saved_the_parameter_says_so():
    w, optimizer = parameter()
    x = paddle.ones([2, 3])
    y = Times.apply(x, w).sum()
    step(w, optimizer)
    with pytest.raises(ModifiedInPlaceError, match="Times"):
        y.backward()


@pytest.mark.parametrize("function", [lambda x, w: x * w, lambda x, w: x * (w + 1.0), lambda x, w: x * w.t().t()])
def test_a_recomputed_function_that_would_read_the_new_values_says_so(function):
    w, optimizer = parameter()
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = paddle.distributed.fleet.utils.recompute(lambda x: function(x, w).sum(), x)
    step(w, optimizer)
    with pytest.raises(ModifiedInPlaceError):
        y.backward()


def test_what_hooks_save_keeps_its_values():
    w, optimizer = parameter()
    step(w, optimizer)
    before = w.numpy()
    with paddle.autograd.saved_tensors_hooks(lambda t: t, lambda t: t):
        s = (w * w).sum()
    step(w, optimizer)
    s.backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * before)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_to_start_from_keeps_its_values(create_graph):
    w, optimizer = parameter()
    step(w, optimizer)
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    [gradient] = paddle.grad(x + 1.0, x, w, create_graph=create_graph)
    before = w.numpy()
    step(w, optimizer)
    np.testing.assert_array_equal(gradient.numpy(), before)


# Aliases

def test_a_detached_parameter_shows_its_updates():
    w, optimizer = parameter()
    detached = w.detach()
    other = detached.detach()
    for keep_a_view in (False, True, False):
        taken = w.t() if keep_a_view else None
        before = w.numpy()
        step(w, optimizer)
        np.testing.assert_array_equal(detached.numpy(), w.numpy())
        np.testing.assert_array_equal(other.numpy(), w.numpy())
        assert not np.array_equal(w.numpy(), before)
        assert taken is None or np.array_equal(taken.numpy(), w.numpy().T)


def test_views_of_a_detached_parameter_show_its_updates():
    w, optimizer = parameter()
    step(w, optimizer)
    detached, before = w.detach(), w.numpy()
    taken, computed = (detached.reshape([6]), detached[0]), detached * 1.0
    step(w, optimizer)
    np.testing.assert_array_equal(taken[0].numpy(), w.numpy().reshape(6))
    np.testing.assert_array_equal(taken[1].numpy(), w.numpy()[0])
    np.testing.assert_array_equal(computed.numpy(), before)


def test_a_detached_parameter_does_not_cost_a_copy():
    w, optimizer = parameter("Adam")
    held = [w.detach()]
    step(w, optimizer)
    copies = aliasing.copies[0]
    for _ in range(5):
        held.append(w.detach())
        step(w, optimizer)
    assert aliasing.copies[0] == copies
    assert all(np.array_equal(d.numpy(), w.numpy()) for d in held)


@pytest.mark.parametrize("look", [lambda w: w.detach(), lambda w: w.t(), lambda w: w[0], lambda w: paddle.unbind(w)])
def test_the_list_of_views_does_not_grow(look):
    w, _ = parameter()
    held = [look(w), look(w)]
    for _ in range(100):
        look(w)
    assert len(w._views) < 20
    with paddle.no_grad():
        w.fill_(7.0)
    assert all(float(v.max()) == 7.0 for each in held for v in (each if isinstance(each, list) else [each]))


def test_the_original_shows_updates_of_its_detached_twin():
    x = paddle.ones([2])
    twin = x.detach()
    twin.stop_gradient = False
    optimizer = RULES["SGD"]([twin])
    for _ in range(3):
        (twin * 3.0).sum().backward()
        optimizer.step()
        np.testing.assert_array_equal(x.numpy(), twin.numpy())


def test_in_place_forms_concern_both():
    w, optimizer = parameter()
    detached = w.detach()
    with paddle.no_grad():
        w.add_(paddle.ones([2, 3]))
    assert detached.numpy().max() == 2.0
    step(w, optimizer)
    assert detached.numpy().max() == w.numpy().max() == pytest.approx(1.7)


def test_running_means_are_shown_by_a_detached_buffer_and_a_view():
    norm = nn.BatchNorm1D(2)
    detached, view = norm._mean.detach(), norm._mean.reshape([2, 1])
    norm(paddle.ones([4, 2]))
    np.testing.assert_array_equal(detached.numpy(), norm._mean.numpy())
    np.testing.assert_array_equal(view.numpy()[:, 0], norm._mean.numpy())
    assert view.numpy().any()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w)), lambda w: w.clone()])
def test_copies_share_nothing(copied):
    w, optimizer = parameter()
    detached = w.detach()
    other = copied(w)
    step(w, optimizer)
    assert other.numpy().max() == 1.0
    assert detached.numpy().max() != 1.0


def test_a_tensor_that_takes_over_another_shares_nothing_with_it():
    w, optimizer = parameter()
    step(w, optimizer)
    x, before = paddle.zeros([2, 3]), w.numpy()
    x.data = w
    y = paddle.zeros([2, 3])
    y.reconstruct_from_(w.detach())
    z = paddle.base.framework.EagerParamBase.from_tensor(w)
    step(w, optimizer)
    for tensor in (x, y, z):
        np.testing.assert_array_equal(tensor.numpy(), before)


# Memory of others

def test_dlpack_is_shared_until_the_next_update():
    w, optimizer = parameter()
    step(w, optimizer)
    before = w.numpy()
    array = np.from_dlpack(w)
    step(w, optimizer)
    np.testing.assert_array_equal(array, before)
    assert not np.array_equal(w.numpy(), before)


def test_memory_that_was_taken_in_is_never_written():
    given = np.ones((2, 3), "float32")
    x = paddle.utils.dlpack.from_dlpack(given)
    given[0, 0] = 5.0
    assert x.numpy()[0, 0] == 5.0  # it is shared
    x.stop_gradient = False
    step(x, RULES["SGD"]([x]))
    assert given.tolist() == [[5.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    assert x.numpy()[1, 1] == pytest.approx(0.7)


@pytest.mark.parametrize("initial", [np.ones((2, 3), "float32"), np.ones((4, 3), "float32")[1:3],
                                     np.frombuffer(np.ones((2, 3), "float32").tobytes(), "float32").reshape(2, 3)])
def test_an_array_that_a_parameter_begins_with_is_left_alone(initial):
    w = paddle.create_parameter([2, 3], "float32", default_initializer=nn.initializer.Assign(initial))
    optimizer = RULES["SGD"]([w])
    for _ in range(2):
        step(w, optimizer)
    assert np.all(initial == 1.0)


def test_state_in_numpy_and_in_state_dicts():
    w, optimizer = parameter("Adam")
    step(w, optimizer)
    moment = next(v for k, v in optimizer.state_dict().items() if "moment1" in k)
    view, array = moment.reshape([6]), moment.numpy()
    before = array.copy()
    step(w, optimizer)
    np.testing.assert_array_equal(view.numpy(), moment.numpy().reshape(6))
    np.testing.assert_array_equal(array, before)
    assert not np.array_equal(moment.numpy(), before)


@pytest.mark.parametrize("look", [lambda a: a[0], lambda a: paddle.unbind(a)[0]])
def test_hooks_of_a_view_stay_where_its_value_changes(look):
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    a = x * 1.0
    view, seen = look(a), []
    handle = view.register_hook(lambda g: seen.append(g.tolist()))
    view.retain_grads()
    a[1] = 2.0
    (view * 3.0).sum().backward(retain_graph=True)
    assert seen == [[3.0] * 3] and view.grad.tolist() == [3.0] * 3
    handle.remove()
    (view * 3.0).sum().backward()
    assert len(seen) == 1
