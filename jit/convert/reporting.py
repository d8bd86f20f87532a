"""What conversion tells while it works: which functions it converts, and the code that it makes of them.

Off until `set_verbosity` or `set_code_level` is called, or the environment has TRANSLATOR_VERBOSITY or
TRANSLATOR_CODE_LEVEL. Knows text only.
"""

from __future__ import annotations

import logging
import os
import sys

from ..errors import source_line

CONVERSIONS, LEFT_ALONE = 1, 2  # levels of verbosity
_logger = logging.getLogger("proa.jit")
_levels: dict[str, int] = {}
_outputs: dict[str, list[logging.Handler]] = {}
_VARIABLES = {"verbosity": "TRANSLATOR_VERBOSITY", "code level": "TRANSLATOR_CODE_LEVEL"}


def set_verbosity(level: int | None = 0, also_to_stdout: bool = False) -> None:
    """Tells on the logger `proa.jit` what conversion does.

    `level`: 0 nothing; 1 the functions that are converted, and the Programs that are made; 2 also the functions that
    are called as they are; None: what the environment says. `also_to_stdout`: to standard output as well. Raises
    TypeError for what is no int.

    >>> import proa as paddle
    >>> paddle.jit.set_verbosity(0)
    """
    _set("verbosity", level, also_to_stdout)


def set_code_level(level: int | None = 100, also_to_stdout: bool = False) -> None:
    """Tells on the logger `proa.jit` the code that each function is converted to from now on; level 0 or less: not.

    `also_to_stdout`: to standard output as well. Conversion has one result; the level does not choose among stages.
    `level` None: what the environment says. Raises TypeError for what is no int.

    >>> import proa as paddle
    >>> paddle.jit.set_code_level(0)
    """
    _set("code level", level, also_to_stdout)


def get_verbosity() -> int:
    """The level of `set_verbosity`."""
    return _level("verbosity")


def get_code_level() -> int:
    """The level of `set_code_level`."""
    return _level("code level")


def _set(what: str, level: int | None, also_to_stdout: bool) -> None:
    if level is None:
        _levels.pop(what, None)
    elif isinstance(level, int):
        _levels[what] = level
    else:
        raise TypeError(f"The {what} must be an int. Received {level!r}.")
    _outputs[what] = [_Stream("stderr"), *([_Stream("stdout")] if also_to_stdout else [])]


def _level(what: str) -> int:
    if what not in _levels:
        given = os.environ.get(_VARIABLES[what], "0")
        _levels[what] = int(given) if given.lstrip("-").isdigit() else 0
    return _levels[what]


class _Stream(logging.StreamHandler):
    """Writes to what is standard output or standard error at the time."""

    def __init__(self, name: str):
        super().__init__()
        self._stream_name = name

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = getattr(sys, self._stream_name)
        super().emit(record)


def _tell(what: str, message: str) -> None:
    record = _logger.makeRecord(_logger.name, logging.INFO, "", 0, message, (), None)
    for handler in _logger.handlers or _outputs.get(what) or [_Stream("stderr")]:
        handler.handle(record)


def tell(level: int, message: str) -> None:
    """Says something of this level of verbosity."""
    if _level("verbosity") >= level:
        _tell("verbosity", message)


def tell_code(filename: str, line: int, name: str, source: str) -> None:
    """Shows what a function was converted to."""
    _tell("code level", f"{source_line(filename, line, name)}, is converted to:\n{source}")
