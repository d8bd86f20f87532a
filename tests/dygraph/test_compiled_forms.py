"""Forms: what computes small arrays in the place of kernels gives what these give, or leaves it to them."""

import contextlib
import gc
import itertools
import sys
import threading
import tracemalloc
import warnings

import numpy as np
import proa as paddle
import pytest
from proa.backend.threads import team
from proa.ops import catalogue
from proa.ops.core import native
from proa.ops.core.operator import all_operators, find
from proa.ops.core.trace import apply
from processors import needs_wide_vectors

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]

SHAPES = [(), (1,), (5,), (0,), (3, 0), (4, 6), (2, 3, 4), (33,), (1, 40), (40, 1), (3, 130)]
TWO = ("add subtract multiply true_divide maximum minimum bitwise_and bitwise_or bitwise_xor logical_and logical_or "
       "logical_xor equal not_equal less less_equal greater greater_equal").split()
ONE = ("absolute negative square sqrt reciprocal floor ceil rint sign isnan isinf isfinite logical_not bitwise_not "
       "invert").split()
REDUCTIONS = {"reduce_sum": "fdl", "reduce_mean": "fd", "reduce_max": "fdli", "reduce_min": "fdli",
              "reduce_prod": "fdl", "reduce_any": "?", "reduce_all": "?"}


class Declined(Exception):
    """Raised where a form leaves the work to the kernel."""


def _decline(*_, **__):
    raise Declined


def arrays(dtype, shapes=SHAPES):
    random = np.random.default_rng(len(dtype))
    for shape in shapes:
        if dtype == "?":
            yield random.random(shape) < 0.5
        elif dtype in "li":
            yield np.asarray(random.integers(-50, 50, shape)).astype(dtype)
        else:
            a = np.asarray(random.standard_normal(shape) * 4).astype(dtype)
            yield a
            yield np.asarray(np.round(a))
            for odd in (np.nan, np.inf, -0.0):
                if a.size:
                    b = a.copy()
                    b.flat[a.size // 2] = odd
                    yield b


def formed(name, *given, direct=False, **attrs):
    form = native.module.form(name, _decline, direct, np)
    return form(*given) if direct else form(np, *given, **attrs)


def meant(function, *given, **attrs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given, **attrs)


def compare(found, wanted, exact=True):
    many = (tuple, list)
    for a, b in zip(found if type(found) in many else (found,), wanted if type(wanted) in many else (wanted,),
                    strict=True):
        b = np.asarray(b)
        assert type(a) is np.ndarray and a.dtype is b.dtype and a.shape == b.shape
        if exact:  # but for the larger of two zeros, and which NaN it is
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        else:
            assert np.allclose(a, b, rtol=3e-6 if a.itemsize == 4 else 1e-12, atol=1e-6, equal_nan=True)


def check(type_, *inputs, exact=True, **attrs):
    """Whether the form of an operator computes; then it must give what the kernel gives."""
    op = find(type_)
    try:
        found = formed(op.compiled, *inputs, **attrs)
    except Declined:
        return False
    compare(found, meant(op.kernel, np, *inputs, **attrs), exact)
    return True


@pytest.mark.parametrize("dtype", "fdli?")
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arrays(name, dtype):
    function, count = getattr(np, name), 0
    given = list(arrays(dtype, SHAPES[:7]))
    for x, y in itertools.product(given, [*given, 0, 2.5, -1, 1e300, float("nan")] if dtype in "fd" else given):
        try:
            found = formed(name, x, y, direct=True)
        except Declined:
            continue
        count += 1
        compare(found, meant(function, x, y))
    takes = {"l": "bitwise", "i": "bitwise", "?": "logical"}.get(dtype)
    assert count or takes and not name.startswith(takes) or dtype in "fd" and name[:3] in ("bit", "log")


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name):
    for dtype in "fdli?":
        for x in arrays(dtype):
            try:
                found = formed(name, x, direct=True)
            except Declined:
                continue
            compare(found, meant(getattr(np, name), x))


@pytest.mark.parametrize("dtype", "fdli")
def test_factors_and_terms(dtype):
    numbers = (0, 1, -1, 3, 2.0, -0.0, 2**31 - 1, -2**31, 2**40, 2.5, 1e-40, 1e39, float("inf"), float("nan"))
    computed = 0
    for x in arrays(dtype, [(), (0,), (5,), (4, 6), (33,)]):
        for scale, bias, after in itertools.product(numbers, numbers, (True, False)):
            computed += check("scale", x, scale=scale, bias=bias, bias_after_scale=after)
        for attrs in ({}, {"scale": 3}, {"bias": 3}, {"bias": -2, "bias_after_scale": False}):
            assert check("scale", x, None, **attrs) or dtype in "fd" and not np.isfinite(x).all()
    assert computed > 300
    for attrs in ({"scale": "3"}, {"scale": 2**70}, {"bias": None}, {"bias_after_scale": 1}):
        with pytest.raises(Declined):
            formed("scale", np.ones(3, dtype), **attrs)
    with pytest.raises(Declined):
        formed("scale", np.ones(3, dtype), np.ones(1, dtype))


@pytest.mark.parametrize("type_", REDUCTIONS)
def test_reductions_add_in_numpys_order(type_):
    count = 0
    for dtype in REDUCTIONS[type_]:
        for x in arrays(dtype):
            for n in range(x.ndim + 1):
                for axes, keep in itertools.product(itertools.combinations(range(x.ndim), n), (False, True)):
                    if x.size:
                        count += check(type_, x, dim=[a - x.ndim if a % 2 else a for a in axes], keep_dim=keep)
    assert count > 50


