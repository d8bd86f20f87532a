"""Elements in other positions: flip, roll, rot90, repeat_interleave; and complex values by their parts."""


from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ...backend.repeats import repeat
from ...backend.scatter import add_at
from ...core import dtype as dt
from ..core.infer import broadcast_shapes, normalize_axis
from ..core.operator import Ints, Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import as_floating, dtype_of, in_dtype
from .expand import expand
from .full import is_value, value_of, whole
from .gradient_shapes import sum_to
from .reshape import flatten, ints_of, transpose
from .unknown_sizes import size_at


def _flip(xp, x, *, axis: Ints):
    return xp.flip(x, tuple(axis))


def _infer_flip(x, *, axis):
    for n in axis:
        normalize_axis("flip(x, axis)", n, x.rank)
    return x


flip_op = operator("flip", "X -> Out~X", kernel=_flip, infer=_infer_flip,
                   grad={"X": lambda g, axis: apply(flip_op, g, axis=axis)}, moves=True)


def flip(x: Any, axis: Any, name: str | None = None) -> Any:
    """x with the order of its elements reversed along each of `axis`.

    >>> import proa as paddle
    >>> paddle.flip(paddle.to_tensor([1, 2, 3]), 0).tolist()
    [3, 2, 1]
    """
    return apply(flip_op, x, axis=ints_of(axis))


reverse = flip


def _roll(xp, x, shifts_tensor=None, *, shifts: Longs = (), axis: Longs = ()):
    shifts = shifts if shifts_tensor is None else host_values(shifts_tensor.reshape(-1))
    if not axis:
        return _rolled(xp, x.reshape(-1), shifts[0], 0).reshape(x.shape)
    for shift, n in zip(shifts, axis, strict=True):
        x = _rolled(xp, x, shift, n)
    return x


def _rolled(xp, x, shift, axis):
    size = x.shape[axis]
    cut = size - shift % size if size else 0
    if x.ndim == 1:
        return xp.concatenate((x[cut:], x[:cut]))
    before = (slice(None),) * (axis % x.ndim)
    return xp.concatenate((x[(*before, slice(cut, None))], x[(*before, slice(cut))]), axis)


def _infer_roll(x, shifts_tensor=None, *, shifts=(), axis=()):
    for n in axis:
        normalize_axis("roll(x, shifts, axis)", n, x.rank)
    if axis and shifts_tensor is None and len(axis) != len(shifts):
        raise ValueError(f"roll(x, shifts, axis): as many shifts as axes. Received {list(shifts)} and {list(axis)}.")
    return x


def _roll_back(g: Any, tensor: Any, shifts: Sequence[int], axis: Sequence[int]) -> Any:
    tensor = None if tensor is None else tensor * -1
    return apply(roll_op, g, tensor, shifts=[-n for n in shifts], axis=axis)


roll_op = operator("roll", "X, ShiftsTensor? -> Out", kernel=_roll, infer=_infer_roll,
                   grad={"X": lambda g, ShiftsTensor, shifts, axis: _roll_back(g, ShiftsTensor, shifts, axis)},
                   moves=True, compiled="roll")


def roll(x: Any, shifts: Any, axis: Any = None, name: str | None = None) -> Any:
    """x with its elements moved on by `shifts` along `axis` (or in x flattened), those at the end coming to the front.

    >>> import proa as paddle
    >>> paddle.roll(paddle.to_tensor([1, 2, 3]), 1).tolist()
    [3, 1, 2]
    """
    tensor = shifts if is_value(shifts) else None
    return apply(roll_op, x, tensor, shifts=[] if tensor is not None else ints_of(shifts),
                 axis=[] if axis is None else ints_of(axis))


