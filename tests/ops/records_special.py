"""Records of the special functions, of pairs of numbers, parts of numbers, and choosing by position."""

import math

import numpy as np
from proa.ops.array import creation, fill, sorting, take, unflatten
from proa.ops.linalg import distances
from proa.ops.math import bessel, binary, differences, gamma, inverse_functions, nan_statistics, numbers
from records import Record, floats, ints

_trapezoid = getattr(np, "trapezoid", None) or np.trapz  # its name in NumPy 2, and in 1


_lgamma = np.vectorize(math.lgamma, otypes=[float])


def _slope(function, step=1e-5):
    """A derivative by differences, for functions whose derivative has no reference of its own."""
    return lambda x: (8 * (function(x + step) - function(x - step))
                      - (function(x + 2 * step) - function(x - 2 * step))) / (12 * step)


def _bessel(order, scaled):
    t = (np.arange(2000) + 0.5) * (np.pi / 2000)

    def function(x):
        found = (np.exp(np.multiply.outer(np.abs(x), np.cos(t) - 1)) * np.cos(order * t)).mean(-1)
        found = found * (np.sign(x) if order else 1)
        return found if scaled else found * np.exp(np.abs(x))

    return function


def _one(type, module, reference, low, high, name=None, **more):
    return Record(type, getattr(module, name or type), [floats(3, 4, low=low, high=high)], reference, **more)


def _sum_of(powers):
    """The polygamma function as a sum, with the integral and two corrections in place of its tail."""
    def function(x):
        k = np.arange(4000.0)
        s = powers + 1
        tail = x[..., None][..., 0] + 4000.0
        total = (1 / (np.add.outer(x, k)) ** s).sum(-1)
        total += tail ** (1.0 - s) / (s - 1) + 0.5 * tail ** -float(s) + s / 12 * tail ** (-s - 1.0)
        return (-1.0) ** s * math.factorial(powers) * total

    return function


UNARY = [
    _one("lgamma", gamma, _lgamma, 0.2, 14.0),
    _one("lgamma", gamma, _lgamma, -2.9, -2.1, label="negative"),
    _one("digamma", gamma, _slope(_lgamma), 0.3, 14.0, tolerance=1e-7),
    _one("digamma", gamma, _slope(_lgamma), -1.8, -1.2, tolerance=1e-6, label="negative"),
    Record("polygamma", lambda x: gamma.polygamma(x, 1), [floats(3, 4, low=0.3, high=14.0)], _sum_of(1)),
    Record("polygamma", lambda x: gamma.polygamma(x, 3), [floats(3, 4, low=0.5, high=5.0)], _sum_of(3), label="third",
           gradient_tolerance=1e-4),
    Record("lgamma", lambda x: gamma.multigammaln(x, 3), [floats(3, 4, low=2.0, high=9.0)],
           lambda x: _lgamma(x) + _lgamma(x - 0.5) + _lgamma(x - 1) + 1.5 * math.log(math.pi), label="multivariate"),
    _one("i0", bessel, _bessel(0, False), -4.0, 20.0),
    _one("i0e", bessel, _bessel(0, True), -4.0, 20.0),
    _one("i1", bessel, _bessel(1, False), -4.0, 20.0),
    _one("i1e", bessel, _bessel(1, True), -4.0, 20.0),
    Record("erfinv", lambda x: inverse_functions.erfinv(x), [np.vectorize(math.erf)(floats(3, 4, low=-2.0, high=2.0))],
           lambda x: floats(3, 4, low=-2.0, high=2.0), static=True, batched=[]),
    _one("logit", inverse_functions, lambda x: np.log(x / (1 - x)), 0.1, 0.9),
    Record("logit", lambda x: inverse_functions.logit(x, 0.2), [floats(3, 4, low=0.05, high=0.95)],
           lambda x: np.log(np.clip(x, 0.2, 0.8) / (1 - np.clip(x, 0.2, 0.8))), label="bounded"),
]


def _two(type, function, reference, low=-1.0, high=1.0, **more):
    return Record(type, function, [floats(2, 3, 4, low=low, high=high), floats(3, 1, low=low, high=high, seed=1)],
                  reference, **more)