LARGE = [(2049,), (100, 100), (3, 4099), (4099, 3), (40, 17, 9), (2, 2, 2500)]


@needs_wide_vectors
@pytest.mark.parametrize("dtype", "fdli?")
def test_functions_of_some_thousand_elements(dtype):
    count = 0
    for x in arrays(dtype, LARGE):
        beside = [x[::-1].copy(), np.ascontiguousarray(x[-1:]), x[-1].copy(), np.asarray(x.flat[1])]
        for name, y in itertools.product(TWO, [*beside, 2.5, -1] if dtype in "fd" else beside):
            for pair in ((x, y), (y, x)) if type(y) is np.ndarray else ((x, y),):
                try:
                    compare(formed(name, *pair, direct=True), meant(getattr(np, name), *pair))
                except Declined:
                    continue
                count += 1
        for name in ONE:
            with contextlib.suppress(Declined):
                compare(formed(name, x, direct=True), meant(getattr(np, name), x))
    assert count


MANY = [(300_001,), (3, 100_003), (100_003, 3), (70_000, 20)]


@needs_wide_vectors
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", "fdli?")
def test_functions_of_many_elements_are_shared_among_threads(dtype, threads):
    before, count = paddle.get_num_threads(), 0
    paddle.set_num_threads(threads)
    try:
        for shape in MANY:
            [x] = itertools.islice(arrays(dtype, [shape]), 1)
            beside = [x[::-1].copy(), np.ascontiguousarray(x[-1:]), np.ascontiguousarray(x[..., :1]), x[-1].copy()]
            for name, y in itertools.product([*TWO, "floor_divide", "remainder"], beside):
                for pair in (x, y), (y, x):
                    with contextlib.suppress(Declined):
                        compare(formed(name, *pair, direct=True), meant(getattr(np, name), *pair))
                        count += 1
            for name in ONE:
                with contextlib.suppress(Declined):
                    compare(formed(name, x, direct=True), meant(getattr(np, name), x))
                    count += 1
            if dtype in "fdli":
                found = formed("scale", x, None, scale=3.0 if dtype in "fd" else 3, bias=1.0)
                compare(found, x * x.dtype.type(3) + x.dtype.type(1))
    finally:
        paddle.set_num_threads(before)
    assert count > 30 or not native.module.has_fast_panels()


@needs_wide_vectors
def test_without_threads_one_computes_and_an_error_in_finding_them_is_passed_on():
    x = np.arange(300_000)

    def none():
        raise OSError("no threads")

    try:
        native.module.serve_team(lambda: (0, (0, 0, 0)))
        compare(formed("add", x, x, direct=True), x + x)
        native.module.serve_team(none)
        with pytest.raises(OSError, match="no threads"):
            formed("add", x, x, direct=True)
        compare(formed("add", x[:9].copy(), x[:9].copy(), direct=True), x[:9] + x[:9])
    finally:
        native.module.serve_team(team)


def test_turns_of_many_elements_are_shared():
    for x in (np.arange(300_000.0), np.arange(400_000).reshape(4, 1000, 100), np.arange(300_000).reshape(-1, 3) > 5):
        for shift, axis in itertools.product((1, -7, 150_001, 0), (None, *range(x.ndim))):
            with contextlib.suppress(Declined):
                found = formed("roll", x, None, shifts=[shift], axis=[] if axis is None else [axis])
                compare(found, np.roll(x, shift, axis))


def test_joining_many_elements_is_shared():
    with contextlib.suppress(Declined):
        x = np.random.default_rng(4).standard_normal((30, 40, 200)).astype("f")
        for dtype in "fdl?":
            parts = [x.astype(dtype), x[:, :7].astype(dtype), x[:, :0].astype(dtype), x.astype(dtype)]
            compare(formed("concat", parts, None, axis=1), np.concatenate(parts, 1))
            for axis in range(-3, 3):
                compare(formed("concat", parts[::3] * 3, None, axis=axis), np.concatenate(parts[::3] * 3, axis))
                compare(formed("stack", parts[::3], axis=axis), np.stack(parts[::3], axis))
        many = list(x.reshape(-1, 200))
        compare(formed("stack", many), np.stack(many))
        compare(formed("concat", many, axis=0), np.concatenate(many))
        for parts in ([x, x.T.copy().T], [x, x[0]], [x, x.astype("d")]):
            with pytest.raises(Declined):
                formed("concat", parts, None, axis=0)


def test_padding_around_many_elements_is_shared():
    random = np.random.default_rng(1)
    for x in (random.random((300, 400), "f"), random.random((2, 3, 100, 200)), random.integers(0, 9, (5, 200, 130))):
        for value in (0.0, -1.5) if x.dtype.kind == "f" else (0.0,):
            widths = [(n + 1, 3 - n) for n in range(x.ndim)]
            found = formed("pad", x, paddings=[n for pair in widths for n in pair], pad_value=value)
            compare(found, np.pad(x, widths, constant_values=value))
    image = random.random((2, 3, 100, 200), "f")
    found = formed("pad_image", image, paddings=[1, 2, 3, 0], value=2.0, data_format="NCHW")
    compare(found, np.pad(image, [(0, 0), (0, 0), (3, 0), (1, 2)], constant_values=2.0))
    for x in (random.random((6, 50, 30, 33), "f"), random.random((3, 4, 5, 6, 70, 9)),
              random.integers(0, 9, (900, 7, 20)), random.random((40, 60, 50), "f") < 0.5):  # short rows
        for value in (0.0, 2.5) if x.dtype.kind == "f" else (0.0,):
            widths = [(n % 3, 2 - n % 2) for n in range(x.ndim)]
            found = formed("pad", x, paddings=[n for pair in widths for n in pair], pad_value=value)
            compare(found, np.pad(x, widths, constant_values=value))
    with pytest.raises(Declined):  # rows of a few elements in one plane
        formed("pad", random.random((50_000, 4)), paddings=[1, 1, 1, 1], pad_value=0.0)


