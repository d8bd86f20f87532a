"""`saved_tensors_hooks`: what is packed, when it comes back, and where hooks do not reach."""

import numpy as np
import proa as paddle
import pytest


def packing(log):
    def pack(tensor):
        log.append(("pack", tensor.shape))
        return tensor.numpy()

    def unpack(held):
        log.append(("unpack", list(held.shape)))
        return paddle.to_tensor(held)

    return paddle.autograd.saved_tensors_hooks(pack, unpack)


def slopes(x, hooks):
    x = paddle.to_tensor(x, stop_gradient=False)
    with hooks:
        h = (x @ x).exp() * x
        parts = paddle.split(paddle.nn.functional.softmax(h), 2)
        total = (paddle.concat([*parts, x]) ** 2).sum()
    total.backward()
    return x.grad.numpy()


def test_gradients_are_the_same():
    x, log = np.array([[0.5, -0.2], [0.1, 0.3]]), []
    np.testing.assert_array_equal(slopes(x, packing(log)), slopes(x, paddle.enable_grad()))
    kinds = [kind for kind, _ in log]
    assert kinds.count("pack") >= kinds.count("unpack") > 4
    assert kinds.index("unpack") > max(n for n, kind in enumerate(kinds) if kind == "pack")


def test_only_values_that_are_needed_are_packed():
    log = []
    x = paddle.ones([3], "float32")
    x.stop_gradient = False
    with packing(log):
        y = x + 1.0
        x.detach() * 2.0
        y.exp()
    x * x
    assert log == [("pack", [3])]


def test_second_order():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    with packing([]):
        y = x * x * x
    first, = paddle.grad(y, x, create_graph=True)
    second, = paddle.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_what_a_pylayer_saves():
    log = []

    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * x

        @staticmethod
        def backward(ctx, dy):
            x, nothing = ctx.saved_tensor()
            assert nothing is None
            return dy * x * 2.0

    x = paddle.to_tensor([3.0], stop_gradient=False)
    with packing(log):
        y = Square.apply(x)
    y.backward()
    assert x.grad.tolist() == [6.0]
    assert log == [("pack", [1]), ("unpack", [1])]


def test_errors():
    with pytest.raises(TypeError, match="pack_hook"):
        paddle.autograd.saved_tensors_hooks(None, None)
    x = paddle.to_tensor([3.0], stop_gradient=False)
    with paddle.autograd.saved_tensors_hooks(lambda t: t, lambda held: 1.0):
        y = x * x
    with pytest.raises(TypeError, match="must return a Tensor"):
        y.backward()
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program), pytest.raises(RuntimeError, match="Program"):
            packing([]).__enter__()
    finally:
        paddle.disable_static()


def test_what_is_packed_says_whether_it_wants_a_gradient():
    seen = []

    def pack(value):
        seen.append((value.shape, value.stop_gradient))
        return value
    x, y = paddle.ones([3, 1]), paddle.ones([3, 4])
    x.stop_gradient = False
    with paddle.autograd.saved_tensors_hooks(pack, lambda value: value):
        z = paddle.exp(x * y)
    z.sum().backward()
    assert seen == [([3, 1], False), ([3, 4], True), ([3, 4], False)]
    seen.clear()
    y.stop_gradient = False
    with paddle.autograd.saved_tensors_hooks(pack, lambda value: value):
        z = x * y
    assert seen == [([3, 1], False), ([3, 4], False)]
