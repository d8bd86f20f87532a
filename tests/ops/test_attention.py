"""What the records do not show of attention: tiles, memory, layouts, half precision, inference and refusals."""

import tracemalloc

import numpy as np
import proa as paddle
import pytest
from proa.backend import loops, onednn
from proa.backend.kernels import attention as by_loops
from proa.core import dtype as dt
from proa.core.flags import flags_guard
from proa.ops.core.spec import Spec
from proa.ops.core.trace import apply
from proa.ops.nn import attention_kernels
from proa.ops.nn.attention import attention, attention_op, gradient_op
from records import floats


def _given(batch, heads, length, dim, seed=0, dtype="float64"):
    return [floats(batch, heads, length, dim, seed=seed + n).astype(dtype) for n in range(4)]


def _results(arrays, mask, causal):
    q, k, v = (paddle.to_tensor(a, stop_gradient=False) for a in arrays[:3])
    mask = None if mask is None else paddle.to_tensor(mask, stop_gradient=False)
    out = attention(q, k, v, mask, 0.3, causal)
    (out * paddle.to_tensor(arrays[3])).sum().backward()
    return [t.numpy() for t in (out, q.grad, k.grad, v.grad, *([] if mask is None else [mask.grad]))]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, (40, 40), (3, 1, 40, 40), (3, 2, 1, 40), (1, 2, 40, 1)])
@pytest.mark.parametrize("room", [1, 700, 1700, 5000])
def test_tiles_of_any_size_give_the_same(monkeypatch, room, mask, causal):
    arrays = _given(3, 2, 40, 4)
    mask = None if mask is None else floats(*mask, seed=9)
    whole = _results(arrays, mask, causal)
    monkeypatch.setattr(attention_kernels, "_TILE", room)
    for found, expected in zip(_results(arrays, mask, causal), whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_scores_of_all_heads_are_never_in_memory():
    batch, heads, length, dim = 2, 8, 512, 8
    q, k, v = (paddle.to_tensor(a, stop_gradient=False) for a in _given(batch, heads, length, dim, dtype="float32")[:3])
    scores = batch * heads * length * length * 4
    attention(q, k, v).sum().backward()  # the first call loads what it runs
    tracemalloc.start()
    attention(q, k, v).sum().backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < scores / 4, (peak, scores)


def test_result_lies_in_memory_as_the_query_does():
    x = paddle.to_tensor(floats(2, 5, 3, 4)).transpose([0, 2, 1, 3])
    out = attention(x, x, x)
    assert out.shape == [2, 3, 5, 4]
    assert out.transpose([0, 2, 1, 3]).numpy().flags.c_contiguous


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_float32(dtype):
    arrays = _given(2, 2, 9, 4)
    halves = [paddle.to_tensor(a).astype(dtype) for a in arrays[:3]]
    for half in halves:
        half.stop_gradient = False
    out = attention(*halves, scale=0.3)
    (out * paddle.to_tensor(arrays[3]).astype(dtype)).sum().backward()
    same = [half.astype("float64").numpy() for half in halves]
    wanted = _results([*same, arrays[3]], None, False)
    for found, expected in zip([out, *(half.grad for half in halves)], wanted, strict=True):
        assert found.dtype == dtype
        np.testing.assert_allclose(found.astype("float64").numpy(), expected, rtol=0.03, atol=0.03)


@pytest.mark.parametrize("dtype", [dt.float32, dt.float64, dt.float16])
def test_inferred_is_what_is_computed(dtype):
    shapes = [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7), (6,)]
    given = [paddle.zeros(shape, dtype) for shape in shapes]
    specs = [Spec(shape, dtype) for shape in shapes]
    found = apply(attention_op, *given, scale=1.0)
    inferred = attention_op.infer_specs(tuple(specs), {"scale": 1.0})
    assert [(tuple(t.shape), t.dtype) for t in found] == [(s.shape, s.dtype) for s in inferred]
    unknown = [Spec((-1, *s.shape[1:]), dtype) for s in specs[:3]]
    assert attention_op.infer_specs((*unknown, None), {"scale": 1.0})[0].shape == (-1, 3, 4, 7)
    back = gradient_op.infer_specs((*specs, inferred[1], inferred[0]), {"scale": 1.0, "with_mask": True})
    values = apply(gradient_op, *given, found[1], found[0], scale=1.0, with_mask=True)
    assert [(tuple(t.shape), t.dtype) for t in values] == [(s.shape, s.dtype) for s in back]


