"""Sizes that change from call to call: one Program for all of them, with the numbers of a Program for each."""

import logging
import threading

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa import nn

SIZES = (2, 3, 5, 4, 7, 6, 9, 3, 12)


def rows(n, *rest, seed=0):
    values = np.random.RandomState(100 * seed + n).randn(n, *rest).astype("float32")
    return paddle.to_tensor(values, stop_gradient=False)


class Normed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.norm, self.out = nn.Linear(6, 8), nn.BatchNorm1D(8), nn.Linear(8, 1)

    def forward(self, x):
        return self.out(F.relu(self.norm(self.fc(x)))) / x.shape[0]


class Convolved(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2D(2, 4, 3, padding=1), nn.BatchNorm2D(4), nn.Linear(4, 3)

    def forward(self, x):
        b, _, h, w = x.shape
        h = F.max_pool2d(F.relu(self.norm(self.conv(x.reshape([b, -1, h, w])))), 2)
        return self.out(F.adaptive_avg_pool2d(h, 1).flatten(1))


class Recurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(6, 5, direction="bidirect"), nn.Linear(10, 3)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.out(states.max(1)) + self.out(states[:, -1])


class Attending(nn.Layer):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0), 2)
        self.places = nn.Embedding(32, 6)

    def forward(self, x):
        length = x.shape[1]
        mask = paddle.tril(paddle.ones([length, length]))
        return self.encoder(x + self.places(paddle.arange(length)), (1 - mask) * -1e4)[:, -1]


class Looping(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 6)

    def forward(self, x):
        h = paddle.zeros([x.shape[0], 6])
        for row in range(x.shape[1]):
            h, _ = self.cell(x[:, row], h)
            if h.mean() > 0.1:
                h = h * 0.5
        return h


@pytest.mark.parametrize("layer,shape", [
    (Normed, lambda n: (n, 6)),
    (Convolved, lambda n: (3, 2, 2 * n, n + 2)),
    (Recurrent, lambda n: (4, n, 6)),
    (Attending, lambda n: (2, n, 6)),
    (Looping, lambda n: (n, 4, 6)),
])
def test_training_with_changing_sizes_equals_eager(layer, shape):
    paddle.seed(0)
    eager = layer()
    converted = layer()
    converted.set_state_dict(eager.state_dict())
    converted = paddle.jit.to_static(converted, full_graph=True)
    optimizers = [paddle.optimizer.Momentum(0.05, parameters=net.parameters()) for net in (eager, converted)]
    for n in SIZES:
        found = []
        for net, optimizer in zip((eager, converted), optimizers, strict=True):
            x = rows(*shape(n))
            loss = (net(x) ** 2).mean()
            loss.backward()
            found.append((loss.numpy(), x.grad.numpy()))
            optimizer.step()
            optimizer.clear_grad()
        np.testing.assert_allclose(found[1][0], found[0][0], rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(found[1][1], found[0][1], rtol=2e-4, atol=1e-6)
    for (name, value), (_, other) in zip(eager.state_dict().items(), converted.state_dict().items(), strict=True):
        np.testing.assert_allclose(other.numpy(), value.numpy(), rtol=2e-4, atol=1e-5, err_msg=name)
    assert converted.forward.get_traced_count() == 5  # for four shapes, and all others


def test_a_growing_cache():
    layer = nn.MultiHeadAttention(8, 2)
    layer.eval()

    @paddle.jit.to_static(full_graph=True)
    def step(x, keys, values):
        cache = nn.MultiHeadAttention.Cache(keys, values)
        out, cache = layer(x, x, x, None, cache)
        return out, cache.k, cache.v

    keys = values = paddle.zeros([2, 2, 2, 4])
    grown = nn.MultiHeadAttention.Cache(keys, values)
    for n in range(10):
        x = rows(2, 1, 8, seed=n)
        expected, grown = layer(x, x, x, None, grown)
        found, keys, values = step(x, keys, values)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)
        assert keys.shape == grown.k.shape
    assert step.get_traced_count() == 5


def a_size(x):
    return x * 2, x.shape[0]


def a_shape(x):
    return x * 2, x.shape


def a_list_as_long(x):
    return [row * 2 for row in x]


def a_key(x):
    return {f"rows{x.shape[0]}": x * 2}


class Keeping(nn.Layer):
    """Makes a mask when a longer one is needed, as published models do."""

    def __init__(self):
        super().__init__()
        self.mask, self.made = None, 0

    def forward(self, x):
        if self.mask is None or self.mask.shape[0] < x.shape[0]:
            self.mask, self.made = paddle.ones([x.shape[0]]), self.made + 1
        return x * self.mask[: x.shape[0]].unsqueeze(-1)


