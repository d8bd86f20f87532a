"""full: values filled with a number, and constants of Python data; shapes as users give them.

The lowest of the families: whatever else makes or takes values asks here what a shape or a value is.
"""

import math
import numbers
from typing import Any

import numpy as np

from ...backend import float_errors
from ...backend.devices import host_values, is_device_array
from ...backend.engines import LOOPS
from ...backend.kernels import copying as fast
from ...backend.loops.tape import Declined
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ...core.errors import no_tensor, public_function
from ...core.place import Place
from ..core.facts import free
from ..core.infer import same
from ..core.kernels import by
from ..core.operator import Ints, Longs, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from ..math.casting import check_held
from .sizes import sizes_one_by_one


def sizes_of(shape: Any, tensor: Any, parts: Any) -> tuple[int, ...]:
    """The sizes that a kernel is given: an attribute, a 1-D array, or a list of one-element arrays."""
    if tensor is not None:
        return tuple(host_values(tensor.reshape(-1)))  # 1.x takes [1, 2], too
    if parts:
        return tuple(int(n.item()) for n in parts)
    return tuple(shape)


def inferred_sizes(shape: Any, tensor: Any, parts: Any) -> tuple[int, ...]:
    """What is known of the sizes from the specs of the inputs that give them; -1 for the rest."""
    if tensor is not None:
        if -1 in tensor.shape:
            raise ValueError("A shape given as a tensor must have a known number of elements.")
        return (-1,) * math.prod(tensor.shape)
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
    sizes = shape if shape_tensor is None and not shape_list else sizes_of(shape, shape_tensor, shape_list)
    return fast.filled(sizes, _fill_value(value, str_value, dtype) if str_value else value, dtype.dtype)


def _taped_fill(tape, value_tensor=None, shape_tensor=None, shape_list=None, *, shape, dtype, value=0.0, str_value=""):
    if value_tensor is not None or shape_tensor is not None or shape_list or min(shape, default=0) < 0:
        raise Declined
    return tape.filled(tuple(shape), dtype.dtype, _fill_value(value, str_value, dtype))


fill_constant = operator("fill_constant", "ValueTensor?, ShapeTensor?, ShapeTensorList*? -> Out", kernel=_fill,
                         infer=_infer_fill, engines=[by(LOOPS, _fill_by_loops)], taped=_taped_fill, cost=free,
                         compiled="fill", unsaid={"shape": [], "dtype": dt.float32})


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


def _assign_value(xp, *, shape: Ints, dtype: DType, values: Any):
    return xp.array(values, dtype.dtype).reshape(shape)  # a copy: the user keeps theirs


def sizes_like(like: Any, lod: Any, shape: Any, input_dim_idx: int, output_dim_idx: int) -> tuple[int, ...]:
    """A shape of which one size is another value's; of sequences, along their rows, how many sequences there are."""
    sizes = list(shape)
    if not 0 <= input_dim_idx < len(like.shape) or not 0 <= output_dim_idx < len(sizes):
        raise ValueError("batch_size_like(input, shape, input_dim_idx, output_dim_idx): must be dimensions of both. "
                         f"Received input.shape={list(like.shape)}, shape={sizes}, {input_dim_idx} and "
                         f"{output_dim_idx}.")
    batch = lod[-1].shape[0] - 1 if lod and input_dim_idx == 0 else like.shape[input_dim_idx]
    sizes[output_dim_idx] = max(batch, -1)
    return tuple(sizes)


def _fill_batch(xp, like, lod, *, shape: Ints, dtype: DType, value: float = 0.0, str_value: str = "",
                input_dim_idx: int = 0, output_dim_idx: int = 0):
    result = xp.empty(sizes_like(like, lod, shape, input_dim_idx, output_dim_idx), dtype.dtype)
    result.fill(_fill_value(value, str_value, dtype))
    return result


def _infer_fill_batch(like, lod, *, shape, dtype, value=0.0, str_value="", input_dim_idx=0, output_dim_idx=0):
    return Spec(sizes_like(like, lod, shape, input_dim_idx, output_dim_idx), dtype)


fill_constant_batch_size_like = operator(
    "fill_constant_batch_size_like", "Input, lod^Input -> Out", kernel=_fill_batch, infer=_infer_fill_batch, cost=free,
    narrow=True, lod="drop", unsaid={"dtype": dt.float32})
"""A tensor filled with a number, one of whose sizes is one of another tensor's."""

