"""Operations that make Programs of one process those of one of several: rings, first values, exchanged gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import launched, unique_name
from ..core.dtype import int32
from ..core.var_type import VarType
from ..static.ir.operation import OPTIMIZE_ROLE
from ..static.ir.roles import gradients_of_parameters, starts_gradients

FORWARD, BACKWARD, OPTIMIZE = {"op_role": 0}, {"op_role": 1}, {"op_role": 2}


def addresses(count: int, known: Sequence[str] = ()) -> list[str]:
    """The addresses of all processes; where nothing says them, names that tell how many there are."""
    found = list(known) or launched.endpoints()
    return found if len(found) == count else [f"process:{number}" for number in range(count)]


def append_ring(program: Any, rank: int, endpoints: Sequence[str], current_endpoint: str, ring: int) -> None:
    """Appends what makes a ring of processes as 1.8 does: c_gen_nccl_id and c_comm_init."""
    _append_ring(program, "nccl_id", rank, endpoints, current_endpoint, ring, {}, {})


def append_met_ring(program: Any, rank: int, endpoints: Sequence[str], ring: int = 0) -> None:
    """Appends what makes a ring as 2.x does: as `append_ring`, and a sum by which its processes meet."""
    _append_ring(program, "comm_id", rank, endpoints, endpoints[rank], ring, {"ring_id": ring},
                 {"endpoints": ",".join(endpoints)})
    block = program.global_block()
    met = block.new_var(name=unique_name.generate("sync_var"), dtype=int32, shape=[1], stop_gradient=True)
    named = {"inputs": {"X": met}, "outputs": {"Out": met}}
    block.append_op(type="fill_constant", outputs={"Out": met}, attrs={"shape": [1], "dtype": int32, "value": 1.0,
                                                                      **FORWARD})
    block.append_op(type="c_allreduce_sum", **named, attrs={"ring_id": ring, "use_calc_stream": True, **FORWARD})
    block.append_op(type="c_sync_calc_stream", **named, attrs=FORWARD)


def _append_ring(program: Any, name: str, rank: int, endpoints: Sequence[str], current_endpoint: str, ring: int,
                 found_by: dict[str, Any], connected_by: dict[str, Any]) -> None:
    block = program.global_block()
    others = [endpoint for place, endpoint in enumerate(endpoints) if place != rank]
    found = block.new_var(name=unique_name.generate(name), persistable=True, type=VarType.RAW)
    block.append_op(type="c_gen_nccl_id", outputs={"Out": found}, attrs={
        "rank": rank, "endpoint": current_endpoint, "other_endpoints": others, **found_by, **FORWARD})
    block.append_op(type="c_comm_init", inputs={"X": found}, attrs={
        "nranks": len(endpoints), "rank": rank, "ring_id": ring, **connected_by, **FORWARD})


def append_broadcasts(program: Any, rings: int = 1) -> None:
    """Appends what gives every process the parameters of the first, by rings in turns."""
    block, last = program.global_block(), None
    parameters = [p for p in block.all_parameters() if not p.is_distributed]
    for number, last in enumerate(parameters):
        block.append_op(type="c_broadcast", inputs={"X": last}, outputs={"Out": last},
                        attrs={"ring_id": number % rings, "root": 0, **FORWARD})
    for ring in range(rings) if last is not None else ():
        block.append_op(type="c_sync_comm_stream", inputs={"X": last}, outputs={"Out": last},
                        attrs={"ring_id": ring, **FORWARD})


def scale_loss_gradient(program: Any, count: int, begin: int = 0) -> None:
    """Divides the gradient of the loss by the number of processes, so that the sum of gradients is their mean.

    From the operation at the place `begin` on: what is before it may be divided already, for another loss.
    """
    block = program.global_block()
    for place in reversed(range(begin, len(block.ops))):
        if starts_gradients(block.ops[place]):
            name = block.ops[place].output_arg_names[0]
            block._insert_op(place + 1, type="scale", inputs={"X": name}, outputs={"Out": name},
                             attrs={"scale": 1.0 / count, **BACKWARD})


def insert_exchanges(program: Any, ring: int = 0, begin: int = 0) -> None:
    """Has each gradient of a parameter, given at the place `begin` or later, be the sum of those of all processes."""
    block = program.global_block()
    for place, _, gradient in reversed(_from(begin, block)):
        _insert_sum(block, place + 1, gradient, ring)


def _from(begin: int, block: Any) -> list[tuple[int, str, str]]:
    return [each for each in gradients_of_parameters(block) if each[0] >= begin]


def insert_fused_exchanges(program: Any, ring: int = 0, most: int = 8, begin: int = 0) -> None:
    """As `insert_exchanges`, where `most` gradients of a dtype are exchanged together, one behind the other.

    Those of tables, which hold the rows that were looked up, are exchanged each by itself.
    """
    block = program.global_block()
    found = _from(begin, block)
    segments: dict[Any, list[list[tuple[int, str, str]]]] = {}
    rows = {name for op in block.ops if op.attrs.get("is_sparse") and op.is_backward for name in op.output_arg_names}
    for each in found:
        dtype = block.var(each[2]).dtype
        of_dtype = segments.setdefault(dtype, [[]])
        if each[2] in rows:
            of_dtype.insert(0, [each])
            continue
        if len(of_dtype[-1]) == most:
            of_dtype.append([])
        of_dtype[-1].append(each)
    groups = sorted((group for of_dtype in segments.values() for group in of_dtype if group),
                    key=lambda group: max(place for place, _, _ in group))
    first = next((place for place, op in enumerate(block.ops) if place >= begin and op.is_backward), len(block.ops))
    fused = [None if group[0][2] in rows else block.new_var(
        name=unique_name.generate(f"FusedOutput_{group[0][2]}"), dtype=block.var(group[0][2]).dtype,
        persistable=False, stop_gradient=True) for group in groups]
    for group, whole in reversed(list(zip(groups, fused, strict=True))):
        place = max(place for place, _, _ in group) + 1
        if whole is None:
            _insert_sum(block, place, group[0][2], ring)
            continue
        for _, _, gradient in reversed(group):
            block._insert_op(place, type="depend", inputs={"X": gradient, "Dep": whole.name},
                             outputs={"Out": gradient}, attrs=BACKWARD)
        _insert_sum(block, place, whole.name, ring)
    for group, whole in reversed(list(zip(groups, fused, strict=True))):
        if whole is not None:
            block._insert_op(first, type="coalesce_tensor", inputs={"Input": [p for _, p, _ in group]},
                             outputs={"Output": [g for _, _, g in group], "FusedOutput": whole},
                             attrs={"copy_data": False, "use_align": True, "dtype": whole.dtype, **BACKWARD})


def _insert_sum(block: Any, place: int, name: str, ring: int) -> None:
    block._insert_op(place, type="c_allreduce_sum", inputs={"X": name}, outputs={"Out": name},
                     attrs={"ring_id": ring, "use_calc_stream": False, **BACKWARD})


def first_update(block: Any, begin: int = 0) -> int:
    """The place of the first operation of an optimizer from the place `begin` on."""
    return next((place for place, op in enumerate(block.ops) if place >= begin
                 and op.attrs.get("op_role", 0) & OPTIMIZE_ROLE), len(block.ops))
