"""Parameters whose values a converted `forward` sets under `no_grad`: initialization by data, clipped weights."""

import numpy as np
import proa as paddle
import pytest
from proa import nn


class Normalized(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = self.create_parameter([2], default_initializer=nn.initializer.Constant(1.0))
        self.bias = self.create_parameter([2], is_bias=True)
        self.register_buffer("ready", paddle.zeros([1], "int32"))
        self.started = False

    def initialize(self, x):
        self.bias.set_value(-x.mean(0))
        self.scale.set_value(1 / (x.std(0) + 1e-6))

    def forward(self, x):
        self.prepare(x)
        return (x + self.bias) * self.scale


class ByTensor(Normalized):
    def prepare(self, x):
        if self.training and self.ready == 0:
            with paddle.no_grad():
                self.initialize(x)
                self.ready.set_value(paddle.ones([1], "int32"))


class ByItem(Normalized):
    def prepare(self, x):
        if self.ready.item() == 0:
            with paddle.no_grad():
                self.initialize(x)
                self.ready.set_value(np.ones([1], "int32"))


class ByFlag(Normalized):
    initialize = paddle.no_grad()(Normalized.initialize)

    def prepare(self, x):
        if not self.started:
            self.initialize(x)
            self.started = True


class Clipped(Normalized):
    def prepare(self, x):
        with paddle.no_grad():
            self.scale.set_value(paddle.clip(self.scale, 0.0, 0.5))
            self.bias.copy_(x.mean(0), True)


class Assigned(Normalized):
    def prepare(self, x):
        with paddle.no_grad():
            paddle.assign(self.scale * 0.9, self.scale)
            self.bias.add_(x.mean(0))
            self.bias[0] = 2.0
        self.scale.set_value(self.scale * 2)  # sets it in any mode


def _trained(net, frozen):
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    net.scale.stop_gradient = frozen
    found = []
    for seed in range(4):
        x = paddle.to_tensor(np.random.RandomState(seed).randn(5, 2).astype("float32"))
        y = net(x)
        loss = (y**2).mean() + y.sum() * 0.1
        loss.backward()
        assert net.scale.is_leaf and net.scale.stop_gradient is frozen
        found += [loss.item(), *net.scale.numpy(), *net.bias.numpy(), *net.bias.grad.numpy()]
        optimizer.step()
        optimizer.clear_grad()
    return found


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("kind", [ByTensor, ByItem, ByFlag, Clipped, Assigned])
@pytest.mark.filterwarnings("error::proa.jit.FallbackWarning")
def test_it_trains_as_without_conversion(kind, full_graph, frozen):
    converted = paddle.jit.to_static(kind(), full_graph=full_graph)
    np.testing.assert_allclose(_trained(converted, frozen), _trained(kind(), frozen), rtol=2e-5, atol=1e-6)
    assert converted.forward.get_traced_count() <= 2


def test_values_before_and_behind_have_their_own_gradients():
    """Eager execution refuses the gradient: what the first product needs is gone."""
    w = paddle.create_parameter([2], "float32", default_initializer=nn.initializer.Constant(3.0))

    @paddle.jit.to_static(full_graph=True)
    def both(x):
        y = x * w * w
        with paddle.no_grad():
            w.set_value(w * 2)
        return y + x * w * w

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    both(x).sum().backward()
    assert w.tolist() == [6.0, 6.0]
    assert w.grad.tolist() == [18.0, 36.0] and x.grad.tolist() == [45.0, 45.0]


@pytest.mark.parametrize("kind", [ByTensor, Clipped, Assigned])
def test_saved_and_loaded(kind, tmp_path):
    net, x = kind(), paddle.to_tensor([[1.0, -2.0], [0.5, 4.0]])
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 2])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)
    assert {name: p.trainable for name, p in loaded.named_parameters()} == {"scale": True, "bias": True}


def test_with_gradients_recorded_a_parameter_is_not_changed_in_place():
    net = Normalized()
    net.prepare = lambda x: net.scale.add_(x.mean(0))
    with pytest.raises(RuntimeError, match="or work under paddle.no_grad"):
        paddle.jit.to_static(net, full_graph=True)(paddle.ones([5, 2]))


class Rated(nn.Layer):
    """Says how its parameters are trained, and asks."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.fc.bias.factor = 2.0

    def forward(self, x, epoch):
        self.fc.weight.optimize_attr["learning_rate"] = 0.5**epoch
        self.fc.weight.need_clip = epoch > 1
        self.fc.bias.tag = epoch
        return self.fc(x) * self.fc.bias.factor


@pytest.mark.parametrize("full_graph", [False, True])
def test_attributes_of_parameters_are_set_and_read_at_each_run(full_graph):
    net = Rated()
    converted = paddle.jit.to_static(net, full_graph=full_graph)
    for epoch in (1, 2, 1, 2, 1):
        converted(paddle.ones([1, 2]), epoch)
        weight, bias = net.fc.weight, net.fc.bias
        assert (weight.optimize_attr["learning_rate"], weight.need_clip, bias.tag) == (0.5**epoch, epoch > 1, epoch)
        bias.factor = 3.0
        once = converted(paddle.ones([1, 2]), epoch)
        bias.factor = 6.0
        np.testing.assert_allclose(converted(paddle.ones([1, 2]), epoch), 2 * once, rtol=1e-6)
