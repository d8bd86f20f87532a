"""sync_batch_norm among several processes: the batch norm of all their batches together, and its gradient.

Where a launcher has started several processes, what the operator does in one falls into what each does with its own
batch and two exchanges: of the moments on the way forward, of two sums on the way back.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core import launched
from ...ops.collective.exchanges import all_gather_op
from ...ops.collective.reductions import all_reduce_ops
from ...ops.nn.norm import batch_norm_op, is_constant, norm_grad_op, sync_batch_norm_op
from ...ops.nn.shared_statistics import by_moments_op, gradient_by_sums_op, gradient_sums_op, moments_op
from ..ir.operation import Operation
from ..ir.usage import sub_block

_MODES = ("is_test", "use_global_stats", "trainable_statistics")


def with_synchronized_norms(ops: Sequence[Operation]) -> list[Operation]:
    """The operations, where each batch norm that takes statistics takes those of all processes."""
    return [Operation(op.block, sync_batch_norm_op.type, op.inputs, op.outputs, op.attrs, op.source)
            if op.type == batch_norm_op.type and _takes_statistics(op) else op for op in ops]


def with_shared_statistics(ops: Sequence[Operation]) -> list[Operation]:
    """The operations, where several processes do together what a sync_batch_norm is."""
    count = launched.size()
    if count > 1:
        _refuse_within_blocks(ops)
    if count == 1 or not any(op.type == sync_batch_norm_op.type for op in ops):
        return list(ops)
    shared: set[str] = set()  # saved means
    done: list[Operation] = []
    for number, op in enumerate(ops):
        if op.type == sync_batch_norm_op.type and _takes_statistics(op):
            shared.update(op.output("SavedMean"))
            done += _forward(op, count, f"@MOMENTS@{number}")
        elif op.type == norm_grad_op.type and not shared.isdisjoint(op.input("Mean")):
            done += _backward(op, f"@SUMS@{number}")
        else:
            done.append(op)
    return done


def _refuse_within_blocks(ops: Sequence[Operation]) -> None:
    """NotImplementedError for one in a branch or loop: there one process may exchange what another does not."""
    for op in ops:
        block = sub_block(op)
        if block is None:
            continue
        if any(each.type == sync_batch_norm_op.type and _takes_statistics(each) for each in block.ops):
            where = f", appended at {op.source}," if op.source else ""
            raise NotImplementedError(f"sync_batch_norm in a {op.type}{where} among {launched.size()} processes is not "
                                      "supported: its statistics would be those of one process. Move the layer out of "
                                      "the branch or loop, or use batch_norm there.")
        _refuse_within_blocks(block.ops)


def _takes_statistics(op: Operation) -> bool:
    return not is_constant(**{name: bool(op.attrs.get(name, False)) for name in _MODES})


def _forward(op: Operation, count: int, name: str) -> list[Operation]:
    block, source, whole = op.block, op.source, f"{name}@ALL"
    layout = {"data_layout": op.attrs.get("data_layout", "NCHW")}
    outputs = {slot: names for slot, names in op.outputs.items() if slot != "ReserveSpace"}
    attrs = {key: value for key, value in op.attrs.items() if key in by_moments_op.attributes}
    return [Operation(block, moments_op.type, {"X": op.input("X")}, {"Moments": [name]}, layout, source),
            Operation(block, all_gather_op.type, {"X": [name]}, {"Out": [whole]},
                      {"nranks": count, "ring_id": 0, "use_calc_stream": True}, source),
            Operation(block, by_moments_op.type, {**op.inputs, "Moments": [whole]}, outputs, attrs, source)]


def _backward(op: Operation, name: str) -> list[Operation]:
    block, source, whole = op.block, op.source, f"{name}@ALL"
    layout = {"data_format": op.attrs.get("data_format", "NCHW")}
    own = {slot: op.input(slot) for slot in ("X", "Mean", "Spread", "G")}
    sums = {slot: op.output(slot) or [f"{name}@{slot}"] for slot in ("DScale", "DBias")}
    done = [Operation(block, gradient_sums_op.type, own, {**sums, "Sums": [name]}, layout, source)]
    if op.output("DX"):
        done += [Operation(block, all_reduce_ops["sum"].type, {"X": [name]}, {"Out": [whole]},
                           {"ring_id": 0, "use_calc_stream": True}, source),
                 Operation(block, gradient_by_sums_op.type, {**own, "Scale": op.input("Scale"), "Sums": [whole]},
                           {"DX": op.output("DX")}, layout, source)]
    return done