def test_gradients_of_maxima_go_to_what_equals_them():
    random = np.random.default_rng(3)
    for dtype in "fd":
        for shape, axes in (((300, 257), 1), ((300, 257), 0), ((7, 40, 90), 1), ((5, 6, 7, 8), (1, 2)),
                            ((50, 60), (0, 1)), ((3, 4), ())):
            x = (random.integers(-9, 9, shape) / 2).astype(dtype)
            x.flat[0] = np.nan
            y = np.fmax.reduce(x, axes, keepdims=True)
            g = random.standard_normal(y.shape).astype(dtype)
            compare(formed("where_equal", g, x, y), g * (x == y))
            repeated = np.broadcast_to(x.dtype.type(0.5), y.shape)
            compare(formed("where_equal", repeated, x, y), repeated * (x == y))
        x = random.random((20, 30)).astype(dtype)
        compare(formed("where_equal", np.asarray(2, dtype), x, np.asarray(x.max())), x.dtype.type(2) * (x == x.max()))
    x = random.random((30, 40), "f")
    for g, y in ((np.full((30, 1), np.inf, "f"), x.max(1, keepdims=True)), (x, x[0]), (x[:, :1], x),
                 (x[:, :1].astype("d"), x[:, :1].copy())):
        with pytest.raises(Declined):
            formed("where_equal", g, x, y)


def test_activations_limits_and_numbers_in_order_of_many_elements_are_shared():
    with contextlib.suppress(Declined):
        for dtype in "fd":
            for x in arrays(dtype, MANY[:2]):
                compare(formed("relu", x), np.where(x < 0, x.dtype.type(0), x))
                compare(formed("relu6", x, threshold=2.0), np.clip(x, 0, 2).astype(dtype) + x.dtype.type(0))
                compare(formed("leaky_relu", x, alpha=0.5), np.where(x < 0, x * x.dtype.type(0.5), x))
                hard = np.clip(x * x.dtype.type(0.2) + x.dtype.type(0.5), 0, 1).astype(dtype)
                compare(formed("hard_sigmoid", x), hard)
                gate = np.clip(x + x.dtype.type(3), 0, 6).astype(dtype)
                compare(formed("hard_swish", x), x * gate / x.dtype.type(6))
                if dtype == "f":
                    power = 1 / (1 + np.exp(-x.astype("d")))
                    assert np.allclose(formed("sigmoid", x), power, rtol=3e-7, atol=2e-36, equal_nan=True)
                    assert np.allclose(formed("silu", x), x * power, rtol=3e-7, atol=2e-36, equal_nan=True)
                limited = np.clip(x, x.dtype.type(-1), x.dtype.type(2))
                compare(formed("clip", x, None, None, min=-1.0, max=2.0), limited)
                compare(formed("clip", x, None, None, min=-1.0), np.maximum(x, x.dtype.type(-1)))
                compare(formed("clip", x, None, None, max=2.0), np.minimum(x, x.dtype.type(2)))
                compare(formed("brelu", x, t_min=-1.0, t_max=2.0), limited)
            gaps = np.zeros((1000, 600), dtype)[:, :300] - x.flat[0]
            compare(formed("relu", gaps), np.maximum(gaps, 0))
    for dtype in "float32", "float64", "int32", "int64":
        for begin, end, step in (3, 300_003, 1), (300_000, -7, -1), (0, 1_000_000, 3), (5, 5, 1), (7, 2, 1):
            found = paddle.arange(begin, end, step, dtype=dtype).numpy()
            compare(found, np.arange(begin, end, step, dtype))
    found = paddle.linspace(-1, 2, 300_001).numpy()
    compare(found, (np.arange(300_001) * (3 / 300_000) - 1).astype("float32"))


@needs_wide_vectors
@pytest.mark.parametrize("place", [0, 150_000, -1])
def test_what_one_of_several_threads_meets_is_left_to_numpy(place):
    x, zero = np.ones(300_000, "f"), np.ones(300_000, "f")
    zero[place] = 0
    assert formed("true_divide", x, zero, direct=True)[place] == np.inf
    assert float(paddle.to_tensor(x).divide(paddle.to_tensor(zero))[place]) == np.inf
    whole = np.full(300_000, 7)
    whole[place] = 0
    with pytest.raises(Declined):
        formed("floor_divide", whole, whole, direct=True)


