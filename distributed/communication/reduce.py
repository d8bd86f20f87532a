"""`paddle.distributed.communication.reduce`: reductions over processes."""

from ..collectives import ReduceOp, reduce

__all__ = ["ReduceOp", "reduce"]


def _get_reduce_op(reduce_op: int, func_name: str) -> int:
    """The number of a reduction, as what exchanges tensors knows it: packages of Paddle's import it."""
    if reduce_op not in range(5):
        raise ValueError(f"{func_name}(op): must be one of ReduceOp's. Received {reduce_op!r}.")
    return reduce_op
