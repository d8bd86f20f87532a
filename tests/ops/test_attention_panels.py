"""Attention by panels: what it stands for, however its arrays lie, and what it leaves to others."""

import itertools

import numpy as np
import proa as paddle
import pytest
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.core.panels import attend, gradients_of_attention
from proa.ops.core.trace import apply
from proa.ops.nn.attention_kernels import Arithmetic, gradients

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)
SIZES = [(1, 4, 64, 64, 64, 64), (2, 3, 11, 9, 5, 130), (1, 1, 300, 300, 32, 32), (1, 2, 9, 50, 16, 16),
         (2, 2, 200, 1000, 24, 70), (1, 1, 8, 3, 4, 4), (1, 3, 70, 70, 9, 80), (3, 5, 130, 130, 40, 64),
         (1, 1, 400, 8, 8, 8)]


@pytest.fixture(params=[1, 2, 3], autouse=True)
def threads(request):
    before = paddle.get_num_threads()
    paddle.set_num_threads(request.param)
    yield
    paddle.set_num_threads(before)


def numbers(*shape, is_behind=False):
    """[batch, heads, positions, features]; with `is_behind` heads lie behind positions, as layers make them."""
    if not is_behind:
        return RANDOM.standard_normal(shape, dtype="float32")
    return RANDOM.standard_normal((shape[0], shape[2], shape[1], shape[3]), dtype="float32").transpose(0, 2, 1, 3)


def expected(q, k, v, mask, scale, causal):
    scores = q.astype("float64") @ k.swapaxes(-1, -2) * scale
    scores += 0 if mask is None else mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    sums = weights.sum(-1, keepdims=True)
    return weights / sums @ v, (top + np.log(sums))[..., 0]


def masks(batch, heads, queries, keys):
    own = numbers(batch, heads, queries, keys)
    hidden = np.where(RANDOM.random((queries, keys)) < 0.5, np.float32(-np.inf), np.float32(0))
    hidden[:, 0] = 0
    return [None, own, own[:1, :, :1], numbers(batch, 1, 1, keys), hidden, numbers(keys),
            numbers(batch, heads, keys, queries).swapaxes(2, 3)]


@pytest.mark.parametrize("sizes", SIZES)
def test_it_is_what_it_stands_for(sizes):
    batch, heads, queries, keys, features, wide = sizes
    for is_behind, causal in itertools.product((False, True), (False, True) if queries == keys else (False,)):
        q, k, v = (numbers(batch, heads, *last, is_behind=is_behind) for last in (
            (queries, features), (keys, features), (keys, wide)))
        for mask in masks(batch, heads, queries, keys):
            out, totals = attend(q, k, v, mask, 0.3, causal)
            wanted = expected(q, k, v, mask, 0.3, causal)
            np.testing.assert_allclose(out, wanted[0], 1e-4, 1e-5)
            np.testing.assert_allclose(totals, wanted[1], 1e-4, 1e-5)
            assert out.strides == np.empty_like(q, shape=out.shape).strides


def test_what_it_leaves_to_others():
    q, k, v = numbers(1, 2, 16, 8), numbers(1, 2, 16, 8), numbers(1, 2, 16, 8)
    assert attend(q, k, v, None, 1.0, False) is not None
    for given in [(q[:, :, :7], k, v), (q.astype("float64"), k, v), (q[..., ::-1], k, v), (q, k[:, :1], v),
                  (q, k, v[:, :, 1:]), (q[0], k, v), (q[..., :4], k, v), (q, k, v, numbers(3, 16)),
                  (q, k, v, numbers(1, 1, 1, 16, 16)),
                  (q[:, :, :0], k, v), (q, k[:, :, :0], v[:, :, :0])]:
        assert attend(*given[:3], given[3] if len(given) > 3 else None, 1.0, False) is None
    assert attend(q, k[:, :, :9], v[:, :, :9], None, 1.0, True) is None


@pytest.mark.parametrize("sizes", SIZES)
def test_its_gradient(sizes):
    batch, heads, queries, keys, features, wide = sizes
    for is_behind, causal in itertools.product((False, True), (False, True) if queries == keys else (False,)):
        given = [numbers(batch, heads, *last, is_behind=is_behind) for last in (
            (queries, features), (keys, features), (keys, wide), (queries, wide))]
        for mask in masks(batch, heads, queries, keys):
            totals = expected(*given[:3], mask, 0.3, causal)[1]
            wide_ones = [a.astype("float64") for a in given]
            wanted = gradients(np, Arithmetic(np), *wide_ones[:3], mask, totals, wide_ones[3], 0.3, causal, False)
            found = gradients_of_attention(*given[:3], mask, totals.astype("float32"), given[3], 0.3, causal)
            assert found[3] is None
            for one, right, like in zip(found, wanted[:3], given, strict=False):
                np.testing.assert_allclose(one, right, 1e-4, 1e-5 * np.abs(right).max())
                assert one.strides == np.empty_like(like).strides


def test_gradients_that_it_leaves_to_others():
    q, k, v, g, totals = *(numbers(1, 2, 16, 8) for _ in range(4)), numbers(1, 2, 16)
    assert gradients_of_attention(q, k, v, None, totals, g, 1.0, False) is not NotImplemented
    for given in [(q[:, :, :7], k, v, totals[..., :7], g[:, :, :7]), (q, k, v, totals[..., :7], g),
                  (q, k, v, totals.astype("float64"), g), (q, k, v, totals, g[..., :4]), (q, k, v, totals[0], g),
                  (q, k, v, totals, g.astype("float64")), (q, k[:, :, :0], v[:, :, :0], totals, g),
                  (q, k, v, totals[..., ::-1], g)]:
        assert gradients_of_attention(*given[:3], None, *given[3:], 1.0, False) is NotImplemented


def test_a_row_without_a_sum_is_what_it_is_elsewhere():
    q, k, v = numbers(1, 2, 16, 8), numbers(1, 2, 16, 8), numbers(1, 2, 16, 8)
    mask = np.zeros((16, 16), "float32")
    mask[3] = -np.inf  # nothing is seen
    q[0, 1, 5, 2] = np.nan
    assert attend(q, k, v, mask, 1.0, False) is None
    op, given = find("attention"), [paddle.to_tensor(a) for a in (q, k, v, mask)]
    with np.errstate(invalid="ignore"):
        found = apply(op, *given, scale=1.0, causal=False)[0].numpy()
        with flags_guard({"FLAGS_cpu_engines": ""}):
            wanted = apply(op, *given, scale=1.0, causal=False)[0].numpy()
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)
    assert np.isnan(found[0, :, 3]).all() and np.isnan(found[0, 1, 5]).all()


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_go_through_it(causal):
    arrays = [numbers(2, 2, 40, 16) for _ in range(3)]

    def computed():
        inputs = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
        out = paddle.nn.functional.scaled_dot_product_attention(
            *[x.transpose([0, 2, 1, 3]) for x in inputs], is_causal=causal)
        return [out.numpy(), *[g.numpy() for g in paddle.grad((out * out).sum(), inputs)]]

    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = computed()
    for found, right in zip(computed(), wanted, strict=True):
        np.testing.assert_allclose(found, right, 1e-3, 1e-4)
