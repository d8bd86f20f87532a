"""Elementwise forms of arrays that lie and broadcast in many ways, beside NumPy's functions."""

import itertools

import numpy as np
import pytest
from proa.ops.core import native
from processors import WIDE_VECTORS, needs_wide_vectors

from .test_compiled_forms import Declined, formed

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]

SHAPES = [(4, 5), (3, 4, 5), (2, 3, 4, 5), (17, 70, 3), (5, 1, 200), (64, 6, 28), (300, 33), (2, 40_000), (70, 1100, 2),
          (3, 7, 9, 64), (2, 1, 3, 1, 2, 1, 4, 5)]
FUNCTIONS = {"f": ("add", "subtract", "multiply", "divide", "maximum", "less"),
             "l": ("subtract", "bitwise_and", "equal"), "?": ("logical_and", "not_equal")}


def laid_out(shape, dtype, random):
    """Arrays of a shape: in order, with dimensions in another order, parts of larger ones, turned, repeated."""
    whole = random.integers(-5, 6, shape).astype(dtype)
    order = random.permutation(len(shape))
    yield whole
    yield np.ascontiguousarray(whole.transpose(order)).transpose(np.argsort(order))
    yield np.concatenate([whole, whole], -1)[..., :shape[-1]]
    yield np.concatenate([whole, whole], 0)[:shape[0]]
    yield np.repeat(whole, 2, -1)[..., ::2]
    yield whole[..., ::-1]
    yield np.broadcast_to(whole[:1], shape)
    yield np.broadcast_to(whole[..., :1], shape)


def with_ones(shape, mask):
    return tuple([1 if mask >> n & 1 else size for n, size in enumerate(shape)])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FUNCTIONS)
def test_two_arrays_in_any_layout(shape, dtype):
    random = np.random.default_rng(len(shape) + shape[0])
    masks = list(itertools.product(range(2 ** len(shape)), repeat=2))
    computed = 0
    for number in random.permutation(len(masks))[:60]:
        given = [list(laid_out(with_ones(shape, mask), dtype, random)) for mask in masks[number]]
        for _ in range(4):
            x, y = (arrays[random.integers(len(arrays))] for arrays in given)
            if y.shape[0] == 1 and random.random() < 0.3:
                y = y.reshape(y.shape[1:])
            elif dtype != "?" and random.random() < 0.1:
                y = 2
            for name in FUNCTIONS[dtype]:
                try:
                    found = formed(name, x, y, direct=True)
                except Declined:
                    continue
                with np.errstate(all="ignore"):
                    wanted = getattr(np, name)(x, y)
                computed += 1
                assert found.dtype == wanted.dtype and found.shape == wanted.shape
                assert np.array_equal(found, wanted, equal_nan=dtype == "f"), (name, x.strides, np.shape(y))
    assert computed > 50 or not WIDE_VECTORS


@pytest.mark.parametrize("shape", [*SHAPES, (6, 40, 400)], ids=str)
def test_one_array_and_several_joined_in_any_layout(shape):
    random = np.random.default_rng(shape[0])
    given, computed = list(laid_out(shape, "f", random)), 0
    for x in given:
        for name in ("negative", "absolute", "isnan", "square"):
            try:
                found = formed(name, x, direct=True)
            except Declined:
                continue
            computed += 1
            np.testing.assert_array_equal(found, getattr(np, name)(x))
        try:
            np.testing.assert_array_equal(formed("relu", x), np.maximum(x, 0))
        except Declined:
            continue
    for _ in range(40):
        parts, axis = [given[n] for n in random.integers(len(given), size=3)], int(random.integers(len(shape)))
        cut = (slice(None),) * axis + (slice(0, 1 + shape[axis] // 2),)
        for name, wanted in (("stack", parts), ("concat", [parts[0], parts[1][cut], parts[2]])):
            try:
                found = formed(name, wanted, axis=axis)
            except Declined:
                continue
            computed += 1
            np.testing.assert_array_equal(found, (np.stack if name == "stack" else np.concatenate)(wanted, axis))
    assert computed > 10 or not WIDE_VECTORS


@needs_wide_vectors
def test_results_lie_as_the_operand_of_their_shape():
    image = np.arange(2 * 5 * 7 * 3, dtype="float32").reshape(2, 5, 7, 3).transpose(0, 3, 1, 2)
    for other in (np.ones((1, 3, 1, 1), "f"), np.ones(7, "f"), np.ones((2, 1, 1, 1), "f"), image, 2.0):
        for x, y in ((image, other),) if type(other) is float else ((image, other), (other, image)):
            found = formed("add", x, y, direct=True)
            assert found.strides == image.strides and np.array_equal(found, x + y)
    truth = formed("less", image, 7.0, direct=True)
    assert truth.strides == tuple(step // 4 for step in image.strides)


def test_what_lies_in_other_ways_is_left_to_numpy():
    x = np.ones((4, 6), "f")
    for a, b in ((x[:, ::2], x[:, ::2]), (x[::-1], x), (x, x.T.copy().T), (x, x.astype("d")), (x, np.ones((3, 6), "f")),
                 (x[:0], x[:0]), (np.ones((2, 0), "f"), np.ones((2, 1), "f"))):
        try:
            found = formed("add", a, b, direct=True)
        except Declined:
            continue
        assert np.array_equal(found, a + b)
    with pytest.raises(Declined):
        formed("add", x, np.ones((3, 6), "f"), direct=True)


@pytest.mark.parametrize("dtype", "fd?")
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (3, 1, 4), (2, 3, 4), (5, 1, 1, 6), (2, 3, 4, 5), (0, 3)])
def test_one_array_with_its_dimensions_in_any_order(shape, dtype):
    random = np.random.default_rng(len(shape))
    names = ("logical_not",) if dtype == "?" else ("absolute", "square", "isnan", "sign", "negative")
    whole = np.asarray(random.standard_normal(shape) * 3).astype(dtype)
    for order in itertools.permutations(range(len(shape))):
        x = np.ascontiguousarray(whole.transpose(order)).transpose(np.argsort(order)) if shape else whole
        for name in names:
            found, wanted = formed(name, x, direct=True), getattr(np, name)(x)
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted)
            steps = [(a, b) for a, b, size in zip(found.strides, x.strides, shape, strict=True) if size > 1]
            assert all(a * x.itemsize == b * found.itemsize for a, b in steps) or not x.size
    for part in (whole[..., ::-1], whole[..., :-1], np.broadcast_to(whole, (2, *shape))) if whole.size > 3 else ():
        try:
            found = formed(names[0], part, direct=True)
        except Declined:
            continue
        assert np.array_equal(found, getattr(np, names[0])(part))


def test_scales_and_activations_keep_the_order_of_dimensions():
    x = np.random.default_rng(0).standard_normal((2, 4, 5, 3)).astype("f").transpose(0, 3, 1, 2)
    for name, attrs in (("scale", {"scale": 2.0, "bias": 1.0}), ("relu", {}), ("sigmoid", {}), ("leaky_relu", {})):
        found, wanted = formed(name, x, **attrs), formed(name, x.copy(), **attrs)
        assert found.strides == x.strides and np.array_equal(found, wanted)
