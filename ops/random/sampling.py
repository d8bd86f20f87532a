"""Random values: rand, randn, uniform, normal, randint, randperm, bernoulli, multinomial, poisson, gamma, dirichlet;
exponential_, cauchy_ and geometric_, which fill a tensor from even values.

They are drawn from the generator of the place in use, which `paddle.seed` starts; a `seed` other than 0 starts a
sequence of its own, the same each time.
"""


import math
from typing import Any

import numpy as np

from ...backend import random as host
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..array.assign import shape
from ..array.fed_axes import numbers_in, only_a_run_tells
from ..array.fill import written_over
from ..array.full import changeable, inferred_sizes, is_value, shape_inputs, sizes_of, value_of
from ..array.reshape import shape as shape_of
from ..array.sizes import sizes_one_by_one
from ..array.unknown_sizes import known_number
from ..core.infer import same, shape_in
from ..core.operator import Ints, Longs, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.unary import ceil, log, tan
from .draws import (
    as_float32,
    engine,
    engine_of,
    generator,
    integer_array,
    kind_of,
    kind_of_dtype,
    normal_array,
    order_of,
    uniform_array,
)


def _sizes(operator: str, shape: Any, tensor: Any, parts: Any) -> tuple[int, ...]:
    sizes = sizes_of(shape, tensor, parts)
    if any(size < 0 for size in sizes):
        raise ValueError(f"{operator}(shape): sizes must not be below 0. Received {list(sizes)}.")
    return sizes


def _uniform(xp, shape_tensor=None, shape_list=None, *, shape: Longs = (), dtype: DType = dt.float32, min: float = -1.0,
             max: float = 1.0, seed: int = 0, diag_num: int = 0, diag_step: int = 0, diag_val: float = 1.0):
    sizes = _sizes("uniform_random", shape, shape_tensor, shape_list)
    if dtype is dt.float64:  # float32 rounds them by itself
        min, max = as_float32(min), as_float32(max)
    result = uniform_array(xp, sizes, dtype, min, max, seed)
    for n in range(diag_num):
        result.reshape(-1)[n * (diag_step + 1)] = diag_val
    return result


def _gaussian(xp, shape_tensor=None, shape_list=None, *, shape: Longs = (), mean: float = 0.0, std: float = 1.0,
              seed: int = 0, dtype: DType = dt.float32):
    sizes = _sizes("gaussian_random", shape, shape_tensor, shape_list)
    if dtype is dt.float64:  # float32 rounds them by itself
        mean, std = as_float32(mean), as_float32(std)
    return normal_array(xp, sizes, dtype, mean, std, seed)


def _truncated(xp, *, shape: Ints, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: DType = dt.float32,
               a: float = -2.0, b: float = 2.0):
    sizes = tuple(shape)
    if xp is np:
        kind = kind_of_dtype(dtype)
        drawn = host.truncated_normal(engine_of(kind, seed), sizes, kind, as_float32(mean), as_float32(std), a, b)
        return drawn.astype(dtype.dtype, copy=False)
    rng = generator(xp, seed)
    result = rng.standard_normal(sizes)
    outside = (result < a) | (result > b)
    while bool(outside.any()):
        result = xp.where(outside, rng.standard_normal(sizes), result)
        outside = (result < a) | (result > b)
    return (result * std + mean).astype(dtype.dtype)


def _randint(xp, shape_tensor=None, shape_list=None, *, low: int = 0, high: int, shape: Longs = (),
             dtype: DType = dt.int64, seed: int = 0):
    sizes = sizes_of(shape, shape_tensor, shape_list)
    if xp is np:
        return integer_array(sizes, low, high, seed).astype(dtype.dtype, copy=False)
    return generator(xp, seed).integers(low, high, sizes).astype(dtype.dtype)


def _randperm(xp, *, n: int, dtype: DType = dt.int64, seed: int = 0):
    if xp is np:
        return order_of(n, seed).astype(dtype.dtype, copy=False)
    return xp.argsort(generator(xp, seed).random(n)).astype(dtype.dtype)


