"""`paddle.static.amp.debugging`: in which dtypes the operations of a Program compute."""

from __future__ import annotations

from ...core.dtype import bfloat16, float16, float32
from ...ops.amp.counting import print_counts
from ..building.mode import default_main_program
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program

__all__ = ["OperatorStatsUnit", "collect_operator_stats"]


class OperatorStatsUnit:
    """How often an operator stands in a block, by the dtype that it computes in."""

    def __init__(self) -> None:
        self.op_type: str | None = None
        self.fp32_calls = self.fp16_calls = self.bf16_calls = self.other_calls = 0

    def counts(self) -> list[int]:
        """In the order of the columns that are printed."""
        return [self.fp16_calls, self.bf16_calls, self.fp32_calls, self.other_calls]


_CALLS = {float16: "fp16_calls", bfloat16: "bf16_calls", float32: "fp32_calls"}


def _calls_of(block: Block, operation: Operation) -> str:
    """Where an operation is counted: by its first input of such a dtype, or by what it gives."""
    for name in (*operation.input_arg_names, *operation.output_arg_names):
        variable = block.find_var(name)
        if variable is not None and variable._dtype in _CALLS:
            return _CALLS[variable._dtype]
    return "other_calls"


def _get_op_stats_list(program: Program) -> list[dict[str, OperatorStatsUnit]]:
    """The counts of each block, by type."""
    found = []
    for block in program.blocks:
        units: dict[str, OperatorStatsUnit] = {}
        for operation in block.ops:
            if operation.type in ("create_py_reader", "read"):
                continue
            calls, unit = _calls_of(block, operation), units.setdefault(operation.type, OperatorStatsUnit())
            setattr(unit, calls, getattr(unit, calls) + 1)
        found.append(units)
    return found


def collect_operator_stats(program: Program | None = None, print_subblocks: bool = False) -> None:
    """Prints how often each operator stands in a Program, by the dtype that it computes in; for each block, too, with
    `print_subblocks`.

    >>> import proa as paddle
    >>> program = paddle.static.Program()
    >>> with paddle.static.program_guard(program):
    ...     y = paddle.static.data("x", [2, 3]).exp()
    >>> paddle.static.amp.debugging.collect_operator_stats(program)
    <...op list of all blocks...
    <...
    <...Op Name...FP16 Calls...BF16 Calls...FP32 Calls...Other Calls...
      exp ...|  0 ...|  0 ...|  1 ...|  0...
    <...op count: 1...
    """
    blocks = _get_op_stats_list(default_main_program() if program is None else program)
    together: dict[str, list[int]] = {}
    for number, units in enumerate(blocks):
        counts = {type: unit.counts() for type, unit in units.items()}
        if print_subblocks and len(blocks) > 1:
            print(f"<{f' op list of block {number} ':-^120}>")
            print_counts(counts)
        for type, added in counts.items():
            together[type] = [a + b for a, b in zip(together.get(type, [0] * 4), added, strict=True)]
    print(f"<{' op list of all blocks ':-^120}>")
    print_counts(together)