@pytest.mark.parametrize("type_", REDUCTIONS)
def test_reductions_of_some_thousand_elements(type_):
    for dtype in REDUCTIONS[type_]:
        for x in arrays(dtype, LARGE):
            for shift in (0, 60) if dtype != "?" else (0,):  # so that a zero is seldom the result, or always
                moved = x - np.asarray(shift, x.dtype) if dtype in "li" else x * 0.99 - shift if shift else x
                for axes in ([], [0], [-1], list(range(1, x.ndim))):
                    if type_ != "reduce_prod" or dtype in "li":
                        check(type_, np.ascontiguousarray(moved).astype(dtype), dim=axes, keep_dim=True)
    for dtype, rounding in (("f", 1e-5), ("d", 1e-13)):  # products of many: in another order than NumPy's
        for x in (1 + a * 1e-3 for a in arrays(dtype, LARGE) if np.isfinite(a).all()):
            for axis in (None, 0, -1):
                with contextlib.suppress(Declined):
                    found = formed("prod", x, dim=[] if axis is None else [axis])
                    assert np.allclose(found, x.astype("longdouble").prod(axis), rtol=rounding, atol=0)
    for name, wanted in (("max", 7.0), ("min", -7.0)):
        for place in (0, 5, 33, 9998, 9999):  # in a vector, and behind the last of them
            x = np.zeros(10_000, "f")
            x[place] = wanted
            with contextlib.suppress(Declined):
                assert formed(name, x, dim=[]) == wanted
            x[place] = np.nan
            with pytest.raises(Declined):
                formed(name, x, dim=[])


def test_positions_of_extremes_and_running_sums():
    for dtype in "fdl":
        for x in filter(np.size, arrays(dtype)):
            for axis in range(-x.ndim, x.ndim):
                check("cumsum", x, axis=axis)
                for type_ in ("arg_max", "arg_min"):
                    check(type_, x, axis=axis, keepdims=axis % 2 == 0, flatten=False)
            check("arg_max", x, axis=0, keepdims=True, flatten=True)


def test_views_share_memory_and_refuse_what_does_not_fit():
    for dtype in "fl?e":
        for x in arrays(dtype):
            turned = x.T
            for shape in ([-1], [1, -1], list(x.shape), [x.size, 1]):
                if x.size:
                    check("reshape2", x, None, None, shape=shape)
                    check("reshape2", turned, None, None, shape=shape)
            check("squeeze2", x, axes=[])
            check("expand_v2", turned, None, None, shape=[2, *turned.shape])
            for axis in range(-x.ndim - 1, x.ndim + 1):
                check("unsqueeze2", x, None, None, axes=[axis, 0])
            for axis in range(-x.ndim, x.ndim):
                check("squeeze2", x, axes=[axis])
                check("flatten_contiguous_range", x, start_axis=axis, stop_axis=-1)
            for order in itertools.permutations(range(x.ndim)):
                check("transpose2", x, axis=list(order))
            for axis in range(-x.ndim, x.ndim):
                for given, size in itertools.product((x, turned, x[::-1]), (1, 2, 3)):
                    check("split", given, None, None, sections=[], num=size, axis=axis) \
                        if given.shape[axis] % size == 0 else None
                    along = given.shape[axis]
                    if along > 2:
                        check("split", given, None, None, sections=[1, along - 1], num=0, axis=axis)
    x = np.zeros((2, 3), "f")
    pieces = formed("split", x, None, None, sections=[1, 2], num=0, axis=1)
    assert all(piece.base is x and piece.flags.writeable for piece in pieces) and type(pieces) is list
    for name, attrs in (("reshape", {"shape": [3, 2]}), ("transpose", {"axis": [1, 0]}), ("unsqueeze", {"axes": [0]})):
        view = formed(name, x, **attrs)
        assert np.shares_memory(view, x) and view.base is x and view.flags.writeable
        assert formed(name, x.view(), **attrs).base is x
    assert not formed("expand", x, shape=[2, 2, 3]).flags.writeable
    x.flags.writeable = False
    assert not formed("reshape", x, shape=[6]).flags.writeable
    wrong = [("reshape", {"shape": [7]}), ("reshape", {"shape": [-1, -1]}), ("reshape", {"shape": [2**40, 2**40]}),
             ("reshape", {"shape": [2**70]}), ("reshape", {"shape": [-2]}), ("reshape", {"shape": [True, 6]}),
             ("reshape", {}), ("transpose", {"axis": [0, 0]}), ("transpose", {"axis": [0]}),
             ("transpose", {"axis": [0, 2]}), ("transpose", {"axis": (1.0, 0)}), ("unsqueeze", {"axes": [4]}),
             ("unsqueeze", {"axes": [0] * 40}), ("squeeze", {"axes": [2]}), ("expand", {"shape": [3]}),
             ("expand", {"shape": [2**40, 2**40, 2, 3]}), ("flatten", {"start_axis": 1, "stop_axis": 0}),
             ("flatten", {"start_axis": -5, "stop_axis": 1}), ("split", {"num": 2, "axis": 1}),
             ("split", {"num": 1, "axis": 2}), ("split", {"num": -1}), ("split", {"num": 2**40}),
             ("split", {"sections": [1, 1], "axis": 1}), ("split", {"sections": [4, -1], "axis": 1}),
             ("split", {"sections": [-1, 1], "axis": 1}), ("split", {"sections": [2**62, 2**62], "axis": 1})]
    for name, attrs in wrong:
        with pytest.raises(Declined):
            formed(name, x, **attrs)


