"""`paddle.utils.dlpack`: arrays shared with other libraries, without a copy (the DLPack protocol)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..backend.cuda import cupy
from ..core.lazy import listed
from ..dygraph.tensor import Tensor, new_tensor

_CUDA = 2  # DLPack's number of the kind of device


class _Managed(ctypes.Structure):
    """The head of a DLTensor, which a capsule points to."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _FromCapsule:
    """A capsule in the form that the protocol wants: with where its memory is."""

    def __init__(self, capsule: Any):
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        head = ctypes.cast(pointer(self._capsule, b"dltensor"), ctypes.POINTER(_Managed)).contents
        return head.device_type, head.device_id


def to_dlpack(x: Tensor) -> Any:
    """A capsule, which another library takes once: it shares the memory of x, whose values it must not change.

    When an optimizer's step, or an operation in place, gives x other values, what was taken keeps those from before.
    Libraries that want an object with `__dlpack__` (`numpy.from_dlpack`) take x itself.

    >>> import proa as paddle
    >>> capsule = paddle.utils.dlpack.to_dlpack(paddle.to_tensor([1.0, 2.0]))
    >>> paddle.utils.dlpack.from_dlpack(capsule).tolist()
    [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"to_dlpack(x): must be a Tensor. Received {type(x).__name__}.")
    return x.__dlpack__()


def from_dlpack(dlpack: Any) -> Tensor:
    """A Tensor that shares the memory of an array of another library, which has `__dlpack__`, or of a capsule.

    A capsule is what the `to_dlpack` of other libraries gives, and can be taken once.

    An operation in place and an optimizer's step give the Tensor other memory: the array is not written.

    >>> import numpy, proa as paddle
    >>> paddle.utils.dlpack.from_dlpack(numpy.arange(3)).tolist()
    [0, 1, 2]
    """
    if type(dlpack).__name__ == "PyCapsule":
        if '"dltensor"' not in repr(dlpack):
            raise ValueError(f"from_dlpack(dlpack): a capsule can be taken once, and this one has been. "
                             f"Received {dlpack!r}.")
        dlpack = _FromCapsule(dlpack)
    if not hasattr(dlpack, "__dlpack__"):
        raise TypeError(
            "from_dlpack(dlpack): must be an array with __dlpack__, such as torch's tensors and NumPy's arrays, or a "
            f"capsule. Received {type(dlpack).__name__}."
        )
    on_cuda = dlpack.__dlpack_device__()[0] == _CUDA
    return new_tensor((cupy() if on_cuda else np).from_dlpack(dlpack))


__all__ = ["from_dlpack", "to_dlpack"]
__dir__ = listed(__name__)
