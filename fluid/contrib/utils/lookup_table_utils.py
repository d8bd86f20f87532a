"""`fluid.contrib.utils.lookup_table_utils`: tables whose rows live on servers alone, in models for one process."""

from __future__ import annotations

from typing import Any

__all__ = ["convert_dist_to_sparse_program", "load_persistables_for_increment", "load_persistables_for_inference"]

_LOOKED_UP = "distributed_lookup_table"


def convert_dist_to_sparse_program(program: Any) -> Any:
    """A worker's Program, with look-ups of its own table in the place of those on servers; it is changed in place.

    ValueError for a Program that looks nothing up on servers.
    """
    block = program.global_block()
    places = [place for place, op in enumerate(block.ops) if op.type == _LOOKED_UP]
    if not places:
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
    return program


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
