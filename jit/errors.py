"""What goes wrong when a function is converted, or when its converted form meets what cannot be staged.

Knows nothing of tensors or programs.
"""

from __future__ import annotations

RETURN_VALUE = "return_value__"  # the variable that holds what a converted function returns


class ConversionError(RuntimeError):
    """A function, or a statement of it, cannot become part of a program.

    The message names the user's file and line, the cause and the way out:

        File "net.py", line 12, in forward: `return` inside a loop whose number of turns a tensor decides …
    """

    def __init__(self, where: str, cause: str, way_out: str):
        super().__init__(f"{where}: {cause} {way_out}".strip())
        self.where = where
        self.cause = cause
        self.way_out = way_out


def place(filename: str, line: int, function: str) -> str:
    """A place in the user's source, in the form tracebacks use and editors know."""
    return f'File "{filename}", line {line}, in {function}'