BINARY = [
    _two("atan2", binary.atan2, np.arctan2),
    _two("elementwise_fmax", binary.fmax, np.fmax),
    _two("elementwise_fmin", binary.fmin, np.fmin),
    _two("elementwise_heaviside", binary.heaviside, np.heaviside, differentiable=[1]),
    _two("elementwise_mul", binary.ldexp, lambda x, y: x * 2.0**y, label="ldexp"),
    _two("pow", binary.hypot, np.hypot, 0.3, 2.0, label="hypot"),
    _two("log1p", binary.logaddexp, np.logaddexp, label="logaddexp"),
    _two("nextafter", binary.nextafter, np.nextafter, differentiable=[], tolerance=0.0),
    Record("gcd", binary.gcd, [ints(2, 3, low=-20, high=20), ints(3, low=-20, high=20, seed=1)], np.gcd),
    Record("lcm", binary.lcm, [ints(2, 3, low=-20, high=20), ints(3, low=-20, high=20, seed=1)], np.lcm),
    Record("lerp", binary.lerp, [floats(2, 3), floats(2, 3, seed=1), floats(3, seed=2)],
           lambda x, y, w: x + w * (y - x)),
]


def _complex(x):
    return x[..., 0] + 1j * x[..., 1]


def _as_complex(x):
    from proa.ops.array.rearrange import as_complex

    return as_complex(x)


NUMBERS = [
    Record("angle", lambda x: numbers.angle(_as_complex(x)), [floats(2, 3, 2)], lambda x: np.angle(_complex(x))),
    Record("angle", numbers.angle, [floats(2, 3)], lambda x: np.where(x < 0, np.pi, 0.0), label="real"),
    Record("where", numbers.nan_to_num, [np.array([1.0, np.nan, np.inf, -np.inf])], np.nan_to_num, label="nan_to_num",
           differentiable=[], float32=False),
    Record("sign", lambda x: numbers.frexp(x)[0] * 1.0, [floats(2, 5, low=-9, high=9)], lambda x: np.frexp(x)[0],
           label="mantissa", differentiable=[]),
    Record("floor", lambda x: numbers.frexp(x)[1] * 1.0, [floats(2, 5, low=-9, high=9)],
           lambda x: np.frexp(x)[1].astype(float), label="exponent", differentiable=[]),
]

_PLACES = np.array([[0, -1], [5, 2]])
_NANS = np.array([[1.0, np.nan, 3.0, 2.5], [4.0, 0.5, np.nan, np.nan]])

