"""What leads to calls of the operators that no record names: random values, updates, lists, effects, compiled plans."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.random import sampling as R
from proa.static.building.tensor_arrays import create_array

nn, static = paddle.nn, paddle.static


def _values(*shape: int) -> np.ndarray:
    return np.arange(1.0, 1.0 + int(np.prod(shape)), dtype="float32").reshape(shape) / 8


def _trained_in_a_program(rule: Callable[..., Any], **settings: Any) -> None:
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [3, 4])
        loss = static.nn.fc(x, 2, bias_attr=False).mean()  # one parameter: its update is merged with none
        rule(learning_rate=0.1, **settings).minimize(loss)
        exe = static.Executor()
        exe.run(startup)
        for _ in range(2):
            exe.run(main, feed={"x": _values(3, 4)}, fetch_list=[loss])


def _trained_at_once(rule: Callable[..., Any], **settings: Any) -> None:
    net = nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 2))
    optimizer = rule(learning_rate=0.1, parameters=net.parameters(), **settings)
    for _ in range(2):
        net(paddle.to_tensor(_values(3, 4))).mean().backward()
        optimizer.step()
        optimizer.clear_grad()


def _trained_by_rows(rule: Callable[..., Any], **settings: Any) -> None:
    layer = nn.Embedding(6, 2, sparse=True)
    optimizer = rule(learning_rate=0.1, parameters=layer.parameters(), **settings)
    for numbers in ([1, 3, 1], [0, 5, 5]):
        layer(paddle.to_tensor(numbers)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()


def _written() -> None:
    """Values that stand in a Program."""
    _in_a_program(lambda x: x * paddle.assign(_values(2, 3)))


def _in_a_program(build: Callable[[Any], Any], gradients: bool = True) -> None:
    with _static():
        _run_in_a_program(build, gradients)


@contextlib.contextmanager
def _static() -> Iterator[None]:
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def _run_in_a_program(build: Callable[[Any], Any], gradients: bool) -> None:
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [2, 3])
        x.stop_gradient = False
        result = build(x)
        fetches = [result]
        if gradients:
            (first,) = static.gradients((result * result).sum(), x)
            (second,) = static.gradients((first * first).sum(), x)
            fetches += [first, second]
        exe = static.Executor()
        exe.run(startup)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exe.run(main, feed={"x": _values(2, 3)}, fetch_list=[f for f in fetches if f is not None])


def _list(x: Any, use: Callable[[Any], Any]) -> Any:
    out = create_array()
    out.append(x)

    def turn(i: Any) -> list:
        out.append(out[-1] * out[-1] + x * i.astype("float32"))
        return [i + 1]

    static.nn.while_loop(lambda i: i < 3, turn, [paddle.full([], 0, "int64")])
    return use(out)


def _checked(x: Any) -> Any:
    apply(find("assert"), (x > 0).all(), [x], summarize=2)
    return static.Print(x) * 2


def _called(x: Any) -> Any:
    out = static.default_main_program().current_block().create_var(
        name="called", dtype="float32", shape=[2, 3])
    return static.py_func(lambda v: np.asarray(v) * 2, x, out)


def _area(x: Any) -> Any:
    return static.auc(nn.functional.softmax(x[:, :2]), paddle.full([2, 1], 1, "int64"))[0]


def _branched(x: Any) -> Any:
    return static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x)


class _Doubled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3


def _converted() -> None:
    net = paddle.jit.to_static(lambda x: _Doubled.apply(x) * 2)
    x = paddle.to_tensor(_values(2, 3), stop_gradient=False)
    net(x).sum().backward()


def _predicted() -> None:
    paddle.seed(0)
    net = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.Conv2D(4, 4, 1, padding=0),
                        nn.BatchNorm2D(4), nn.Flatten(), nn.Linear(64, 8), nn.GELU(), nn.Linear(8, 8))
    net.eval()
    _saved_and_run(net, _values(2, 3, 4, 4))


def _attended() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    layer.eval()
    _saved_and_run(layer, _values(2, 3, 8))


def _saved_and_run(net: Any, x: np.ndarray) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        paddle.jit.save(net, path, input_spec=[static.InputSpec(x.shape, "float32")])
        loaded = paddle.jit.load(path)
        loaded.eval()
        with paddle.no_grad():
            for _ in range(4):
                loaded(paddle.to_tensor(x))


def _drawn() -> None:
    for dtype in ("float32", "float64"):
        R.uniform([2, 3], dtype), R.gaussian([2, 3], dtype=dtype), R.truncated_gaussian([2, 3], dtype=dtype)
        half = paddle.full([8], 0.5, dtype)
        paddle.bernoulli(half), paddle.poisson(half * 4), paddle.multinomial(half, 3)
        paddle.distribution.Dirichlet(half * 3).sample([2])
        paddle.distribution.Beta(half, half).sample([2])
    R.randint(1, 900, [8]), R.randperm(16)
    x = paddle.to_tensor(_values(4, 8))
    nn.functional.dropout(x, 0.5), nn.functional.rrelu(-x, 0.1, 0.9), paddle.zeros([3]).exponential_()
    apply(find("standard_gamma"), x)
    apply(find("sample_logits"), x, paddle.to_tensor([[1], [7], [2], [0]]), None, None, num_samples=5)
    steps, state = paddle.to_tensor(_values(3, 2, 4)), paddle.zeros([2, 2, 4])
    weight = paddle.to_tensor(_values(2 * (2 * 16 * 4 + 2 * 16)) / 100)
    apply(find("cudnn_lstm"), steps, state, state, weight, None, hidden_size=4, num_layers=2, dropout_prob=0.5)
    row, starts = paddle.arange(60) % 4, paddle.to_tensor([0, 15, 30, 45, 60])
    nodes = paddle.to_tensor([0, 1, 2, 3])
    paddle.geometric.sample_neighbors(row, starts, nodes, sample_size=5)
    paddle.geometric.weighted_sample_neighbors(row, starts, paddle.to_tensor(_values(60)), nodes, sample_size=5)
    paddle.incubate.graph_khop_sampler(row, starts, nodes, [5])


def _of_equal_kind() -> None:
    """Operators on what they would give back unchanged, which public functions leave out."""
    for dtype in ("float32", "int64", "bool"):
        x = paddle.to_tensor(_values(2, 3)).astype(dtype)
        apply(find("cast"), x, in_dtype=x.dtype, out_dtype=x.dtype)
        apply(find("sum"), [x])
        apply(find("sum_to_shape"), x, x)
        apply(find("concat"), [x], None, axis=0)
        apply(find("tile"), x, None, None, repeat_times=[1, 1])
        apply(find("pad"), x, paddings=[0, 0, 0, 0])


def _of_lists() -> None:
    uses = [lambda out: paddle.stack(out, axis=1), lambda out: paddle.concat(out, axis=1), lambda out: out[-1] * 1.0,
            lambda out: out.pop(0) * 2 + paddle.stack(out).sum(0), lambda out: paddle.concat(out[1:]),
            lambda out: (out.__setitem__(0, out[1] * 3), paddle.concat(out))[1]]
    for use in uses:
        _in_a_program(lambda x, use=use: _list(x, use))


def _updates() -> None:
    rules: list[tuple[Any, dict]] = [
        (_RULES.SGD, {}), (_RULES.Momentum, {}), (_RULES.Momentum, {"use_nesterov": True}), (_RULES.Adam, {}),
        (_RULES.AdamW, {}), (_RULES.Adamax, {}), (_RULES.Adagrad, {}), (_RULES.Adadelta, {}), (_RULES.RMSProp, {}),
        (_RULES.RMSProp, {"centered": True, "momentum": 0.9}), (_RULES.Lamb, {})]
    for rule, settings in rules:
        _trained_at_once(rule, **settings)
        _trained_in_a_program(rule, **settings)
        decay = {"weight_decay": 0.1} if rule is not _RULES.Lamb else {}
        _trained_at_once(rule, **settings, **decay)
    for rule, settings in [(_RULES.SGD, {}), (_RULES.Momentum, {}), (_RULES.Adam, {}), (_RULES.AdamW, {}),
                           (_RULES.Adam, {"lazy_mode": True})]:
        _trained_by_rows(rule, **settings)


_RULES = paddle.optimizer
SCENARIOS: list[tuple[str, Callable[[], Any]]] = [
    ("draws", _drawn),
    ("of equal kind", _of_equal_kind),
    ("a PyLayer converted", _converted),
    ("a convolutional model", _predicted),
    ("an encoder", _attended),
    ("updates", _updates),
    ("lists", _of_lists),
    ("print and assert", lambda: _in_a_program(_checked)),
    ("py_func", lambda: _in_a_program(_called, False)),
    ("values", _written),
    ("auc", lambda: _in_a_program(_area, False)),
    ("a branch", lambda: _in_a_program(_branched)),
]
