"""Converted functions that say whether gradients stop at parameters: at each run, as without conversion."""

import proa as paddle
import pytest
from proa import nn
from proa.jit.errors import ConversionError


class FrozenLater(nn.Layer):
    """A schedule of what is trained."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, epoch):
        self.first.weight.stop_gradient = epoch > 1
        for parameter in self.second.parameters():
            parameter.trainable = epoch <= 2
        return self.second(self.first(x)).sum()


class FrozenFor(nn.Layer):
    """A discriminator that is frozen for the generator's loss."""

    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, epoch):
        for parameter in self.discriminator.parameters():
            parameter.stop_gradient = True
        y = self.discriminator(self.generator(x))
        for parameter in self.discriminator.parameters():
            parameter.stop_gradient = False
        return y.sum()


class FrozenBehind(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, epoch):
        y = self.fc(x).sum()
        self.fc.bias.stop_gradient = epoch > 1
        return y


class FrozenBetween(nn.Layer):
    """The one weight is read with its gradient, without it, and with it again."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, epoch):
        y = self.fc(x)
        self.fc.weight.stop_gradient = True
        y = self.fc(y)
        self.fc.weight.stop_gradient = False
        return (self.fc(y) if epoch > 1 else y).sum()


class FreedBehind(nn.Layer):
    """A discriminator that is frozen for the generator's loss, and trained by its own."""

    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, epoch):
        fake = self.generator(x)
        for parameter in self.discriminator.parameters():
            parameter.stop_gradient = True
        loss = self.discriminator(fake).sum()
        for parameter in self.discriminator.parameters():
            parameter.stop_gradient = epoch > 2
        return loss + 3 * self.discriminator(fake.detach()).sum()


def trained(made, convert, epochs):
    paddle.seed(0)
    net = made()
    run = convert(net)
    found = []
    for epoch in epochs:
        with paddle.no_grad() if epoch < 0 else paddle.enable_grad():
            loss = run(paddle.ones([1, 2]), abs(epoch))
        if not loss.stop_gradient:
            loss.backward()
        found += [(p.stop_gradient, None if p.grad is None else p.grad.numpy().round(4).tolist())
                  for p in net.parameters()]
        for parameter in net.parameters():
            parameter.clear_gradient(False)
    return found


@pytest.mark.parametrize("epochs", [(0, 2, 0, 2, 0), (0, 1, 3, -1, 2, 0, 0), (2, 0, -2, -1, 0), (3, 3, 1)])
@pytest.mark.parametrize("made", [FrozenLater, FrozenFor, FrozenBehind, FrozenBetween, FreedBehind])
def test_as_written(made, epochs):
    wanted = trained(made, lambda net: net, epochs)
    assert trained(made, lambda net: paddle.jit.to_static(net, full_graph=True), epochs) == wanted
    assert trained(made, paddle.jit.to_static, epochs) == wanted


def test_what_was_set_between_is_set_again():
    net = FrozenLater()
    run = paddle.jit.to_static(net, full_graph=True)
    run(paddle.ones([1, 2]), 2)
    net.first.weight.stop_gradient = False
    run(paddle.ones([1, 2]), 2)
    assert net.first.weight.stop_gradient and run.forward.get_traced_count() == 1


def test_another_parameter_in_its_place():
    net = FrozenLater()
    run = paddle.jit.to_static(net, full_graph=True)
    run(paddle.ones([1, 2]), 2)
    net.first.weight = net.create_parameter([2, 2])
    run(paddle.ones([1, 2]), 2)
    assert net.first.weight.stop_gradient


def test_a_tensor_that_decides_is_refused():
    fc = nn.Linear(2, 2)

    def function(x):
        if x.sum() > 0:
            fc.weight.stop_gradient = True
        return fc(x)

    with pytest.raises(ConversionError, match=r"decides whether `stop_gradient` of .* becomes True"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([1, 2]))


def stopped_first(x, y):
    y.stop_gradient = True
    return x * y


def stopped_between(x, y):
    a = x * y
    y.stop_gradient = True
    b = x * y * 3
    y.stop_gradient = False
    return a + b + y * 10


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("function", [stopped_first, stopped_between])
def test_arguments_stop_from_there_on(function, full_graph):
    converted = paddle.jit.to_static(function, full_graph=full_graph)
    for stop in (True, False, True, False):
        found = []
        for call in (function, converted):
            x, y = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.to_tensor([3.0, 4.0], stop_gradient=stop)
            call(x, y).sum().backward()
            found.append([x.grad.tolist(), None if y.grad is None else y.grad.tolist()])
        assert found[0] == found[1] or stop and function is stopped_between
