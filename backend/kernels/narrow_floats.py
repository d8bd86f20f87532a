"""16-bit floats to float32 and back: NumPy converts float16 one by one, and bfloat16 not by vectors either.

Both are whole numbers here. float16 to float32 is a shift of its bits, and a product that corrects the exponent, also
of the smallest numbers; back, what falls away is rounded to even, which for the smallest ones an addition does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import bits, i16, i32, of_bits, parallel
from .arrays import F32, bound_plain, flat

LEAST = _LEAST = 1 << 11


@loops.kernel
def _from_half(x, out, n):
    for i in parallel(n, 2):
        half = i32(x[i])
        shifted = (half & 32767) << 13
        number = bits(of_bits(shifted) * 5.192296858534828e33)
        number = shifted | 2139095040 if (half & 31744) == 31744 else number
        out[i] = of_bits(number | ((half & 32768) << 16))


@loops.kernel
def _to_half(x, out, n):
    for i in parallel(n, 2):
        whole = bits(x[i])
        size = whole & 2147483647
        small = bits(of_bits(size) + 0.5) - 1056964608
        usual = (size - 939524096 + 4095 + ((size >> 13) & 1)) >> 13
        half = small if size < 947912704 else usual
        half = (32256 if size > 2139095040 else 31744) if size >= 1199570944 else half
        out[i] = i16(half | ((whole >> 16) & 32768))


@loops.kernel
def _from_brain(x, out, n):
    for i in parallel(n, 1):
        out[i] = of_bits(i32(x[i]) << 16)


@loops.kernel
def _to_brain(x, out, n):
    for i in parallel(n, 1):
        whole = bits(x[i])
        rounded = (whole + 32767 + ((whole >> 16) & 1)) >> 16
        out[i] = i16(((whole >> 16) & 32768) | 32704 if (whole & 2147483647) > 2139095040 else rounded)


_WIDE = {name: (kernel, bound_plain(kernel, "i16* f32* i64"))
         for name, kernel in (("float16", _from_half), ("bfloat16", _from_brain))}
_NARROW = {name: (kernel, bound_plain(kernel, "f32* i16* i64"))
           for name, kernel in (("float16", _to_half), ("bfloat16", _to_brain))}


def converted(x: Any, dtype: Any) -> Any:
    """The array in another dtype, `x.astype(dtype, copy=False)`: large ones by loops, from and to float32."""
    own = x.dtype
    if (type(x) is not np.ndarray or x.size < _LEAST or not x.flags.aligned or own.itemsize + dtype.itemsize != 6
            or F32 not in (own, dtype) or own.kind == dtype.kind == "i"):
        return x.astype(dtype, copy=False)
    found = _WIDE.get(own.name) if dtype is F32 else _NARROW.get(dtype.name)
    if found is None or not loops.is_ready() or not found[0].is_due(x.size):
        return x.astype(dtype, copy=False)
    run = found[1]
    out = np.empty(x.shape, dtype)
    if dtype is F32:
        run(flat(x).view(np.int16), out, x.size)
    else:
        run(flat(x), out.view(np.int16), x.size)
    return out
