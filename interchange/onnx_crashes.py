"""At which operator a converter ends without a word: found by halves, with models that stop earlier."""

from __future__ import annotations

import copy
from collections.abc import Callable

from ..static.files.inference_model import program_bytes, program_of
from ..static.ir.program import Program

_OUTSIDE = ("feed", "fetch")


def crashes_at(model: str, ends: Callable[[bytes], bool]) -> str | None:
    """What the converter ends at, for people; None where it does of no operator alone.

    `ends` tells whether it ends in this way of a model of these bytes, too.
    """
    with open(model, "rb") as file:
        program = program_of(file.read(), model)
    operators = [op for op in program.global_block().ops if op.type not in _OUTSIDE]
    outside = {op.type for op in program.global_block().ops} & {*_OUTSIDE}
    if not operators or len(outside) < 2 or ends(_first(program, 0)):
        return None
    good, bad = 0, len(operators)  # how many of the first ones it takes, and how many it does not
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if ends(_first(program, middle)) else (middle, bad)
    if bad == len(operators) and not ends(_first(program, bad)):
        return None
    op = operators[bad - 1]
    return f"the operator {op.type}, which makes {op.output_arg_names[0]!r}"


def _first(program: Program, count: int) -> bytes:
    """A model of the first operators, which gives what the last of them makes, or what comes in where there is none."""
    shorter = copy.deepcopy(program)
    block = shorter.global_block()
    feeds, fetches = ([op for op in block.ops if op.type == kind] for kind in _OUTSIDE)
    kept = [op for op in block.ops if op.type not in _OUTSIDE][:count]
    fetches[0].inputs["X"] = [(kept or feeds)[-1].output_arg_names[0]]
    block.ops = [*feeds, *kept, *fetches[:1]]
    return program_bytes(shorter)
