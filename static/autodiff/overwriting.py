"""Values that later operations of a block overwrite: each gets a name of its own before gradients are appended.

`y.add_(1)` in a Program writes the result to the name of `y`, and gradients read values by name: what the operations
before it read and wrote would be another value by then. The last value keeps the name. What a sub-block overwrites of
an enclosing block's is the business of `block_graph.py`. Values of a `coalesce_tensor` keep their names, which say what
lies in one memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.collective.coalesced import coalesce_op
from ...ops.core.operator import find, is_declared
from ...ops.program.control_flow import share_data_op
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import reads, sub_block, writes
from ..ir.variable import Variable


def keep_overwritten(program: Program, given: Iterable[str] = (), states: bool = True) -> None:
    """Renames, in every block, values that are overwritten; `given` have a value from the beginning.

    Without `states`, persistable ones are left: what reads them later reads what they have become.
    """
    changed = [_keep(block, set(given), states) for block in list(program.blocks)]
    if any(changed):
        program.version += 1


def _keep(block: Block, given: set[str], states: bool) -> bool:
    writers: dict[str, list[Operation]] = {}
    aliased = {name for op in block.ops for name in _aliased(op)}
    in_one_memory = {name for op in block.ops if op.type == coalesce_op.type for name in op.output_arg_names}
    for op in block.ops:
        for name in dict.fromkeys(writes(op)):
            variable = block.vars.get(name)
            if variable is None or variable.kind != "tensor" or name in in_one_memory:
                continue
            if variable.persistable and name in aliased:
                continue
            if states or not variable.persistable:
                writers.setdefault(name, []).append(op)
    found = False
    for name, ops in writers.items():
        makers = [None, *ops] if name in given or block.vars[name].persistable else [*ops]
        for maker, overwriting in zip(makers, makers[1:], strict=False):
            assert overwriting is not None
            found |= _keep_between(block, name, maker, overwriting)
    return found


def _aliased(op: Operation) -> set[str]:
    """The names that an operation updates by its nature; no gradient reads states among these (running statistics)."""
    inner = sub_block(op)
    if inner is not None:
        return {name for nested in inner.ops for name in _aliased(nested)}
    if not is_declared(op.type):
        return set()
    operator = find(op.type)
    return {name for index, _ in operator.aliases for name in op.output(operator.results[index].name)}


def _keep_between(block: Block, name: str, maker: Operation | None, overwriting: Operation) -> bool:
    """Gives what `name` holds from one operation to another, which overwrites it, a name of its own.

    `maker`: None where the value is given. Returns whether there is any need: whether a gradient may read it.
    """
    begin = 0 if maker is None else block.ops.index(maker) + 1
    readers = [op for op in block.ops[begin:block.ops.index(overwriting)] if name in reads(op)]
    own = sub_block(overwriting) is None
    if own and name in reads(overwriting):
        readers.append(overwriting)
    if not any(map(_may_be_read_again, [*readers, *([] if maker is None else [maker])])):
        return False
    old = block.vars[name]
    kept = block.new_var(block.program.new_name(f"{name}@BEFORE"), old.shape, old.dtype)
    for op in readers:
        _rename_reads(op, name, kept.name)
    if maker is not None and sub_block(maker) is None:
        maker.rename_output(name, kept.name)
        kept.stop_gradient = _stops(block, maker, old)
    else:
        block.ops.insert(begin, _copy(block, name, kept.name))
        kept.stop_gradient = old.stop_gradient
    if not own:
        block.ops.insert(block.ops.index(overwriting), _copy(block, kept.name, name))
    return True


def _copy(block: Block, source: str, target: str) -> Operation:
    return Operation(block, share_data_op.type, {"X": [source]}, {"Out": [target]}, {})


def _may_be_read_again(op: Operation) -> bool:
    """Whether the gradient of an operation reads what the operation reads or writes."""
    if sub_block(op) is not None:
        return True
    return op.type not in ("assign", share_data_op.type) and is_declared(op.type) and find(op.type).gradient is not None


def _rename_reads(op: Operation, old: str, new: str) -> None:
    op.rename_input(old, new)
    inner = sub_block(op)
    for nested in inner.ops if inner is not None else ():
        _rename_reads(nested, old, new)


def _stops(block: Block, maker: Operation, old: Variable) -> bool:
    """Whether no gradient flows through an earlier value: as the operation that makes it says."""
    if not old.stop_gradient or not old.dtype.is_differentiable:
        return old.stop_gradient
    return all(v is None or v.stop_gradient for v in map(block.find_var, maker.input_arg_names))
