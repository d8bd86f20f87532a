"""Results of a converted function from which others of its results were computed: gradients of them, hooks on them."""

import numpy as np
import proa as paddle
import pytest
from proa.core.errors import GraphFreedError

nn = paddle.nn


class Network(nn.Layer):
    """Gives what it computes on the way, too."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.last = nn.Linear(4, 2)
        for number, parameter in enumerate(self.parameters()):
            values = np.cos(np.arange(parameter.size) * (number + 1.3)) * 0.4
            parameter.set_value(values.reshape(parameter.shape).astype("float32"))

    def forward(self, x, steps):
        a = self.first(x)
        if a.sum() > 100:
            a = a * 0.5
        z = self.inner(a * a)
        for _ in range(steps):
            z = z * a + z
        z = nn.functional.dropout(z, 0.25)
        return self.last(z), z, a


class Plain(Network):
    """Keeps nothing."""

    def forward(self, x, steps):
        return super().forward(x, steps)[0]


class Changed(Network):
    """Hands a copy out, which may be changed."""

    def forward(self, x, steps):
        y, z, a = super().forward(x, steps)
        return y, z, a.clone()


def run(asked, network, converted):
    """What `asked` finds of a network, converted or not."""
    made = network()
    called = paddle.jit.to_static(made) if converted else made
    paddle.seed(4)
    x = paddle.to_tensor(np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]], "float32"), stop_gradient=False)
    return [None if t is None else t.numpy() for t in asked(made, called, x, paddle.to_tensor(2))]


def assert_as_written(asked, network=Network):
    """Conversion changes nothing of what `asked` finds."""
    found, expected = (run(asked, network, converted) for converted in (True, False))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
    return expected


def of_one(made, called, x, steps):
    y, z, _ = called(x, steps)
    return paddle.grad(y.sum(), z)


def of_several(made, called, x, steps):
    y, z, a = called(x, steps)
    return paddle.grad([(y * y).sum(), z.sum()], [z, a, x])


def differentiated_again(made, called, x, steps):
    y, _, a = called(x, steps)
    [g] = paddle.grad((y * y).sum(), a, create_graph=True)
    (g * g).sum().backward()
    return g, x.grad, made.inner[0].weight.grad


def retained(made, called, x, steps):
    y, z, a = called(x, steps)
    z.retain_grads()
    a.retain_grads()
    (y * y).sum().backward()
    return z.grad, a.grad, x.grad


def changed_by_hooks(made, called, x, steps):
    y, z, a = called(x, steps)
    a.register_hook(lambda g: g * 2 + 1)
    z.register_hook(lambda g: g * 3)
    (y.sum() + a.sum()).backward()
    return x.grad, made.first.weight.grad, made.inner[0].weight.grad, made.last.weight.grad


def constants(made, called, x, steps):
    y, z, a = called(x, steps)
    return paddle.grad((y * a.sum()).sum(), [x], no_grad_vars=[z])


def second_derivatives(made, called, x, steps):
    y, z, a = called(x, steps)
    of_x, of_a = paddle.grad((y * y).sum(), [x, a], create_graph=True)
    found = [paddle.grad((of_x * of_x).sum() + (z * z).sum(), at, retain_graph=True)[0] for at in (z, a)]
    return *found, *paddle.grad((of_x * a.sum()).sum() + (of_a * of_a).sum(), [a, z, x])


def third_derivatives(made, called, x, steps):
    y, _, a = called(x, steps)
    [first] = paddle.grad((y * y).sum(), x, create_graph=True)
    [second] = paddle.grad((first * first).sum(), a, create_graph=True)
    return paddle.grad((second * second).sum(), [a, x])


def penalty(made, called, x, steps):
    y, z, a = called(x, steps)
    for each in (z, a):
        each.retain_grads()
    [g] = paddle.grad((y * y).sum(), x, create_graph=True)
    a.scale_(3.0)  # what the gradient needs of it is what it was
    (g * g).sum().backward()
    return z.grad, x.grad, made.first.weight.grad, made.last.weight.grad


@pytest.mark.parametrize("asked", [of_one, of_several, differentiated_again, retained, changed_by_hooks, constants,
                                   second_derivatives, third_derivatives])
def test_results_on_the_way_have_the_gradients_that_they_have_without_conversion(asked):
    assert_as_written(asked)


def test_inner_results_that_change_in_place_before_a_second_derivative():
    found, expected = (run(penalty, Changed, converted) for converted in (True, False))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def kept_by_hooks(made, called, x, steps):
    kept = {}

    def keep(layer, inputs, output):
        kept[layer] = output

    for layer in (made.first, made.inner):
        layer.register_forward_post_hook(keep)
    y = called(x, steps)
    return paddle.grad((y * y).sum(), [kept[made.inner], kept[made.first]])


def test_what_hooks_keep_of_layers_has_its_gradient():
    found = assert_as_written(kept_by_hooks, Plain)
    assert all(np.abs(g).max() > 0.01 for g in found)


def distilled(made, called, x, steps):
    class Keep:
        """A hook that keeps the last output in itself."""

        value = None

        def __call__(self, layer, inputs, output):
            self.value = output

    kept = [Keep(), Keep()]
    made.first.register_forward_post_hook(kept[0])
    made.inner.register_forward_post_hook(kept[1])
    y = called(x, steps)
    (y.sum() + sum(((k.value - 1.0) ** 2).sum() for k in kept)).backward()
    return x.grad, made.first.weight.grad, made.inner[0].weight.grad


def test_losses_of_what_hooks_keep_flow_back():
    assert_as_written(distilled, Plain)


def test_a_gradient_asked_for_too_late_is_an_error():
    y, z = paddle.jit.to_static(lambda x: ((x * 2.0).exp(), x * 2.0))(paddle.to_tensor(0.5, stop_gradient=False))
    assert paddle.grad([y, z], [z], allow_unused=True)[0].item() == 1.0  # another one, computed beside
    square = paddle.jit.to_static(twice)
    y, z = square(paddle.to_tensor(3.0, stop_gradient=False))
    y.backward()
    with pytest.raises(GraphFreedError, match="retain_graph"):
        paddle.grad(y, z)


def twice(x):
    z = x * 2.0
    return z * z, z


class Sign(paddle.autograd.PyLayer):
    """Signs, through which gradients go unchanged."""

    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        return g


READERS = {
    "max pooling": lambda y: nn.functional.max_pool2d(y, 2),
    "adaptive max pooling": lambda y: nn.functional.adaptive_max_pool2d(y, (2, 2)),
    "a PyLayer": Sign.apply,
}


@pytest.mark.parametrize("reader", READERS)
def test_a_result_that_is_read_again_has_both_gradients(reader):
    """PaddlePaddle 2.6.2 loses a part of them in converted code."""
    def doubled(x):
        y = x * 2.0
        return y, READERS[reader](y)

    gradients = []
    for function in (doubled, paddle.jit.to_static(doubled, full_graph=True)):
        x = paddle.to_tensor(np.cos(np.arange(32.0, dtype="float32")).reshape(1, 2, 4, 4), stop_gradient=False)
        y, read = function(x)
        ((y * y).sum() + (read * read).sum()).backward()
        gradients.append(x.grad.numpy())
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-6)
    assert np.all(np.abs(gradients[0]) >= np.abs(8 * np.cos(np.arange(32.0)).reshape(1, 2, 4, 4)) - 1e-5)
