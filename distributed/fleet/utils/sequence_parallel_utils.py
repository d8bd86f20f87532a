"""Sequences that are divided among processes: one process has the whole, and exchanges give what they take."""

from __future__ import annotations

from typing import Any

from ....dygraph.py_layer import PyLayer
from ...environment import require_one_process
from ..layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear

__all__ = ["AllGatherOp", "ColumnSequenceParallelLinear", "GatherOp", "ReduceScatterOp", "RowSequenceParallelLinear",
           "ScatterOp", "all_gather", "is_sequence_parallel_parameter", "mark_as_sequence_parallel_parameter",
           "reduce_scatter", "register_sequence_parallel_allreduce_hooks", "scatter"]


def scatter(input: Any) -> Any:
    """This process's part of a sequence, which is the first dimension: the whole."""
    return _whole("scatter", input)


def all_gather(input: Any) -> Any:
    """The sequence, of which each process has a part."""
    return _whole("all_gather", input)


def reduce_scatter(input: Any) -> Any:
    """This process's part of the sum over processes."""
    return _whole("reduce_scatter", input)


class _Exchange(PyLayer):
    """An exchange between processes, whose gradient is the exchange the other way."""

    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        """The tensor."""
        return _whole("apply", input) * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Its gradient."""
        return _whole("apply", grad)


class ScatterOp(_Exchange):
    """`ScatterOp.apply(x)`: this process's part of a sequence [s, batch, features]; gradients are gathered."""


class GatherOp(_Exchange):
    """`GatherOp.apply(x)`: the sequence of which each process has a part; gradients are divided."""


class AllGatherOp(_Exchange):
    """`AllGatherOp.apply(x)`: the sequence of which each process has a part; gradients are summed and divided."""


class ReduceScatterOp(_Exchange):
    """`ReduceScatterOp.apply(x)`: this process's part of the sum over processes; gradients are gathered."""


def mark_as_sequence_parallel_parameter(parameter: Any) -> None:
    """Says of a parameter that its gradient is summed over the processes that have parts of the sequence."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter: Any) -> bool:
    """Whether a parameter was marked."""
    return getattr(parameter, "sequence_parallel", False)


def register_sequence_parallel_allreduce_hooks(model: Any, accumulation_steps: int,
                                               fuse_sequence_parallel_allreduce: bool) -> None:
    """Lets the gradients of marked parameters be summed over processes: of one process they are the sums."""
    require_one_process("register_sequence_parallel_allreduce_hooks")


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """A linear layer that gathers a divided sequence and divides its outputs; `gather_output` must be False.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.sequence_parallel_utils import ColumnSequenceParallelLinear
    >>> ColumnSequenceParallelLinear(2, 6, gather_output=False)(paddle.ones([4, 1, 2])).shape
    [4, 1, 6]
    """

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, has_bias: bool | None = None,
                 gather_output: bool = True, fuse_matmul_bias: bool = False, mp_group: Any = None,
                 name: str | None = None):
        if gather_output:
            raise ValueError("ColumnSequenceParallelLinear(gather_output): must be False.")
        super().__init__(in_features, out_features, weight_attr, has_bias, gather_output, fuse_matmul_bias, mp_group,
                         name)


class RowSequenceParallelLinear(RowParallelLinear):
    """A linear layer of divided inputs whose sums are divided along the sequence; `input_is_parallel` must be True."""

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, has_bias: bool = True,
                 input_is_parallel: bool = False, fuse_matmul_bias: bool = False, mp_group: Any = None,
                 name: str | None = None):
        if not input_is_parallel:
            raise ValueError("RowSequenceParallelLinear(input_is_parallel): must be True.")
        super().__init__(in_features, out_features, weight_attr, has_bias, input_is_parallel, fuse_matmul_bias,
                         mp_group, name)
        self.mp_scale = None


def _whole(function: str, tensor: Any) -> Any:
    require_one_process(function)
    return tensor
