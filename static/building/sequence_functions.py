"""Python functions in Programs on sequences: arrays that know their LoD, and results that bring theirs along."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.lod import fed_offsets, is_input, new_offsets, set_lod
from ..ir.variable import Variable


class SequenceArray(np.ndarray):
    """An array whose rows are sequences: what a function of `py_func` gets for a variable with an LoD.

    >>> import numpy
    >>> from proa.static.building.sequence_functions import SequenceArray
    >>> x = numpy.zeros((3, 2)).view(SequenceArray)
    >>> x.levels = [[0, 1, 3]]
    >>> x.lod(), x.recursive_sequence_lengths()
    ([[0, 1, 3]], [[1, 2]])
    """

    levels: list[list[int]] = []

    def lod(self) -> list[list[int]]:
        """The offsets, level by level."""
        return [list(level) for level in self.levels]

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """The lengths of the sequences, level by level."""
        return [np.diff(level).tolist() for level in self.levels]


def offsets_of(variables: Sequence[Variable]) -> list[Variable]:
    """The offsets of what a function reads, one variable behind the other."""
    for variable in variables:
        if variable.lod_level and not variable.lod and variable.kind == "tensor" and is_input(variable):
            fed_offsets(variable)
    return [level for variable in variables for level in variable.lod]


def new_offsets_of(variables: Sequence[Variable]) -> list[Variable]:
    """Offsets for what a function gives: of those that were made with a `lod_level`."""
    for variable in variables:
        if variable.lod_level and not variable.lod and variable.kind == "tensor":
            block = variable.program.current_block()
            set_lod(variable, [new_offsets(block, block.program.new_name("lod"), variable.name)
                               for _ in range(variable.lod_level)])
    return [level for variable in variables for level in variable.lod]


def with_lods(function: Callable[..., Any], given: Sequence[int], made: Sequence[int]) -> Callable[..., list[Any]]:
    """The function with offsets behind its arguments and results; `given`, `made`: how many levels each of them has."""
    @functools.wraps(function)
    def called(*arrays: Any) -> list[Any]:
        offsets, values = iter(arrays[len(given):]), []
        for array, levels in zip(arrays, given, strict=False):
            value = array.view(SequenceArray)
            value.levels = [next(offsets).tolist() for _ in range(levels)]
            values.append(value)
        results = function(*values)
        results = [] if results is None else list(results) if isinstance(results, (list, tuple)) else [results]
        found = []
        for number, (result, levels) in enumerate(zip(results, made, strict=False)):
            lod = result.lod() if hasattr(result, "lod") else []
            if levels and len(lod) != levels:
                who = getattr(function, "__name__", "the function")
                raise ValueError(f"py_func: result {number} of {who} was made "
                                 f"with lod_level={levels}, and must be a LoDTensor of as many levels. It has {lod}.")
            found += [np.asarray(level, "int64") for level in lod[:levels]]
        return [*results, *found]

    return called


__all__ = ["SequenceArray", "new_offsets_of", "offsets_of", "with_lods"]
