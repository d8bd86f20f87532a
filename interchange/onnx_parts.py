"""Operators that the converter to ONNX has nothing for, taken apart into those that it writes: element by element.

Each function is a decomposition (`ops/core/decomposition.py`) of an operator that the files know: what it applies goes
into the Program in the place of the operator. NotImplementedError says what cannot be said so. Operators whose results
depend on positions are in `onnx_positions.py`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..core.dtype import DType, bool_, float32, int32, int64
from ..ops.array.assign import shape
from ..ops.array.concat_split import concat
from ..ops.array.creation import full_like
from ..ops.array.full import constant, full
from ..ops.array.gather import gather
from ..ops.array.reshape import reshape, squeeze, unsqueeze
from ..ops.array.take_along_axis import take_along_axis
from ..ops.array.where import where
from ..ops.core.decomposition import Decomposition
from ..ops.core.signature import parse_signature
from ..ops.linalg.matrix_product import matmul
from ..ops.math.casting import cast
from ..ops.math.elementwise import maximum, minimum
from ..ops.math.reduce import all as every
from ..ops.math.reduce import max as largest
from ..ops.math.reduce import mean, numel, sum
from ..ops.math.reduce import min as smallest
from ..ops.math.unary import abs, ceil, erf, exp, floor, log, log1p, sign, sqrt, square, tanh
from ..ops.random.sampling import gaussian

_F = TypeVar("_F", bound=Callable[..., Any])
PARTS: dict[str, Decomposition] = {}
"""What is known of each operator, by its type."""


def part(type: str, signature: str) -> Callable[[_F], _F]:
    """Declares what an operator is made of in ONNX."""
    def declare(function: _F) -> _F:
        inputs, outputs = parse_signature(signature)
        named = frozenset(p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY)
        PARTS[type] = Decomposition(type, inputs, outputs, function, named)
        return function

    return declare


def as_large(x: Any, like: Any) -> Any:
    """x broadcast to the sizes that it has together with another value. ONNX Runtime has no Where of truth values."""
    if x.dtype == bool_:
        return x.logical_and(full_like(like, 1, "int32") > 0)
    true = cast(full([1], 1, "int32"), bool_)
    return where(true, x, full_like(like, 0, x.dtype))


def chosen(condition: Any, x: Any, y: Any) -> Any:
    """x where a condition holds and y elsewhere, of truth values too."""
    if x.dtype != bool_:
        return where(condition, x, y)
    return cast(where(condition, cast(x, "int32"), cast(y, "int32")), bool_)


def _reduced(loss: Any, reduction: str) -> Any:
    return mean(loss) if reduction == "mean" else sum(loss) if reduction == "sum" else loss


part("isnan_v2", "X -> Out")(lambda x: x != x)
part("isinf_v2", "X -> Out")(lambda x: abs(x) == math.inf)
part("isfinite_v2", "X -> Out")(lambda x: abs(x) < math.inf)
part("acosh", "X -> Out")(lambda x: log(x + sqrt(square(x) - 1.0)))
part("asinh", "X -> Out")(lambda x: sign(x) * log(abs(x) + sqrt(square(x) + 1.0)))
part("atanh", "X -> Out")(lambda x: (log1p(x) - log1p(x * -1.0)) * 0.5)
part("expm1", "X -> Out")(lambda x: tanh(x * 0.5) * (exp(x) + 1.0))  # keeps the digits of small values
part("erfc", "X -> Out")(lambda x: erf(x) * -1.0 + 1.0)
part("trunc", "X -> Out")(lambda x: where(x < 0, ceil(x), floor(x)) if x.dtype.is_floating else x + 0)
part("minus", "X, Y -> Out")(lambda x, y: x - y)
part("lerp", "X, Y, Weight -> Out")(lambda x, y, weight: x + weight * (y - x))
part("squared_l2_norm", "X -> Out")(lambda x: reshape(sum(square(x)), [1]))
part("l1_norm", "X -> Out")(lambda x: reshape(sum(abs(x)), [1]))
part("is_empty", "X -> Out")(lambda x: numel(x) == 0)
part("bernoulli", "X -> Out")(lambda x: cast(_uniform_like(x) < x, x.dtype))


@part("where", "Condition, X, Y -> Out")
def _where(condition: Any, x: Any, y: Any) -> Any:
    """Of truth values alone."""
    return chosen(condition, x, y)


@part("round", "X -> Out")
def _round(x: Any) -> Any:
    """Halves go away from zero; in ONNX they go to the even neighbour."""
    size = abs(x)
    whole = floor(size)
    return sign(x) * (whole + cast(size - whole >= 0.5, x.dtype))


@part("elementwise_fmax", "X, Y -> Out")
def _fmax(x: Any, y: Any) -> Any:
    return where(x != x, as_large(y, x), where(y != y, as_large(x, y), maximum(x, y)))


@part("elementwise_fmin", "X, Y -> Out")
def _fmin(x: Any, y: Any) -> Any:
    return where(x != x, as_large(y, x), where(y != y, as_large(x, y), minimum(x, y)))


@part("elementwise_heaviside", "X, Y -> Out")
def _heaviside(x: Any, y: Any) -> Any:
    return where(x == 0, y, cast(x > 0, x.dtype))


@part("celu", "X -> Out")
def _celu(x: Any, *, alpha: float = 1.0) -> Any:
    return maximum(x, full_like(x, 0)) + (exp(minimum(x * (1 / alpha), full_like(x, 0))) - 1.0) * alpha


@part("logit", "X -> Out")
def _logit(x: Any, *, eps: float = 1e-8) -> Any:
    if eps:
        x = minimum(maximum(x, full_like(x, eps)), full_like(x, 1 - eps))
    else:
        x = where((x < 0).logical_or(x > 1), full_like(x, math.nan), x)
    return log(x / (x * -1.0 + 1.0))


@part("soft_relu", "X -> Out")
def _soft_relu(x: Any, *, threshold: float = 40.0) -> Any:
    return log1p(exp(minimum(maximum(x, full_like(x, -threshold)), full_like(x, threshold))))


@part("stanh", "X -> Out")
def _stanh(x: Any, *, scale_a: float = 0.67, scale_b: float = 1.7159) -> Any:
    return tanh(x * scale_a) * scale_b


@part("rrelu", "X -> Out, Noise?")
def _rrelu(x: Any, *, lower: float = 0.125, upper: float = 1 / 3, is_test: bool = False) -> tuple:
    if not is_test:
        raise NotImplementedError("slopes are drawn in training; export the layer after eval().")
    return where(x < 0, x * ((lower + upper) / 2), x), None


@part("maxout", "X -> Out")
def _maxout(x: Any, *, groups: int, axis: int = 1) -> Any:
    axis %= len(x.shape)
    return largest(apart(x, axis, [-1, groups]), axis + 1)


def apart(x: Any, axis: int, sizes: Sequence[int]) -> Any:
    """A dimension of x divided into several; with -1 for one, the size that is left."""
    known = x.shape[axis]
    sizes = [size if size >= 0 or known < 0 else known // -math.prod(sizes) for size in sizes]
    lead, behind = sizes_of(x)[:axis], sizes_of(x)[axis + 1:]
    return reshaped(x, [*lead, *sizes, *behind])


def sizes_of(x: Any) -> list:
    """The sizes of a value: numbers, and where only a run knows them, parts of its shape with one element."""
    if min(x.shape, default=0) >= 0:
        return list(x.shape)
    found = shape(x)
    return [size if size >= 0 else found[axis:axis + 1] for axis, size in enumerate(x.shape)]


def reshaped(x: Any, sizes: Sequence[Any]) -> Any:
    """A value in other sizes, of which any may be known in a run alone."""
    if open_sizes(sizes) < 2:
        return reshape(x, [size if isinstance(size, int) else -1 for size in sizes])
    return reshape(x, concat([constant([size], int32) if isinstance(size, int) else cast(size, int32)
                              for size in sizes]))


def open_sizes(sizes: Sequence[Any]) -> int:
    """How many sizes only a run knows; -1 is one of them."""
    return len([size for size in sizes if not isinstance(size, int) or size < 0])


@part("addmm", "Input, X, Y -> Out")
def _addmm(bias: Any, x: Any, y: Any, *, Alpha: float = 1.0, Beta: float = 1.0) -> Any:
    return bias * Beta + matmul(x, y) * Alpha


@part("multi_dot", "X* -> Out")
def _multi_dot(x: list) -> Any:
    result = x[0]
    for one in x[1:]:
        result = matmul(result, one)
    return result


@part("matrix_power", "X -> Out")
def _matrix_power(x: Any, *, n: int) -> Any:
    if n < 1:
        raise NotImplementedError(f"n={n} takes an inverse; only powers of 1 and more are products.")
    return _multi_dot([x] * n)


@part("bilinear_tensor_product", "X, Y, Weight, Bias? -> Out")
def _bilinear(x: Any, y: Any, weight: Any, bias: Any) -> Any:
    found = sum(matmul(unsqueeze(x, [0]), weight) * unsqueeze(y, [0]), -1).transpose([1, 0])
    return found if bias is None else found + bias


@part("cross", "X, Y -> Out")
def _cross(x: Any, y: Any, *, dim: int = 9) -> Any:
    if dim == 9:  # the first of three elements
        dim = list(x.shape).index(3)
    along, back = constant([1, 2, 0], int64), constant([2, 0, 1], int64)
    return (gather(x, along, dim) * gather(y, back, dim)) - (gather(x, back, dim) * gather(y, along, dim))


@part("p_norm", "X -> Out")
def _p_norm(x: Any, *, porder: float = 2.0, axis: int = -1, keepdim: bool = False, asvector: bool = False) -> Any:
    """The converter writes no norm of infinity, and for that of all elements the one of each row."""
    along = None if asvector else axis
    if porder == math.inf:
        return largest(abs(x), along, keepdim)
    if porder == -math.inf:
        return smallest(abs(x), along, keepdim)
    if porder == 0:
        return sum(cast(x != 0, x.dtype), along, keepdim=keepdim)
    if porder == 2:
        return sqrt(sum(square(x), along, keepdim=keepdim))
    total = sum(abs(x) if porder == 1 else abs(x) ** porder, along, keepdim=keepdim)
    return total if porder == 1 else total ** (1 / porder)


@part("frobenius_norm", "X -> Out")
def _frobenius_norm(x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False) -> Any:
    return sqrt(sum(square(x), None if reduce_all or not dim else list(dim), keepdim=keep_dim))


@part("reduce_amax", "X -> Out")
def _amax(x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False) -> Any:
    return largest(x, None if reduce_all or not dim else list(dim), keep_dim)


@part("reduce_amin", "X -> Out")
def _amin(x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False) -> Any:
    return smallest(x, None if reduce_all or not dim else list(dim), keep_dim)


@part("isclose", "Input, Other, Rtol?, Atol? -> Out")
def _isclose(x: Any, y: Any, rtol_tensor: Any, atol_tensor: Any, *, rtol: str = "1e-05", atol: str = "1e-08",
             equal_nan: bool = False) -> Any:
    allowed = abs(y) * (float(rtol) if rtol_tensor is None else rtol_tensor) + (
        float(atol) if atol_tensor is None else atol_tensor)
    near = (abs(x - y) <= allowed).logical_and(abs(y) < math.inf).logical_or(x == y)
    return near.logical_or((x != x).logical_and(y != y)) if equal_nan else near


@part("allclose", "Input, Other, Rtol?, Atol? -> Out")
def _allclose(x: Any, y: Any, rtol_tensor: Any, atol_tensor: Any, *, rtol: str = "1e-05", atol: str = "1e-08",
              equal_nan: bool = False) -> Any:
    return every(_isclose(x, y, rtol_tensor, atol_tensor, rtol=rtol, atol=atol, equal_nan=equal_nan))


@part("equal_all", "X, Y -> Out")
def _equal_all(x: Any, y: Any) -> Any:
    if len(x.shape) != len(y.shape) or any(-1 != n != m != -1 for n, m in zip(x.shape, y.shape, strict=True)):
        return full([], 0, "int32") > 0
    return every(x == y)


@part("broadcast_tensors", "X* -> Out*")
def _broadcast_tensors(x: list) -> tuple:
    like = full_like(x[0], 0, "int32")
    for other in x[1:]:
        like = like + full_like(other, 0, "int32")
    return ([as_large(one, like) for one in x],)


@part("multiplex", "X*, Ids -> Out")
def _multiplex(x: list, ids: Any) -> Any:
    ids = reshape(ids, [-1] + [1] * (len(x[0].shape) - 1))
    result = x[0]
    for number, one in enumerate(x[1:], 1):
        result = chosen(ids == number, one, result)
    return result


@part("shard_index", "X -> Out")
def _shard_index(x: Any, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    size = (index_num + nshards - 1) // nshards
    first = size * shard_id
    return where((x >= first).logical_and(x < first + size), x - first, full_like(x, ignore_value))


def _uniform_like(x: Any) -> Any:
    return _uniform(sizes_of(x), float32, 0.0, 1.0)


def _uniform(shape: Any, dtype: DType, low: float, high: float) -> Any:
    """Of numbers that are distributed evenly the converter writes none: the share below a number of a normal one is."""
    share = erf(gaussian(shape, 0.0, 1.0, dtype="float32") * math.sqrt(0.5)) * 0.5 + 0.5
    return cast(share * (high - low) + low, dtype)


@part("uniform_random", "ShapeTensor?, ShapeTensorList*? -> Out")
def _uniform_random(sizes: Any, size_list: list, *, shape: Sequence[int] = (), dtype: DType = float32,
                    min: float = -1.0, max: float = 1.0) -> Any:
    return _uniform(list(shape) if sizes is None and not size_list else size_list or sizes, dtype, min, max)


@part("randint", "ShapeTensor?, ShapeTensorList*? -> Out")
def _randint(sizes: Any, size_list: list, *, low: int = 0, high: int, shape: Sequence[int] = (),
             dtype: DType = int64) -> Any:
    found = floor(_uniform(list(shape) if sizes is None and not size_list else size_list or sizes, float32, low, high))
    return cast(minimum(found, full_like(found, high - 1)), dtype)  # a share may be rounded to 1


@part("huber_loss", "X, Y -> Out, Residual")
def _huber(x: Any, y: Any, *, delta: float = 1.0) -> tuple:
    apart_by = y - x
    size = abs(apart_by)
    return where(size <= delta, square(apart_by) * 0.5, (size - 0.5 * delta) * delta), apart_by


@part("smooth_l1_loss", "X, Y, InsideWeight?, OutsideWeight? -> Diff, Out")
def _smooth_l1(x: Any, y: Any, inside: Any, outside: Any, *, sigma: float = 1.0) -> tuple:
    found = x - y if inside is None else (x - y) * inside
    size, turn = abs(found), sigma * sigma
    loss = where(size < 1 / turn, square(found) * (0.5 * turn), size - 0.5 / turn)
    loss = loss if outside is None else loss * outside
    return found, sum(loss.flatten(1), 1, keepdim=True)


@part("kldiv_loss", "X, Target -> Loss")
def _kldiv(x: Any, target: Any, *, reduction: str = "none") -> Any:
    inside = target > 0
    loss = where(inside, target * (log(where(inside, target, full_like(target, 1))) - x), full_like(x, 0))
    if reduction == "batchmean":
        return sum(loss) / cast(numel(x) / numel(x[0]), x.dtype)
    return _reduced(loss, reduction)


@part("bce_loss", "X, Label -> Out")
def _bce(x: Any, label: Any) -> Any:
    """No logarithm is below -100, of 0 neither."""
    least = full_like(x, -100.0)
    return (label - 1.0) * maximum(log(x * -1.0 + 1.0), least) - label * maximum(log(x), least)


@part("log_loss", "Predicted, Labels -> Loss")
def _log_loss(x: Any, label: Any, *, epsilon: float = 1e-4) -> Any:
    return label * -1.0 * log(x + epsilon) - (label * -1.0 + 1.0) * log(x * -1.0 + (1.0 + epsilon))


@part("sigmoid_cross_entropy_with_logits", "X, Label -> Out")
def _logits(x: Any, label: Any, *, normalize: bool = False, ignore_index: int = -100) -> Any:
    loss = maximum(x, full_like(x, 0)) - x * label + log1p(exp(abs(x) * -1.0))
    counted = cast(label != ignore_index, x.dtype)
    loss = loss * counted
    return loss / maximum(sum(counted), full([1], 1, x.dtype)) if normalize else loss


@part("label_smooth", "X, PriorDist? -> Out")
def _label_smooth(x: Any, prior: Any, *, epsilon: float = 0.0) -> Any:
    if prior is None:
        return x * (1 - epsilon) + epsilon / x.shape[-1]
    return x * (1 - epsilon) + reshape(prior, [-1]) * epsilon


@part("nll_loss", "X, Label, Weight? -> Out, Total_weight")
def _nll(x: Any, label: Any, weight: Any, *, ignore_index: int = -100, reduction: str = "mean") -> tuple:
    counted = label != ignore_index
    label = where(counted, label, full_like(label, 0))
    found = squeeze(take_along_axis(x, unsqueeze(label, [1]), 1, broadcast=False), [1])
    share = cast(counted, x.dtype)
    if weight is not None:
        share = share * reshaped(gather(weight, reshape(label, [-1])), sizes_of(label))
    loss, total = found * share * -1.0, sum(share)
    return sum(loss) / total if reduction == "mean" else _reduced(loss, reduction), total


@part("cos_sim", "X, Y -> Out, XNorm, YNorm")
def _cos_sim(x: Any, y: Any) -> tuple:
    lengths = [sqrt(sum(square(one), -1, keepdim=True)) for one in (x, y)]
    return sum(x * y, -1, keepdim=True) / (lengths[0] * lengths[1]), lengths[0], lengths[1]
