"""Convolution of NumPy arrays with filters, and its transposes: the gradients of its input and of its filters.

Images [n, c, *sizes] may lie in any order; results lie with their channels side by side (channels last), which is the
order that oneDNN has its fastest code for, and are given as views of shape [n, c, *sizes]. Filters [o, c / groups,
*kernel] are C-contiguous as parameters are, and are brought into the order that the code wants in each call, unless
they were packed. Where there are so few windows that this would take longer than the product, it is a product of
matrices (`columns.py`). Every function gives NotImplemented for what it leaves to NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import conv_routines as routines
from .columns import Columns
from .conv_routines import Numbers, PackedWeight, Pairs
from .descriptors import channels_last, element_strides
from .routine import Prepared, Routine, address_of, are_as_long, memoised

_FLOAT32 = np.dtype(np.float32)
_MOST_OTHERS = 2  # orders of one filter, beside the first, that are kept: each takes its memory
_CHANNELS_FIRST, _CHANNELS_LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def convolution(x: np.ndarray, w: Any, strides: Numbers, pads: Pairs, dilations: Numbers, groups: int = 1,
                bias: np.ndarray | None = None, residual: np.ndarray | None = None, epilogue: str | None = None,
                out: np.ndarray | None = None, scale: np.ndarray | None = None) -> Any:
    """epilogue(conv(x, w) + bias + residual): [n, o, *out], channels last, or `out`, which may lie in any order.

    `w` is an array or a PackedWeight; `pads` has a pair (before, after) for each dimension; `epilogue` is one of
    `EPILOGUES`; `residual` has the shape of the result. Filters that are not packed are first multiplied by `scale`
    [o], C-contiguous, where that is given.
    """
    if x.dtype != w.dtype or x.ndim != len(w.shape) or not are_as_long(x.dtype, w.shape[0], bias, scale):
        return NotImplemented
    routine, w = _routine_and_form(x, w, strides, pads, dilations, groups, bias, residual, epilogue, out, scale)
    if routine is None:
        if type(w) is PackedWeight:
            plain, scale = w.unpacked_and_scale()
            return convolution(x, plain, strides, pads, dilations, groups, bias, residual, epilogue, out, scale)
        if scale is not None:
            w = w * scale.reshape(-1, *(1,) * (w.ndim - 1))
        return _otherwise(convolution, x, w, (strides, pads, dilations, groups, bias, residual, epilogue, out))
    if type(routine) is Columns:
        return routine.forward(x, w)
    if residual is not None and (residual.shape != routine.result or residual.dtype != x.dtype):
        return NotImplemented
    if out is None:
        out = channels_last(routine.result, x.dtype)
    addresses = [address_of(x), address_of(w.data if type(w) is PackedWeight else w)]
    if bias is not None:
        bias = np.ascontiguousarray(bias)
        addresses.append(address_of(bias))
    if residual is not None:
        addresses.append(address_of(residual))
    if scale is not None:
        addresses.append(address_of(scale))
    routine(*addresses, address_of(out))
    return out


def _routine_and_form(x: np.ndarray, w: Any, strides: Numbers, pads: Pairs, dilations: Numbers, groups: int,
                      bias: Any, residual: Any, epilogue: str | None, out: Any = None, scale: Any = None) -> tuple:
    """What `_routine` gives, and the filter that it takes: of a packed one the order that these images want.

    Where it has not lain so yet, it is brought into that order now, and stays there beside the others.
    """
    rest = strides, pads, dilations, groups, bias, residual, epilogue, out, scale
    routine = _routine(x, w, *rest)
    if routine is not None or type(w) is not PackedWeight:
        return routine, w
    for form in w.others:
        routine = _routine(x, form, *rest)
        if routine is not None:
            return routine, form
    if len(w.others) + w.in_vain < _MOST_OTHERS:
        plain, left = w.unpacked_and_scale()
        form = pack_weight(plain, x.shape, strides, pads, dilations, groups, left, bias, residual, epilogue)
        if type(form) is PackedWeight and (routine := _routine(x, form, *rest)) is not None:
            form.release()
            w.others = (*w.others, form)
            return routine, form
        w.in_vain += 1
    return None, w


def _routine(x: np.ndarray, w: Any, strides: Numbers, pads: Pairs, dilations: Numbers, groups: int,
             bias: np.ndarray | None, residual: np.ndarray | None, epilogue: str | None, out: np.ndarray | None,
             scale: np.ndarray | None) -> Any:
    """The routine of a convolution, or Columns; None where there is none."""
    key = ("convolution", x.shape, x.strides, x.dtype.char, w.shape, w.strides, strides, pads, dilations, groups,
           bias is None, None if residual is None else residual.strides, epilogue, None if out is None else out.strides,
           scale is None)
    return memoised(key, routines.forward, x, w, strides, pads, dilations, groups, bias, residual, epilogue, out, scale)


def prepared_convolution(x: np.ndarray, w: PackedWeight, strides: Numbers, pads: Pairs, dilations: Numbers,
                         groups: int, bias: np.ndarray | None, residual: np.ndarray | None,
                         epilogue: str | None) -> Prepared | None:
    """`convolution` with this filter and bias, as a function of images that lie as `x`, and of a residual.

    It takes `out`, too, with the channels last of all. Nothing is checked there. None where these operands have no
    routine of their own.
    """
    routine, w = _routine_and_form(x, w, strides, pads, dilations, groups, bias, residual, epilogue)
    if type(routine) is not Routine or bias is not None and not bias.flags.c_contiguous or x.ndim != 4:
        return None
    n, c, *sizes = routine.result
    run = routine.on((n, *sizes, c), x.dtype, w.data, bias)
    return lambda x, residual, out=None: run(x, residual, out).transpose(_CHANNELS_FIRST)


def one_by_one(run: Prepared, x: np.ndarray, residual: np.ndarray | None) -> np.ndarray:
    """What a prepared convolution of one image gives of each of several, which lie as that one does."""
    first = run(x[:1], None if residual is None else residual[:1])
    _, o, h, w = first.shape
    out = np.empty((len(x), h, w, o), x.dtype)
    out[0] = first.transpose(_CHANNELS_LAST)[0]
    for n in range(1, len(x)):
        run(x[n:n + 1], None if residual is None else residual[n:n + 1], out[n:n + 1])
    return out.transpose(_CHANNELS_FIRST)


def bound_convolution(make: Any, x: np.ndarray, w: PackedWeight, strides: Numbers, pads: Pairs, dilations: Numbers,
                      groups: int, bias: np.ndarray | None, residual: np.ndarray | None, epilogue: str | None,
                      known: tuple, after: Any) -> Any:
    """The same as `Routine.bound` makes it, of the weight, scale and bias that are `known`; None where it cannot."""
    routine, w = _routine_and_form(x, w, strides, pads, dilations, groups, bias, residual, epilogue)
    if type(routine) is not Routine or bias is not None and not bias.flags.c_contiguous or x.ndim != 4:
        return None
    result = channels_last(routine.result, x.dtype)
    return routine.bound(make, x, residual, result, (w.data, bias), known, after)


def convolution_input_grad(g: np.ndarray, w: np.ndarray, sizes: Numbers, strides: Numbers, pads: Pairs,
                           dilations: Numbers, groups: int = 1, out: np.ndarray | None = None) -> Any:
    """The gradient [n, c, *sizes] of the images, where `g` is that of the result; channels last, as `out` must be."""
    if g.dtype != w.dtype or g.ndim != w.ndim:
        return NotImplemented
    key = ("input", g.shape, g.strides, g.dtype.char, w.shape, w.strides, sizes, strides, pads, dilations, groups)
    routine = memoised(key, routines.input_grad, g, w, sizes, strides, pads, dilations, groups)
    if routine is None:
        return _otherwise(convolution_input_grad, g, w, (sizes, strides, pads, dilations, groups, out))
    if type(routine) is Columns:
        return _into(out, routine.input_grad(g, w))
    if out is None:
        out = channels_last(routine.result, g.dtype)
    routine(address_of(g), address_of(w), address_of(out))
    return out


def convolution_filter_grad(x: np.ndarray, g: np.ndarray, kernel: Numbers, strides: Numbers, pads: Pairs,
                            dilations: Numbers, groups: int = 1, out: np.ndarray | None = None) -> Any:
    """The gradient [o, c / groups, *kernel] of the filters; C-contiguous, as `out` must be."""
    if x.dtype != g.dtype or x.ndim != g.ndim:
        return NotImplemented
    key = ("filter", x.shape, x.strides, x.dtype.char, g.shape, g.strides, kernel, strides, pads, dilations, groups)
    routine = memoised(key, routines.filter_grad, x, g, kernel, strides, pads, dilations, groups)
    if routine is None:
        return _otherwise(convolution_filter_grad, x, g, (kernel, strides, pads, dilations, groups, out))
    if type(routine) is Columns:
        return routine.filter_grad(x, g, out)
    if out is None:
        out = np.empty(routine.result, x.dtype)
    routine(address_of(x), address_of(g), address_of(out))
    return out


def pack_weight(w: np.ndarray, x_shape: Numbers, strides: Numbers, pads: Pairs, dilations: Numbers,
                groups: int = 1, scale: np.ndarray | None = None, bias: Any = None, residual: Any = None,
                epilogue: str | None = None) -> Any:
    """The filters in the order that their convolution with images of this shape wants, for use again and again.

    They are multiplied on the way by `scale` [o], C-contiguous, where that is given. What follows the product is told
    as at `convolution`.
    """
    x = np.lib.stride_tricks.as_strided(np.empty(1, w.dtype), x_shape, [0] * len(x_shape))
    behind = routines.behind_of(bias, residual, epilogue)
    key = ("pack", x_shape, w.dtype.char, w.shape, w.strides, strides, pads, dilations, groups, scale is None, behind)
    packing = memoised(key, routines.packing, x, w, strides, pads, dilations, groups, scale is not None, behind)
    if packing is None:
        return NotImplemented
    return PackedWeight(w, scale, packing.source, packing.target, packing.packed(w, scale), packing.layout)


def _into(out: np.ndarray | None, result: np.ndarray) -> np.ndarray:
    """The result, written to `out` where that is given."""
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _otherwise(function: Any, a: np.ndarray, b: Any, rest: tuple) -> Any:
    """What oneDNN declines: once more with arrays that it can read, or of 32 bits; else NotImplemented."""
    if a.size == 0 or b.size == 0:
        return NotImplemented
    if element_strides(a) is None or element_strides(b) is None:
        return function(np.ascontiguousarray(a), np.ascontiguousarray(b), *rest)
    if a.itemsize == 2 and a.dtype.name in ("float16", "bfloat16") and all(not isinstance(v, np.ndarray) for v in rest):
        result = function(a.astype(_FLOAT32), b.astype(_FLOAT32), *rest)
        return NotImplemented if result is NotImplemented else result.astype(a.dtype)
    return NotImplemented