def test_what_is_filled_joined_and_chosen():
    dtypes = paddle.float32, paddle.float64, paddle.int64, paddle.int32, paddle.bool
    for dtype, value in itertools.product(dtypes, (0.0, 1.0, 2.5, -3.0, 1e10, True, 7)):
        for shape in SHAPES:
            check("fill_constant", None, None, None, shape=shape, dtype=dtype, value=value)
    for shape in ((-1,), (2**40, 2**40), (2**20, 0), (2**62, 4)):
        with pytest.raises(Declined):
            formed("fill", None, None, None, shape=shape, dtype=paddle.float32, value=1.0)
    for dtype in "fl?e":
        for x in arrays(dtype):
            for axis in range(-x.ndim, x.ndim):
                part = np.take(x, range(min(1, x.shape[axis])), axis)
                check("concat", [x, x, np.ascontiguousarray(part)], None, axis=axis)
            for axis in range(-x.ndim - 1, x.ndim + 1):
                check("stack", [x, x], axis=axis)
            mask = np.asarray(np.arange(x.size) % 3 == 0).reshape(x.shape)
            if dtype in "fl":
                for pair in ((x, -x), (x, np.asarray(3, dtype)), (np.asarray(3, dtype), x)):
                    check("where", mask, *pair)
                check("fill_any_like", x, value=2.0, dtype=paddle.float64)
            if dtype == "f":
                assert all(check("clip", x, None, None, min=low, max=1.5) for low in (-1.0, 2.0))
    for wrong in ([], [np.zeros(2), np.zeros(2, "f")], [np.zeros(2), None], [np.zeros(2), np.zeros((2, 1))]):
        with pytest.raises(Declined):
            formed("concat", wrong, None, axis=0)


def test_activations_and_softmax_are_within_rounding():
    cases = [("relu", {}), ("relu6", {"threshold": 5.0}), ("leaky_relu", {"alpha": 0.1}), ("hard_sigmoid", {}),
             ("hard_shrink", {"threshold": 1.5}), ("softshrink", {"lambda": 1.5}), ("thresholded_relu", {}),
             ("hard_swish", {}), ("sigmoid", {}), ("silu", {}), ("rsqrt", {}), ("round", {})]
    for dtype in "fd":
        for x in arrays(dtype):
            for scale, (type_, attrs) in itertools.product((1, 40), cases):
                check(type_, (x * scale).astype(dtype), exact=False, **attrs)
            for axis in range(-x.ndim, x.ndim) if x.size else ():
                check("softmax", x, exact=False, axis=axis)
                check("log_softmax", x, exact=False, axis=axis)
            if x.ndim == 2 and dtype == "f":
                for rows in (np.repeat(x, 3, 1)[:, x.shape[1]:-x.shape[1]], np.repeat(x, 2, 0)[::2], x.T):
                    check("sigmoid", rows, exact=False)
                    check("silu", rows, exact=False)
    for name in ("sigmoid", "silu"):
        x = np.array([-200, -104, -89, -88, -87.5, -86, 86, 88, 89, 104, 1e30, np.inf, np.nan, 0], "f")
        found, wide = formed(name, x), x.astype("d")
        wanted = meant(lambda x: 1 / (1 + np.exp(np.minimum(-x, 600))) * (x if name == "silu" else 1), wide)
        assert np.allclose(found, wanted, rtol=3e-7, atol=2e-36, equal_nan=True)
    masked = formed("softmax", np.array([[0, -np.inf, 1], [-1e9, 0, -1e9]], "f"), axis=-1)
    assert masked[0, 1] == 0 and masked[1].tolist() == [0, 1, 0]


def test_softmax_by_vectors():
    random = np.random.default_rng(7)
    shapes = [(100, 100), (3, 8), (5, 9), (2, 15), (7, 16), (4, 33), (3, 20, 17), (1, 30_000), (2500, 11), (30, 3, 31),
              (6, 700, 8), (4, 5, 2)]
    for shape, spread in itertools.product(shapes, (0.1, 3, 60)):
        x = (random.standard_normal(shape) * spread).astype("f")
        x[..., ::5] = -np.inf if spread == 60 else x[..., :1]
        for axis in range(-1, x.ndim - 1):
            if not np.isfinite(x.max(axis)).all():
                with pytest.raises(Declined):
                    formed("softmax", x, axis=axis)
                continue
            away = (x - x.max(axis, keepdims=True)).astype("d")  # rounded, as everywhere
            powers = np.exp(away)
            total = powers.sum(axis, keepdims=True)
            with contextlib.suppress(Declined):
                found = formed("softmax", x, axis=axis)
                assert np.allclose(found, powers / total, rtol=1e-6, atol=2e-45)
                found = formed("log_softmax", x, axis=axis)
                assert np.allclose(found, away - np.log(total), rtol=3e-7, atol=5e-7)
    for place, odd in itertools.product((0, 7, 50, 95, 96, 99), (np.nan, np.inf)):
        x = random.standard_normal((100, 100)).astype("f")
        x[place, 99 - place] = odd
        for axis in (0, 1):
            for name in ("softmax", "log_softmax"):
                with pytest.raises(Declined):
                    formed(name, x, axis=axis)


def test_cross_entropy_by_vectors():
    random = np.random.default_rng(8)
    for rows, classes in ((100, 100), (700, 40), (2, 8), (3, 9), (2000, 15), (1, 30_000)):
        for spread in (1, 40):
            logits = (random.standard_normal((rows, classes)) * spread + 1000 * (spread == 40)).astype("f")
            labels = random.integers(0, classes, rows)
            labels[1::7] = -100
            exact = find("cross_entropy_mean").kernel(np, logits.astype("d"), labels)
            with contextlib.suppress(Declined):
                for found, wanted in zip(formed("cross_entropy", logits, labels), exact, strict=True):
                    assert found.dtype == "f" and found.shape == wanted.shape
                    assert np.allclose(found, wanted, rtol=2e-6 if spread == 1 else 2e-5, atol=1e-6 * spread)
            for wrong in (classes, -1):
                labels[0] = wrong
                with pytest.raises(Declined):
                    formed("cross_entropy", logits, labels)