def _taped_like(tape, x, *, value=0.0, dtype=None):
    return tape.filled(x.shape, x.dtype if dtype is None else dtype.dtype, value)


fill_any_like = operator("fill_any_like", "X -> Out", kernel=_fill_like, taped=_taped_like,
                         engines=[by(LOOPS, _fill_like_by_loops, fast.LEAST)],
                         infer=lambda x, *, value, dtype=None: Spec(x.shape, dtype or x.dtype),
                         narrow=True, cost=free, compiled="fill_like", unsaid={"value": 0.0})
fill_zeros_like = operator("fill_zeros_like", "X -> Out", kernel=lambda xp, x: xp.zeros_like(x), taped=_taped_like,
                           infer=same)
assign_value = operator("assign_value", "-> Out", kernel=_assign_value,
                        infer=lambda *, shape, dtype, values: Spec(tuple(shape), dtype), cost=free, precision="keep")


def dtype_or_default(dtype: Any) -> DType:
    """The dtype that is meant, None meaning the default one."""
    return dt.get_default_dtype_object() if dtype is None else convert_dtype(dtype)


def is_value(x: Any) -> bool:
    """True for a Tensor or a Variable: what an operator takes, as against Python numbers and NumPy arrays.

    >>> import proa as paddle
    >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor([1])
    (True, False)
    """
    return getattr(type(x), "_is_proa_value", False)


def is_value_type(kind: type) -> bool:
    """True for the types of such values."""
    return getattr(kind, "_is_proa_value", False)


def value_of(x: Any) -> Any:
    """x itself where it is a value, and of a NumPy array the tensor; TypeError for anything else."""
    if is_value(x):
        return x
    found = current_trace().lift(x, "x")
    if hasattr(found, "dtype"):
        return found
    raise no_tensor(x)


def changeable(x: Any) -> Any:
    """x itself where it is a value, which can be changed in place; TypeError for anything else."""
    if is_value(x):
        return x
    raise no_tensor(x)


_INT = {int}
ROUND = {float(n) for n in range(-16, 17)}  # numbers that float32 holds, seen at a glance


def whole(n: Any) -> int:
    """An axis or a size as an int; ValueError for a fraction, which `n / 2` gives of an odd n."""
    if isinstance(n, str):
        raise TypeError(f"{public_function()}: axes and sizes must be whole numbers. Received {n!r}.")
    if is_value(n) and n.dtype.is_floating:
        n = float(n)
    if isinstance(n, (float, np.floating)) and n != int(n):
        raise ValueError(f"{public_function()}: axes and sizes must be whole numbers. Received {n}; "
                         "int(...), or // in the place of /, makes a whole number of it.")
    return int(n)


def shape_inputs(shape: Any) -> tuple[tuple[int, ...], Any, list | None]:
    """A user's shape (ints, a list with tensors in it, or a tensor) as attribute, ShapeTensor and ShapeTensorList."""
    if type(shape) in (list, tuple) and _INT.issuperset(map(type, shape)):
        return tuple(shape), None, None
    if isinstance(shape, (int, numbers.Integral)):
        return (int(shape),), None, None
    if is_value(shape):
        return (), shape if shape.ndim else shape[None], None
    sizes = list(shape)
    if any(is_value(n) for n in sizes):
        parts = [n if is_value(n) else full((1,), whole(n), "int32") for n in sizes]
        return tuple(-1 if is_value(n) else whole(n) for n in sizes), None, parts
    return tuple(map(whole, sizes)), None, None


@results_named("fill_constant", draws=2)
def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of `shape` (ints, or a tensor of them) filled with a number.

    Without `dtype` it is of the default dtype, whatever the number is; of complex64 where it is complex. An integer
    that the dtype cannot hold gives its lowest bits.

    >>> import proa as paddle
    >>> paddle.full([2], 7).tolist(), paddle.full([2], 7, "int64").tolist()
    ([7.0, 7.0], [7, 7])
    """
    if type(shape) is list and type(fill_value) is float and fill_value in ROUND and _INT.issuperset(map(type, shape)):
        return apply(fill_constant, None, None, None, shape=tuple(shape), dtype=dtype_or_default(dtype),
                     value=fill_value)
    value_tensor = fill_value if is_value(fill_value) else None
    if dtype is None and isinstance(fill_value, complex):
        dtype = dt.complex64
    wanted = dtype_or_default(dtype)
    if not isinstance(fill_value, str):
        check_held("full(fill_value)", fill_value, wanted)
    attribute, tensor, parts = shape_inputs(shape)
    given = {"value": 0.0} if value_tensor is not None else _fill_attrs(_held(fill_value, wanted))
    return apply(fill_constant, value_tensor, tensor, parts, shape=attribute, dtype=wanted, **given)


def _held(value: Any, dtype: DType) -> Any:
    """What a dtype holds of a number: of an integer its lowest bits, of an array its only element."""
    if isinstance(value, np.ndarray):
        value = value.item()
    return dtype.wrapped(int(value)) if dtype.is_integer and isinstance(value, (int, np.integer)) else value


def number(value: Any) -> Any:
    """A value without dimensions that holds a number of Python's: of bool, int64, complex64 or the default dtype."""
    dtype = dt.bool_ if isinstance(value, bool) else dt.int64 if isinstance(value, int) else None
    return full((), value, dtype)


