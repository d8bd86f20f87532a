"""`fluid.contrib.memory_usage`: how much memory the values of a Program take that are computed in a run."""

from __future__ import annotations

import math
from typing import Any

from ...static.ir.program import Program


def memory_usage(program: Program, batch_size: int) -> tuple[float, float, str]:
    """A lower and an upper bound, 5 and 10 percent above the sum of the values' sizes, and their unit: B, KB or MB.

    Sizes of -1 count as `batch_size`. What a run really holds at once is less: memory is freed after the last use.

    >>> import proa.fluid as fluid
    >>> main = fluid.Program()
    >>> with fluid.program_guard(main):
    ...     y = fluid.layers.relu(fluid.data("x", [None, 4]))
    >>> fluid.contrib.memory_usage(main, 8)[2]
    'B'
    """
    if not isinstance(program, Program):
        raise TypeError(f"memory_usage(program): must be a Program. Received {type(program).__name__}.")
    if batch_size <= 0:
        raise ValueError(f"memory_usage(batch_size): must be positive. Received {batch_size}.")
    block = program.global_block()
    names = dict.fromkeys(name for op in block.ops for name in op.output_arg_names)
    total = 0.0
    for name in names:
        variable: Any = block.find_var(name)
        if variable is not None and variable.kind == "tensor" and variable._dtype is not None:
            total += math.prod(batch_size * -n if n < 0 else n for n in variable.shape) * variable.dtype.itemsize
    unit = "B"
    for larger in ("KB", "MB"):
        if total > 1024:
            total, unit = total / 1024, larger
    return total * 1.05, total * 1.1, unit


__all__ = ["memory_usage"]