def test_windows_of_images():
    count, random = 0, np.random.default_rng(3)
    shapes = [(1, 1, 5, 5), (2, 3, 4, 6), (1, 4, 8, 8), (2, 8, 26, 29)]
    for dtype, shape, kind in itertools.product("fd", shapes, ("max", "avg")):
        x = random.standard_normal(shape).astype(dtype)
        for size, step, pads in itertools.product(([2, 2], [3, 3], [1, 2]), ([1, 1], [2, 2], []), ([0, 0], [1, 0], [])):
            for exclusive in (True, False):
                if all(p < k for p, k in zip(pads, size, strict=False)):
                    count += check("pool2d", x, pooling_type=kind, ksize=size, strides=step, paddings=pads,
                                   exclusive=exclusive, exact=False)
        check("pool2d", x, pooling_type=kind, ksize=[1, 1], global_pooling=True, exact=False)
        for size in ([1, 1], [2, 2], [4, 2], [3, 5], [7, 7]):
            check("pool2d", x, pooling_type=kind, ksize=size, strides=[1, 1], adaptive=True, exact=False)
    assert count > 100


def test_maxima_of_windows_and_their_places():
    count, random = 0, np.random.default_rng(3)
    for dtype, shape in itertools.product("fd", [(1, 1, 5, 5), (2, 3, 4, 6), (2, 8, 26, 29), (1, 2, 0, 3)]):
        for x in (random.standard_normal(shape).astype(dtype), random.integers(0, 3, shape).astype(dtype)):
            for size, step, pads in itertools.product(([2, 2], [3, 2]), ([1, 1], [2, 3]), ([0, 0], [1, 1])):
                if x.size:
                    count += check("max_pool2d_with_index", x, ksize=size, strides=step, paddings=pads)
            for size in ([1, 1], [2, 2], [3, 5], [7, 7]):
                if x.size:
                    count += check("max_pool2d_with_index", x, ksize=size, adaptive=True)
    assert count > 100
    with pytest.raises(Declined):
        formed("pool_with_places", np.full((1, 1, 2, 2), np.nan, "f"), ksize=[2, 2])


def test_parts_padding_and_turning():
    random = np.random.default_rng(4)
    for dtype, shape in itertools.product("fl?", [(7,), (4, 6), (2, 3, 4), (0, 3)]):
        x = (random.standard_normal(shape) * 9).astype(dtype)
        for start, end, step in itertools.product((0, 1, -2, 9, -9), (2147483647, -1, 2, 0, -9), (1, 2, 5, 2**62)):
            for axis in range(x.ndim):
                given = {"axes": [axis], "starts": [start], "ends": [end]}
                check("slice", x, None, None, None, None, **given)
                check("strided_slice", x, *[None] * 6, strides=[step], **given)
                check("strided_slice", x.T, *[None] * 6, strides=[step], **given)
        check("slice", x, None, None, None, None, axes=[0], starts=[-1], ends=[2147483647], decrease_axis=[0])
        for axis, shift in itertools.product(range(-x.ndim, x.ndim), (0, 3, -1, 50)):
            check("roll", x, None, shifts=[shift], axis=[axis])
            check("roll", x, None, shifts=[shift], axis=[])
        check("pad", x, paddings=[n for n in range(2 * x.ndim)], pad_value=0.0)
        if dtype == "f":
            assert check("pad", x, paddings=[1, 2] * x.ndim, pad_value=2.5)
    for shape, dtype in itertools.product([(3, 0), (0, 4), (2, 3, 100), (3, 2, 4, 5), (2, 70)], "fd?"):
        x = (random.standard_normal(shape) * 9).astype(dtype)
        assert check("pad", x, paddings=[1, 2, 0, 3, 2, 0, 1, 1][:2 * x.ndim], pad_value=0.0)
    for shape in ((1, 2, 5), (2, 3, 4, 5)):
        x = random.standard_normal(shape).astype("f")
        for value in (0.0, -1.5):
            assert check("pad_image", x, paddings=[1, 2, 3, 0][:2 * len(shape) - 4], value=value, data_format="NCHW")
    x = np.zeros((3, 4), "f")
    for wrong in ({"axes": [0], "starts": [3], "ends": [4], "decrease_axis": [0]},
                  {"axes": [5], "starts": [0], "ends": [1]}, {"axes": [0, 0], "starts": [0, 0], "ends": [1, 1]},
                  {"axes": [0], "starts": [0], "ends": [1], "strides": [0]},
                  {"axes": [0], "starts": [0, 1], "ends": [1]}):
        with pytest.raises(Declined):
            formed("slice", x, **wrong)
    for widths in ([0] * 3, [-1, 0, 0, 0], [2**40, 0, 0, 0], [2**17, 0, 0, 0]):
        with pytest.raises(Declined):
            formed("pad", x, paddings=widths)
    assert np.shares_memory(formed("slice", x, axes=[1], starts=[1], ends=[3]), x)


