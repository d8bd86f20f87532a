"""Values made of nothing or of Python data: to_tensor, assign, full_like, arange, linspace, logspace, eye, …"""

import functools
import math
import numbers
from typing import Any

import numpy as np

from ...backend.kernels.copying import broadcast
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ...core.place import Place, parse_place
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from ..math.casting import cast, check_held, in_dtype
from ..math.comparison import equal
from ..math.reduce import sum_op
from ..program.tensor_arrays import is_array
from .assign import assign_op
from .concat_split import _flat_arguments, stack
from .expand import expand_as
from .fed_axes import numbers_in
from .full import ROUND, constant, dtype_or_default, fill_any_like, full, is_value, number, value_of
from .gradient_shapes import reshape_to
from .reshape import reshape, unsqueeze


def _range(xp, start, end, step):
    return _range_of_numbers(xp, start=start.item(), end=end.item(), step=step.item(), dtype=convert_dtype(start.dtype))


def _range_length(start: Any, end: Any, step: Any, dtype: DType) -> int:
    """How many numbers `arange` gives, counted in the dtype: 0.6 / 0.1 is 6 in float32, not 6.0000001 as in float64."""
    if not dtype.is_floating:
        return max(0, math.ceil((end - start) / step))
    counted = np.float64 if dtype is dt.float64 else np.float32
    with np.errstate(all="ignore"):
        steps = (counted(end) - counted(start)) / counted(step)
    if not np.isfinite(steps):
        raise ValueError(f"arange(start, end, step): must be finite numbers of {dtype.name}, and step not 0 there. "
                         f"Received start={start}, end={end}, step={step}.")
    return max(0, math.ceil(steps))


def _eye(xp, *, num_rows: int, num_columns: int = -1, dtype: DType):
    columns = num_columns if num_columns >= 0 else num_rows
    made = xp.zeros((num_rows, columns), dtype.dtype)
    made.reshape(-1)[:min(num_rows, columns) * columns:columns + 1] = 1
    return made


def _range_of_numbers(xp, *, start: Any, end: Any, step: Any, dtype: DType):
    if not dtype.is_floating:
        return xp.arange(start, end, step, dtype.dtype)
    points = xp.arange(0.0, _range_length(start, end, step, dtype))  # in float64
    if step != 1:
        points *= step
    if start:
        points += start
    return points.astype(dtype.dtype, copy=False)


_INT = {int}


def _linspace(xp, start, stop, num, *, dtype: DType):
    return _linspace_of_numbers(xp, start=start.item(), stop=stop.item(), num=int(num.item()), dtype=dtype)


def _linspace_of_numbers(xp, *, start: Any, stop: Any, num: int, dtype: DType):
    if num < 0:
        raise ValueError(f"linspace(start, stop, num): num must not be negative. Received {num}.")
    points = xp.arange(0.0, num)  # in float64
    points *= (stop - start) / max(num - 1, 1)
    if start:
        points += start
    if num > 1:
        points[-1] = stop  # exactly
    return points.astype(dtype.dtype, copy=False)


arange_op = operator("range", "Start, End, Step -> Out", kernel=_range,
                     infer=lambda start, end, step: Spec((-1,), start.dtype))
eye_op = operator("eye", "-> Out", kernel=_eye, infer=lambda *, num_rows, num_columns=-1, dtype: Spec(
    (num_rows, num_columns if num_columns >= 0 else num_rows), dtype), compiled="eye",
                  unsaid={"dtype": dt.float32})


def _eye_of_fed(xp, rows=None, columns=None, *, num_rows: int = 0, num_columns: int = -1, dtype: DType):
    rows = num_rows if rows is None else numbers_in([rows])[0]
    across = num_columns if columns is None else numbers_in([columns])[0]
    return _eye(xp, num_rows=rows, num_columns=across, dtype=dtype)


eye_of_fed_op = operator(
    "eye_of_fed", "num_rows@?, num_columns@? -> Out", kernel=_eye_of_fed, stands_for=eye_op,
    infer=lambda rows=None, columns=None, *, num_rows=0, num_columns=-1, dtype: Spec(
        (-1 if rows is not None else num_rows, -1 if columns is not None else num_columns), dtype), fails="values")


linspace_op = operator("linspace", "Start, Stop, Num -> Out", kernel=_linspace,
                       infer=lambda start, stop, num, *, dtype: Spec((-1,), dtype))
