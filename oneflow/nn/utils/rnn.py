"""`flow.nn.utils.rnn`: sequences of several lengths as one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...functions.arrays import stack
from ..functional import pad

__all__ = ["pad_sequence"]


def pad_sequence(sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0) -> Any:
    """Tensors of several lengths, padded behind to the longest: of shape [length, batch, …], or [batch, length, …].

    >>> import proa.oneflow as flow
    >>> a, b = flow.ones(2), flow.ones(1)
    >>> flow.nn.utils.rnn.pad_sequence([a, b], batch_first=True).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    if not sequences:
        raise ValueError("pad_sequence(sequences): there must be one tensor at least.")
    longest = max(one.shape[0] for one in sequences)
    padded = []
    for one in sequences:
        behind = longest - one.shape[0]
        padded.append(pad(one, [0, 0] * (len(one.shape) - 1) + [0, behind], value=padding_value) if behind else one)
    return stack(padded, 0 if batch_first else 1)