def exact(value: Any) -> Any:
    """A number of Python's or NumPy's as the attribute of an operator: a float, or an int that no float holds."""
    if isinstance(value, (int, np.integer)) and int(float(value)) != value:
        return int(value)
    return float(value)


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


@sizes_one_by_one
@results_named("fill_constant", draws=2)
def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros, of the default dtype unless another is given.

    >>> import proa as paddle
    >>> paddle.zeros([2, 2], "int64").tolist()
    [[0, 0], [0, 0]]
    """
    return full(shape, 0.0, dtype, name)


@sizes_one_by_one
@results_named("fill_constant", draws=2)
def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones, of the default dtype unless another is given.

    >>> import proa as paddle
    >>> paddle.ones([2, 2], "int64").tolist()
    [[1, 1], [1, 1]]
    """
    return full(shape, 1.0, dtype, name)


@sizes_one_by_one
def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of `shape` whose values are not to be relied on (they are zeros here).

    >>> import proa as paddle
    >>> paddle.empty([2, 3]).shape
    [2, 3]
    """
    return zeros(shape, dtype)


def _to_array(data: Any, dtype: DType | None) -> np.ndarray:
    if isinstance(data, (list, tuple)) and any(is_value(item) for item in data):
        data = [item.numpy() if is_value(item) else _to_array(item, None) for item in data]
    rule = "to_tensor(data): data must be rectangular (every row of one length) and hold numbers or bools."
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ValueError(f"{rule} NumPy says: {error}") from error
    if array.dtype == object and not isinstance(data, (list, tuple, np.ndarray)):
        raise TypeError("to_tensor(data): data must be a number, a list or tuple of such, an array or a Tensor. "
                        f"Received {type(data).__name__}.")
    if array.dtype == object:
        raise ValueError(f"{rule} Received {type(data).__name__} that NumPy can only read as objects.")
    if dtype is dt.bfloat16 and array.dtype == np.uint16:
        return array.view(dtype.dtype)  # its bits, as PaddlePaddle has them in NumPy
    if dtype is not None:
        return float_errors.cast(array, dtype.dtype)
    if hasattr(data, "__array__"):  # an array of NumPy, a LoDTensor, one of another library: it has a dtype
        return array
    default = dt.get_default_dtype_object()
    if array.dtype.kind == "f":
        return float_errors.cast(array, default.dtype)
    if array.dtype == np.int32:
        return array.astype(np.int64)
    return float_errors.cast(array, _complex_of(default)) if array.dtype.kind == "c" else array


def _complex_of(default: DType) -> type[np.complexfloating]:
    """What complex numbers of Python become where floats become `default`."""
    return np.complex64 if default in (dt.float16, dt.float32) else np.complex128


def constant(data: Any, dtype: DType | None = None, place: Place | None = None, stop_gradient: bool = True) -> Any:
    """A tensor holding a copy of a number, of nested lists of numbers or of an array; see `to_tensor`."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"to_tensor(data): text cannot become a tensor. Received {data!r}.")
    if is_device_array(data):
        array = data.copy() if dtype is None else data.astype(dtype.dtype)
        dt.from_numpy_dtype(array.dtype)
    else:
        array = _to_array(data, dtype)
        own = dt.from_numpy_dtype(array.dtype).dtype
        if array is data or array.base is not None:
            array = array.astype(own, order="C")  # an array that was unpickled has a dtype object of its own
        array = np.ascontiguousarray(array) if array.ndim else array
    return current_trace().constant(array, place, stop_gradient)
