"""Operators and functions that make values from nothing or from Python data: full, arange, eye, to_tensor, …"""


import math
import numbers
from typing import Any

import numpy as np

from ...backend.devices import host_values, is_device_array
from ...backend.engines import LOOPS
from ...backend.kernels import copying as fast
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ...core.errors import public_function
from ...core.place import Place, parse_place
from ..core.facts import free
from ..core.infer import same
from ..core.kernels import by
from ..core.operator import Ints, Longs, operator
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from .sizes import sizes_one_by_one


def sizes_of(shape: Any, tensor: Any, parts: Any) -> tuple[int, ...]:
    """The sizes that a kernel is given: an attribute, a 1-D array, or a list of one-element arrays."""
    if tensor is not None:
        return tuple(host_values(tensor))
    if parts:
        return tuple(int(n.item()) for n in parts)
    return tuple(shape)


def inferred_sizes(shape: Any, tensor: Any, parts: Any) -> tuple[int, ...]:
    """What is known of the sizes from the specs of the inputs that give them; -1 for the rest."""
    if tensor is not None:
        if tensor.shape[0] < 0:
            raise ValueError("A shape given as a tensor must have a known number of elements.")
        return (-1,) * tensor.shape[0]
    if parts:
        return tuple(n if n >= 0 else -1 for n in shape) if len(shape) == len(parts) else (-1,) * len(parts)
    return tuple(shape)


def _fill(xp, value_tensor=None, shape_tensor=None, shape_list=None, *, shape: Longs, dtype: DType,
          value: float = 0.0, str_value: str = ""):
    result = xp.empty(sizes_of(shape, shape_tensor, shape_list), dtype.dtype)
    if value_tensor is None:
        result.fill(_fill_value(value, str_value, dtype))
    else:
        result[...] = value_tensor.reshape(())
    return result


def _infer_fill(value_tensor=None, shape_tensor=None, shape_list=None, *, shape, dtype, value=0.0, str_value=""):
    return Spec(inferred_sizes(shape, shape_tensor, shape_list), dtype)


def _fill_by_loops(value_tensor=None, shape_tensor=None, shape_list=None, *, shape, dtype, value=0.0, str_value=""):
    if value_tensor is not None:
        return NotImplemented
    return fast.filled(sizes_of(shape, shape_tensor, shape_list), _fill_value(value, str_value, dtype), dtype.dtype)


fill_constant = operator("fill_constant", "ValueTensor?, ShapeTensor?, ShapeTensorList*? -> Out", kernel=_fill,
                         infer=_infer_fill, engines=[by(LOOPS, _fill_by_loops)], cost=free)


def _fill_value(value: float, text: str, dtype: DType) -> Any:
    """The text form carries what a float32 attribute cannot: large integers, NaN and infinities."""
    if not text:
        return value
    if dtype.is_integer:
        return int(float(text)) if any(c in text for c in ".eE") else int(text)
    return complex(text) if dtype.is_complex else float(text)


def _fill_like_by_loops(x, *, value, dtype=None):
    return fast.filled(x.shape, value, dtype.dtype if dtype else x.dtype)


def _fill_like(xp, x, *, value: float, dtype: DType | None = None):
    result = xp.empty(x.shape, dtype.dtype if dtype else x.dtype)
    result.fill(value)
    return result


def _range(xp, start, end, step):
    return xp.arange(start.item(), end.item(), step.item(), dtype=start.dtype)


def _eye(xp, *, num_rows: int, num_columns: int = -1, dtype: DType):
    return xp.eye(num_rows, num_columns if num_columns >= 0 else None, dtype=dtype.dtype)


def _range_of_numbers(xp, *, start: Any, end: Any, step: Any, dtype: DType):
    return xp.arange(start, end, step, dtype.dtype)


def _linspace(xp, start, stop, num, *, dtype: DType):
    return _linspace_of_numbers(xp, start=start.item(), stop=stop.item(), num=int(num.item()), dtype=dtype)


