"""What IPython and notebooks show of an error: the user's own lines and the message, without this package's frames.

IPython lets a package show errors itself (`set_custom_exc`); where nobody else does, this one does, once imported.
`paddle.set_flags({"FLAGS_call_stack_level": 2})` shows all frames again. Knows frames by their modules.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from . import flags

_PACKAGE = __name__.partition(".")[0]
_ALL_FRAMES = 2


def begin_with_ipython() -> None:
    """Shows errors in the IPython that runs this, if one does, and nobody else shows them there."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show)


def _show(shell: Any, kind: type[BaseException], error: BaseException, traceback: TracebackType | None,
          tb_offset: int | None = None) -> None:
    """Shows an error as IPython does, of fewer frames."""
    users = without_own_frames(traceback)
    if flags.get_flag("FLAGS_call_stack_level") >= _ALL_FRAMES or users is None or users.tb_next is None:
        users = traceback  # the first frame is IPython's, which leaves it out; nothing but that is left of `users`
    kept = error.__cause__, error.__suppress_context__
    if users is not traceback and kept[0] is not None and kept[0].__traceback__ is not None and without_own_frames(
            kept[0].__traceback__) is None:
        error.__cause__ = None  # and with it the context is not shown
    try:
        shell.showtraceback((kind, error, users), tb_offset=tb_offset)
    finally:
        error.__cause__, error.__suppress_context__ = kept


def without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback of those of its frames that are not of this package's modules; None where there is none."""
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    rest = None
    for one in reversed(frames):
        module = one.tb_frame.f_globals.get("__name__", _PACKAGE)  # what is generated has no module
        if str(module).partition(".")[0] != _PACKAGE:
            rest = TracebackType(rest, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return rest
