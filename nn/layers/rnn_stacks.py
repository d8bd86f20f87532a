"""SimpleRNN, LSTM and GRU: stacks of recurrent layers in one or both directions, as one operator."""

from __future__ import annotations

from typing import Any

from ...core.unique_name import generate
from ...ops.array.full import full
from ...ops.core.result_names import results_named
from ...ops.core.trace import current_trace, drawing
from ...ops.nn.rnn import STATES
from ..container import LayerList
from .rnn import RNN, BiRNN, apply_rnn, check_sequence, steps_first
from .rnn_cells import GRUCell, LSTMCell, SimpleRNNCell, batch_size

_DIRECTIONS = {"forward": 1, "bidirect": 2, "bidirectional": 2}


class RNNBase(LayerList):
    """What the stacks share. It holds an RNN or BiRNN a layer, whose cells hold the parameters.

    The parameters have names of their own here as well: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, then the
    same with _reverse for the other direction, then those of the next layer.
    """

    could_use_cudnn = True  # as in Paddle, on a CPU too: code asks before it calls flatten_parameters

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
                 time_major: bool = False, dropout: float = 0.0, weight_ih_attr: Any = None,
                 weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None):
        super().__init__()
        if direction not in _DIRECTIONS:
            raise ValueError(f"{type(self).__name__}(direction): must be one of {', '.join(_DIRECTIONS)}. "
                             f"Received {direction!r}.")
        if num_layers < 1:
            raise ValueError(f"{type(self).__name__}(num_layers): must be above 0. Received {num_layers}.")
        if not 0 <= dropout <= 1:
            raise ValueError(f"{type(self).__name__}(dropout): must lie in [0, 1]. Received {dropout}.")
        self.mode, self.input_size, self.hidden_size, self.dropout = mode, input_size, hidden_size, dropout
        self.num_directions, self.time_major, self.num_layers = _DIRECTIONS[direction], time_major, num_layers
        self.state_components = STATES[mode]
        attrs = {"weight_ih_attr": weight_ih_attr, "weight_hh_attr": weight_hh_attr, "bias_ih_attr": bias_ih_attr,
                 "bias_hh_attr": bias_hh_attr}
        for layer in range(num_layers):
            self.append(self._layer(hidden_size * self.num_directions if layer else input_size, attrs))
        self._name_parameters(attrs)
        if bias_ih_attr is not False and bias_hh_attr is not False:
            self._join_parameters()

    def _join_parameters(self) -> None:
        """Tells a Program of its parameters in a row, weights first: Paddle's files hold them so, too."""
        cells = self._cells()
        weights = [weight for cell in cells for weight in (cell.weight_ih, cell.weight_hh)]
        biases = [bias for cell in cells for bias in (cell.bias_ih, cell.bias_hh)]
        current_trace().joined(generate(f"{self._full_name}.w"), [*weights, *biases])

    def flatten_parameters(self) -> None:
        """Is there for the sake of cuDNN, which wants all weights in one piece: the operator takes them as they are."""

    def _layer(self, features: int, attrs: dict[str, Any]) -> RNN | BiRNN:
        cell = self._cell(features, attrs)
        if self.num_directions == 1:
            return RNN(cell, time_major=self.time_major)
        return BiRNN(cell, self._cell(features, attrs), self.time_major)

    def _cell(self, features: int, attrs: dict[str, Any]) -> Any:
        if self.mode in ("LSTM", "GRU"):
            return (LSTMCell if self.mode == "LSTM" else GRUCell)(features, self.hidden_size, **attrs)
        return SimpleRNNCell(features, self.hidden_size, self.mode.removeprefix("RNN_").lower(), **attrs)

    def _cells(self) -> list[Any]:
        """The cells in the order of the operator's weights."""
        if self.num_directions == 1:
            return [layer.cell for layer in self]
        return [cell for layer in self for cell in (layer.cell_fw, layer.cell_bw)]

    def _name_parameters(self, attrs: dict[str, Any]) -> None:
        for n, cell in enumerate(self._cells()):
            layer, direction = divmod(n, self.num_directions)
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                if kind.startswith("weight") or attrs[f"{kind}_attr"] is not False:
                    setattr(self, f"{kind}_l{layer}{'_reverse' * direction}", getattr(cell, kind))

    @results_named(first="Out State")
    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Any, Any]:
        """The outputs of all steps, and the final states of all layers and directions.

        `inputs` [batch, steps, input], or [steps, batch, input] with `time_major`; `initial_states` (by default zeros)
        and the final ones [num_layers * num_directions, batch, hidden], for LSTM a tuple (h, c) of them. Outputs are
        zeros beyond a sequence's length, `sequence_length` [batch], and the final states are those at it.
        """
        check_sequence(type(self).__name__, inputs, self.input_size, self.time_major)
        drawing("rnn", self._full_name)
        x = inputs if self.time_major else steps_first(inputs)
        out, finals = apply_rnn(self.mode, x, self._initial(x, initial_states), self._cells(), sequence_length,
                                num_layers=self.num_layers, is_bidirec=self.num_directions == 2,
                                dropout_prob=float(self.dropout), is_test=not self.training)
        return (out if self.time_major else steps_first(out),
                finals[0] if self.state_components == 1 else tuple(finals))

    def _initial(self, x: Any, states: Any) -> list[Any]:
        if states is None:
            shape = [self.num_layers * self.num_directions, batch_size(x, 1), self.hidden_size]
            return [full(shape, 0.0, x.dtype) for _ in range(self.state_components)]
        return list(states) if isinstance(states, (list, tuple)) else [states]

    def extra_repr(self) -> str:
        """The sizes and what is not usual."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, value, usual in (("num_layers", self.num_layers, 1), ("time_major", self.time_major, False),
                                   ("dropout", self.dropout, 0.0)):
            text += f", {name}={value}" if value != usual else ""
        return text


class SimpleRNN(RNNBase):
    """Layers of SimpleRNNCell: h' = activation(W_ih x + b_ih + W_hh h + b_hh), `activation` 'tanh' or 'relu'.

    `direction`: 'forward', or 'bidirect' (also 'bidirectional'), where the outputs of both lie side by side.
    `dropout`: the probability with which elements passed from one layer to the next are zeroed in training.

    >>> import proa as paddle
    >>> y, h = paddle.nn.SimpleRNN(3, 4, num_layers=2)(paddle.ones([2, 5, 3]))
    >>> y.shape, h.shape
    ([2, 5, 4], [2, 2, 4])
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
                 time_major: bool = False, dropout: float = 0.0, activation: str = "tanh", weight_ih_attr: Any = None,
                 weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
                 name: str | None = None):
        if activation not in ("tanh", "relu"):
            raise ValueError(f"SimpleRNN(activation): must be 'tanh' or 'relu'. Received {activation!r}.")
        super().__init__(f"RNN_{activation.upper()}", input_size, hidden_size, num_layers, direction, time_major,
                         dropout, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self.activation = activation


class LSTM(RNNBase):
    """Layers of LSTMCell: [batch, time, input] to [batch, time, hidden], and the last states (h, c).

    The states are [layers, batch, hidden] each. `time_major=True`: [time, batch, …]. See SimpleRNN for `direction`, in
    which both directions' outputs lie side by side, and `dropout`. Called with `sequence_length` [batch], steps behind
    a sequence's end give zeros.

    >>> import proa as paddle
    >>> y, (h, c) = paddle.nn.LSTM(3, 4, direction="bidirect")(paddle.ones([2, 5, 3]))
    >>> y.shape, h.shape, c.shape
    ([2, 5, 8], [2, 2, 4], [2, 2, 4])
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
                 time_major: bool = False, dropout: float = 0.0, weight_ih_attr: Any = None,
                 weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
                 name: str | None = None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr,
                         weight_hh_attr, bias_ih_attr, bias_hh_attr)


class GRU(RNNBase):
    """Layers of GRUCell: [batch, time, input] to [batch, time, hidden], and the last states [layers, batch, hidden].

    `time_major=True`: [time, batch, …]. See SimpleRNN for `direction`, in which both directions' outputs lie side by
    side, and `dropout`. Called with `sequence_length` [batch], steps behind a sequence's end give zeros.

    >>> import proa as paddle
    >>> y, h = paddle.nn.GRU(3, 4)(paddle.ones([2, 5, 3]))
    >>> y.shape, h.shape
    ([2, 5, 4], [1, 2, 4])
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, direction: str = "forward",
                 time_major: bool = False, dropout: float = 0.0, weight_ih_attr: Any = None,
                 weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
                 name: str | None = None):
        super().__init__("GRU", input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr,
                         weight_hh_attr, bias_ih_attr, bias_hh_attr)
