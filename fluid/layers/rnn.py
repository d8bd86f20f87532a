"""`fluid.layers.rnn`: recurrent layers and decoding by the path under which 1.x has them.

`fluid.layers.rnn` is a function there as well: the module, called, is that.
"""

import sys
from types import ModuleType
from typing import Any

from .decode_helpers import (
    BasicDecoder,
    DecodeHelper,
    GreedyEmbeddingHelper,
    SampleEmbeddingHelper,
    TrainingHelper,
)
from .decoders import BeamSearchDecoder, Decoder, dynamic_decode
from .decoding import beam_search, beam_search_decode
from .recurrent import dynamic_gru, dynamic_lstm, dynamic_lstmp, gru_unit, lstm, lstm_unit
from .rnn_cells import GRUCell, LSTMCell, RNNCell, rnn

__all__ = [
    "BasicDecoder", "BeamSearchDecoder", "DecodeHelper", "Decoder", "GRUCell", "GreedyEmbeddingHelper", "LSTMCell",
    "RNNCell", "SampleEmbeddingHelper", "TrainingHelper", "beam_search", "beam_search_decode", "dynamic_decode",
    "dynamic_gru", "dynamic_lstm", "dynamic_lstmp", "gru_unit", "lstm", "lstm_unit", "rnn",
]


class _Called(ModuleType):
    """A module in whose place its package has a function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return rnn(*args, **kwargs)


sys.modules[__name__].__class__ = _Called