def test_rows_that_numbers_name():
    random = np.random.default_rng(6)
    for dtype, shape in itertools.product("fl?", [(7,), (4, 6), (2, 3, 4)]):
        x = (random.standard_normal(shape) * 9).astype(dtype)
        for places in ((), (3,), (2, 2), (0,)):
            index = random.integers(0, shape[0], places)
            assert check("gather_nd", x, np.asarray(index)[..., None])
            assert len(shape) != 2 or check("lookup_table_v2", np.asarray(index), x, padding_idx=-1)
            if index.ndim == 1:
                assert check("gather", x, index, None, axis=0) and check("index_select", x, index, dim=0)
                assert not check("gather", x, index, np.array(0), axis=0)
                assert len(shape) == 1 or not check("index_select", x, index % 2, dim=1)
    for wrong in ([[-1]], [[4]], [[0, 1]], [[2**62]]):
        with pytest.raises(Declined):
            formed("gather_nd", np.zeros((4, 6), "f"), np.array(wrong))
    for name in ("gather", "index_select"):
        for wrong in ([-1], [4], [2**62], 1, [[1]], [1.0]):
            with pytest.raises(Declined):
                formed(name, np.zeros((4, 6), "f"), np.array(wrong))
    with pytest.raises(Declined):
        formed("lookup", np.array([1]), np.zeros((4, 6), "f"), padding_idx=1)


def test_diagonals_and_points():
    for dtype in (paddle.float32, paddle.float64, paddle.int64, paddle.int32, paddle.bool):
        for rows, columns in ((3, -1), (2, 5), (5, 2), (0, -1), (1, 1)):
            assert check("eye", num_rows=rows, num_columns=columns, dtype=dtype)
    for start, stop, count in ((0.0, 1.0, 7), (-3.0, 5.5, 1), (2.0, 2.0, 4), (5.0, -5.0, 100)):
        for dtype in (paddle.float32, paddle.float64):
            assert check("linspace_of_numbers", start=start, stop=stop, num=count, dtype=dtype)


def test_layers_are_within_rounding():
    random = np.random.default_rng(5)
    for dtype in "fd":
        for shape in ((4, 6), (2, 3, 4), (1, 40), (5, 1)):
            x = random.standard_normal(shape).astype(dtype) * 3
            inner = x.shape[1:]
            for scale, bias in ((None, None), (np.ones(np.prod(inner), dtype) * 2, None),
                                (np.ones(np.prod(inner), dtype), np.ones(np.prod(inner), dtype))):
                assert check("layer_norm", x, scale, bias, begin_norm_axis=1, epsilon=1e-5, exact=False)
            for axes, keep in (([0], False), ([-1], True), ([], False)):
                check("variance", x, dim=axes, keep_dim=keep, reduce_all=not axes, unbiased=keep, exact=False)
                check("logsumexp", x * 30, axis=axes, keepdim=keep, reduce_all=not axes, exact=False)
        logits, labels = random.standard_normal((6, 5)).astype(dtype), np.array([0, 4, -100, 2, 2, 1])
        for label in (labels, labels[:, None]):
            assert check("cross_entropy_mean", logits, label, exact=False)
        assert check("cross_entropy_mean", logits, np.full(6, -100), exact=False)
        with pytest.raises(Declined):
            formed("cross_entropy", logits, labels + 1)
        for step, pads, apart in itertools.product(([1, 1], [2, 1]), ([0, 0], [1, 2]), ([1, 1], [2, 1], [])):
            x, w = (random.standard_normal(s).astype(dtype) for s in ((2, 3, 6, 5), (4, 3, 3, 2)))
            assert check("conv2d", x, w, strides=step, paddings=pads, dilations=apart, groups=1, exact=False)
        with pytest.raises(Declined):
            formed("convolution", x, w[:, :2].copy(), strides=[1, 1])


@needs_wide_vectors
def test_gates_of_cells_are_within_rounding():
    draw, count = np.random.RandomState(0), 0
    for shape, width in itertools.product([(), (1,), (4,), (2, 3)], (1, 3, 8, 33, 100)):
        state = draw.randn(*shape, width).astype("float32")
        for factor in (0.1, 4, 60, 1e4):
            x, h = ((draw.randn(*shape, 3 * width) * factor).astype("float32") for _ in range(2))
            count += check("gru_gates", x, h, state, exact=False)
            count += check("lstm_gates", (draw.randn(*shape, 4 * width) * factor).astype("float32"), state, exact=False)
            h[..., 0] = x[..., 1] = np.nan
            count += check("gru_gates", x, h, state, exact=False)
            h[..., 1], x[..., -1] = np.inf, -np.inf
            count += check("gru_gates", x, h, state, exact=False)
    assert count == 4 * 4 * 4 * 5
    x, state = draw.randn(4, 12).astype("float32"), draw.randn(4, 3).astype("float32")
    for others in ((x, x[:1], state), (x, x, state[:1]), (x[::2], x[::2], state[::2]), (x[:, :11], x[:, :11], state),
                   (x.astype("d"), x.astype("d"), state.astype("d")), (x, x, x), (x[:0], x[:0], state[:0]),
                   (np.zeros((300, 300), "f"), np.zeros((300, 300), "f"), np.zeros((300, 100), "f"))):
        with pytest.raises(Declined):
            formed("gru_gates", *others)
        with pytest.raises(Declined):
            formed("lstm_gates", *others)


