"""Variables cut into blocks of rows, and the variables that hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class VarBlock:
    """`size` elements of a variable: its `offset`-th block."""

    def __init__(self, varname: str, offset: int, size: int):
        self.varname, self.offset, self.size = varname, offset, size

    def __str__(self) -> str:
        return f"{self.varname}:{self.offset}:{self.size}"


def slice_variable(var_list: Sequence[Any], slice_count: int, min_block_size: int) -> list[str]:
    """At most `slice_count` blocks of whole rows for each variable, of `min_block_size` elements at least.

    Each is NAME:NUMBER:ELEMENTS.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.transpiler.distribute_transpiler import slice_variable
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     w = fluid.layers.create_parameter([45, 900], "float32", name="w")
    >>> slice_variable([w], 2, 8192)
    ['w:0:20700', 'w:1:19800']
    """
    blocks = []
    for var in var_list:
        count = math.prod(var.shape)
        wanted = max(1, min(slice_count, count // min_block_size))
        size = math.ceil(count / wanted)
        row = math.prod(var.shape[1:])
        size = math.ceil(size / row) * row
        blocks += [str(VarBlock(var.name, number, min(size, count - number * size)))
                   for number in range(math.ceil(count / size))]
    return blocks


def shapes_of(var: Any, blocks: Sequence[str]) -> list[tuple[int, ...]]:
    """The shapes of the blocks of a variable."""
    row = math.prod(var.shape[1:])
    return [(int(block.rpartition(":")[2]) // row, *var.shape[1:]) for block in blocks]


def same_or_split_var(p_name: str, var_name: str) -> bool:
    """Whether a name is that of a variable, or of a block of it."""
    return p_name == var_name or p_name.startswith(var_name + ".block")


def plain_name(name: str) -> str:
    """The name under which servers know what a trainer sends: without `.trainer_0`."""
    return name.partition(".trainer_")[0]


class Part:
    """A block of a parameter: where it lies, and its name and that of its gradient on the server."""

    def __init__(self, parameter: str, number: int, count: int, begin: int, shape: tuple[int, ...], gradient: str):
        self.parameter, self.number, self.count, self.begin, self.shape = parameter, number, count, begin, shape
        suffix = f".block{number}" if count > 1 else ""
        self.name, self.gradient = parameter + suffix, gradient + suffix
        self.endpoint = ""

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the parameter."""
        return self.count == 1

    @property
    def offset(self) -> int:
        """How many elements of the parameter lie before it."""
        return self.begin * math.prod(self.shape[1:])


def parts_of(parameter: Any, gradient: str, slice_count: int, min_block_size: int) -> list[Part]:
    """The blocks of a parameter that servers are to hold."""
    shapes = shapes_of(parameter, slice_variable([parameter], slice_count, min_block_size))
    found, begin = [], 0
    for number, shape in enumerate(shapes):
        found.append(Part(parameter.name, number, len(shapes), begin, shape, gradient))
        begin += shape[0] if shape else 0
    return found
