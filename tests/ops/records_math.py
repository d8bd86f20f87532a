"""Records of the elementwise and unary operators, and of those that make values."""

import math

import numpy as np
import proa as paddle
from proa.ops.array import creation, full
from proa.ops.math import add_n, allclose, comparison, elementwise, unary
from proa.ops.optim import merged
from records import Record, bools, floats, ints

_erf = np.vectorize(math.erf, otypes=[float])
_erfc = np.vectorize(math.erfc, otypes=[float])


def _unary(type, reference, low=-1.0, high=1.0, name=None, **more):
    function = getattr(unary, name or type)
    return Record(type, function, [floats(3, 4, low=low, high=high)], reference, **more)


def _round(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


UNARY = [
    _unary("exp", np.exp),
    _unary("expm1", np.expm1),
    _unary("log", np.log, 0.2, 3.0),
    _unary("log2", np.log2, 0.2, 3.0),
    _unary("log10", np.log10, 0.2, 3.0),
    _unary("log1p", np.log1p, -0.5, 3.0),
    _unary("sqrt", np.sqrt, 0.2, 3.0),
    _unary("rsqrt", lambda x: x**-0.5, 0.2, 3.0),
    _unary("square", np.square),
    _unary("reciprocal", np.reciprocal, 0.3, 2.0),
    _unary("sin", np.sin),
    _unary("cos", np.cos),
    _unary("tan", np.tan),
    _unary("asin", np.arcsin, -0.8, 0.8),
    _unary("acos", np.arccos, -0.8, 0.8),
    _unary("atan", np.arctan),
    _unary("sinh", np.sinh),
    _unary("cosh", np.cosh),
    _unary("tanh", np.tanh),
    _unary("asinh", np.arcsinh),
    _unary("acosh", np.arccosh, 1.2, 3.0),
    _unary("atanh", np.arctanh, -0.8, 0.8),
    _unary("abs", np.abs),
    _unary("sign", np.sign),
    _unary("floor", np.floor, -3, 3),
    _unary("ceil", np.ceil, -3, 3),
    _unary("round", _round, -3, 3),
    _unary("trunc", np.trunc, -3, 3),
    _unary("erf", _erf, -3, 3),
    _unary("erfc", _erfc, -3, 3),
    Record("logical_not", unary.logical_not, [bools(3, 4)], np.logical_not),
    Record("bitwise_not", unary.bitwise_not, [ints(3, 4)], np.invert),
    _unary("isnan_v2", np.isnan, name="isnan"),
    _unary("isinf_v2", np.isinf, name="isinf"),
    _unary("isfinite_v2", np.isfinite, name="isfinite"),
]


def _pair(type, function, reference, low=-1.0, high=1.0, **more):
    x, y = floats(2, 3, 4, low=low, high=high), floats(3, 1, low=low, high=high, seed=1)
    return Record(type, function, [x, y], reference, **more)


BINARY = [
    _pair("elementwise_add", lambda x, y: x + y, np.add),
    _pair("elementwise_sub", lambda x, y: x - y, np.subtract),
    _pair("elementwise_mul", lambda x, y: x * y, np.multiply),
    _pair("elementwise_div", lambda x, y: x / y, np.divide, 0.3, 2.0),
    _pair("elementwise_floordiv", lambda x, y: x // y, np.floor_divide, 0.3, 9.0),
    _pair("elementwise_mod", lambda x, y: x % y, np.mod, 0.3, 2.0),
    _pair("elementwise_pow", lambda x, y: x**y, np.power, 0.3, 2.0),
    _pair("elementwise_max", elementwise.maximum, np.maximum),
    _pair("elementwise_min", elementwise.minimum, np.minimum),
    Record(
        "elementwise_add",
        lambda x, y: paddle.Tensor.add(x, y) if isinstance(x, paddle.Tensor) else x + y,
        [floats(3), floats(2, 3, seed=1)],
        np.add,
        label="larger second",
        batched=[1],
    ),
    Record(
        "sum",
        lambda *x: add_n.add_n(x),
        [floats(2, 3), floats(2, 3, seed=1), floats(2, 3, seed=2)],
        lambda x, y, z: x + y + z,
    ),
    Record(
        "total_square",
        lambda *x: merged.total_square(x),
        [floats(2, 3), floats(4, seed=1)],
        lambda x, y: (x * x).sum() + (y * y).sum(),
    ),
    Record(
        "scale_all",
        lambda x, y, s: merged.scale_all([x, y], s),
        [floats(2, 3), floats(4, seed=1), floats()],
        lambda x, y, s: (x * s, y * s),
        batched=[0],
    ),
    Record("scale", lambda x: x * 3 + 1, [floats(2, 3)], lambda x: x * 3 + 1),
    Record("pow", lambda x: x**2.5, [floats(2, 3, low=0.3)], lambda x: x**2.5),
    Record("pow", lambda x: x**2, [floats(2, 3)], np.square, label="square"),
    Record("pow", lambda x: x**3, [ints(2, 3)], lambda x: x**3, label="integer"),
    Record("cast", lambda x: x.astype("float64"), [floats(2, 3)], lambda x: x, differentiable=[0], float32=False),
    Record(
        "cast",
        lambda x: x.astype("float64") * 2.0,
        [ints(2, 3)],
        lambda x: x * 2.0,
        label="from integer",
        differentiable=[],
    ),
    Record("log_positive", lambda x, y: x**y, [floats(2, 3, low=0.3), floats(2, 3, seed=1)], np.power, static=False),
    Record(
        "conj",
        lambda x: elementwise.conj_of(paddle_complex(x)),
        [floats(2, 3, 2)],
        lambda x: x[..., 0] - 1j * x[..., 1],
    ),
    Record("clip", lambda x: x.clip(-0.3, 0.4), [floats(3, 4)], lambda x: np.clip(x, -0.3, 0.4)),
    Record(
        "clip",
        lambda x, low: x.clip(min=low),
        [floats(3, 4), np.array(-0.25)],
        lambda x, low: np.maximum(x, low),
        label="tensor",
        differentiable=[0],
    ),
    Record("clip", lambda x: x.clip(2, 5), [ints(3, 4)], lambda x: np.clip(x, 2, 5), label="integer"),
]


def paddle_complex(x):
    """The complex values whose parts are the last dimension."""
    return x.as_complex()


def _compare(type, function, reference):
    return Record(type, function, [ints(2, 3), ints(1, 3, seed=1)], reference)


COMPARISONS = [
    _compare("equal", lambda x, y: x == y, np.equal),
    _compare("not_equal", lambda x, y: x != y, np.not_equal),
    _compare("less_than", lambda x, y: x < y, np.less),
    _compare("less_equal", lambda x, y: x <= y, np.less_equal),
    _compare("greater_than", lambda x, y: x > y, np.greater),
    _compare("greater_equal", lambda x, y: x >= y, np.greater_equal),
    _compare("logical_and", comparison.logical_and, np.logical_and),
    _compare("logical_or", comparison.logical_or, np.logical_or),
    _compare("logical_xor", comparison.logical_xor, np.logical_xor),
    _compare("bitwise_and", lambda x, y: x & y, np.bitwise_and),
    _compare("bitwise_or", lambda x, y: x | y, np.bitwise_or),
    _compare("bitwise_xor", lambda x, y: x ^ y, np.bitwise_xor),
    _compare("equal_all", allclose.equal_all, lambda x, y: np.array(x.shape == y.shape and (x == y).all())),
    Record("isclose", allclose.isclose, [floats(2, 3), floats(2, 3) + 1e-9], np.isclose),
    Record("allclose", allclose.allclose, [floats(2, 3), floats(2, 3) + 1e-9], np.allclose),
    Record("is_empty", allclose.is_empty, [floats(2, 3)], lambda x: np.array(False)),
]

CREATION = [
    Record("fill_constant", lambda: full.full([2, 3], 1.5), [], lambda: np.full((2, 3), 1.5)),
    Record(
        "fill_constant",
        lambda n: full.full([n, 3], 7, "int64"),
        [np.array(2)],
        lambda n: np.full((2, 3), 7),
        label="tensor in shape",
        data_dependent=True,
    ),
    Record("fill_any_like", lambda x: creation.full_like(x, 2.0), [floats(2, 3)], lambda x: np.full((2, 3), 2.0)),
    Record("fill_zeros_like", lambda x: paddle_apply("fill_zeros_like", x), [floats(2, 3)], np.zeros_like),
    Record("range", lambda n: creation.arange(1, n, 2), [np.array(7)], lambda n: np.arange(1, 7, 2),
           data_dependent=True),
    Record("range_of_numbers", lambda: creation.arange(1, 7, 2), [], lambda: np.arange(1, 7, 2), data_dependent=True),
    Record("eye", lambda: creation.eye(3, 4), [], lambda: np.eye(3, 4)),
    Record("linspace", lambda n: creation.linspace(0, 1, n), [np.array(5)], lambda n: np.linspace(0, 1, 5),
           data_dependent=True),
    Record("linspace_of_numbers", lambda: creation.linspace(0, 1, 5), [], lambda: np.linspace(0, 1, 5),
           data_dependent=True),
    Record("assign_value", lambda: creation.to_tensor([1, 2]), [], lambda: np.array([1, 2]), static=False),
]


def paddle_apply(type, *inputs, **attrs):
    """The operator of this type, applied."""
    from proa.ops.core.operator import find
    from proa.ops.core.trace import apply

    return apply(find(type), *inputs, **attrs)


RECORDS = UNARY + BINARY + COMPARISONS + CREATION
