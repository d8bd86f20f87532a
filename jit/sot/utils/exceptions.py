"""`paddle.jit.sot.utils.exceptions`: one error says that a function cannot become a Program."""

from ...errors import ConversionError

BreakGraphError = FallbackError = InnerError = ConversionError
