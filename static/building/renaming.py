"""What a variable of a Program is called changes: one that goes by another name has another value from there on."""

from __future__ import annotations

import copy
from typing import Any

from ..ir.lod import assign_lod, set_lod
from ..ir.variable import Variable


def assign(variable: Variable, result: Variable) -> None:
    """Appends what gives a variable the value of another, under its name."""
    variable.program.current_block().append("assign", {"X": [result.name]}, {"Out": [variable.name]}, {})
    assign_lod(variable, result.lod)


def take_name(variable: Variable, result: Variable) -> Variable:
    """Lets the variable be another one of its block; the value that it was, which is given, keeps its name."""
    block, program = variable.block, variable.program
    former = copy.copy(variable)
    for name in ("view_of", "partings", "before_cut"):  # that `undo_since` gives them back
        setattr(former, name, getattr(former, name))
    block.vars[former.name] = former
    variable.name = program.new_name(result.name.partition(".tmp")[0])
    variable.shape, variable._dtype, variable.is_data = result.shape, result.dtype, False
    set_lod(variable, result.lod)
    block.add_var(variable)
    assign(variable, result)
    program.renamed.append((variable, former))
    return former


def undo_since(program: Any, count: int) -> None:
    """Gives variables back the names that they had when there were so many renamings."""
    while len(program.renamed) > count:
        variable, former = program.renamed.pop()
        variable.block.vars.pop(variable.name, None)
        vars(variable).update(vars(former))
        variable.block.add_var(variable)
