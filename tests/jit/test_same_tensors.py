"""Where a function leaves a Tensor that was there, in a place that it may rebind or as its result, it is that one."""

from types import SimpleNamespace

import numpy as np
import proa as paddle
import pytest
from proa.core import nest
from proa.core.errors import ModifiedInPlaceError
from proa.core.flags import flags_guard
from proa.jit.errors import ConversionError

X = [1.0, 2.0, 3.0]


def state():
    one = paddle.ones([3])
    return SimpleNamespace(a=one, b=one, d={})


def test_what_a_branch_does_not_replace_stays():
    held = state()

    @paddle.jit.to_static(full_graph=True)
    def replaced(x):
        if x.sum() > 0:
            held.a = held.a + x

    @paddle.jit.to_static(full_graph=True)
    def changed():
        held.a.scale_(3.0)

    before = held.a
    replaced(-paddle.to_tensor(X))
    assert held.a is before
    changed()
    np.testing.assert_array_equal(held.b, [3, 3, 3])
    replaced(paddle.to_tensor(X))
    assert held.a is not held.b
    changed()
    np.testing.assert_array_equal(held.a, [12, 15, 18])
    np.testing.assert_array_equal(held.b, [3, 3, 3])


def test_places_share_what_a_branch_gave_both():
    held = state()

    @paddle.jit.to_static(full_graph=True)
    def shared(x):
        made = x * 2
        held.a = made
        if x.sum() > 0:
            held.d["a"] = made
        else:
            held.d["a"] = x
        held.b = x
        return made, held.d["a"]

    for sign in (1, -1):
        x = sign * paddle.to_tensor(X)
        made, chosen = shared(x)
        assert held.a is made and held.b is x
        assert chosen is held.d["a"] is (made if sign > 0 else x)
    assert shared.get_traced_count() == 2  # the first call finds no key


def test_an_argument_that_is_returned_is_the_caller_s():
    @paddle.jit.to_static(full_graph=True)
    def same(x, y):
        x.add_(y)
        return x, y, x + y

    x, y = paddle.to_tensor(X), paddle.to_tensor(X)
    first, second, third = same(x, y)
    assert first is x and second is y
    np.testing.assert_array_equal(third, [3, 6, 9])


def test_what_nested_branches_leave_of_a_tensor_held_twice_is_refused():
    held = state()

    def nested(x):
        if x.sum() > 0:
            if x.max() > 2:
                held.a = held.a + x

    with pytest.raises(ConversionError, match=r"whether `held.a` keeps the tensor .*x.clone\(\)"):
        paddle.jit.to_static(nested, full_graph=True)(paddle.to_tensor(X))
    held.b = None
    paddle.jit.to_static(nested, full_graph=True)(paddle.to_tensor(X))
    np.testing.assert_array_equal(held.a, [2, 3, 4])


def seen_in_each_other(x):
    y = x * 2
    return y, y[0], y.t(), y.detach()


def views_of_what_it_is_given(x):
    return x.reshape([-1]), x.detach(), x.t()[1], x


def views_of_views(x):
    y = x + 1
    return {"y": y, "parts": (y.t()[0].unsqueeze(0), [y.flatten()[1:3]])}


def views_of_what_is_not_returned(x):
    y = x * 2
    return y[0:2], y[1:3], y[2], y.sum()


def views_of_what_it_changes(x):
    x[0] = 1.0
    row = x[1]
    x.add_(x)
    return row, x.reshape([-1])


def no_views(x):
    y = x * 2
    return y, y.clone(), y.t().reshape([-1]), y[paddle.to_tensor([0, 1])], paddle.assign(y)


@pytest.mark.parametrize("function", [
    seen_in_each_other, views_of_what_it_is_given, views_of_views, views_of_what_is_not_returned,
    views_of_what_it_changes, no_views])
