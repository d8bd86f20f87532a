"""Batch normalization by the statistics of the batches of all processes together, written with other operators."""

from __future__ import annotations

from typing import Any

from ...ops.array.concat_split import concat
from ...ops.array.creation import assign
from ...ops.array.full import full
from ...ops.array.reshape import reshape
from ...ops.collective.reductions import all_reduce_ops
from ...ops.core.trace import apply
from ...ops.math.casting import cast
from ...ops.math.reduce import sum as reduce_sum
from ...ops.math.unary import rsqrt


def shared_batch_norm(x: Any, running_mean: Any, running_variance: Any, weight: Any, bias: Any, momentum: float,
                      epsilon: float, channels_last: bool) -> Any:
    """The normalized input of this process, and running statistics that take in the batch of all processes.

    The mean comes first, then the squares of what differs from it, so that nothing is lost by subtracting large
    numbers. Gradients flow through the statistics, and so between the processes.
    """
    given = x.dtype
    x = cast(x, running_mean.dtype)
    channel = len(x.shape) - 1 if channels_last else 1
    axes = [axis for axis in range(len(x.shape)) if axis != channel]
    across = [-1 if axis == channel else 1 for axis in range(len(x.shape))]
    count = 1
    for axis in axes:
        count = count * x.shape[axis]
    totals = _of_all(concat([reduce_sum(x, axes), full([1], count, x.dtype)]))
    mean = totals[:-1] / totals[-1:]
    centered = x - reshape(mean, across)
    variance = _of_all(reduce_sum(centered * centered, axes)) / totals[-1:]
    for running, batch in ((running_mean, mean), (running_variance, variance)):
        assign(running.detach() * momentum + batch.detach() * (1 - momentum), running)
    result = centered * reshape(rsqrt(variance + epsilon) * weight, across) + reshape(bias, across)
    return cast(result, given)


def _of_all(x: Any) -> Any:
    """The sum over the processes."""
    return apply(all_reduce_ops["sum"], x, ring_id=0)
