"""What programs for text need: the best sequence of tags. `paddle.text`. Knows layers and operators."""

from ..ops.viterbi import viterbi_decode
from .decoder import ViterbiDecoder

__all__ = ["ViterbiDecoder", "viterbi_decode"]