def _linspace_of_numbers(xp, *, start: Any, stop: Any, num: int, dtype: DType):
    if num < 0:
        raise ValueError(f"linspace(start, stop, num): num must not be negative. Received {num}.")
    points = xp.arange(num, dtype="float64")
    points *= (stop - start) / max(num - 1, 1)
    points += start
    if num > 1:
        points[-1] = stop  # exactly
    return points.astype(dtype.dtype, copy=False)


def _assign_value(xp, *, shape: Ints, dtype: DType, values: Any):
    return xp.array(values, dtype.dtype).reshape(shape)  # a copy: the user keeps theirs


fill_any_like = operator("fill_any_like", "X -> Out", kernel=_fill_like,
                         engines=[by(LOOPS, _fill_like_by_loops, fast.LEAST)],
                         infer=lambda x, *, value, dtype=None: Spec(x.shape, dtype or x.dtype),
                         narrow=True, cost=free)
fill_zeros_like = operator("fill_zeros_like", "X -> Out", kernel=lambda xp, x: xp.zeros_like(x), infer=same)
arange_op = operator("range", "Start, End, Step -> Out", kernel=_range,
                     infer=lambda start, end, step: Spec((-1,), start.dtype))
eye_op = operator("eye", "-> Out", kernel=_eye, infer=lambda *, num_rows, num_columns=-1, dtype: Spec(
    (num_rows, num_columns if num_columns >= 0 else num_rows), dtype))
linspace_op = operator("linspace", "Start, Stop, Num -> Out", kernel=_linspace,
                       infer=lambda start, stop, num, *, dtype: Spec((-1,), dtype))
range_of_numbers = operator(
    "range_of_numbers", "-> Out", kernel=_range_of_numbers,
    composed=lambda *, start, end, step, dtype: apply(arange_op, *(_scalar(n, dtype) for n in (start, end, step))),
    infer=lambda *, start, end, step, dtype: Spec((max(0, math.ceil((end - start) / step)),), dtype))
linspace_of_numbers = operator(
    "linspace_of_numbers", "-> Out", kernel=_linspace_of_numbers,
    composed=lambda *, start, stop, num, dtype: _linspace_of_values(start, stop, num, dtype),
    infer=lambda *, start, stop, num, dtype: Spec((num,), dtype))
assign_value = operator("assign_value", "-> Out", kernel=_assign_value,
                        infer=lambda *, shape, dtype, values: Spec(tuple(shape), dtype), cost=free, precision="keep")


def _dtype_or_default(dtype: Any) -> DType:
    return dt.get_default_dtype_object() if dtype is None else convert_dtype(dtype)


def is_value(x: Any) -> bool:
    """True for a Tensor or a Variable: what an operator takes, as against Python numbers and NumPy arrays."""
    return getattr(type(x), "_is_proa_value", False)


def value_of(x: Any) -> Any:
    """x itself where it is a value, and of a NumPy array the tensor; TypeError for anything else."""
    if is_value(x):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return to_tensor(x)
    raise no_tensor(x)


def no_tensor(x: Any) -> TypeError:
    """What is raised where a Tensor belongs and something else, a number say, was given."""
    shown = repr(x)
    return TypeError(f"{public_function()}: must be given a Tensor. Received {type(x).__name__} "
                     f"{shown if len(shown) < 40 else shown[:36] + '...'}. Make one with paddle.to_tensor(...).")


_INT = {int}


def shape_inputs(shape: Any) -> tuple[tuple[int, ...], Any, list | None]:
    """A user's shape (ints, a list with tensors in it, or a tensor) as attribute, ShapeTensor and ShapeTensorList."""
    if type(shape) in (list, tuple) and _INT.issuperset(map(type, shape)):
        return tuple(shape), None, None
    if isinstance(shape, (int, numbers.Integral)):
        return (int(shape),), None, None
    if is_value(shape):
        return (), shape if shape.ndim else shape.reshape([1]), None
    sizes = list(shape)
    if any(is_value(n) for n in sizes):
        parts = [n if is_value(n) else full((1,), int(n), "int32") for n in sizes]
        return tuple(-1 if is_value(n) else int(n) for n in sizes), None, parts
    return tuple(int(n) for n in sizes), None, None