def _sized(shape_tensor=None, shape_list=None, *, shape=(), dtype, **_):
    return Spec(inferred_sizes(shape, shape_tensor, shape_list), dtype)


def _bernoulli(xp, x):
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise ValueError(f"bernoulli(x): probabilities must lie in [0, 1]. Received numbers from {float(x.min())} to "
                         f"{float(x.max())}.")
    drawn = host.uniform(engine(), x.shape, kind_of(x)) if xp is np else generator(xp).random(x.shape)
    return (drawn < x).astype(x.dtype)


_MOST_EVENTS = 2**31
"""Numbers of C's int are drawn: with a mean far above, none that is drawn would ever do."""


def _poisson(xp, x):
    if bool(((x < 0) | (x > _MOST_EVENTS)).any()):
        raise ValueError(f"poisson(x): means must lie in [0, {_MOST_EVENTS}]. Received means from {float(x.min())} to "
                         f"{float(x.max())}.")
    if xp is np:
        return host.poisson(engine(), x.astype("float64")).astype(x.dtype)
    return xp.asarray(generator(xp).poisson(x)).astype(x.dtype)


def _multinomial(xp, x, *, num_samples: int = 1, replacement: bool = False):
    if num_samples < 1:
        raise ValueError(f"multinomial(x, num_samples): at least one. Received {num_samples}.")
    weights = x.astype(kind_of(x), copy=False)
    totals = weights.sum(-1)
    if weights.size and bool(weights.min() < 0) or not bool(totals > 0 if x.ndim == 1 else (totals > 0).all()):
        raise ValueError("multinomial(x): the probabilities must not be negative, and not all be 0.")
    if not replacement and bool(((weights > 0).sum(-1) < num_samples).any()):
        raise ValueError(
            f"multinomial(x, num_samples): without replacement each row needs at least {num_samples} probabilities "
            f"above 0. Give replacement=True or fewer samples."
        )
    if xp is np:
        return host.multinomial(engine(), weights, num_samples, replacement)
    rng = generator(xp)
    if replacement:
        ends = xp.cumsum(weights, -1)
        draws = rng.random((*x.shape[:-1], num_samples)) * ends[..., -1:]
        return (draws[..., None] >= ends[..., None, :]).sum(-1).astype("int64")
    # The first arrivals of processes whose rates are the weights: drawing without replacement.
    with_zero = xp.where(weights > 0, weights, xp.ones_like(weights))
    times = xp.where(weights > 0, rng.standard_exponential(x.shape) / with_zero, xp.inf)
    return xp.argsort(times, -1)[..., :num_samples].astype("int64")


uniform_op = operator("uniform_random", "ShapeTensor?, ShapeTensorList*? -> Out", kernel=_uniform, effects="random",
                      infer=lambda t=None, p=None, *, shape=(), dtype=dt.float32, **_: _sized(
                          t, p, shape=shape, dtype=dtype))
gaussian_op = operator("gaussian_random", "ShapeTensor?, ShapeTensorList*? -> Out", kernel=_gaussian, effects="random",
                       infer=lambda t=None, p=None, *, shape=(), dtype=dt.float32, **_: _sized(
                           t, p, shape=shape, dtype=dtype))
truncated_op = operator("truncated_gaussian_random", "-> Out", kernel=_truncated, effects="random",
                        infer=lambda *, shape, dtype=dt.float32, **_: Spec(tuple(shape), dtype))
randint_op = operator("randint", "ShapeTensor?, ShapeTensorList*? -> Out", kernel=_randint, effects="random",
                      infer=lambda t=None, p=None, *, shape=(), dtype=dt.int64, **_: _sized(
                          t, p, shape=shape, dtype=dtype))
randperm_op = operator("randperm", "-> Out", kernel=_randperm, effects="random",
                       infer=lambda *, n, dtype=dt.int64, seed=0: Spec((n,), dtype))
bernoulli_op = operator("bernoulli", "X -> Out", kernel=_bernoulli, infer=same, effects="random", fails="values")
poisson_op = operator("poisson", "X -> Out", kernel=_poisson, infer=same, effects="random",
                      fails="values", grad={"X": lambda g: g * 0.0})
