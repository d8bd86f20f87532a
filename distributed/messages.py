"""Objects as bytes between processes: a pickle that is read without running code, as `paddle.load` reads files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from ..core.pickle_writer import NotPlainError, PickleWriter
from ..core.safe_pickle import load_state
from ..dygraph.tensor import Tensor
from ..ops.array.creation import to_tensor

_PROTOCOL = 4
_TENSOR = "\0tensor"  # the key of a dict that stands for a Tensor


def to_bytes(function: str, obj: Any) -> bytes:
    """An object as bytes. TypeError, in the name of `function`, for one that a reader would refuse."""
    file = io.BytesIO()
    try:
        PickleWriter(file, _PROTOCOL).dump(_changed(obj, _without_tensor))
    except NotPlainError as error:
        raise TypeError(f"{function}(obj): messages hold numbers, strings, containers of them, arrays and Tensors, so "
                        f"that none can run code. {error}") from error
    return file.getvalue()


def of_bytes(data: bytes) -> Any:
    """The object. UnsafePickleError or CorruptFileError for bytes that hold another."""
    return _changed(load_state(data, "a message"), _with_tensor)


def _without_tensor(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    is_wide = value.dtype.name != "bfloat16"  # which pickles do not know
    return {_TENSOR: (value if is_wide else value.astype("float32")).numpy(), "dtype": value.dtype.name}


def _with_tensor(value: Any) -> Any:
    return to_tensor(value[_TENSOR], value["dtype"]) if isinstance(value, dict) and _TENSOR in value else value


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """The object with every part of it changed, from the inside."""
    if type(value) is dict:
        return change({key: _changed(item, change) for key, item in value.items()})
    if type(value) in (list, tuple):
        return type(value)(_changed(item, change) for item in value)
    return change(value)
