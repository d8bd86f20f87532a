"""`_register_backward_hook`: told of a leaf's gradient as soon as a backward pass has added all that it will."""

import numpy as np
import proa as paddle
import pytest
from proa.autograd import PyLayer
from proa.distributed.fleet.utils import recompute


def _leaf(*values):
    return paddle.to_tensor(list(values), "float32", stop_gradient=False)


def _watched(leaves):
    """What observers of the leaves have seen: the leaf's name, and its gradient then."""
    seen = []
    for name, leaf in leaves.items():
        leaf._register_backward_hook(lambda name=name, leaf=leaf: seen.append((name, leaf.grad.tolist())))
    return seen


def test_the_last_layer_is_first_while_the_pass_still_goes_on():
    layers = [paddle.nn.Linear(3, 3) for _ in range(3)]
    order = []
    for number, layer in enumerate(layers):
        layer.weight._register_backward_hook(
            lambda number=number: order.append((number, [each.weight.grad is not None for each in layers])))
    x = paddle.ones([2, 3])
    for layer in layers:
        x = paddle.tanh(layer(x))
    x.sum().backward()
    assert order == [(2, [False, False, True]), (1, [False, True, True]), (0, [True, True, True])]


def test_the_bias_is_told_of_before_the_weight_of_its_layer():
    layer = paddle.nn.Linear(2, 2)
    seen = _watched({"weight": layer.weight, "bias": layer.bias})
    layer(paddle.ones([1, 2])).sum().backward()
    assert [name for name, _ in seen] == ["bias", "weight"]


def test_a_shared_leaf_is_told_of_once_when_its_first_use_has_been_walked():
    w, v = _leaf(2.0), _leaf(3.0)
    seen = _watched({"w": w, "v": v})
    (((w * w) * v) * w).sum().backward()
    assert seen == [("v", [8.0]), ("w", [36.0])]


def test_a_leaf_that_an_operator_takes_twice_and_in_a_list():
    w = _leaf(2.0, 3.0)
    seen = _watched({"w": w})
    (paddle.concat([w, w * 2]).sum() + (w + w).sum()).backward()
    assert seen == [("w", [5.0, 5.0])]


def test_the_leaf_from_which_the_pass_starts():
    w = _leaf(2.0)
    seen = _watched({"w": w})
    w.backward()
    paddle.autograd.backward([w, w * 3])
    assert seen == [("w", [1.0]), ("w", [5.0])]