multinomial_op = operator("multinomial", "X -> Out", kernel=_multinomial, effects="random",
                          infer=lambda x, *, num_samples=1, replacement=False: Spec(
                              (*x.shape[:-1], num_samples), dt.int64), fails="values")


def _multinomial_of_fed(xp, x, count, *, replacement: bool = False):
    return _multinomial(xp, x, num_samples=numbers_in([count])[0], replacement=replacement)


multinomial_of_fed_op = operator(
    "multinomial_of_fed", "X, num_samples@ -> Out", effects="random", stands_for=multinomial_op,
    kernel=_multinomial_of_fed,
    infer=lambda x, count, *, replacement=False: Spec((*x.shape[:-1], -1), dt.int64), fails="values")


def _floating(dtype: Any) -> DType:
    found = dt.get_default_dtype_object() if dtype is None else convert_dtype(dtype)
    if not found.is_floating:
        raise TypeError(f"dtype: numbers of a continuous distribution are floats. Received {found.name}. Draw whole "
                        "numbers with paddle.randint, or convert them with astype.")
    return found


@results_named("uniform")
def uniform(shape: Any, dtype: Any = None, min: float = -1.0, max: float = 1.0, seed: int = 0,
            name: str | None = None) -> Any:
    """Values spread evenly from `min` up to `max`, without it.

    >>> import proa as paddle
    >>> x = paddle.uniform([100], min=-1.0, max=1.0)
    >>> -1 <= x.min().item() < 0 < x.max().item() < 1
    True
    """
    attribute, tensor, parts = shape_inputs(shape)
    return apply(uniform_op, tensor, parts, shape=list(attribute), dtype=_floating(dtype), min=float(min),
                 max=float(max), seed=seed)


@sizes_one_by_one
@results_named("uniform")
def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Values spread evenly from 0 up to 1, without it, of `shape`.

    The default dtype unless another is given. `paddle.seed` makes them repeat.

    >>> import proa as paddle
    >>> paddle.rand([2, 3]).shape
    [2, 3]
    """
    return uniform(shape, dtype, 0.0, 1.0)


@results_named("gaussian")
def gaussian(shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = None,
             name: str | None = None) -> Any:
    """Values of the normal distribution with this mean and standard deviation."""
    attribute, tensor, parts = shape_inputs(shape)
    return apply(gaussian_op, tensor, parts, shape=list(attribute), mean=float(mean), std=float(std), seed=seed,
                 dtype=_floating(dtype))


@sizes_one_by_one
@results_named("gaussian")
def standard_normal(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Values of the normal distribution with mean 0 and standard deviation 1.

    >>> import proa as paddle
    >>> paddle.standard_normal([2, 3]).shape
    [2, 3]
    """
    return gaussian(shape, dtype=dtype)


@sizes_one_by_one
@results_named("gaussian")
def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Values from the normal distribution with the mean 0 and the standard deviation 1, of `shape`: `standard_normal`.

    The default dtype unless another is given. `paddle.seed` makes them repeat.

    >>> import proa as paddle
    >>> paddle.randn([2, 3]).shape
    [2, 3]
    """
    return gaussian(shape, dtype=dtype)


@results_named("gaussian")
def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Any:
    """Normally distributed values: of `shape`, or in the shape of `mean` or `std` where these are tensors.

    >>> import proa as paddle
    >>> x = paddle.normal(mean=10.0, std=0.1, shape=[100])
    >>> 9 < x.min().item() < x.max().item() < 11
    True
    """
    if is_value(mean) or is_value(std):
        like = mean if is_value(mean) else std
        return gaussian(_shape(like), dtype=like.dtype) * std + mean
    return gaussian([1] if shape is None else shape, mean, std)


def _shape(x: Any) -> Any:
    """x's shape for a creating function: ints, or a tensor where a size is not known."""
    return shape_of(x) if -1 in shape_in(x) else list(x.shape)


def truncated_gaussian(shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = None,
                       a: float = -2.0, b: float = 2.0) -> Any:
    """Normally distributed values, drawn again where they lie outside a … b standard deviations from the mean."""
    attribute, _, _ = shape_inputs(shape)
    return apply(truncated_op, shape=list(attribute), mean=float(mean), std=float(std), seed=seed,
                 dtype=_floating(dtype), a=a, b=b)