@needs_wide_vectors
def test_tanh_of_gates_keeps_the_digits_of_small_numbers():
    x = np.concatenate([np.logspace(-30, 2, 500), -np.logspace(-30, 2, 500), [0.0, 0.625, -0.625]]).astype("float32")
    zeros = np.zeros_like(x)
    _, _, gates = formed("lstm_gates", np.concatenate([zeros, zeros, x, zeros]), zeros)
    np.testing.assert_allclose(gates[2 * x.size:3 * x.size], np.tanh(x.astype("float64")), rtol=3e-7)


def test_rows_in_order():
    for dtype in "fdli":
        for x in filter(np.size, arrays(dtype)):
            check("unique", x, axis=[], dtype=paddle.int64)
            for axis, falls in itertools.product(range(-x.ndim, x.ndim), (False, True)):
                size = x.shape[axis]
                check("argsort", x, axis=axis, descending=falls)
                for k in {1, min(5, size), size}:
                    if k * 16 >= size:  # of fewer, NumPy says of equal ones any
                        check("top_k_v2", x, None, k=k, axis=axis, largest=falls)
                check("order_statistics", x, rank=size // 2, axis=axis, propagate_nan=True)
    for dtype in "fdli":  # many short rows: of the whole array, and along a dimension that is not the last
        x = np.random.default_rng(3).integers(-9, 9, (3000, 5)).astype(dtype)
        for rank, several in ((0, 1), (2, 2), (4, 1)):
            for axis, given in ((1, x), (0, np.ascontiguousarray(x.T))):
                assert check("order_statistics", given, rank=rank, count=several, axis=axis, propagate_nan=True)
    ties = np.zeros((2, 200), "f")
    assert formed("topk", ties, None, k=3)[1].tolist() == [[0, 1, 2]] * 2  # the first of equal ones


def test_arrays_of_subclasses_and_of_other_orders_are_numpys():
    class Mine(np.ndarray):
        pass

    for x in (np.ones(3, "f").view(Mine), np.ones(3, ">f4"), np.ones(6, "f")[::2], [1.0], 1.0, None,
              np.frombuffer(b"\0" * 13, "u1")[1:].view("f")):
        with pytest.raises(Declined):
            formed("add", x, x, direct=True)


def test_each_form_is_named_by_a_declaration_that_finds_it():
    assert catalogue  # imports them all
    for op in all_operators():
        if op.compiled:
            assert type(native.form_of(op.compiled, op.kernel)) is native.module.Form
    with pytest.raises(ValueError, match="no such form"):
        native.form_of("nonsense", len)
    with pytest.raises(TypeError):
        native.module.form(3)
    with pytest.raises(TypeError):
        type(native.form_of("sum", len))()
    with pytest.raises(ValueError):
        native.module.serve_arrays(None, np.ndarray, (), np.zeros(2), 0)


def _work():
    x = paddle.to_tensor(np.random.RandomState(0).rand(4, 6).astype("f"), stop_gradient=False)
    y = paddle.concat([x.reshape([6, 4]).T, paddle.ones([4, 6])], 0).squeeze().unsqueeze(0).flatten()
    z = (paddle.where(y > 0.5, y, y * 2.0).clip(0.1, 0.9).reshape([8, 6]).sum(1) / 2.0).max()
    paddle.nn.functional.softmax(x).mean().backward()
    (z + paddle.nn.functional.relu(x).prod() + paddle.stack([x, x]).min()).backward()
    gates_op, lstm_op = find("gru_gates"), find("lstm_gates")
    apply(gates_op, paddle.ones([2, 6]), paddle.ones([2, 6]), paddle.ones([2, 2]))
    apply(lstm_op, x.reshape([3, 8]), paddle.ones([3, 2]))[0].sum().backward()
    paddle.topk(x, 2), paddle.sort(x), paddle.argmax(x), paddle.unique(paddle.arange(9)), paddle.cumsum(x)
    paddle.nn.functional.max_pool2d(x.reshape([1, 1, 4, 6]), 2), x.expand([2, 4, 6]), paddle.ones_like(x)
    for wrong in (lambda: x.reshape([5]), lambda: x.transpose([0, 0]), lambda: x.sum(7), lambda: x.expand([3]),
                  lambda: paddle.concat([x, y]), lambda: paddle.topk(x, 50), lambda: x + paddle.ones([5])):
        with pytest.raises((ValueError, IndexError)):
            wrong()


def test_nothing_is_left_behind():
    for _ in range(20):
        _work()
    shared = [*native._KINDS, None, np.ndarray, paddle.float32]
    for _ in range(3):  # tuples of tuples of constants are let go of by the collector one level at a time
        gc.collect()
    before, objects = [sys.getrefcount(one) for one in shared], len(gc.get_objects())
    tracemalloc.start()
    try:
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(60):
            _work()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    after = [sys.getrefcount(one) for one in shared]
    assert all(abs(b - a) < 30 for a, b in zip(before, after, strict=True)), (before, after)
    assert abs(len(gc.get_objects()) - objects) < 50 and grown < 50_000


def test_threads_compute_beside_each_other():
    x, found = paddle.to_tensor(np.arange(24.0, dtype="f").reshape(4, 6)), []

    def compute(n):
        y = x + float(n)
        for _ in range(300):
            total = ((y * 2.0).reshape([24]).sum() - paddle.ones([24]).sum()).item()
        found.append((n, total))

    threads = [threading.Thread(target=compute, args=(n,)) for n in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert sorted(found) == [(n, 2 * (276 + 24 * n) - 24.0) for n in range(4)]
