"""Recurrent layers, where PaddlePaddle has them; and a cell taken through a sequence by a function."""

from __future__ import annotations

from typing import Any

from ..layers.rnn import RNN, BiRNN
from .family import family

_of_nn, __dir__ = family(__name__, """
    BiRNN GRU GRUCell LSTM LSTMCell RNN RNNCellBase SimpleRNN SimpleRNNCell
""", {"RNNBase": "rnn_stacks"})


def __getattr__(name: str) -> Any:
    return _of_nn(name)


def rnn(cell: Any, inputs: Any, initial_states: Any = None, sequence_length: Any = None, time_major: bool = False,
        is_reverse: bool = False, **kwargs: Any) -> tuple[Any, Any]:
    """The outputs of a cell over a sequence, and its final states: `nn.RNN` as a function.

    >>> import proa as paddle
    >>> from proa.nn.layer.rnn import rnn
    >>> outputs, h = rnn(paddle.nn.GRUCell(3, 4), paddle.ones([2, 5, 3]))
    >>> outputs.shape, h.shape
    ([2, 5, 4], [2, 4])
    """
    return RNN(cell, is_reverse, time_major)(inputs, initial_states, sequence_length, **kwargs)


def birnn(cell_fw: Any, cell_bw: Any, inputs: Any, initial_states: Any = None, sequence_length: Any = None,
          time_major: bool = False, **kwargs: Any) -> tuple[Any, Any]:
    """The outputs of a cell forward and of another backward over a sequence, and both states: `nn.BiRNN`."""
    return BiRNN(cell_fw, cell_bw, time_major)(inputs, initial_states, sequence_length, **kwargs)
