"""`paddle.distributed.collective`: groups and exchanges between parts of a model, under their older path."""

from .fleet.layers.mpu.mp_ops import (
    _c_concat,
    _c_identity,
    _c_lookup_table,
    _c_softmax_with_cross_entropy,
    _c_split,
    _mp_allreduce,
)
from .groups import Group, _get_global_group, get_group, group_of, new_group

__all__ = ["Group", "_c_concat", "_c_identity", "_c_lookup_table", "_c_softmax_with_cross_entropy", "_c_split",
           "_get_global_group", "_mp_allreduce", "get_group", "new_group"]


def _get_default_group() -> Group:
    """The group of all processes; RuntimeError before they are connected."""
    return group_of("_get_default_group", None)
