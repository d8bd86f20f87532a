"""Inputs whose gradients nobody wants: nothing is computed for them; the others get theirs as without conversion."""

import numpy as np
import proa as paddle
import pytest


def _product(a, b):
    return (paddle.tanh(a * 2.0) * b).sum()


def _overwritten(a, b):
    y = a * 2.0
    total = y.sum()
    y = y * b
    return total + (y * y).sum()


def _rounds(a, b):
    y, count = a * 1.5, paddle.zeros([1])
    while count < 3:
        y = paddle.tanh(y) * b
        count = count + 1
    return y.sum()


def _rounds_of_both(a, b):
    y, z, count = a * 1.5, b * 0.5, paddle.zeros([1])
    while count < 3:
        y, z = paddle.tanh(z), y * 0.5
        count = count + 1
    return (y * 2.0 + z).sum()


def _branch(a, b):
    y = a * 3.0
    if a.sum() > -100.0:
        y = y * b
    return (y * a).sum()


def _in_place(a, b):
    y = a * 2.0
    y[0] = b[1]
    y.add_(b)
    return (y * y).sum()


def _stopped(a, b):
    y = (a * b).detach() + a
    return (y * b * b).sum()


def _inside(a, b):
    y = a * 1.0
    y.stop_gradient = False
    d, = paddle.grad((y * y * b).sum(), [y], create_graph=True)
    return (d * d).sum()


def _told(a, b):
    y = a * 2.0
    y.stop_gradient = False
    return (y * b).sum() + (y * y).sum()


def _several(a, b):
    return a * 2.0, (a * a).sum() + (b * b).sum(), b * 3.0


FUNCTIONS = [_product, _overwritten, _rounds, _rounds_of_both, _branch, _in_place, _stopped, _inside, _told, _several]


@pytest.mark.parametrize("wanted", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_others_get_theirs(function, wanted):
    answers = []
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        a, b = (paddle.to_tensor(np.random.default_rng(n).normal(size=3).astype("float32"), stop_gradient=not each)
                for n, each in enumerate(wanted))
        found = []
        for _ in range(2):
            results = call(a, b)
            results = list(results) if isinstance(results, tuple) else [results]
            total = sum([each.sum() for each in results])
            if not total.stop_gradient:
                total.backward()
            found += [each.numpy() for each in results]
            found += [None if each.grad is None else each.grad.numpy() for each in (a, b)]
        answers.append(found)
    for mine, theirs in zip(*answers, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(theirs, mine, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["LSTM", "GRU", "SimpleRNN"])
def test_the_gradient_of_a_recurrent_layers_input_is_not_computed(mode):
    """It is one operator with the gradients of the weights, of which no part can be left out afterwards."""
    class Tagger(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.layer = getattr(paddle.nn, mode)(3, 4)

        def forward(self, x):
            return self.layer(x * 2.0)[0]

    made = {}
    for wanted in (False, True):
        call = paddle.jit.to_static(Tagger(), full_graph=True)
        x = paddle.ones([2, 5, 3])
        x.stop_gradient = not wanted
        call(x).sum().backward()
        function = call.forward.concrete_program.run
        (halves,) = function._halves.values()
        ops = halves.backward.origin.unit.ops
        made[wanted] = [op.attrs["wants_input"] for op in ops if op.type == "rnn_grad"]
    assert made == {False: [False], True: [True]}


class _Normed(paddle.nn.Layer):
    """Its norm's `weight` is computed anew at each call of it, from what was trained since."""

    def __init__(self, norm, way):
        super().__init__()
        self.part, self.way = norm(paddle.nn.Linear(2, 2)), way
        self.gain = self.create_parameter([2], default_initializer=paddle.nn.initializer.Constant(0.7))
        self.unread = self.create_parameter([2], default_initializer=paddle.nn.initializer.Constant(0.7))

    def forward(self, x):
        x, count = x * self.gain, paddle.zeros([1])
        if self.way == "branch":
            if x.mean() > 0.3:
                x = self.part(x)
            else:
                x = x * 2.0
        else:
            while count < 2:
                count = count + 1
                if self.way == "loop" or x.mean() > 0.3:
                    x = self.part(x)
        return x, self.unread * 2.0


@pytest.mark.parametrize("norm", [paddle.nn.utils.weight_norm, paddle.nn.utils.spectral_norm])
@pytest.mark.parametrize("way", ["branch", "loop", "branch in a loop"])
@pytest.mark.parametrize("whole", [False, True])
def test_what_a_branch_or_loop_gives_another_value_before_it_is_read_has_no_gradient(norm, way, whole):
    """The value of the call before is that of parameters that were trained since, and its graph is gone."""
    found = []
    for converted in (False, True):
        paddle.seed(3)
        net = _Normed(norm, way)
        optimizer = paddle.optimizer.SGD(0.1, weight_decay=0.1, parameters=net.parameters())

        def step(x):
            loss = net(x)[0].sum()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        if converted and not whole:
            net = paddle.jit.to_static(net, full_graph=True)
        elif converted:
            step = paddle.jit.to_static(step, full_graph=True)
        losses = [step(paddle.full([2, 2], by)).numpy() for by in (1.0, -1.0, 1.0, 2.0)]
        found.append([*losses, *(p.numpy() for p in net.parameters())])
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-5, atol=1e-6)
