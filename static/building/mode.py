"""Static mode: the default Programs, the guards that exchange them, and whether building a Program is the default.

Static mode is a trace: `enable_static` makes a program trace the thread's outermost one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...core import unique_name
from ...core.random import ask_for_program_seed
from ...ops.core.trace import Trace, current_trace, default_trace, set_default_trace, state
from ..ir import name_scopes
from ..ir import program as ir
from ..program import Program
from .trace import ProgramTrace


class DefaultTrace(ProgramTrace):
    """Appends to whichever Programs are the default ones at the moment."""

    is_default = True

    def __init__(self) -> None:
        super().__init__(Program(), Program())


_default = DefaultTrace()
_eager: list[Trace] = []
_guards = [0]  # how many `program_guard`s are open
_names = [unique_name.UniqueNameGenerator()]  # those of Programs, while eager code draws others


def _own_trace(program: ir.Program) -> ProgramTrace:
    """What appends to a Program: the trace of the default Programs where it is one of them."""
    if program is _default.main:
        return _default
    trace = ProgramTrace(program, _default.startup)
    for attribute in ("least_rank", "variables_are_true", "_aligns_at_first", "_names_by_turn"):
        setattr(trace, attribute, getattr(_default, attribute))
    return trace


ir.offer_own_trace(_own_trace)
ask_for_program_seed(lambda: getattr(_default.main, "random_seed", 0))


def default_program_trace() -> ProgramTrace:
    """What appends to the default Programs."""
    return _default


def eager_trace() -> Trace:
    """What computes operators at once, also while the default is to append them to a Program."""
    return _eager[0] if _eager else default_trace()


def set_least_rank(rank: int) -> None:
    """1: from now on the default Programs declare what is without dimensions as one element, as Paddle 1.x does.

    Their variables are then true, as those of 1.x are: `if mask:` asks whether there is one. What `print` shows of a
    Program and of its parts is then what stands in a file.
    """
    ir.Program.printed_as_in_files = bool(rank)
    _default.least_rank, _default.variables_are_true = rank, bool(rank)


def begin_as_paddle_2_4(eager: Trace) -> None:
    """From now on no value is without dimensions: not of the default Programs, nor of `eager`, which computes at once.

    Variables of these Programs are true, as those of 1.x: code of that time asks by `if mask:` whether there is one.
    """
    _default.least_rank, _default.variables_are_true = 1, True
    _default._aligns_at_first = _default._names_by_turn = False
    if _eager:
        _eager[:] = [eager]
    else:
        set_default_trace(eager)


def default_main_program() -> Program:
    """The Program that static code appends to.

    >>> import proa as paddle
    >>> from proa import static
    >>> main = static.Program()
    >>> with static.program_guard(main):
    ...     same = static.default_main_program() is main
    >>> same
    True
    """
    return _default.main


def default_startup_program() -> Program:
    """The Program that initializes parameters.

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     same = static.default_startup_program() is startup
    >>> same
    True
    """
    assert _default.startup is not None
    return _default.startup


def leave_closed_guards() -> None:
    """After dynamic mode that a `program_guard` asked for and that outlived it: its trace is not what comes back."""
    if not _guards[0] and state.trace is _default:
        state.trace = default_trace()


@contextlib.contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Within the block these are the default Programs, and what runs is appended to them.

    Raises TypeError when one of them is no Program.

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = x * 2
    >>> import numpy as np
    >>> static.Executor().run(main, {"x": np.ones((1, 2), "float32")}, [y])[0].tolist()
    [[2.0, 2.0]]
    """
    for program in (main_program, startup_program):
        if program is not None and not isinstance(program, Program):
            raise TypeError(f"program_guard takes Programs. Received {type(program).__name__}.")
    old = _default.main, _default.startup, state.trace
    _default.main = main_program
    _default.startup = startup_program or _default.startup
    state.trace = _default
    _guards[0] += 1
    try:
        yield
    finally:
        _guards[0] -= 1
        _default.main, _default.startup = old[:2]
        if not state.trace.computes:  # not where the block has asked for dynamic mode, which stays
            state.trace = old[2]


def switch_programs(main: Program | None = None, startup: Program | None = None) -> Program:
    """Makes one of them a default Program from now on; gives the one that it was."""
    if main is not None:
        old, _default.main = _default.main, main
        return old
    before = default_startup_program()
    _default.startup = startup
    return before


def enable_static() -> None:
    """From now on operations are appended to the default main Program instead of run.

    Names of parameters are others than those of eager code: they go on where Programs' have ended, first at 0. So a
    network has the same names in both modes, and values that one has saved are found in the other.

    >>> import proa as paddle
    >>> paddle.enable_static()
    >>> paddle.in_dynamic_mode()
    False
    >>> paddle.disable_static()
    >>> paddle.in_dynamic_mode()
    True
    """
    if not _eager:
        _eager.append(set_default_trace(_default))
        unique_name.switch(_names[0])


@contextlib.contextmanager
def appending() -> Iterator[None]:
    """Static mode within the block, with the names of the mode before, which comes back after it."""
    was_static = bool(_eager)
    if not was_static:
        _eager.append(set_default_trace(_default))
    try:
        yield
    finally:
        if not was_static and _eager:  # the block may have gone back itself
            set_default_trace(_eager.pop())


def disable_static(place: object = None) -> None:
    """From now on operations run at once, and names of parameters count from 0 again.

    >>> import proa as paddle
    >>> paddle.enable_static()
    >>> paddle.in_dynamic_mode()
    False
    >>> paddle.disable_static()
    >>> paddle.in_dynamic_mode()
    True
    """
    if _eager:
        set_default_trace(_eager.pop())
        _names[0], _ = unique_name.switch()


def in_static_mode() -> bool:
    """True while operations are appended to a Program."""
    return not current_trace().computes


def in_dynamic_mode() -> bool:
    """True while operations run at once.

    >>> import proa as paddle
    >>> paddle.in_dynamic_mode()
    True
    """
    return not in_static_mode()


@contextlib.contextmanager
def name_scope(prefix: Any = None) -> Iterator[None]:
    """Operations that are appended within have the scope's path as their attribute `op_namescope`.

    Names of variables are not changed.

    >>> import proa as paddle
    >>> program = paddle.static.Program()
    >>> with paddle.static.program_guard(program), paddle.static.name_scope("encoder"):
    ...     scaled = paddle.static.data("x", [3]) * 2.0
    >>> program.global_block().ops[0].attr("op_namescope")[:8]
    '/encoder'
    """
    with name_scopes.scope(prefix):
        yield
