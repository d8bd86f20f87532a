"""What a loaded model may take: memory, and rounds of loops. There is no limit unless somebody sets one.

A model from a stranger may loop for ever, or make values as large as the machine lets it. Limits are part of a loaded
Program (`Program.limits`); what heeds them is `static/compiler/limited.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import flags


class LimitError(RuntimeError):
    """A loaded model asks for more memory, or for more rounds of loops, than it may take.

    The message names the operator, what it asked for, and the limit. Fix: where the model is to be trusted, raise the
    limit, or set it to 0, which is none: `jit.load(path, memory_limit_mb=…, loop_limit=…)`.
    """


_WAYS = ("Where the model is to be trusted, raise the limit or set it to 0, which is none: jit.load(path, {0}=…), "
         "static.load_inference_model(path, executor, {0}=…), inference.Config.set_{0}(…), or the flag "
         "FLAGS_loaded_{0}.")


def too_large(what: str, megabytes: int) -> str:
    """What LimitError says of values that do not fit."""
    return (f"{what}: the values of the model may take {megabytes} MB at a time (memory_limit_mb). "
            f"{_WAYS.format('memory_limit_mb')}")


def too_many(rounds: int) -> str:
    """What LimitError says of loops that do not end."""
    return (f"The loops of the model have run {rounds} rounds, which is all that they may (loop_limit). "
            f"{_WAYS.format('loop_limit')}")


class Limits(NamedTuple):
    """Limits of one run: of the bytes that its values take at a time, and of rounds in all its loops; 0: none."""

    memory_mb: int = 0
    loop_rounds: int = 0


def limits_of(caller: str, memory_limit_mb: int | None, loop_limit: int | None) -> Limits | None:
    """The limits that are given; in the place of None those of FLAGS_loaded_memory_limit_mb, FLAGS_loaded_loop_limit.

    None where there are none. ValueError for what is no number of 0 or more.
    """
    found = []
    for name, value, flag in (("memory_limit_mb", memory_limit_mb, "FLAGS_loaded_memory_limit_mb"),
                              ("loop_limit", loop_limit, "FLAGS_loaded_loop_limit")):
        number: Any = flags.values[flag] if value is None else value
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ValueError(f"{caller}({name if value is not None else flag}): must be an int of 0, for no limit, or "
                             f"more. Received {number!r}.")
        found.append(number)
    return Limits(*found) if any(found) else None


def tighter(one: Limits | None, other: Limits | None) -> Limits | None:
    """What holds both limits."""
    if one is None or other is None:
        return one or other
    return Limits(*(min(a, b) if a and b else a or b for a, b in zip(one, other, strict=True)))