def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of `shape` (ints, or a tensor of them) filled with a number.

    Without `dtype`: bool, int64 or the default dtype, after the number's type.

    >>> import proa as paddle
    >>> paddle.full([2], 7).tolist()
    [7, 7]
    """
    value_tensor = fill_value if is_value(fill_value) else None
    if dtype is None:
        kind = type(fill_value)
        dtype = dt.bool_ if kind is bool else dt.int64 if isinstance(fill_value, int) else None
        if isinstance(fill_value, complex):
            dtype = dt.complex64
        if value_tensor is not None:
            dtype = value_tensor.dtype
    attribute, tensor, parts = shape_inputs(shape)
    given = {"value": 0.0} if value_tensor is not None else _fill_attrs(fill_value)
    return apply(fill_constant, value_tensor, tensor, parts, shape=attribute, dtype=_dtype_or_default(dtype), **given)


def _fill_attrs(value: Any) -> dict[str, Any]:
    """The number as float32 attribute, and as text where float32 does not hold it."""
    if type(value) is float and -3e38 < value < 3e38 and float(np.float32(value)) == value:
        return {"value": value}
    if isinstance(value, str):
        return {"value": float(value), "str_value": value}
    if isinstance(value, complex):
        return {"value": value.real, "str_value": str(value)}
    number = value.item() if isinstance(value, np.generic) else value
    exact = float(np.float32(number)) == number if abs(number) < 3e38 else False
    return {"value": float(number)} if exact else {"value": float(number), "str_value": repr(number)}


def full_of_shape(shape: Any, value: float, dtype: DType) -> Any:
    """Filled with `value`, in the shape given by a tuple or by a value whose shape it takes (gradient rules)."""
    if isinstance(shape, tuple):
        return apply(fill_constant, None, None, None, shape=shape, dtype=dtype, value=float(value))
    return apply(fill_any_like, shape, value=value, dtype=dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of x's shape filled with a number; x's dtype unless another is given."""
    wanted = x.dtype if dtype is None else convert_dtype(dtype)
    if is_value(fill_value):
        if not current_trace().computes:
            from .unknown_sizes import filled_like

            return filled_like(x, fill_value, wanted)
        fill_value = fill_value.item()
    return apply(fill_any_like, x, value=fill_value, dtype=wanted)


@sizes_one_by_one
def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros, of the default dtype unless another is given."""
    return full(shape, 0.0, _dtype_or_default(dtype))


@sizes_one_by_one
def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones, of the default dtype unless another is given."""
    return full(shape, 1.0, _dtype_or_default(dtype))


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros of x's shape, and its dtype unless another is given."""
    return full_like(x, 0.0, dtype)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones of x's shape, and its dtype unless another is given."""
    return full_like(x, 1.0, dtype)


@sizes_one_by_one
def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of `shape` whose values are not to be relied on (they are zeros here)."""
    return zeros(shape, dtype)


def empty_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of x's shape whose values are not to be relied on (they are zeros here)."""
    return zeros_like(x, dtype)


def _scalar(value: Any, dtype: DType) -> Any:
    return value.astype(dtype) if is_value(value) else full((1,), value, dtype)


def _in_dtype(value: Any, dtype: DType) -> Any:
    """The Python number that an element of this dtype is when it is given this value."""
    return value if type(value) is int and dtype is dt.int64 else dtype.dtype.type(value).item()


