"""More forms against their kernels: integers divided, numbers for each row, norms, likelihoods, windows, products."""

import itertools

import numpy as np
import pytest
from proa.backend.kernels import nll
from proa.ops.core import native
from proa.ops.core.operator import find
from processors import needs_wide_vectors

from .test_compiled_forms import Declined, arrays, check, compare, formed, meant

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", "li")
def test_integers_are_divided_downwards(name, dtype):
    function, least = getattr(np, name), np.iinfo(dtype).min
    x = np.array([7, -7, 6, -6, 0, least, np.iinfo(dtype).max], dtype)
    for y in (np.array([2, -2, 3, -3, 5, 7, -9], dtype), np.array(4, dtype), np.array([[3] * 7, [-5] * 7], dtype)):
        compare(formed(name, x, y, direct=True), function(x, y))
        compare(formed(name, y, x | 16, direct=True), function(y, x | 16))
    compare(formed(name, x, 3, direct=True), function(x, 3))
    for y in (np.array(0, dtype), np.array(-1, dtype), x * 0, 0, -1):
        with pytest.raises(Declined):  # NumPy tells of a 0, and the least number has no opposite
            formed(name, x, y, direct=True)


def test_long_rows_pass_over_what_comes_behind():
    random = np.random.default_rng(0)
    for dtype in "fdli":
        for size in (129, 500, 1999, 2048):
            x = (random.standard_normal(size) * 1000).astype(dtype)
            for k, falls in itertools.product((1, 4, 16), (True, False)):
                order = np.argsort(-x if falls else x, kind="stable")[:k]
                values, positions = formed("topk", x, None, k=k, largest=falls)
                assert positions.tolist() == order.tolist()
                assert values.tolist() == x[order].tolist()
    x = random.standard_normal(1000).astype("f")
    for place in (0, 3, 40, 700, 999):
        y = x.copy()
        y[place] = np.nan
        with pytest.raises(Declined):
            formed("topk", y, None, k=3)


@needs_wide_vectors
@pytest.mark.parametrize("shape", [(1, 300_000), (90, 1000)])  # one row, and many, which threads share
def test_the_first_of_large_arrays(shape):
    for dtype in "fdli":
        x = (np.random.default_rng(0).standard_normal(shape) * 100).astype(dtype)
        for k, falls in itertools.product((1, 5, 16), (True, False)):
            order = np.argsort(-x if falls else x, kind="stable")[:, :k]
            values, positions = formed("topk", x, None, k=k, largest=falls)
            np.testing.assert_array_equal(positions, order)
            np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))
        if dtype in "fd":
            x[-1, -1] = np.nan
            with pytest.raises(Declined):
                formed("topk", x, None, k=3)


@pytest.mark.parametrize("dtype", "fd")
def test_negative_log_likelihood(dtype):
    random = np.random.default_rng(1)
    for rows, classes in ((1, 1), (5, 7), (12, 20), (127, 2), (3, 100), (64, 10), (200, 10)):
        x, label = -random.random((rows, classes)).astype(dtype), random.integers(0, classes, rows)
        is_loops = rows * classes >= nll.LEAST
        kernel = nll.nll_loss if is_loops and nll.takes_floats(x, nll.LEAST, nll._picked) else None
        for reduction, ignored in itertools.product(("mean", "sum", "none"), (-100, 0)):
            if (label == ignored).all():
                continue
            given = {"reduction": reduction, "ignore_index": ignored}
            wanted = kernel(x, label, **given) if kernel else meant(find("nll_loss").kernel, np, x, label, **given)
            compare(formed("nll", x, label, **given), wanted, exact=kernel is not None or not is_loops)
    x, label = -np.ones((3, 2), dtype), np.array([0, 1, 1])
    compare(formed("nll", x, label), meant(find("nll_loss").kernel, np, x, label))
    for wrong in ((x, np.array([0, 1, 2])), (x, np.array([0, -1, 1])), (x, np.array([0, 1])), (x * np.inf, label),
                  (x, label, np.ones(2, dtype)), (x, label.astype("i"))):
        with pytest.raises(Declined):
            formed("nll", *wrong)
    with pytest.raises(Declined):
        formed("nll", x, label * 0, ignore_index=0)  # a mean of none


def test_relu_and_its_like_take_larger_arrays():
    x = np.random.default_rng(2).standard_normal((100, 100)).astype("f") * 5
    for type_, attrs in (("relu", {}), ("relu6", {"threshold": 6.0}), ("leaky_relu", {"alpha": 0.1})):
        assert check(type_, x, **attrs) or not check("scale", x, scale=2.0)  # without wide vectors neither does


def test_products_of_as_many_matrices():
    random = np.random.default_rng(4)
    for dtype in "fd":
        x, y = random.random((4, 5, 3)).astype(dtype), random.random((4, 3, 6)).astype(dtype)
        for given in ((x, y), (x[:, ::2], y), (x.transpose(0, 2, 1), np.zeros((4, 5, 2), dtype))):
            assert check("bmm", *given)
        large = np.zeros((5, 64, 32), dtype), np.zeros((5, 32, 64), dtype)  # an engine may be asked for those
        for wrong in ((x, y[:3]), (x, x), (x[0], y), (x, y.astype("e")), large):
            with pytest.raises(Declined):
                formed("bmm", *wrong)


