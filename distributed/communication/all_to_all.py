"""`paddle.distributed.communication.all_to_all`: exchanges between all, by the path of the module that holds them."""

from ..collectives import alltoall, alltoall_single

__all__ = ["alltoall", "alltoall_single"]