@pytest.mark.parametrize("shapes, more, said", [
    ([(2, 3, 4), (2, 3, 4), (2, 3, 4)], {}, "4 dimensions"),
    ([(2, 3, 4, 5), (2, 2, 4, 5), (2, 3, 4, 5)], {}, "batch and heads"),
    ([(2, 3, 4, 5), (2, 3, 4, 6), (2, 3, 4, 5)], {}, "head_dim"),
    ([(2, 3, 4, 5), (2, 3, 4, 5), (2, 3, 6, 5)], {}, "lengths"),
    ([(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 5)], {"causal": True}, "as many keys as queries"),
    ([(2, 3, 4, 5)] * 3 + [(4, 5)], {}, "broadcast"),
    ([(2, 1, 4, 5)] * 3 + [(2, 3, 4, 4)], {}, "must broadcast to"),
    ([(2, 1, 4, 5)] * 3 + [(2, 2, 1, 4, 4)], {}, "must broadcast to"),
])
def test_shapes_that_do_not_agree_are_told(shapes, more, said):
    with pytest.raises(ValueError, match=said):
        attention(*(paddle.zeros(shape) for shape in shapes), **more)


def test_dtypes_that_differ_are_told():
    x = paddle.zeros([1, 1, 2, 2])
    with pytest.raises(TypeError, match="float64"):
        attention(x, x.astype("float64"), x)
    with pytest.raises(TypeError, match="int64"):
        attention(x.astype("int64"), x.astype("int64"), x.astype("int64"))


@pytest.mark.parametrize("mask", [None, (3, 2, 1, 20)])
@pytest.mark.parametrize("causal", [False, True])
def test_loops_give_the_same(mask, causal):
    if not loops.is_ready():
        pytest.skip("llvmlite is not installed")
    q, k, v, g = _given(3, 2, 20, 4)
    mask = None if mask is None else floats(*mask, seed=9)
    exact = attention_kernels.Arithmetic(np)
    out, totals = attention_kernels.forward(np, exact, q, k, v, mask, 0.3, causal)
    back = attention_kernels.gradients(np, exact, q, k, v, mask, totals, g, 0.3, causal, mask is not None)
    small = [None if a is None else a.astype("float32") for a in (q, k, v, mask, totals, g)]
    found = (*attention_kernels.forward(np, by_loops, *small[:4], 0.3, causal),
             *attention_kernels.gradients(np, by_loops, *small, 0.3, causal, mask is not None))
    for one, other in zip(found, (out, totals, *back), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("hidden", [-1e4, -1e9, float(np.finfo("float32").min)])
@pytest.mark.parametrize("engines", [None, "panels", "loops", "onednn", ""])
@pytest.mark.parametrize("length", [3, 40])
def test_gradients_of_a_query_of_which_a_mask_hides_all_keys(length, engines, hidden):
    """The logarithm of its sum has no digits for the number of keys."""
    arrays = _given(2, 2, length, 4, dtype="float32")
    mask = np.zeros((2, 1, length, length), "float32")
    mask[0, 0, 1] = hidden
    mask[1, 0, :, -1] = hidden
    wide = [a.astype("float64") for a in arrays]
    scores = wide[0] @ wide[1].swapaxes(-1, -2) * 0.3
    scores[0, :, 1] = (scores[0, :, 1].astype("float32") + np.float32(hidden)).astype("float64") - hidden
    scores[1, :, :, -1] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    slope = wide[3] @ wide[2].swapaxes(-1, -2)
    slope = (slope - (slope * weights).sum(-1, keepdims=True)) * weights * 0.3
    wanted = [weights @ wide[2], slope @ wide[1], slope.swapaxes(-1, -2) @ wide[0], weights.swapaxes(-1, -2) @ wide[3]]
    flags = {} if engines is None else {"FLAGS_cpu_engines": engines, "FLAGS_kernel_after_elements": 0}
    with flags_guard(flags):
        q, k, v = (paddle.to_tensor(a, stop_gradient=False) for a in arrays[:3])
        out = attention(q, k, v, paddle.to_tensor(mask), 0.3)
        (out * paddle.to_tensor(arrays[3])).sum().backward()
    for found, expected in zip([t.numpy() for t in (out, q.grad, k.grad, v.grad)], wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("masked", [False, True])
def test_large_products_go_to_onednn_before_loops_are_made(monkeypatch, masked):
    if not onednn.is_ready():
        pytest.skip("oneDNN is not installed")
    q, k, v, g = _given(1, 4, 150, 32, dtype="float32")  # forms compute less
    mask = floats(150, 150, seed=9).astype("float32") if masked else None
    asked = []
    matmul = onednn.matmul
    monkeypatch.setattr(onednn, "matmul", lambda *operands: asked.append(operands) or matmul(*operands))
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 60, "FLAGS_cpu_engines": "onednn,loops"}):
        found = _results([q, k, v, g], mask, False)
    assert len(asked) == 2 + 4 + 1
    for value, expected in zip(found, _results([a.astype("float64") for a in (q, k, v, g)],
                                               None if mask is None else mask.astype("float64"), False), strict=True):
        np.testing.assert_allclose(value, expected, rtol=2e-4, atol=2e-5)