@pytest.mark.parametrize("dtype", "fd")
def test_norms_of_rows(dtype):
    computed = 0
    for x in arrays(dtype, [(5,), (4, 6), (2, 3, 4), (33,), (1, 40), (40, 1), (3, 130)]):
        for axis, order, keepdim in itertools.product(range(-x.ndim, x.ndim), (1.0, 2.0), (True, False)):
            computed += check("p_norm", x, porder=order, axis=axis, keepdim=keepdim)
    assert computed > 50
    x = np.ones((4, 6), dtype)
    for attrs in ({"porder": 3.0}, {"porder": 0.0}, {"axis": 2}, {"asvector": True}, {"porder": float("inf")}):
        with pytest.raises(Declined):
            formed("p_norm", x, **attrs)
    for wrong in (np.ones((40, 40), dtype), x.T, np.full(3, np.finfo(dtype).max), np.zeros((0, 3), dtype)):
        with pytest.raises(Declined):
            formed("p_norm", wrong, axis=0)


@pytest.mark.parametrize("dtype", "fd")
def test_maxima_of_windows_side_by_side(dtype):
    random = np.random.default_rng(5)
    for shape in ((4, 10, 16, 16), (1, 2, 7, 9), (2, 3, 5, 40), (1, 1, 2, 2)):
        x = random.standard_normal(shape).astype(dtype)
        for size in ([2, 2], [1, 3], [2, 4], [1, 1]):
            if size[0] <= shape[2] and size[1] <= shape[3]:
                computed = check("pool2d", x, pooling_type="max", ksize=size, strides=size, paddings=[0, 0])
                assert computed or x.size > 2048
        x[0, -1, 1, 1] = np.nan
        with pytest.raises(Declined):
            formed("pool", x, pooling_type="max", ksize=[2, 2], strides=[2, 2], paddings=[0, 0])


@pytest.mark.parametrize("dtype", "fdli?")
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "true_divide", "maximum", "less", "logical_and"])
def test_a_number_for_each_row(name, dtype):
    function, computed = getattr(np, name), 0
    random = np.random.default_rng(6)
    shapes = [((4, 7), (4, 1)), ((2, 3, 5), (2, 3, 1)), ((6, 1), (6, 9)), ((3, 40), (3, 1)), ((3, 0), (3, 1)),
              ((1, 5), (1, 1)), ((0, 4), (0, 1)), ((1, 1, 3), (1, 1, 1))]
    for rows, columns in shapes:
        x, y = ((random.integers(1, 9, shape) % (2 if dtype == "?" else 9)).astype(dtype) for shape in (rows, columns))
        try:
            found = formed(name, x, y, direct=True)
        except Declined:
            continue
        computed += 1
        compare(found, meant(function, x, y))
    takes = {"true_divide": "fd", "logical_and": "?", "less": "fdli?"}.get(name, "fdli")
    assert (computed > 5) == (dtype in takes)
    for wrong in ((4, 2, 1), (3, 1), (4, 7, 1)):
        with pytest.raises(Declined):
            formed(name, np.ones((4, 7), dtype), np.ones(wrong, dtype), direct=True)


def test_slopes_look_at_the_ends_that_are_given():
    inf, computed = float("inf"), 0
    for dtype, (low, high) in itertools.product("fd", [(0.0, inf), (-inf, 1.0), (-1.0, 2.0), (-inf, inf), (-3, 3)]):
        for x in arrays(dtype):
            g = np.ones_like(x) * 2 - (x > 0)
            for inside, outside in ((1.0, 0.0), (0.0, 1.0), (0.3, 0.7)):
                computed += check("slope_between", g, x, low=low, high=high, inside=inside, outside=outside)
    assert computed > 600
    x, ends = np.array([-inf, inf, 0, 1], "f"), {"low": 0.0, "high": inf}
    assert formed("slope_between", np.ones(4, "f"), x, **ends).tolist() == [0, 1, 0, 1]
    infinite = np.array([1, inf, inf, 1], "f")
    assert np.isnan(formed("slope_between", infinite, x, **ends)[2])
    for g, other in ((np.ones(4), x), (np.ones((2, 2), "f"), x), (x[::2], x[::2])):
        with pytest.raises(Declined):
            formed("slope_between", g, other, **ends)


@needs_wide_vectors
def test_slopes_of_many_elements_are_shared_as_they_lie():
    x = np.linspace(-3, 3, 2 * 250 * 400, dtype="f").reshape(2, 250, 400).transpose(0, 2, 1)
    g = np.linspace(5, 7, x.size, dtype="f").reshape(2, 250, 400).transpose(0, 2, 1)
    numbers = {"low": -1.0, "high": 2.0, "inside": 0.3, "outside": 0.7}
    found = formed("slope_between", g, x, **numbers)
    inside = (x > -1) & (x < 2)
    assert found.strides == x.strides and np.array_equal(found, g * np.where(inside, np.float32(0.3), np.float32(0.7)))


def test_what_was_broadcast_is_summed():
    computed = 0
    for dtype in "fd":
        for x in arrays(dtype, [(5, 8), (3, 130), (2, 3, 9), (7, 1, 4, 4), (1, 8), (40, 8)]):
            for count in range(1, x.ndim):
                computed += check("sum_to_shape", x, None, shape=list(x.shape[count:]))
                computed += check("sum_to_shape", x, None, shape=x.shape[count:])
            computed += check("sum_to_shape", x, np.zeros(x.shape[1:], dtype))
            computed += check("sum_to_shape", x, None, shape=[1, *x.shape[1:]])
    assert computed > 120
    x = np.ones((4, 8), "f")
    assert formed("sum_to_shape", x, None, shape=[8]).tolist() == [4.0] * 8
    for shape in ([4, 1], [], [4, 8], [4], [2, 8], [3, 4, 8]):
        with pytest.raises(Declined):
            formed("sum_to_shape", x, None, shape=shape)
    with pytest.raises(Declined):
        formed("sum_to_shape", x, None)
