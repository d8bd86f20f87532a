"""`fluid.layers.rnn`: recurrent layers and decoding by the path under which 1.x has them."""

from .decoding import beam_search, beam_search_decode
from .recurrent import dynamic_gru, dynamic_lstm, dynamic_lstmp, gru_unit, lstm_unit

__all__ = ["beam_search", "beam_search_decode", "dynamic_gru", "dynamic_lstm", "dynamic_lstmp", "gru_unit",
           "lstm_unit"]
