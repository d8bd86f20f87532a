"""Segments: the lines of a plan by one call, what they may hold, and what happens where they cannot run."""

import gc
import traceback

import numpy as np
import proa as paddle
import pytest
from proa.backend import loops
from proa.core.flags import flags_guard
from proa.static.compiler import segments
from proa.static.compiler.plan import Plan

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason=loops.obstacle())
F = paddle.nn.functional


@pytest.fixture
def made(monkeypatch):
    """The segmented lines of the plans that the test runs."""
    found = []
    make = segments.with_segments

    def noting(code, lines):
        found.append(make(code, lines))
        return found[-1]

    monkeypatch.setattr(segments, "with_segments", noting)
    return found


def _tensor(*shape, trained=False):
    value = paddle.to_tensor(np.random.default_rng(len(shape)).normal(size=shape).astype("float32"))
    value.stop_gradient = not trained
    return value


def _calls(found):
    return [len(each.bindings) if each else 0 for each in found]


def _compare(function, *tensors):
    """Values and gradients of a converted function against the same as it is written."""
    converted = paddle.jit.to_static(function, full_graph=True)
    for _ in range(3):
        answers = []
        for call in (function, converted):
            for t in tensors:
                t.clear_gradient(False)
            result = call(*tensors)
            flat = list(result) if isinstance(result, (list, tuple)) else [result]
            sum((r * r).sum() for r in flat).backward()
            answers.append([r.numpy() for r in flat] + [t.grad.numpy() for t in tensors if t.grad is not None])
        for mine, theirs in zip(*answers, strict=True):
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
            np.testing.assert_allclose(theirs, mine, rtol=2e-5, atol=2e-5)


def _network(x, w, b):
    return paddle.tanh(paddle.matmul(x, w) + b)


def _moves(x, w, b):
    rows = paddle.concat([x, x * 2], axis=1)
    first, second = paddle.split(rows, 2, axis=1)
    turned = paddle.transpose(first, [1, 0])
    picked = paddle.stack([turned[0], turned[2], turned[1]])
    return picked.reshape([-1]), second[:, 1:3], paddle.expand(b, [2, 5]).flatten(), w.T


def _sums(x, w, b):
    pairs = x.unsqueeze(1) - x.unsqueeze(0)
    return x.sum(axis=0), x.mean(), w.sum(axis=1, keepdim=True), pairs.sum(axis=[0, 1]) + b[:3]


def _constants(x, w, b):
    ones = paddle.ones_like(x)
    return x * ones + paddle.full([4, 3], 0.5) + paddle.zeros([3]), paddle.exp(w) * b


def _rows_and_vectors(x, w, b):
    row = F.log_softmax(paddle.matmul(x[1], w) + b)
    return F.softmax(paddle.matmul(x, w), axis=-1), row, paddle.matmul(x, w[:, 0]), paddle.matmul(row, b)


def _steps(x, w, b):
    out = x
    for _ in range(6):
        out = F.relu(paddle.matmul(out, w)[:, :3] + b[:3]) + 0.1 * out
    return out


@pytest.mark.parametrize("function", [_network, _moves, _sums, _constants, _rows_and_vectors, _steps])
def test_values_and_gradients(function, made):
    _compare(function, _tensor(4, 3, trained=True), _tensor(3, 5, trained=True), _tensor(5, trained=True))
    assert any(_calls(made))


def test_a_network_is_one_call_each_way(made):
    _compare(_steps, _tensor(4, 3, trained=True), _tensor(3, 5, trained=True), _tensor(5, trained=True))
    assert _calls(made) == [1, 1]


def test_derivatives_inside(made):
    def energy(x, w, b):
        u = paddle.tanh(paddle.matmul(x, w)).sum()
        slope, = paddle.grad(u, [x], create_graph=True)
        return (slope * slope).sum() + b.sum() * 0

    _compare(energy, _tensor(4, 3, trained=True), _tensor(3, 5, trained=True), _tensor(5, trained=True))
    assert any(_calls(made))


def test_loops_have_segments_of_their_own(made):
    def newton(x, w, b):
        count = paddle.zeros([1])
        while count < 4:
            x = x - 0.1 * paddle.tanh(paddle.matmul(paddle.matmul(x, w), w.T) + b[:3])
            count = count + 1
        return x

    _compare(newton, _tensor(4, 3, trained=True), _tensor(3, 5, trained=True), _tensor(5, trained=True))
    assert any(_calls(made))


def test_large_values_are_left_to_kernels(made):
    x = _tensor(300, 300)
    found = paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.mean())(x)
    np.testing.assert_allclose(found.numpy(), (paddle.tanh(x) @ x + x.mean()).numpy(), rtol=1e-3, atol=1e-4)
    assert not any(_calls(made))


def test_what_does_not_lie_in_order(made):
    converted = paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.sum(axis=0))
    x = _tensor(6, 6)
    turned = paddle.to_tensor(x.numpy())
    turned._array = np.asfortranarray(x.numpy())
    np.testing.assert_array_equal(converted(turned).numpy(), converted(x).numpy())
    assert _calls(made) == [1]


def test_what_is_otherwise_than_the_program_says_runs_line_by_line():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [4, 3])
        y = paddle.tanh(x * 2.0).sum(axis=0) + 1.0
    exe = paddle.static.Executor()
    for rows in (4, 2, 4, 7):
        array = np.random.default_rng(rows).normal(size=(rows, 3)).astype("float32")
        try:
            found, = exe.run(main, feed={"x": array}, fetch_list=[y])
        except ValueError:
            assert rows != 4  # refused in words, as ever
        else:
            np.testing.assert_allclose(found, np.tanh(array * 2).sum(0) + 1, rtol=1e-5)


