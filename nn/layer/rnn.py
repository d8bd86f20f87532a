"""Recurrent layers, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    BiRNN GRU GRUCell LSTM LSTMCell RNN RNNCellBase SimpleRNN SimpleRNNCell
""", {"RNNBase": "rnn_stacks"})
