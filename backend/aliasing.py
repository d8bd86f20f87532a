"""Aliasing: where an update may write in place, and where a view of the memory outlives it: copy on write.

A view holds a reference to the array that owns the memory. So a parameter's array is a view itself, of an owner that
nothing else knows: the owner's reference count then tells whether anyone but the parameter looks at the memory, at the
price of one look. Who may write asks here, and writes into the same memory or, where a reshaped, transposed or saved
value shares it, into new memory that the parameter has alone: what was taken before keeps its values.

Two things follow for all other code. Array objects are not passed on as they are from one value to another: a kernel
whose result is its input, a Tensor made of another's array, gets `array.view()`, which is counted; the array object of
a parameter belongs to that parameter. And memory that came from elsewhere (a file, another library, a larger buffer
that others see too) is never written: the first update leaves it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

copies = [0]
"""How often an update has found memory that others see, or that is not its own, and moved to new memory."""

COUNTS_TELL = hasattr(sys, "getrefcount") and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether the interpreter counts references, so that a count says who else holds an object."""
_getrefcount: Any = getattr(sys, "getrefcount", lambda _: -1)
_alone = 0  # references to the owner of a view that nothing else looks at, as `to_write` counts them


def to_write(arrays: Sequence[Any]) -> list[Any]:
    """These arrays, whose elements lie in order, or, where others see the memory of one, a copy of it.

    A copy is a view of memory that nothing else sees, so that the next update can write into it.
    """
    result = []
    for x in arrays:
        owner = x.base
        if _getrefcount(owner) != _alone or type(owner) is not type(x) or owner.base is not None:
            copies[0] += 1
            x = x.copy().view()
        result.append(x)
    return result


def owner_of(x: Any) -> Any:
    """The array that owns the memory of an array, or what else does; the array itself where it does."""
    while getattr(x, "base", None) is not None:
        x = x.base
    return x


def changing(x: Any) -> Any:
    """An array object of its own with x's values, to be written into: in x's memory where nothing else sees that."""
    flags = x.flags
    if flags.c_contiguous and getattr(flags, "writeable", True):
        [found] = to_write([x])
        return found.view() if found is x else found
    copies[0] += 1
    return x.copy().view()


def _calibrated() -> int:
    """What `to_write` counts for a view that is alone; 0, which is never met, where counts do not tell."""
    global _alone
    before = copies[0]
    for _alone in range(1, 8) if COUNTS_TELL else ():
        alone, seen = np.zeros(1).view(), np.zeros(1).view()
        views = [seen[:], seen]
        if to_write([alone])[0] is alone:
            break
    tells = COUNTS_TELL and to_write([alone])[0] is alone and to_write([seen])[0] is not views[1]
    copies[0] = before
    return _alone if tells else 0


_alone = _calibrated()


def dlpack_of(array: Any, options: Mapping[str, Any]) -> Any:
    """The array as DLPack hands it on; a copy of one that must not be written, where the protocol has no word for that.

    NumPy 1 knows none, nor do libraries that ask for an unversioned capsule.
    """
    try:
        return array.__dlpack__(**options)
    except BufferError:
        if array.flags.writeable:
            raise
        return array.copy().__dlpack__(**options)