def rot90(x: Any, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Any:
    """x turned k times by 90 degrees, from the first of `axes` towards the second.

    >>> import proa as paddle
    >>> paddle.rot90(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    x = value_of(x)
    a, b = (normalize_axis("rot90(x, k, axes)", n, x.ndim) for n in axes)
    if a == b:
        raise ValueError(f"rot90(x, k, axes): axes must name two dimensions. Received {list(axes)}.")
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    k = whole(k) % 4
    if k == 2:
        return flip(x, [a, b])
    if k == 1:
        return transpose(flip(x, [b]), order)
    return flip(transpose(x, order), [b]) if k == 3 else x


# repeat_interleave

_REPEATS = "repeat_interleave(repeats)"


def _repeat(xp, x, repeats_tensor=None, *, Repeats: int = 1, dim: int = 0):
    return repeat(xp, _REPEATS, x, Repeats if repeats_tensor is None else host_values(repeats_tensor), dim)


def _infer_repeat(x, repeats_tensor=None, *, Repeats=1, dim=0):
    dim = normalize_axis("repeat_interleave(x, repeats, axis)", dim, x.rank)
    size = x.shape[dim]
    size = size * Repeats if repeats_tensor is None and size >= 0 else -1
    return Spec((*x.shape[:dim], size, *x.shape[dim + 1:]), x.dtype)


def _sum_repeats(xp, g, repeats_tensor=None, *, Repeats: int = 1, dim: int = 0):
    dim %= g.ndim
    if repeats_tensor is None:
        count = g.shape[dim] // Repeats if Repeats else 0
        return g.reshape(*g.shape[:dim], count, Repeats, *g.shape[dim + 1:]).sum(dim + 1, dtype=g.dtype)
    rows = xp.moveaxis(g, dim, 0)
    result = xp.zeros((repeats_tensor.size, *rows.shape[1:]), g.dtype)
    add_at(xp, result, repeat(xp, _REPEATS, xp.arange(repeats_tensor.size), host_values(repeats_tensor)), rows)
    return xp.moveaxis(result, 0, dim)


def _infer_sum_repeats(g, repeats_tensor=None, *, Repeats=1, dim=0):
    dim %= g.rank
    known = repeats_tensor is None and g.shape[dim] >= 0
    size = g.shape[dim] // Repeats if known else -1 if repeats_tensor is None else repeats_tensor.shape[0]
    return Spec((*g.shape[:dim], size, *g.shape[dim + 1:]), g.dtype)


repeat_op = operator(
    "repeat_interleave", "X, RepeatsTensor? -> Out", kernel=_repeat, infer=_infer_repeat,
    grad={"X": lambda g, RepeatsTensor, Repeats, dim: apply(
        sum_repeats_op, g, RepeatsTensor, Repeats=Repeats, dim=dim)}, moves=True)
sum_repeats_op = operator(
    "sum_repeats", "X, RepeatsTensor? -> Out", kernel=_sum_repeats, infer=_infer_sum_repeats,
    grad={"X": lambda g, RepeatsTensor, Repeats, dim: apply(repeat_op, g, RepeatsTensor, Repeats=Repeats, dim=dim)},
    only_here=True)


def repeat_interleave(x: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Each slice of x along `axis` (or each element) repeated: so many times, or as many as a 1-D tensor says.

    >>> import proa as paddle
    >>> paddle.repeat_interleave(paddle.to_tensor([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    tensor = repeats if is_value(repeats) else None
    x, axis = (flatten(x), 0) if axis is None else (x, axis)
    if tensor is not None and not tensor.ndim:  # of each slice the same number
        tensor = expand(tensor, [size_at(x, axis)])
    return apply(repeat_op, x, tensor, Repeats=0 if tensor is not None else whole(repeats), dim=axis)


# complex values

_PART = {dt.complex64: dt.float32, dt.complex128: dt.float64}
_WHOLE = {dt.float32: dt.complex64, dt.float64: dt.complex128}


def _as_complex(xp, x):
    return xp.ascontiguousarray(x).view("complex64" if x.dtype.itemsize == 4 else "complex128")[..., 0]


def _infer_as_complex(x):
    if not x.rank or x.shape[-1] not in (2, -1) or x.dtype not in _WHOLE:
        raise ValueError(f"as_complex(x): x must be float32 or float64 with a last dimension of 2. "
                         f"Received shape {list(x.shape)}, dtype {x.dtype.name}.")
    return Spec(x.shape[:-1], _WHOLE[x.dtype])


def _complex(xp, x, y):
    x, y = xp.broadcast_arrays(x, y)
    out = xp.empty(x.shape, "complex64" if x.dtype.itemsize == 4 else "complex128")
    out.real, out.imag = x, y  # x + 1j * y would multiply an infinite y by 0
    return out


def _infer_complex(x, y):
    return Spec(broadcast_shapes("complex(real, imag)", x.shape, y.shape), _WHOLE[x.dtype])


def _infer_part(x):
    return Spec(x.shape, _PART[x.dtype])


as_complex_op = operator("as_complex", "X -> Out~X", kernel=_as_complex, infer=_infer_as_complex,
                         grad={"X": lambda g: apply(as_real_op, g)}, written=lambda x, part: apply(as_real_op, part))
as_real_op = operator("as_real", "X -> Out", kernel=lambda xp, x: xp.stack([x.real, x.imag], -1),
                      infer=lambda x: Spec((*x.shape, 2), _PART[x.dtype]),
                      grad={"X": lambda g: apply(as_complex_op, g)},
                      written=lambda x, part: apply(as_complex_op, part))
complex_op = operator("complex", "X, Y -> Out", kernel=_complex, infer=_infer_complex,
                      grad={"X": lambda g, X_shape: sum_to(apply(real_op, g), X_shape),
                            "Y": lambda g, Y_shape: sum_to(apply(imag_op, g), Y_shape)}, lod="drop")
real_op = operator("real", "X -> Out", kernel=lambda xp, x: x.real.copy(), infer=_infer_part,
                   grad={"X": lambda g: apply(complex_op, g, g * 0.0)},
                   written=lambda x, part: apply(complex_op, part, apply(imag_op, x)))
imag_op = operator("imag", "X -> Out", kernel=lambda xp, x: x.imag.copy(), infer=_infer_part,
                   grad={"X": lambda g: apply(complex_op, g * 0.0, g)},
                   written=lambda x, part: apply(complex_op, apply(real_op, x), part))


def as_complex(x: Any, name: str | None = None) -> Any:
    """The complex values whose real and imaginary parts are the last dimension, of size 2.

    >>> import proa as paddle
    >>> paddle.as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
    [(1+2j)]
    """
    return apply(as_complex_op, x)


def as_real(x: Any, name: str | None = None) -> Any:
    """Complex values as their real and imaginary parts along a new last dimension.

    >>> import proa as paddle
    >>> paddle.as_real(paddle.to_tensor([1 + 2j])).tolist()
    [[1.0, 2.0]]
    """
    x = value_of(x)
    if not x.dtype.is_complex:
        raise TypeError(f"as_real(x): x must be complex. Received dtype={x.dtype.name}.")
    return apply(as_real_op, x)


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """real + i * imag, of floats that broadcast together: complex64 of float32, complex128 of float64.

    Integers count as floats of the default dtype. Raises TypeError for floats of 16 bits, of which no complex numbers
    are made.

    >>> import proa as paddle
    >>> paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0])).tolist()
    [(1+3j), (2+3j)]
    """
    real, imag = value_of(real), value_of(imag)
    dtype = dt.promote(as_floating(real).dtype, as_floating(imag).dtype)
    if dtype not in _WHOLE:
        raise TypeError(f"complex(real, imag): there are complex numbers of two float32 and of two float64 alone. "
                        f"Received {dtype_of(real).name} and {dtype_of(imag).name}. Convert them: x.astype('float32').")
    return apply(complex_op, in_dtype(real, dtype), in_dtype(imag, dtype))


def real(x: Any, name: str | None = None) -> Any:
    """The real parts; a real tensor as it is.

    >>> import proa as paddle
    >>> paddle.real(paddle.to_tensor([1 + 2j])).tolist()
    [1.0]
    """
    x = value_of(x)
    return apply(real_op, x) if x.dtype.is_complex else x


def imag(x: Any, name: str | None = None) -> Any:
    """The imaginary parts of a complex tensor.

    >>> import proa as paddle
    >>> paddle.imag(paddle.to_tensor([1 + 2j])).tolist()
    [2.0]
    """
    if not dtype_of(x).is_complex:
        raise TypeError(f"imag(x): must be complex. Received {dtype_of(x).name}.")
    return apply(imag_op, x)