@pytest.mark.parametrize("function", [a_size, a_shape, a_list_as_long, a_key])
def test_what_python_is_told_of_sizes_stays_true(function):
    converted = paddle.jit.to_static(function)
    for n in SIZES:
        expected, found = function(rows(n, 3)), converted(rows(n, 3))
        if isinstance(expected, dict):
            assert expected.keys() == found.keys()
        elif isinstance(expected[1], paddle.Tensor):
            assert len(expected) == len(found)
        else:
            assert type(expected[1]) is type(found[1]) and expected[1] == found[1]


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_state_of_a_size_is_kept_as_eager_keeps_it():
    eager, converted = Keeping(), paddle.jit.to_static(Keeping())
    for n in SIZES:
        np.testing.assert_array_equal(converted(rows(n, 3)).numpy(), eager(rows(n, 3)).numpy())
        assert (converted.made, converted.mask.shape) == (eager.made, eager.mask.shape)


def test_a_size_of_one_has_its_own_program():
    @paddle.jit.to_static(full_graph=True)
    def add(x, y):
        return (x * y).sum(0)

    for n, m in [(2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 1), (1, 7), (8, 8), (1, 1)]:
        x, y, a, b = rows(n, 3), rows(m, 3, seed=1), rows(n, 3), rows(m, 3, seed=1)
        add(x, y).sum().backward()
        (a * b).sum(0).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), a.grad.numpy(), rtol=1e-6)
        np.testing.assert_allclose(y.grad.numpy(), b.grad.numpy(), rtol=1e-6)


def test_the_flag_says_after_how_many_shapes():
    before = paddle.get_flags("FLAGS_to_static_shapes")
    try:
        for shapes, programs in ((0, 8), (1, 2), (2, 3)):
            paddle.set_flags({"FLAGS_to_static_shapes": shapes})
            double = paddle.jit.to_static(lambda x: x * 2)
            for n in range(2, 10):
                double(rows(n, 3))
            assert double.get_traced_count() == programs
    finally:
        paddle.set_flags(before)


def test_threads_with_other_sizes_each():
    net = Normed()
    net.eval()
    expected = {n: net(rows(n, 6)).numpy() for n in range(2, 18)}
    converted = paddle.jit.to_static(net)
    wrong = []

    def call(start):
        for n in range(2, 18):
            size = 2 + (n + start) % 16
            if not np.allclose(converted(rows(size, 6)).numpy(), expected[size], rtol=1e-5, atol=1e-6):
                wrong.append(size)

    threads = [threading.Thread(target=call, args=(start,)) for start in (0, 4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("function", [
    lambda x: (x * 0).sum().astype("int64") + x.shape[0] * 2**30,
    lambda x: (x * 0).sum().astype("int64") + len(x) * x.shape[0] * 2**29,
    lambda x: paddle.full([1], x.shape[0] * 2**30, "int64"),
    lambda x: x.sum().astype("float64") * (x.shape[0] ** 15),
    lambda x: paddle.ones([3], "int8") * x.shape[0],
], ids=["product", "products", "filled", "power", "int8"])
def test_numbers_made_of_sizes_are_those_of_python(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for n in range(2, 10):
        found, expected = converted(rows(n, 2) * 0 + 1), function(rows(n, 2) * 0 + 1)
        assert found.dtype is expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert converted.get_traced_count() == 5


def test_why_each_shape_has_its_own_program_is_told(caplog):
    converted = paddle.jit.to_static(lambda x: x * np.zeros(x.shape[0]).size, full_graph=True)
    paddle.jit.set_verbosity(1)
    try:
        logger = logging.getLogger("proa.jit")
        logger.addHandler(caplog.handler)
        for n in range(2, 9):
            assert converted(rows(n, 2)).shape == [n, 2]
    finally:
        logger.removeHandler(caplog.handler)
        paddle.jit.set_verbosity(0)
    [told] = [record.getMessage() for record in caplog.records if "a Program of its own" in record.getMessage()]
    assert "test_open_sizes.py" in told and "TypeError" in told
    assert converted.get_traced_count() >= 7


@pytest.mark.parametrize("sizes", [([None, 4], [3, None]), ([None, 4], [None]), ([None, 3], [2, 2, None])])
def test_the_gradient_of_kron_needs_no_sizes(sizes, tmp_path):
    class Spread(paddle.nn.Layer):
        def forward(self, x, y):
            return paddle.kron(x, y)

    paddle.jit.save(Spread(), str(tmp_path / "m"), [paddle.static.InputSpec(size) for size in sizes])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    gradients = []
    for model in (Spread(), loaded):
        x, y = (paddle.arange(1, 1 + np.prod(size), dtype="float32").reshape(size)
                for size in ([n or 2 for n in given] for given in sizes))
        x.stop_gradient = y.stop_gradient = False
        (model(x, y) ** 2).sum().backward()
        gradients.append((x.grad.numpy(), y.grad.numpy()))
    for found, expected in zip(gradients[1], gradients[0], strict=True):
        np.testing.assert_allclose(found, expected, 1e-5)
