"""`fluid.contrib.utils.lookup_table_utils`: tables whose rows live on servers alone, in models for one process."""

from __future__ import annotations

from typing import Any

__all__ = ["convert_dist_to_sparse_program", "load_persistables_for_increment", "load_persistables_for_inference"]

_LOOKED_UP = "distributed_lookup_table"
_BEFORE_1_8 = ["split_ids", "prefetch", "merge_ids"]


def convert_dist_to_sparse_program(program: Any) -> Any:
    """A worker's Program, with look-ups of its own table in the place of those on servers; it is changed in place.

    Transpilers before 1.8 wrote `split_ids`, `prefetch` and `merge_ids`, which do not name the table: it is the one
    that `program._distributed_lookup_table` names. ValueError for a Program that looks nothing up on servers, or does
    not say in which table.
    """
    block = program.global_block()
    places = [place for place, op in enumerate(block.ops) if op.type == _LOOKED_UP]
    types = [op.type for op in block.ops]
    older = [place for place in range(len(types)) if types[place:place + 3] == _BEFORE_1_8]
    if not places and not older:
        raise ValueError("convert_dist_to_sparse_program(program): looks nothing up on servers. Give it the Program of "
                         "a worker, of DistributeTranspiler.get_trainer_program().")
    for place in reversed(places):
        op = block.ops[place]
        table, pairs = op.input("W")[0], list(zip(op.input("Ids"), op.output("Outputs"), strict=True))
        kind, padding = op.attrs.get("lookup_table_version", "lookup_table"), op.attrs.get("padding_idx", -1)
        block._remove_op(place)
        for ids, out in reversed(pairs):
            block._insert_op(place, type=kind, inputs={"Ids": ids, "W": table}, outputs={"Out": out},
                             attrs={"is_sparse": True, "is_distributed": False, "padding_idx": padding})
    for place in reversed(older):
        _put_look_ups(program, block, place)
    return program


def _put_look_ups(program: Any, block: Any, place: int) -> None:
    """Look-ups of this process's table in the place of `split_ids`, `prefetch` and `merge_ids`."""
    table, op = getattr(program, "_distributed_lookup_table", None), block.ops[place + 2]
    if not table or not block.has_var(table):
        raise ValueError(f"convert_dist_to_sparse_program(program): no operation says which table it looks up in. Set "
                         f"program._distributed_lookup_table to its name. Received {table!r}.")
    pairs = list(zip(op.input("Ids"), op.output("Out"), strict=True))
    for _ in _BEFORE_1_8:
        block._remove_op(place)
    for ids, out in reversed(pairs):
        block._insert_op(place, type="lookup_table", inputs={"Ids": ids, "W": table}, outputs={"Out": out},
                         attrs={"is_sparse": True})


def load_persistables_for_increment(dirname: str, executor: Any, program: Any, lookup_table_var: Any,
                                    lookup_table_var_path: str) -> None:
    """Raises NotImplementedError: servers go on from their own checkpoints."""
    raise NotImplementedError("load_persistables_for_increment: servers go on from their own checkpoints, tables "
                              "among them: start them with FLAGS_ps_checkpoint_folder. fluid.io.load_persistables "
                              "reads all else.")


def load_persistables_for_inference(dirname: str, executor: Any, program: Any, lookup_table_var_name: str) -> Any:
    """Raises NotImplementedError: a table is in the checkpoints of its servers, not in a file for one process."""
    raise NotImplementedError("load_persistables_for_inference: the rows of a table are in the checkpoints of its "
                              "servers (FLAGS_ps_checkpoint_folder). Look them up there, or train with "
                              "embedding(is_sparse=True) alone, whose table is saved with the model.")
