"""`proa explain`: what `to_static` makes of each function of a script."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

_STAGED = {"conditional_block": "branch", "while": "loop"}
_MOST = 12
_EVENTS = {"called within another": "became part of the Programs of functions that call it",
           "called as written": "was called while to_static was switched off, and ran as it was written",
           "called": "was called, and the call ended with an error", "decorated": "was never called"}


@click.command("explain", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("script", type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(script: str, arguments: Sequence[str]) -> int:
    """Run a script and tell what to_static made of its functions.

    Of each: the Program, with the branches and loops that became part of it, the values that it relies on, and the
    state that it changes; or why the function runs as it was written. ARGUMENTS are the script's own.
    """
    from ..jit.convert import reporting
    from ..jit.tracing.accounts import accounts
    from .run import main as run

    left_alone = _LeftAlone()
    logger = logging.getLogger(f"{__name__.partition('.')[0]}.jit")
    logger.addHandler(left_alone)
    before = reporting.get_verbosity()
    reporting.set_verbosity(reporting.LEFT_ALONE)
    status: Any = 0
    with accounts() as found:
        try:
            status = run([script, *arguments], "explain")
        except SystemExit as end:
            status = end.code
        finally:
            logger.removeHandler(left_alone)
            reporting.set_verbosity(before)
            if os.path.isfile(script):
                _say(found, left_alone.messages)
    return status if isinstance(status, int) else 0 if status is None else 1


def _say(found: Sequence[Any], left_alone: dict[str, None]) -> None:
    """Tells it behind what the script has printed."""
    with contextlib.suppress(OSError, ValueError):  # nobody may read that any more
        sys.stdout.flush()
    click.echo("\n".join(_told(found, left_alone)), err=True)


class _LeftAlone(logging.Handler):
    """Keeps what is said of functions that are called as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a message of that kind."""
        head, _, text = record.getMessage().partition(": ")
        if head == "called as it is":
            self.messages[text] = None


def _told(found: Sequence[Any], left_alone: Sequence[str] | dict[str, None]) -> Iterator[str]:
    if not found:
        yield "No function was converted: none is decorated with to_static."
    functions: dict[int, list[Any]] = {}
    for account in found:
        functions.setdefault(id(getattr(account.function, "__code__", account.function)), []).append(account)
    for accounts in functions.values():
        yield f"{accounts[0].where}: `{getattr(accounts[0].function, '__qualname__', accounts[0].function)}`"
        made = [account for account in accounts if not account.event]
        for account in made[:_MOST]:
            yield from _of_one(account)
        if len(made) > _MOST:
            yield f"  … and {len(made) - _MOST} more"
        if not made:
            happened = {account.event for account in accounts}
            yield f"  {next(words for event, words in _EVENTS.items() if event in happened)}"
    if left_alone:
        yield "called as they are, within these functions:"
        yield from (f"  {message}" for message in left_alone)


def _of_one(account: Any) -> Iterator[str]:
    from ..jit.footprint.locations import ABSENT

    arguments = ", ".join(f"{name}: {_shown(value)}" for name, value in account.arguments.items())
    if account.program is None:
        yield f"  ({arguments}) runs as it was written"
        yield from (f"    {line}" for line in str(account.reason).splitlines())
        return
    program = account.program.main_program
    operations = [op for block in program.blocks for op in block.ops]
    again = f", made again since {', '.join(account.instead_of)} changed" if account.instead_of else ""
    yield f"  ({arguments}) is a Program of {len(operations)} operations{again}"
    places = [(_STAGED[op.type], _place(program, op)) for op in operations if op.type in _STAGED]
    somewhere = {kind for kind, place in places if place}  # an `else` that nobody wrote stands nowhere
    staged = dict.fromkeys(f"{kind}{place}" for kind, place in places if place or kind not in somewhere)
    if staged:
        yield f"    in it: {', '.join(staged)}"
    guards = dict.fromkeys(f"{guard.shown} = {_short(guard.value)}" for guard in account.program.guards
                           if guard.value is not ABSENT)
    if guards:
        yield f"    relies on: {', '.join(list(guards)[:_MOST])}{' …' if len(guards) > _MOST else ''}"
    changed = dict.fromkeys([slot.shown for slot in account.program.slots] + [e.shown for e in account.program.effects])
    if changed:
        yield f"    changes: {', '.join(changed)}"


def _place(program: Any, op: Any) -> str:
    """Where the first operation within a branch or loop was written."""
    index = getattr(op.attrs.get("sub_block"), "idx", op.attrs.get("sub_block"))
    inner = program.blocks[index].ops if isinstance(index, int) else []
    source = next((each.source for each in inner if each.source), "")
    return f" around {source}" if source else ""


def _shown(value: Any) -> str:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{getattr(value.dtype, 'name', value.dtype)}{list(value.shape)}"
    return _short(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
