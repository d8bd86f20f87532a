"""Names of `paddle.jit.dy2static.utils`."""

from ..errors import Dygraph2StaticException
from ..operators.undefined import Undefined as UndefinedVar

__all__ = ["Dygraph2StaticException", "UndefinedVar"]