CHOICES = [
    Record("index_select", lambda x, i: take.take(x, i), [floats(2, 3), _PLACES],
           lambda x, i: np.take(x, i), label="take", batched=[]),
    Record("index_select", lambda x, i: take.take(x, i * 3, mode="wrap"), [floats(2, 3), _PLACES],
           lambda x, i: np.take(x, i * 3, mode="wrap"), label="take around", batched=[]),
    Record("index_select", lambda x, i: take.take(x, i * 3, mode="clip"), [floats(2, 3), _PLACES],
           lambda x, i: np.take(x, i * 3, mode="clip"), label="take nearest", batched=[]),
    Record("multiplex", lambda i, *x: take.multiplex(x, i),
           [np.array([[2], [0], [1]]), floats(3, 4), floats(3, 4, seed=1), floats(3, 4, seed=2)],
           lambda i, *x: np.stack([x[n][row] for row, n in enumerate(i[:, 0])]), batched=[]),
    Record("multiplex_grad", lambda i, x: take.apply(take.to_sources_op, x, i, count=3),
           [np.array([[2], [0], [1]]), floats(3, 4)],
           lambda i, x: tuple(np.where(i == n, x, 0.0) for n in range(3)), batched=[]),
    Record("shard_index", lambda x: take.shard_index(x, 20, 2, 1), [ints(5, 1, high=20)],
           lambda x: np.where(x // 10 == 1, x % 10, -1)),
    Record("slice", lambda x: take.crop(x, [2, -1], [1, 2]), [floats(4, 5)], lambda x: x[1:3, 2:], label="crop",
           batched=[]),
    Record("index_put", lambda x, i: take.index_fill(x, i, 1, 2.0), [floats(2, 4), np.array([0, 3])],
           lambda x, i: np.stack([np.full(2, 2.0), x[:, 1], x[:, 2], np.full(2, 2.0)], 1), label="index_fill",
           batched=[]),
    Record("set_value", lambda x, y: take.select_scatter(x, y, 1, 2), [floats(2, 4), floats(2, seed=1)],
           lambda x, y: np.stack([x[:, 0], x[:, 1], y, x[:, 3]], 1), label="select_scatter", batched=[]),
    Record("where", lambda x, y: fill.diagonal_scatter(x, y, 1), [floats(3, 4), floats(3, seed=1)],
           lambda x, y: x * (1 - np.eye(3, 4, 1)) + np.pad(np.diag(y), ((0, 0), (1, 0))), label="diagonal_scatter",
           batched=[]),
    Record("unique_consecutive", lambda x: sorting.unique_consecutive(x, True, True),
           [np.array([1, 1, 2, 2, 3, 1])],
           lambda x: (np.array([1, 2, 3, 1]), np.array([0, 0, 1, 1, 2, 3]), np.array([2, 2, 1, 1])),
           data_dependent=True),
    Record("unique_consecutive", lambda x: sorting.unique_consecutive(x, axis=0),
           [np.array([[1, 2], [1, 2], [3, 4]])], lambda x: np.array([[1, 2], [3, 4]]), data_dependent=True,
           label="rows"),
    Record("stack", lambda x: take.combinations(x, 2, True), [floats(3)],
           lambda x: np.array([[x[a], x[b]] for a in range(3) for b in range(a, 3)]), label="combinations", batched=[]),
    Record("p_norm", distances.cdist, [floats(2, 3, 4), floats(2, 5, 4, seed=1)],
           lambda x, y: np.linalg.norm(x[:, :, None] - y[:, None], axis=-1), label="cdist"),
    Record("p_norm", lambda x: distances.renorm(x, 2.0, 1, 0.5), [floats(3, 4, 2)],
           lambda x: x * np.where((n := np.sqrt((x * x).sum((0, 2), keepdims=True))) > 0.5, 0.5 / (n + 1e-7), 1.0),
           label="renorm", batched=[]),
    Record("gather", lambda x: unflatten.unfold(x, 1, 3, 2), [floats(2, 7)],
           lambda x: np.stack([x[:, 0:3], x[:, 2:5], x[:, 4:7]], 1), label="windows", batched=[]),
    Record("index_select", lambda x: unflatten.as_strided(x, [2, 2], [3, 1], 1), [floats(3, 3)],
           lambda x: np.stack([x.ravel()[1:3], x.ravel()[4:6]]), label="as_strided", batched=[]),
    Record("reshape2", lambda x: unflatten.unflatten(x, 1, [2, -1]), [floats(2, 6)], lambda x: x.reshape(2, 2, 3),
           label="unflatten", batched=[]),
    Record("logspace", lambda: creation.logspace(0, 3, 4, 2), [], lambda: np.array([1.0, 2, 4, 8], "float32"),
           data_dependent=True),
    Record("take_along_axis", lambda x: nan_statistics.nanquantile(x, [0.25, 0.5], 1), [_NANS],
           lambda x: np.nanquantile(x, [0.25, 0.5], 1), label="nanquantile", differentiable=[], batched=[],
           float32=False),
    Record("take_along_axis", lambda x: nan_statistics.nanmedian(x, keepdim=True), [_NANS],
           lambda x: np.nanmedian(x, keepdims=True), label="nanmedian", differentiable=[], batched=[]),
]

CALCULUS = [
    Record("elementwise_sub", lambda x: differences.diff(x, 2, 1), [floats(2, 5)], lambda x: np.diff(x, 2, 1),
           label="diff", batched=[]),
    Record("elementwise_sub", lambda x, y: differences.diff(x, axis=1, prepend=y, append=y),
           [floats(2, 3), floats(2, 1)],
           lambda x, y: np.diff(np.concatenate([y, x, y], 1), axis=1), label="diff between", batched=[]),
    Record("reduce_sum", lambda y, x: differences.trapezoid(y, x), [floats(2, 4), floats(4, seed=1)],
           lambda y, x: _trapezoid(y, x), label="trapezoid", batched=[]),
    Record("cumsum", lambda y: differences.cumulative_trapezoid(y, dx=0.5), [floats(2, 4)],
           lambda y: np.cumsum((y[:, 1:] + y[:, :-1]) * 0.25, 1), label="cumulative_trapezoid", batched=[]),
    Record("elementwise_pow", lambda x: differences.vander(x, 3), [floats(4, low=0.3, high=2.0)],
           lambda x: np.vander(x, 3), label="vander", batched=[]),
]

RECORDS = [*UNARY, *BINARY, *NUMBERS, *CHOICES, *CALCULUS]