def randint(low: int = 0, high: int | None = None, shape: Any = (1,), dtype: Any = None,
            name: str | None = None) -> Any:
    """Integers from `low` up to `high`, without it; from 0 up to `low` when `high` is None.

    >>> import proa as paddle
    >>> bool((paddle.randint(3, 5, [100]) >= 3).all())
    True
    """
    low, high = (0, low) if high is None else (low, high)
    if not type(low) is type(high) is int:
        low, high = known_number("randint(low)", low), known_number("randint(high)", high)
    if low >= high:
        raise ValueError(f"randint(low, high): low must be less than high. Received low={low}, high={high}.")
    attribute, tensor, parts = shape_inputs(shape)
    return apply(randint_op, tensor, parts, low=int(low), high=int(high), shape=list(attribute),
                 dtype=convert_dtype(dtype or "int64"))


def randint_like(x: Any, low: int = 0, high: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """As `randint`, in the shape of x, and its dtype unless another is given.

    >>> import proa as paddle
    >>> x = paddle.randint_like(paddle.zeros([100]), 0, 5)
    >>> x.dtype, 0 <= x.min().item() <= x.max().item() <= 4
    (paddle.float32, True)
    """
    x = value_of(x)
    return cast(randint(low, high, _shape(x)), x.dtype if dtype is None else dtype)


def randperm(n: int, dtype: Any = "int64", name: str | None = None) -> Any:
    """The integers from 0 up to n, without it, in random order.

    >>> import proa as paddle
    >>> sorted(paddle.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    n = known_number("randperm(n)", n)
    if n < 0:
        raise ValueError(f"randperm(n): n must not be negative. Received {n}.")
    return apply(randperm_op, n=int(n), dtype=convert_dtype(dtype))


@results_named("randint")
def bernoulli(x: Any, name: str | None = None) -> Any:
    """1 with the probability that stands in x, otherwise 0, element by element.

    >>> import proa as paddle
    >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    return apply(bernoulli_op, x)


def poisson(x: Any, name: str | None = None) -> Any:
    """Values of the Poisson distribution with the mean that stands in x, element by element.

    >>> import proa as paddle
    >>> x = paddle.poisson(paddle.full([100], 4.0))
    >>> x.shape, x.min().item() >= 0
    ([100], True)
    """
    return apply(poisson_op, x)


def multinomial(x: Any, num_samples: int = 1, replacement: bool = False, name: str | None = None) -> Any:
    """For each row of probabilities (any scale) `num_samples` positions, int64, drawn with or without replacement.

    >>> import proa as paddle
    >>> paddle.multinomial(paddle.to_tensor([0.0, 1.0, 1.0]), 2).sort().tolist()
    [1, 2]
    """
    if only_a_run_tells(num_samples):
        return apply(multinomial_of_fed_op, x, num_samples, replacement=replacement)
    return apply(multinomial_op, x, num_samples=num_samples, replacement=replacement)


def uniform_(x: Any, min: float = -1.0, max: float = 1.0, seed: int = 0, name: str | None = None) -> Any:
    """Fills x, in place, with values spread evenly from `min` up to `max`.

    >>> import proa as paddle
    >>> x = paddle.zeros([9]).uniform_(1.0, 2.0)
    >>> 1 <= x.min().item() <= x.max().item() <= 2
    True
    """
    return changeable(x)._rebind(written_over(x, uniform(_shape(x), x.dtype, min, max, seed)))


def normal_(x: Any, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Any:
    """Fills x, in place, with normally distributed values.

    >>> import proa as paddle
    >>> x = paddle.zeros([1000])
    >>> _ = paddle.normal_(x, mean=5.0, std=0.1)
    >>> 4.9 < x.mean().item() < 5.1
    True
    """
    return changeable(x)._rebind(written_over(x, gaussian(_shape(x), mean, std, dtype=x.dtype)))


def gaussian_(x: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, name: str | None = None) -> Any:
    """Fills x, in place, with normally distributed values; those that a seed other than 0 stands for.

    >>> import proa as paddle
    >>> x = paddle.zeros([1000])
    >>> _ = paddle.tensor.random.gaussian_(x, mean=5.0, std=0.1)
    >>> 4.9 < x.mean().item() < 5.1
    True
    """
    return changeable(x)._rebind(written_over(x, gaussian(_shape(x), mean, std, seed, x.dtype)))


def _gamma(xp, x):
    return xp.asarray(generator(xp).standard_gamma(x.astype("float64"))).astype(x.dtype)


def _dirichlet(xp, alpha):
    if xp is np:
        drawn = host.gamma(engine(), alpha.astype(kind_of(alpha)))
    else:
        drawn = xp.asarray(generator(xp).standard_gamma(alpha.astype("float64")))
    return (drawn / drawn.sum(-1, keepdims=True)).astype(alpha.dtype)


standard_gamma_op = operator("standard_gamma", "X -> Out", kernel=_gamma, infer=same, effects="random",
                             only_here=True, fails="values")
dirichlet_op = operator("dirichlet", "Alpha -> Out", kernel=_dirichlet, infer=same, effects="random")


def dirichlet(alpha: Any) -> Any:
    """Shares that sum to 1 over the last dimension, drawn from the Dirichlet distribution of concentrations alpha."""
    return apply(dirichlet_op, alpha)


_TINY = float(np.finfo("float32").tiny)  # keeps log away from 0


def _uniform_like(x: Any, low: float = 0.0) -> Any:
    sizes = list(x.shape)
    return uniform(shape(x) if -1 in sizes else sizes, dtype_of(x), low, 1.0)


def _exponential(xp, x, *, lambda_: float = 1.0):
    if xp is np:
        drawn = host.exponential(engine(), x.shape, kind_of(x), as_float32(lambda_))
    else:
        drawn = xp.asarray(generator(xp).standard_exponential(x.shape, dtype=kind_of(x))) / lambda_
    return drawn.astype(x.dtype, copy=False)


exponential_op = operator("exponential", "X -> Out", kernel=_exponential, infer=same, effects="random")


def exponential_(x: Any, lam: float = 1.0, name: str | None = None) -> Any:
    """Fills x, in place, from the exponential distribution of rate lam: the mean is 1 / lam.

    >>> import proa as paddle
    >>> paddle.zeros([9]).exponential_().min().item() >= 0
    True
    """
    return changeable(x)._rebind(written_over(x, apply(exponential_op, x._alias(), **{"lambda": float(lam)})))


def cauchy_(x: Any, loc: float = 0, scale: float = 1, name: str | None = None) -> Any:
    """Fills x, in place, from the Cauchy distribution with the median `loc` and the width `scale`.

    >>> import proa as paddle
    >>> x = paddle.zeros([1001])
    >>> _ = paddle.cauchy_(x, loc=3.0, scale=0.1)
    >>> 2.9 < x.median().item() < 3.1
    True
    """
    # in turns of half a circle normally distributed numbers are spread evenly, but for one part in 10⁸; as Paddle draws
    angles = (gaussian(_shape(x), dtype=x.dtype) - 0.5) * math.pi
    return changeable(x)._rebind(written_over(x, tan(angles) * scale + loc))


def geometric_(x: Any, probs: Any, name: str | None = None) -> Any:
    """Fills x, in place, with the numbers of trials up to the first success, each of probability `probs`.

    >>> import proa as paddle
    >>> x = paddle.zeros([1000])
    >>> _ = paddle.geometric_(x, 0.5)
    >>> x.min().item(), 1.7 < x.mean().item() < 2.3
    (1.0, True)
    """
    chance = float(probs) if isinstance(probs, (int, float)) else cast(probs, dtype_of(x))
    if isinstance(chance, float) and not 0 < chance < 1:
        raise ValueError(f"geometric_(probs): must lie between 0 and 1. Received {chance}.")
    failing = math.log1p(-chance) if isinstance(chance, float) else log(chance * -1.0 + 1.0)
    return changeable(x)._rebind(written_over(x, ceil(log(_uniform_like(x, _TINY)) / failing).clip(1.0)))