range_of_numbers = operator(
    "range_of_numbers", "-> Out", kernel=_range_of_numbers, compiled="range",
    composed=lambda *, start, end, step, dtype: apply(arange_op, *(_scalar(n, dtype) for n in (start, end, step))),
    infer=lambda *, start, end, step, dtype: Spec((_range_length(start, end, step, dtype),), dtype))
linspace_of_numbers = operator(
    "linspace_of_numbers", "-> Out", kernel=_linspace_of_numbers, compiled="linspace",
    composed=lambda *, start, stop, num, dtype: _linspace_of_values(start, stop, num, dtype),
    infer=lambda *, start, stop, num, dtype: Spec((num,), dtype))


@results_named("full_like")
def full_like(x: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of x's shape filled with a number; x's dtype unless another is given.

    >>> import proa as paddle
    >>> paddle.full_like(paddle.to_tensor([5, 6]), 7).tolist()
    [7, 7]
    """
    x = value_of(x)
    wanted = x.dtype if dtype is None else convert_dtype(dtype)
    if is_value(fill_value):
        if not current_trace().computes:
            return filled_like(x, fill_value, wanted)
        fill_value = fill_value.item()
    if not isinstance(fill_value, str):  # Paddle takes a number as text
        check_held("full_like(fill_value)", fill_value, wanted)
    return apply(fill_any_like, x, value=fill_value, dtype=wanted)


@results_named("full_like")
def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros of x's shape, and its dtype unless another is given.

    >>> import proa as paddle
    >>> paddle.zeros_like(paddle.to_tensor([5, 6])).tolist()
    [0, 0]
    """
    return full_like(x, 0.0, dtype)


@results_named("full_like")
def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones of x's shape, and its dtype unless another is given.

    >>> import proa as paddle
    >>> paddle.ones_like(paddle.to_tensor([5, 6])).tolist()
    [1, 1]
    """
    return full_like(x, 1.0, dtype)


def empty_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of x's shape whose values are not to be relied on (they are zeros here).

    >>> import proa as paddle
    >>> paddle.empty_like(paddle.ones([2, 3], "int64")).dtype
    paddle.int64
    """
    return zeros_like(x, dtype)


def _scalar(value: Any, dtype: DType) -> Any:
    return cast(value, dtype) if is_value(value) else full((1,), value, dtype)


def _in_dtype(value: Any, dtype: DType) -> Any:
    """The Python number that an element of this dtype is when it is given this value."""
    if type(value) is int and dtype is dt.int64 or type(value) is float and value in ROUND and dtype.is_floating:
        return value
    check_held("a range", value, dtype)
    return dtype.dtype.type(value).item()


def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """The numbers from `start` up to, without, `end`, `step` apart; int64, or the default dtype if one is a float.

    >>> import proa as paddle
    >>> paddle.arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    if end is None:
        start, end = 0, start
    if type(start) is type(end) is type(step) is int and step and (dtype is None or dtype == "int64"):
        return apply(range_of_numbers, start=start, end=end, step=step, dtype=dt.int64)
    if not is_value(step) and step == 0:
        raise ValueError("arange(start, end, step): step must not be 0.")
    given = (start, end, step)
    if dtype is None:
        whole = all(v.dtype.is_integer if is_value(v) else not isinstance(v, (float, np.floating)) for v in given)
        dtype = dt.int64 if whole else dt.get_default_dtype_object()
    dtype = convert_dtype(dtype)
    if any(map(is_value, given)):
        return apply(arange_op, *(_scalar(v, dtype) for v in given))
    start, end, step = (_in_dtype(v, dtype) for v in given)
    return apply(range_of_numbers, start=start, end=end, step=step, dtype=dtype)


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, both included; of the default dtype unless one is given.

    >>> import proa as paddle
    >>> paddle.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    dtype = dtype_or_default(dtype)
    if is_value(start) or is_value(stop) or is_value(num):
        return _linspace_of_values(start, stop, num, dtype)
    calculation = _calculation(dtype)
    return apply(linspace_of_numbers, start=_in_dtype(start, calculation), stop=_in_dtype(stop, calculation),
                 num=int(num), dtype=dtype)


def _linspace_of_values(start: Any, stop: Any, num: Any, dtype: DType) -> Any:
    calculation = _calculation(dtype)
    bounds = _scalar(start, calculation), _scalar(stop, calculation)
    return apply(linspace_op, *bounds, _scalar(num, dt.int32), dtype=dtype)


def _calculation(dtype: DType) -> DType:
    return dt.float64 if dtype.is_integer else dtype


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """Ones on the diagonal of a matrix of zeros; the sizes are ints, or tensors of one element.

    >>> import proa as paddle
    >>> paddle.eye(2, 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if type(num_rows) is int and num_columns is None and num_rows >= 0:
        return apply(eye_op, num_rows=num_rows, num_columns=-1, dtype=dtype_or_default(dtype))
    if is_value(num_rows) or is_value(num_columns):
        return eye_of(num_rows, num_rows if num_columns is None else num_columns, dtype_or_default(dtype))
    for value in (num_rows, num_columns):
        if value is not None and (not isinstance(value, (int, numbers.Integral)) or value < 0):
            raise TypeError(f"eye(num_rows, num_columns): sizes must be ints of at least 0. Received {value!r}.")
    return apply(eye_op, num_rows=int(num_rows), num_columns=-1 if num_columns is None else int(num_columns),
                 dtype=dtype_or_default(dtype))


def _holds_values(data: Any) -> bool:
    return any(_holds_values(item) if isinstance(item, (list, tuple)) else is_value(item) for item in data)


def _told(value: Any, stop_gradient: bool) -> Any:
    if not stop_gradient:
        current_trace().begin_gradient(value)
    return value


@results_named("assign")
def to_tensor(data: Any, dtype: Any = None, place: Place | str | None = None, stop_gradient: bool = True) -> Any:
    """A tensor holding a copy of `data`: a number, nested lists, a NumPy array, or a tensor.

    Floats in lists get the default dtype and ints int64; a NumPy array or scalar keeps its dtype; `dtype` asks for
    another. `place`: where it lies, a place or its name ('cpu', 'gpu:0'), by default the one in use.
    `stop_gradient=False`: gradients are kept in `x.grad`. Raises ValueError for ragged data and TypeError for strings
    or objects.

    >>> import proa as paddle
    >>> paddle.to_tensor([[1.0, 2.0]])
    Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [[1., 2.]])
    >>> x = paddle.to_tensor(3, dtype="float64", stop_gradient=False)
    >>> (x * x).backward()
    >>> x.grad.item()
    6.0
    """
    wanted = None if dtype is None else convert_dtype(dtype)
    if place is not None:
        place = parse_place(place)
    if is_value(data):
        result = current_trace().copy(stack(data) if is_array(data) else as_tensor(data), place)
        return _told(result if wanted is None or result.dtype is wanted else cast(result, wanted), stop_gradient)
    if isinstance(data, (list, tuple)) and not current_trace().computes and _holds_values(data):
        made = tensor_of(data).detach()
        return _told(made if wanted is None or made.dtype is wanted else cast(made, wanted), stop_gradient)
    return constant(data, wanted, place, stop_gradient)


def as_tensor(value: Any) -> Any:
    """The value; a tensor as one of the number would be, where it stands for a number of Python."""
    if not getattr(value, "is_number", False):
        return value
    made = cast(value, dt.get_default_dtype_object()) if value.dtype.is_floating else apply(assign_op, value)
    made.is_number = False
    return made


@results_named("assign")
def assign(x: Any, output: Any = None) -> Any:
    """A tensor with the value of x: a tensor, a number, (nested) lists of numbers or a NumPy array.

    A number becomes a tensor of one dimension, and float64 outside of tensors the default dtype, as in Paddle.

    `output`, when given, gets the value and is returned. Gradients flow from a tensor's copy to the tensor (outside of
    Programs, those of an `output` that is given a value without gradients flow as they did); through a
    Variable given as `output` only if they did before, so that running means and codebooks stay out of them.

    >>> import proa as paddle
    >>> paddle.assign([1, 2]).tolist()
    [1, 2]
    """
    result = apply(assign_op, x) if is_value(x) else to_tensor(_as_assigned(x))
    return result if output is None else output._assigned(result)


def _as_assigned(x: Any) -> Any:
    """What Paddle makes of a constant: a number has one dimension, and float64 becomes the default dtype."""
    array = np.asarray(x)
    if array.ndim == 0 and not isinstance(x, np.ndarray):
        array = array.reshape(1)
        x = array if isinstance(x, np.generic) else [x]
    return array.astype(dt.get_default_dtype_object().dtype) if array.dtype == np.float64 else x


def eye_of(rows: Any, columns: Any, dtype: DType) -> Any:
    """Ones on the diagonal of a matrix of zeros, whose sizes are values."""
    across = arange(0, columns, 1, dtype="int64")
    return cast(equal(unsqueeze(arange(0, rows, 1, dtype="int64"), 1), across), dtype)


def filled_like(x: Any, value: Any, dtype: DType) -> Any:
    """x's shape filled with a value of one element, which has no gradient."""
    filled = expand_as(in_dtype(reshape(value, []), dtype), x)
    filled.stop_gradient = True
    return filled


def tensor_of(data: Any) -> Any:
    """Nested lists of numbers and values as one tensor."""
    if is_value(data):
        return as_tensor(data)
    if not isinstance(data, (list, tuple)):
        return number(data)
    parts = [tensor_of(item) for item in data]
    whole = all(part.dtype.is_integer for part in parts)
    kind = dt.int64 if whole else functools.reduce(dt.promote, [part.dtype for part in parts])
    return stack([in_dtype(part, kind) for part in parts])


def _meshgrid(xp, x):
    _check_vectors(x)
    sizes, rank = tuple([a.size for a in x]), len(x)
    views = [v.reshape((1,) * n + (-1,) + (1,) * (rank - 1 - n)) for n, v in enumerate(x)]
    if xp is not np:
        return [xp.broadcast_to(v, sizes) for v in views]
    grids = [broadcast(v, sizes) for v in views]
    return [np.broadcast_to(v, sizes) if grid is NotImplemented else grid for v, grid in zip(views, grids, strict=True)]


def _check_vectors(x: list[Any]) -> None:
    for v in x:
        if len(v.shape) > 1:
            raise ValueError(f"meshgrid(*args): must be vectors (or 0-d). Received one of shape {list(v.shape)}.")


def _infer_meshgrid(x):
    _check_vectors(x)
    return ([Spec(tuple(s.shape[0] if s.rank else 1 for s in x), v.dtype) for v in x],)


meshgrid_op = operator(
    "meshgrid", "X* -> Out*~X", kernel=_meshgrid,
    infer=_infer_meshgrid,
    grad={"X": lambda g, X_shape: [
        reshape_to(_summed(d, [m for m in range(len(g)) if m != n]), X_shape[n]) for n, d in enumerate(g)]},
    moves=True, lod="drop")


def _summed(g: Any, axes: list[int]) -> Any:
    return apply(sum_op, g, dim=axes, keep_dim=False, reduce_all=False) if axes else g


def meshgrid(*args: Any, **kwargs: Any) -> list:
    """Vectors as coordinates of a grid: of n vectors, n tensors of n dimensions, each varying along one.

    >>> import proa as paddle
    >>> x, y = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 1, 1], [2, 2, 2]], [[3, 4, 5], [3, 4, 5]])
    """
    return apply(meshgrid_op, _flat_arguments(args))


def _logspace(xp, start, stop, num, base, *, dtype: DType):
    given = [float(one.reshape(())) for one in (start, stop, base)]
    first, last, base = given if dtype.is_differentiable else [float(int(one)) for one in given]  # as linspace does
    return (base ** xp.linspace(first, last, int(num.reshape(())))).astype(dtype.dtype)


logspace_op = operator("logspace", "Start, Stop, Num, Base -> Out", kernel=_logspace,
                       infer=lambda start, stop, num, base, *, dtype: Spec((-1,), dtype))


def logspace(start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: str | None = None) -> Any:
    """`num` numbers from base^start to base^stop, both included, evenly spaced in their exponents.

    >>> import proa as paddle
    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    kind = dt.get_default_dtype_object() if dtype is None else convert_dtype(dtype)
    if not is_value(num) and num <= 0:
        raise ValueError(f"logspace(num): must be above 0. Received {num}.")

    def scalar(value: Any, of: DType) -> Any:
        return cast(value, of) if is_value(value) else full([1], value, of)

    return apply(logspace_op, scalar(start, dt.float64), scalar(stop, dt.float64), scalar(num, dt.int32),
                 scalar(base, dt.float64), dtype=kind)