def test_results_that_are_views_change_together(function):
    """As eagerly, and as in PaddlePaddle 2.6.2, for converted functions too; with the gradients of what was written."""
    def outcome(called, number):
        x, w = (paddle.to_tensor(np.arange(6.0).reshape(3, 2) + n, stop_gradient=False) for n in (0, 1))
        given = x * 1
        results = list(nest.leaves(called(given)))
        results[number % len(results)].scale_(3.0)
        results[0].add_(w.flatten()[:results[0].size].reshape(results[0].shape))
        sum((one * one).sum() for one in results).backward()
        return [one.numpy() for one in [*results, x, given, x.grad, w.grad]]

    converted = paddle.jit.to_static(function, full_graph=True)
    for number in range(7):
        for ours, theirs in zip(outcome(converted, number), outcome(function, number), strict=True):
            np.testing.assert_allclose(ours, theirs)


def twice(x, y):
    t = x * y
    return t, {"again": t}


def perhaps_what_it_is_given(x, y):
    if y.sum() > 0:
        x = x * 2
    return x


def chosen_of_two(x, y):
    chosen = x if y.sum() > 0 else y
    x.scale_(2.0)
    return chosen, x


def chosen_twice(x, y):
    if y.sum() > 0:
        x = y
    if y.sum() > 5:
        x = x * 3
    return x, y


def chosen_of_results(x, y):
    a = x * 2
    b = a if y.sum() > 0 else a + 1
    return b, a, b.detach()


def returned_early(x, y):
    if y.sum() > 0:
        return x
    return y


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("function", [
    twice, perhaps_what_it_is_given, chosen_of_two, chosen_twice, chosen_of_results, returned_early])
def test_results_that_are_one_tensor_or_an_argument_are_that_very_tensor(function, sign):
    def outcome(called):
        x, y = paddle.to_tensor(X), paddle.to_tensor(X) * sign
        results = list(nest.leaves(called(x, y)))
        for one in results:
            one.add_(paddle.to_tensor(X))
        tensors = [*results, x, y]
        return [[one is other for other in tensors] for one in tensors], [one.tolist() for one in tensors]

    assert outcome(paddle.jit.to_static(function, full_graph=True)) == outcome(function)


def test_a_result_that_is_a_view_of_a_parameter_shows_its_update():
    linear = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(0.5, parameters=linear.parameters())
    called = paddle.jit.to_static(
        lambda x: (linear(x).sum(), linear.weight.detach(), linear.weight[0]), full_graph=True)
    loss, weight, row = called(paddle.ones([1, 2]))
    before = weight.numpy()
    loss.backward()
    sgd.step()
    np.testing.assert_allclose(weight, before - 0.5)
    np.testing.assert_allclose(row, before[0] - 0.5)


@pytest.mark.parametrize("function, needs_it", [
    (lambda h: (h * 2.0, h.reshape([-1])), False), (lambda h: (h + h.mean(), h.detach()), False),
    (lambda h: (h * h, h.reshape([-1])), True), (lambda h: (paddle.sin(h), h[0]), True)])
@pytest.mark.parametrize("keep", [False, True])
def test_an_argument_that_is_changed_afterwards_matters_where_its_gradient_reads_it(
        function, needs_it, keep, tmp_path):
    def outcome(called):
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        given = x * 1.0
        value, view = called(given)
        view.scale_(3.0)
        (value.sum() + view.sum()).backward()
        return [value.numpy(), view.numpy(), given.numpy(), x.grad.numpy()]

    with flags_guard({"FLAGS_keep_plans": keep, "FLAGS_kernel_cache_dir": str(tmp_path)}):
        for called in (function, *(paddle.jit.to_static(function, full_graph=True) for _ in range(1 + keep))):
            if needs_it:
                with pytest.raises(ModifiedInPlaceError):
                    outcome(called)
            else:
                for ours, theirs in zip(outcome(called), outcome(function), strict=True):
                    np.testing.assert_allclose(ours, theirs)
