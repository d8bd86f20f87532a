"""`fluid.contrib.op_freq_statistic`: how often a Program has operators of each type, and pairs of them."""

from __future__ import annotations

from collections import Counter, OrderedDict

from ...static.ir.program import Program


def op_freq_statistic(program: Program) -> tuple[OrderedDict[str, int], OrderedDict[str, int]]:
    """Counts of types, and of pairs `"producer->consumer"` of types, in the outermost block; the most frequent first.

    Operators that write parameters alone are not counted.

    >>> import proa.fluid as fluid
    >>> main = fluid.Program()
    >>> with fluid.program_guard(main):
    ...     y = fluid.layers.relu(fluid.layers.relu(fluid.data("x", [2])))
    >>> types, pairs = fluid.contrib.op_freq_statistic(main)
    >>> types["relu"], pairs["relu->relu"]
    (2, 1)
    """
    if not isinstance(program, Program):
        raise TypeError(f"op_freq_statistic(program): must be a Program. Received {type(program).__name__}.")
    parameters = {parameter.name for parameter in program.all_parameters()}
    types, pairs, made_by = Counter[str](), Counter[str](), dict[str, str]()
    for op in program.global_block().ops:
        pairs.update(f"{made_by[name]}->{op.type}" for name in dict.fromkeys(op.input_arg_names) if name in made_by)
        written = [name for name in op.output_arg_names if name not in parameters]
        types.update([op.type] if written else [])
        made_by.update(dict.fromkeys(written, op.type))
    return OrderedDict(types.most_common()), OrderedDict(pairs.most_common())


__all__ = ["op_freq_statistic"]
