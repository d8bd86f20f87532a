"""`paddle.pir`: the newer form of Programs, in which there are none here. Its classes are there to be asked about.

Code for both forms asks `isinstance(x, paddle.pir.Value)`, which is False of everything.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .core.dtype import DTYPES, DType
from .core.lazy import listed

__all__ = ["DataType", "OpResult", "Value", "decompose", "vartype_to_datatype"]
DataType = DType
vartype_to_datatype = {dtype: dtype for dtype in DTYPES}
"""Element types by those of the older form of Programs, which are the same here."""
__dir__ = listed(__name__)


class Value:
    """A value of such a Program: none can be made."""

    def __init__(self, *args: Any, **kwargs: Any):
        _refuse()


class OpResult(Value):
    """A result of an operation of such a Program: none can be made."""


def decompose(program: Any, src_vars: Any, blacklist: Any = frozenset(), whitelist: Any = frozenset()) -> NoReturn:
    """NotImplementedError: there are no Programs in this form."""
    _refuse()


def _refuse() -> NoReturn:
    raise NotImplementedError("paddle.pir: Programs in this form are not supported. Use paddle.static.Program.")
