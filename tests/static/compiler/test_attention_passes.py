"""The passes for attention: what becomes one operation, what stays, and that the values stay what they were."""

import numpy as np
import proa as paddle
import pytest
from proa.core.flags import flags_guard
from proa.static.compiler.passes.attention import fuse_attention
from proa.static.compiler.passes.epilogue import fuse_epilogues
from proa.static.compiler.passes.hoist import hoist_frozen
from proa.static.compiler.passes.projections import join_projections
from proa.static.compiler.verify import verify
from programs import build, unit_for

F = paddle.nn.functional
HEADS = [2, 4, 64, 16]


def types(unit):
    return [op.type for op in unit.ops]


def fused(function, *shapes):
    unit = unit_for(function, *shapes)
    fuse_attention(unit)
    verify(unit, "fuse_attention")
    return unit


def spelled_out(q, k, v, mask=None, factor=0.25):
    scores = paddle.matmul(paddle.scale(q, factor), k, transpose_y=True)
    return paddle.matmul(F.softmax(scores if mask is None else scores + mask), v)


def run(function, *arrays):
    main, inputs, results = build(function, *[list(a.shape) for a in arrays])
    return paddle.static.Executor().run(main, feed=dict(zip(inputs, arrays)), fetch_list=results)


def arrays(*shapes):
    return [np.random.default_rng(n).normal(size=shape).astype("float32") for n, shape in enumerate(shapes)]


def same_on_numpy(function, *given):
    found = run(function, *given)
    with flags_guard({"FLAGS_cpu_engines": ""}):
        plain = run(function, *given)
    for a, b in zip(found, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    return found


@pytest.mark.parametrize("mask", [None, [64, 64], [2, 1, 1, 64], [2, 4, 64, 1]])
def test_scores_of_which_nothing_else_is_wanted_are_attention(mask):
    shapes = [HEADS, HEADS, HEADS, *([] if mask is None else [mask])]
    unit = fused(spelled_out, *shapes)
    assert types(unit) == ["attention"] and unit.ops[0].attrs["scale"] == 0.25
    assert len(unit.ops[0].input_arg_names) == len(shapes)
    given = arrays(*shapes)
    (found,) = same_on_numpy(spelled_out, *given)
    scores = given[0] @ given[1].swapaxes(-1, -2) * 0.25 + (0 if mask is None else given[3])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(found, weights / weights.sum(-1, keepdims=True) @ given[2], rtol=1e-4, atol=1e-5)


def with_weights(q, k, v):
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True))
    return paddle.matmul(weights, v), weights


def test_weights_that_are_wanted_keep_the_operations():
    assert "softmax" in types(fused(with_weights, HEADS, HEADS, HEADS))
    same_on_numpy(with_weights, *arrays(HEADS, HEADS, HEADS))


def test_sizes_that_are_not_known_may_broadcast():
    shape = [None, 4, 64, 16]
    unit = fused(spelled_out, shape, shape, shape)
    assert types(unit) == ["fused_attention"]
    main, inputs, results = build(spelled_out, shape, shape, shape)
    given = arrays([3, 4, 64, 16], [1, 4, 64, 16], [3, 4, 64, 16])
    (found,) = paddle.static.Executor().run(main, feed=dict(zip(inputs, given)), fetch_list=results)
    (whole,) = run(spelled_out, given[0], np.repeat(given[1], 3, 0), given[2])
    np.testing.assert_allclose(found, whole, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("function", [
    lambda q, k, v: paddle.matmul(F.softmax(paddle.matmul(q, k, transpose_y=True), axis=2), v),
    lambda q, k, v: paddle.matmul(F.dropout(F.softmax(paddle.matmul(q, k, transpose_y=True))), v),
    lambda q, k, v: [paddle.matmul(F.softmax(s := paddle.matmul(q, k, transpose_y=True)), v), s],
    lambda q, k, v: paddle.matmul(F.softmax(q), v, transpose_x=True),
])
def test_what_only_looks_like_it_stays(function):
    unit = unit_for(function, *[[2, 4, 16, 16]] * 3)
    before = types(unit)
    fuse_attention(unit)
    assert types(unit) == before


def test_a_factor_that_others_read_stays():
    def function(q, k, v):
        scaled = paddle.scale(q, 0.5)
        return paddle.matmul(F.softmax(paddle.matmul(scaled, k, transpose_y=True)), v), scaled

    unit = fused(function, HEADS, HEADS, HEADS)
    assert types(unit) == ["scale", "attention"] and unit.ops[1].attrs["scale"] == 1.0
    same_on_numpy(function, *arrays(HEADS, HEADS, HEADS))


def gradients(q, k, v, mask=None):
    for x in (q, k, v):
        x.stop_gradient = False
    out = spelled_out(q, k, v, mask)
    return [out, *paddle.static.gradients([paddle.sum(paddle.square(out))], [q, k, v])]


@pytest.mark.parametrize("mask", [[], [[64, 64]]])
def test_what_a_gradient_wants_keeps_the_operations(mask):
    unit = fused(gradients, HEADS, HEADS, HEADS, *mask)
    assert {"softmax", "softmax_grad"} <= set(types(unit))
    same_on_numpy(gradients, *arrays(HEADS, HEADS, HEADS, *mask))


class Attention(paddle.nn.Layer):
    def __init__(self, bias=None):
        super().__init__()
        self.attention = paddle.nn.MultiHeadAttention(64, 4, bias_attr=bias)

    def forward(self, x):
        return self.attention(x, x, x)


@pytest.mark.parametrize("bias", [None, False])
def test_frozen_projections_of_one_value_are_one_product(tmp_path, bias):
    layer = Attention(bias)
    layer.eval()
    path = str(tmp_path / "attention")
    paddle.jit.save(layer, path, input_spec=[paddle.static.InputSpec([2, 128, 64], "float32")])
    loaded = paddle.jit.load(path)
    loaded.eval()
    x = paddle.to_tensor(arrays([2, 128, 64])[0])
    wanted = layer(x).numpy()
    with paddle.no_grad():
        for _ in range(5):  # weights are packed on the way
            np.testing.assert_allclose(loaded(x).numpy(), wanted, rtol=1e-4, atol=1e-5)
        for p in loaded.parameters():
            p.set_value(p * 2)
        for p in layer.parameters():
            p.set_value(p * 2)
        np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-4, atol=1e-4)


def test_projections_are_joined_only_behind_frozen_weights():
    def function(x, *weights):
        return [paddle.reshape(paddle.matmul(x, w), [2, 8, 4, 4]) * 2 for w in weights]

    shapes = [[2, 8, 16], [16, 16], [16, 16], [16, 16]]
    for frozen, expected in ((["x1", "x2", "x3"], 1), (["x1", "x2"], 1), (["x1"], 0)):
        unit = unit_for(function, *shapes, frozen=frozen)
        hoist_frozen(unit)
        fuse_epilogues(unit)
        join_projections(unit)
        verify(unit, "join_projections")
        assert types(unit).count("fused_linears") == expected
    given = arrays(*shapes)
    for found, w in zip(run(function, *given), given[1:], strict=True):
        np.testing.assert_allclose(found, (given[0] @ w).reshape(2, 8, 4, 4) * 2, rtol=1e-4, atol=1e-5)
