"""Branches and loops: regions become blocks that assign to variables around them."""

from __future__ import annotations

from ....core.dtype import convert_dtype
from ...building.control_flow import append_branch, append_while
from .json_file import PirBlock, TensorType
from .values import Translation


def _yielded(t: Translation, region: PirBlock) -> list[int]:
    """The numbers that a block gives."""
    last = region.operations[-1] if region.operations else None
    if last is None or last.name != "cf.yield":
        t.fail("one of its blocks does not end with cf.yield")
    return last.operands


def _inner(t: Translation, region: PirBlock) -> None:
    """The operations of a region, in a new block; the operation in hand stays."""
    here = t.op
    t.operations(region)
    t.op = here


def branch(t: Translation) -> None:
    """`if`: each branch assigns what it gives to variables around it, of which one is chosen."""
    if len(t.op.regions) != 2 or len(t.op.operands) != 1:
        t.fail("a branch has a condition and two blocks")
    here, condition = t.op, t.tensor(t.operand(0))
    types = [of_type for _, of_type in here.results]
    opposite = t.variable(t.fresh("logical_not.tmp"), TensorType("tensor", convert_dtype("bool"),
                             t.block.var(condition).shape), True)
    t.append("logical_not", {"X": [condition]}, {"Out": [opposite]}, {})
    sides = []
    for region, mask in zip(here.regions, (condition, opposite), strict=True):
        outer, block = [], t.program.create_block(t.block.idx)
        parent = t.block
        for of_type in types:
            if not isinstance(of_type, TensorType):
                t.fail("a branch gives a list")
            outer.append(t.variable(t.fresh("branch.tmp"), of_type, False))
        t.block = block
        _inner(t, region)
        given = _yielded(t, region)
        if len(given) != len(outer):
            t.fail(f"a block gives {len(given)} values, where the branch has {len(outer)}")
        for number, name in zip(given, outer, strict=True):
            t.append("assign", {"X": [t.tensor(number)]}, {"Out": [name]}, {})
        t.block = parent
        append_branch(block, [parent.var(mask)], True, outer)
        sides.append(outer)
    if not types:
        return
    mask = t.variable(t.fresh("cast.tmp"), TensorType("tensor", convert_dtype("int32"),
                         t.block.var(condition).shape), True)
    t.cast(condition, mask)
    for index, (true, false) in enumerate(zip(*sides, strict=True)):
        t.append("select_input", {"X": [false, true], "Mask": [mask]}, {"Out": t.declare(index)}, {})


def loop(t: Translation) -> None:
    """`while`: variables that a block overwrites, as long as the condition that it gives is true."""
    here = t.op
    region = here.regions[0] if len(here.regions) == 1 else t.fail("a loop has one block")
    if len(region.arguments) != len(here.operands) - 1 or len(here.results) != len(region.arguments):
        t.fail("a loop has as many values as its block has arguments, and a condition")
    condition = t.copied(t.tensor(t.operand(0)), TensorType("tensor", convert_dtype("bool"), (1,)))
    variables = []
    for index, (number, of_type) in enumerate(region.arguments):
        if not isinstance(of_type, TensorType):
            t.fail("a value of a loop is a list")
        name = t.copied(t.tensor(t.operand(index + 1)), of_type)
        variables.append(name)
        t.bind(number, name, of_type)
    parent, block = t.block, t.program.create_block(t.block.idx)
    block.repeats = True
    t.block = block
    _inner(t, region)
    given = [t.tensor(number) for number in _yielded(t, region)]
    if len(given) != len(variables) + 1:
        t.fail(f"the block gives {len(given)} values, and should give {len(variables) + 1}")
    kept = [t.copied(name, TensorType("tensor", t.block.var(name)._dtype, t.block.var(name).shape))
            if name in variables else name for name in given]
    for name, made in zip(kept, [condition, *variables], strict=True):
        t.append("assign", {"X": [name]}, {"Out": [made]}, {})
    t.block = parent
    append_while(block, parent.var(condition), False)
    for (number, of_type), name in zip(here.results, variables, strict=True):
        t.item(number, of_type, name)
