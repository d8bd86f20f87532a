"""The layer that decodes with a table of transitions."""

from __future__ import annotations

from typing import Any

from ..nn.layer import Layer
from ..ops.sequence.viterbi import viterbi_decode


class ViterbiDecoder(Layer):
    """`viterbi_decode` with a table of transitions (tags, tags) that is kept. `paddle.text.ViterbiDecoder`.

    Called with potentials (batch, steps, tags) and lengths (batch,): (scores, paths).

    >>> import proa as paddle
    >>> decoder = paddle.text.ViterbiDecoder(paddle.zeros([2, 2]), include_bos_eos_tag=False)
    >>> scores, paths = decoder(paddle.to_tensor([[[1.0, 0.0], [0.0, 2.0]]]), paddle.to_tensor([2]))
    >>> scores.tolist(), paths.tolist()
    ([3.0], [[0, 1]])
    """

    def __init__(self, transitions: Any, include_bos_eos_tag: bool = True, name: str | None = None):
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag
        self.name = name

    def forward(self, potentials: Any, lengths: Any) -> tuple[Any, Any]:
        """(scores, paths)."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag, self.name)