def test_a_segment_that_is_refused_again_and_again_is_not_asked():
    tape = segments.Tape([((2,), np.dtype("float32"))])
    segment = segments.Segment(tape.finished([tape.summed(tape.given[0], (), 1, 2, 1, 1.0)]))
    assert segment(np.ones(2, np.float32)) is not None
    assert segment(None) is segment(object()) is segment([1.0, 2.0]) is None
    assert segment(np.ones(4, np.float32)[::2])[0] == 2.0  # brought in order
    assert segment(np.ones((2, 1), np.float32)) is segment(np.ones(2)) is segment(np.ones(2, ">f4")) is None
    for _ in range(segments._REFUSALS - 6):
        assert segment(np.ones(3, np.float32)) is None
    assert segment.run is None and segment(np.ones(2, np.float32)) is None


def test_rows_by_their_numbers_and_a_number_that_is_none(made):
    class Decoder(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table, self.head = paddle.nn.Embedding(7, 4), paddle.nn.Linear(4, 6)

        def forward(self, words):
            rows = paddle.gather(self.head(self.table(words)), paddle.to_tensor([1, 0]))
            return F.log_softmax(F.relu(rows), axis=-1)

    written = Decoder()
    converted = paddle.jit.to_static(Decoder(), full_graph=True)
    converted.set_state_dict(written.state_dict())
    with paddle.no_grad():
        for words in ([3, 0, 6], [1, 1, 5]):
            found = converted(paddle.to_tensor(words))
            np.testing.assert_allclose(found.numpy(), written(paddle.to_tensor(words)).numpy(), rtol=1e-5, atol=1e-6)
        with pytest.raises((IndexError, ValueError), match="lookup_table_v2"):
            converted(paddle.to_tensor([3, 7, 0]))
        assert converted(paddle.to_tensor([3, 0, 6])).shape == [2, 6]
    assert _calls(made) == [1]


@pytest.mark.parametrize("nodes, edges, width", [(6, 9, 4), (200, 1200, 40)])
def test_messages_along_edges_and_a_place_that_is_none(nodes, edges, width, made):
    def passed(h, edges, source, target):
        sent = F.relu(paddle.gather(h * 2.0, source) + edges)
        got = paddle.scatter_nd_add(paddle.zeros_like(h), target.unsqueeze(1), sent)
        return h + got, paddle.gather_nd(got - h, source.unsqueeze(1)) * 0.5, (sent * sent).sum(axis=0)

    draw = np.random.default_rng(0)
    source, target = (paddle.to_tensor(draw.integers(0, nodes, edges)) for _ in range(2))
    h, e = _tensor(nodes, width, trained=True), _tensor(edges, width, trained=True)
    _compare(lambda h, e: passed(h, e, source, target), h, e)
    assert _calls(made) == [3, 1]  # operators that move whole numbers, `unsqueeze` here, are lines
    converted = paddle.jit.to_static(passed, full_graph=True)
    with paddle.no_grad():
        for last in (-1, nodes - 1, nodes, -nodes - 1):
            places = target.clone()
            places[-1] = last
            if -nodes <= last < nodes:
                for one, other in zip(converted(h, e, source, places), passed(h, e, source, places), strict=True):
                    np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)
            else:
                with pytest.raises((IndexError, ValueError), match="scatter_nd_add"):
                    converted(h, e, source, places)


def test_an_error_behind_a_segment_is_told_with_its_line(made):
    def gather(x, index):
        h = paddle.tanh(x) * 2 + 1
        h = h.sum(axis=1) - h.mean()
        return paddle.gather(h, index)  # here

    converted = paddle.jit.to_static(gather, full_graph=True)
    x = _tensor(4, 3)
    converted(x, paddle.to_tensor([0, 3]))
    with pytest.raises((IndexError, ValueError)) as told:
        converted(x, paddle.to_tensor([0, 9]))
    line = gather.__code__.co_firstlineno + 3
    assert f"{__file__}:{line}" in str(told.value)
    assert "gather" in "".join(traceback.format_exception(told.value)) and any(_calls(made))


def test_they_wait_until_a_plan_has_run_often_enough(made):
    paddle.set_flags({"FLAGS_kernel_after_elements": 5 * (1 << 16) + 4 * 2 * (1 << 11)})
    try:
        converted = paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.sum(axis=0))
        x = _tensor(6, 6)
        counts = []
        for _ in range(6):
            converted(x)
            counts.append(len(made))
    finally:
        paddle.set_flags({"FLAGS_kernel_after_elements": 0})
    assert counts == [0, 0, 0, 0, 1, 1]


def test_nothing_is_made_without_loops_or_under_limits(made):
    with flags_guard({"FLAGS_cpu_engines": "onednn"}):
        paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.sum(axis=0))(_tensor(6, 6))
    assert not made


def test_a_plan_that_is_gone_leaves_nothing():
    converted = paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.sum(axis=0))
    converted(_tensor(6, 6))
    del converted
    gc.collect()
    before = len([each for each in gc.get_objects() if isinstance(each, Plan)])
    for _ in range(3):
        paddle.jit.to_static(lambda x: paddle.tanh(x) @ x + x.sum(axis=0))(_tensor(6, 6))
    gc.collect()
    assert len([each for each in gc.get_objects() if isinstance(each, Plan)]) <= before
