"""Whose gradient a backward pass computes where it reads a value: it reads what that operation was shown."""

from __future__ import annotations

from collections import defaultdict

from ..ir.block import Block
from ..ir.operation import Operation

_GRAD = "@GRAD"


def gradients_of(block: Block) -> dict[int, dict[str, list[Operation]]]:
    """By the id of each operation of the backward pass, and a value that it reads: the operations that it is for.

    These are the ones that read what the gradient is of, in the end, and read or gave the value as well. (What a
    gradient is made from does not tell: that of a sum is that of each of its terms.)
    """
    readers: dict[str, list[Operation]] = defaultdict(list)
    for op in block.ops:
        if not op.is_backward:
            for name in op.input_arg_names:
                readers[name].append(op)
    found: dict[int, dict[str, list[Operation]]] = {}
    leads_to: dict[str, set[str]] = defaultdict(set)  # from values to the variables whose gradients follow
    for op in reversed(block.ops):
        if not op.is_backward:
            continue
        targets: set[str] = set()
        for made in op.output_arg_names:
            targets |= {made.split(_GRAD)[0]} if _GRAD in made else leads_to[made]
        concerned = {id(reader): reader for name in targets for reader in readers[name]}.values()
        found[id(op)] = {name: [of for of in concerned if name in (*of.input_arg_names, *of.output_arg_names)]
                         for name in op.input_arg_names if _GRAD not in name}
        for name in op.input_arg_names:
            leads_to[name] |= targets
    return found
