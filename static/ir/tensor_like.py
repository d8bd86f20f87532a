"""Methods that Tensors have, and a variable of a Program too, where no value is needed to answer.

So converted code does not meet an attribute that is not there in `x.to("float16")` or `x.is_sparse()`.
"""

from __future__ import annotations

from typing import Any

from ...core.dtype import dtype_or_that_of
from ...core.place import Place, is_device_name


class TensorLike:
    """Those methods; a variable is dense, has one place (its Executor's), and nobody sees how it lies in memory."""

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Converted: `to(dtype)`, `to(device, dtype)` or `to(other)`; all of a Program runs at its Executor's place."""
        result = self
        for value in (*args, kwargs.get("device"), kwargs.get("dtype"), kwargs.get("other")):
            if value is None or isinstance(value, (bool, Place)) or isinstance(value, str) and is_device_name(value):
                continue
            dtype = dtype_or_that_of(value)
            result = result if dtype is result.dtype else result.astype(dtype)
        return result

    def contiguous(self: Any) -> Any:
        """The variable itself."""
        return self

    def is_contiguous(self) -> bool:
        """True."""
        return True

    def is_dense(self) -> bool:
        """True."""
        return True

    def is_sparse(self) -> bool:
        """False."""
        return False

    is_sparse_coo = is_sparse_csr = is_selected_rows = is_dist = is_sparse

    @property
    def data(self: Any) -> Any:
        """The variable itself."""
        return self

    def __divmod__(self: Any, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self: Any, other: Any) -> tuple[Any, Any]:
        return other // self, other % self