def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """The numbers from `start` up to, without, `end`, `step` apart; int64, or the default dtype if one is a float.

    >>> import proa as paddle
    >>> paddle.arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    if end is None:
        start, end = 0, start
    if not is_value(step) and step == 0:
        raise ValueError("arange(start, end, step): step must not be 0.")
    given = (start, end, step)
    if dtype is None:
        floats = any(v.dtype.is_floating if is_value(v) else isinstance(v, (float, np.floating)) for v in given)
        dtype = dt.get_default_dtype_object() if floats else dt.int64
    dtype = convert_dtype(dtype)
    if any(map(is_value, given)):
        return apply(arange_op, *(_scalar(v, dtype) for v in given))
    start, end, step = (_in_dtype(v, dtype) for v in given)
    return apply(range_of_numbers, start=start, end=end, step=step, dtype=dtype)


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, both included; of the default dtype unless one is given."""
    dtype = _dtype_or_default(dtype)
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
    """Ones on the diagonal of a matrix of zeros; the sizes are ints, or tensors of one element."""
    if is_value(num_rows) or is_value(num_columns):
        from .unknown_sizes import eye_of

        return eye_of(num_rows, num_rows if num_columns is None else num_columns, _dtype_or_default(dtype))
    for value in (num_rows, num_columns):
        if value is not None and (not isinstance(value, (int, numbers.Integral)) or value < 0):
            raise TypeError(f"eye(num_rows, num_columns): sizes must be ints of at least 0. Received {value!r}.")
    return apply(eye_op, num_rows=int(num_rows), num_columns=-1 if num_columns is None else int(num_columns),
                 dtype=_dtype_or_default(dtype))


def _holds_values(data: Any) -> bool:
    return any(_holds_values(item) if isinstance(item, (list, tuple)) else is_value(item) for item in data)


def _to_array(data: Any, dtype: DType | None) -> np.ndarray:
    if isinstance(data, (list, tuple)) and any(is_value(item) for item in data):
        data = [item.numpy() if is_value(item) else _to_array(item, None) for item in data]
    array = np.asarray(data)
    if array.dtype == object:
        raise ValueError(
            "to_tensor(data): data must be rectangular (every row of one length) and hold numbers or bools. "
            f"Received {type(data).__name__} that NumPy can only read as objects."
        )
    if dtype is not None:
        return array.astype(dtype.dtype)
    if isinstance(data, (np.ndarray, np.generic)):
        return array
    if array.dtype == np.float64:
        return array.astype(dt.get_default_dtype_object().dtype)
    return array.astype(np.complex64) if array.dtype == np.complex128 else array


def _told(value: Any, stop_gradient: bool) -> Any:
    if not stop_gradient:
        current_trace().begin_gradient(value)
    return value


def to_tensor(data: Any, dtype: Any = None, place: Place | str | None = None, stop_gradient: bool = True) -> Any:
    """A tensor holding a copy of `data`: a number, nested lists, a NumPy array, or a tensor.

    Python floats get the default dtype and Python ints int64; a NumPy array keeps its dtype.
    Raises ValueError for ragged data and TypeError for strings or objects.

    >>> import proa as paddle
    >>> paddle.to_tensor([[1.0, 2.0]]).shape
    [1, 2]
    """
    wanted = None if dtype is None else convert_dtype(dtype)
    if place is not None:
        place = parse_place(place)
    if is_value(data):
        result = current_trace().copy(data, place)
        return _told(result if wanted is None or result.dtype is wanted else result.astype(wanted), stop_gradient)
    if isinstance(data, (list, tuple)) and not current_trace().computes and _holds_values(data):
        from .unknown_sizes import tensor_of

        made = tensor_of(data).detach()
        return _told(made if wanted is None or made.dtype is wanted else made.astype(wanted), stop_gradient)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"to_tensor(data): text cannot become a tensor. Received {data!r}.")
    if is_device_array(data):
        array = data.copy() if wanted is None else data.astype(wanted.dtype)
        dt.from_numpy_dtype(array.dtype)
    else:
        array = _to_array(data, wanted)
        if array is data or array.base is not None:
            array = array.copy()
        dt.from_numpy_dtype(array.dtype)
        array = np.ascontiguousarray(array) if array.ndim else array
    return current_trace().constant(array, place, stop_gradient)