def test_leaves_that_get_no_gradient_are_not_told_of():
    used, unused = _leaf(2.0), _leaf(3.0)
    seen = _watched({"used": used, "unused": unused})

    class First(PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a * 2 + b

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    other = unused * 5  # noqa: F841 - of another branch
    First.apply(used, unused).backward()
    assert seen == [("used", [2.0])] and unused.grad is None


def test_a_leaf_in_a_branch_that_no_gradient_reaches_waits_for_the_other_branch_only():
    w = _leaf(2.0)
    seen = _watched({"w": w})
    first, second = paddle.split(paddle.concat([w * 3, w.detach()]), 2)
    (first + second.detach() * w).backward()
    assert seen == [("w", [5.0])]


def test_each_pass_tells_once_and_gradients_accumulate():
    w = _leaf(3.0)
    seen = _watched({"w": w})
    y = (w * w).sum()
    y.backward(retain_graph=True)
    y.backward()
    (w * 1.0).sum().backward()
    assert seen == [("w", [6.0]), ("w", [12.0]), ("w", [13.0])]


@pytest.mark.parametrize("create_graph", [False, True])
def test_grad_does_not_tell(create_graph):
    w = _leaf(3.0)
    seen = _watched({"w": w})
    [g] = paddle.grad((w * w).sum(), w, create_graph=create_graph)
    assert g.item() == 6.0 and seen == [] and w.grad is None


def test_it_comes_behind_register_hook_and_both_leaf_by_leaf():
    leaves = [_leaf(float(n + 1)) for n in range(3)]
    order = []
    y = paddle.ones([1])
    for n, leaf in enumerate(leaves):
        leaf._register_backward_hook(lambda n=n, leaf=leaf: order.append(("complete", n, leaf.grad.item())))
        leaf.register_hook(lambda g, n=n: order.append(("hook", n, g.item())) or g * 10)
        y = y * leaf
    y.backward()
    assert order == [("hook", 2, 2.0), ("complete", 2, 20.0), ("hook", 1, 3.0), ("complete", 1, 30.0),
                     ("hook", 0, 6.0), ("complete", 0, 60.0)]


def test_through_a_py_layer_that_uses_a_leaf_again():
    w = _leaf(2.0)
    seen = _watched({"w": w})

    class Square(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensor()[0]

    (Square.apply(w) + w).backward()
    assert seen == [("w", [5.0])]


def test_through_recomputed_functions():
    first, second = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
    shared = _leaf(1.0, 1.0)
    seen = _watched({"first": first.weight, "second": second.weight, "shared": shared})
    x = paddle.ones([1, 2])
    x.stop_gradient = False
    h = recompute(lambda x: paddle.tanh(first(x)) * shared, x)
    recompute(lambda h: paddle.tanh(second(h)) * shared, h).sum().backward()
    assert seen[0][0] == "second" and len(seen) == 3
    assert dict(seen) == {
        "first": first.weight.grad.tolist(), "second": second.weight.grad.tolist(), "shared": shared.grad.tolist()}


def test_through_converted_functions_after_all_of_a_parameter_is_there():
    first, second = (paddle.jit.to_static(paddle.nn.Linear(2, 2)) for _ in range(2))
    seen = _watched({"first": first.weight, "first bias": first.bias, "second": second.weight})
    h = first(paddle.ones([1, 2]))
    (second(h) + first(h)).sum().backward()
    names = [name for name, _ in seen]
    assert names[0] == "second" and sorted(names[1:]) == ["first", "first bias"]
    final = {"first": first.weight.grad, "first bias": first.bias.grad, "second": second.weight.grad}
    assert all(final[name].tolist() == value for name, value in seen)


def test_gradients_by_rows():
    table = paddle.nn.Embedding(5, 2, sparse=True)
    seen = []
    table.weight._register_backward_hook(lambda: seen.append(table.weight.grad.is_selected_rows()))
    table(paddle.to_tensor([1, 1, 3])).sum().backward()
    assert seen == [True]
    assert table.weight.grad.numpy()[1].tolist() == [2.0, 2.0]


def test_what_an_observer_computes_is_not_recorded_and_may_replace_the_gradient():
    w, v = _leaf(2.0), _leaf(5.0)
    v.grad = paddle.to_tensor([1.0])

    def halve():
        halved = v.grad * 0.5 + w * 0
        assert halved.stop_gradient
        v.grad = halved

    v._register_backward_hook(halve)
    (w * v).backward()
    assert (v.grad.item(), w.grad.item()) == (1.5, 5.0)


def test_a_pass_within_an_observer_is_a_pass_of_its_own():
    w, v = _leaf(2.0), _leaf(5.0)
    seen = _watched({"w": w})
    def again():
        with paddle.enable_grad():
            (w * 100).backward()

    v._register_backward_hook(again)
    (w * v).backward()
    assert seen[-2:] == [("w", [100.0]), ("w", [105.0])]


@pytest.mark.parametrize("where", ["observer", "leaf hook", "hook between", "py_layer"])
def test_an_error_comes_out_and_leaves_every_gradient_as_it_was(where):
    w, v, u = _leaf(2.0), _leaf(3.0), _leaf(4.0)
    w.grad = paddle.to_tensor([7.0])
    seen = _watched({"v": v, "u": u})

    class Failing(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if where == "py_layer":
                raise KeyError("mine")
            return g

    def fail(*_):
        raise KeyError("mine")

    middle = Failing.apply(w * v)
    if where == "observer":
        handle = w._register_backward_hook(fail)
    elif where == "leaf hook":
        handle = w.register_hook(fail)
    elif where == "hook between":
        handle = middle.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (middle * u).backward(retain_graph=True)
    assert seen[0] == ("u", [6.0])  # it was complete before
    assert (w.grad.item(), v.grad, u.grad) == (7.0, None, None)
    if where != "py_layer":
        handle.remove()
        (middle * u).backward()
        assert (w.grad.item(), v.grad.item(), u.grad.item()) == (19.0, 8.0, 6.0)


def test_a_handle_takes_the_observer_away():
    w = _leaf(2.0)
    seen = []
    handle = w._register_backward_hook(lambda: seen.append(1))
    assert handle.remove() and not handle.remove()
    (w * 2).backward()
    assert seen == []


def test_half_precision_gradients_are_seen_in_the_dtype_of_the_leaf():
    w = paddle.to_tensor([2.0], "float16", stop_gradient=False)
    seen = []
    w._register_backward_hook(lambda: seen.append(w.grad.dtype))
    (w * w).sum().backward()
    assert seen == [paddle.float16]


def test_only_leaves_that_want_a_gradient_have_observers():
    x = paddle.to_tensor([1.0])
    with pytest.raises(ValueError, match="stop_gradient=True"):
        x._register_backward_hook(lambda: None)
    x.stop_gradient = False
    with pytest.raises(ValueError, match="no leaf"):
        (x * 2)._register_backward_hook(lambda: None)


def test_gradients_are_those_without_observers():
    paddle.seed(3)
    net = paddle.nn.Sequential(*[layer for _ in range(3) for layer in (paddle.nn.Linear(4, 4), paddle.nn.GELU())])
    x = paddle.randn([5, 4])
    net(x).square().mean().backward()
    expected = [p.grad.numpy() for p in net.parameters()]
    net.clear_gradients()
    names = []
    for p in net.parameters():
        p._register_backward_hook(lambda p=p: names.append(p.name))
    net(x).square().mean().backward()
    assert sorted(names) == sorted(p.name for p in net.parameters())
    for p, e in zip(net.parameters(), expected, strict=True):
        np.testing.assert_array_equal(p.grad.numpy(), e)
