"""`fluid.debugger`: Programs as text for a person, and blocks as graphs for Graphviz."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from ..core.files import atomic_write
from ..core.lazy import listed
from ..static.ir.block import Block
from ..static.program import Program

__all__ = ["draw_block_graphviz", "pprint_block_codes", "pprint_program_codes"]
__dir__ = listed(__name__)

_SHAPES = {"op": "shape=box, style=rounded", "parameter": "shape=box, style=filled", "variable": "shape=ellipse"}


def pprint_program_codes(program_desc: Program) -> str:
    """A Program as text: the variables and the operations of each block, without those of gradients.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     y = fluid.layers.relu(fluid.data("x", [2]))
    ...     print(fluid.debugger.pprint_program_codes(y.block.program).splitlines()[0])
    // block-0  parent--1
    """
    return "\n".join(pprint_block_codes(block) for block in program_desc.blocks)


def pprint_block_codes(block_desc: Block, show_backward: bool = False) -> str:
    """A block as text: its variables and operations; those of gradients with `show_backward` alone."""
    def shown(names: Sequence[str]) -> bool:
        return show_backward or not any("@GRAD" in name for name in names)

    variables = [repr(variable) for name, variable in block_desc.vars.items() if shown([name])]
    ops = [repr(op) for op in block_desc.ops if shown([*op.input_arg_names, *op.output_arg_names])]
    return (f"// block-{block_desc.idx}  parent-{block_desc.parent_idx}\n// variables\n" + "\n".join(variables)
            + "\n\n// operators\n" + "\n".join(ops) + "\n")


def draw_block_graphviz(block: Block, highlights: Sequence[str] | None = None,
                        path: str | os.PathLike = "./temp.dot") -> None:
    """Writes a block as a graph in Graphviz's language: operations, variables, and what is read and written.

    `highlights`: patterns, as of `re.match`, of names and of operators' types that are drawn in colour.
    """
    patterns = [re.compile(pattern) for pattern in highlights or ()]
    lines = ["digraph {"]

    def node(number: str, label: str, kind: str) -> None:
        colour = ", color=orange, penwidth=3" if any(p.match(label) for p in patterns) else ""
        lines.append(f"  {number} [label={_quoted(label)}, {_SHAPES[kind]}{colour}];")

    numbers: dict[str, str] = {}
    read_or_written = [name for op in block.ops for name in (*op.input_arg_names, *op.output_arg_names)]
    for name in dict.fromkeys([*block.vars, *read_or_written]):
        variable: Any = block.find_var(name)
        numbers[name] = f"variable_{len(numbers)}"
        node(numbers[name], name, "parameter" if variable is not None and variable.persistable else "variable")
    for index, op in enumerate(block.ops):
        node(f"op_{index}", op.type, "op")
        lines += [f"  {numbers[name]} -> op_{index};" for name in op.input_arg_names]
        lines += [f"  op_{index} -> {numbers[name]};" for name in op.output_arg_names]
    with atomic_write(os.fspath(path)) as file:
        file.write(("\n".join([*lines, "}"]) + "\n").encode())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
