"""Recurrent cells: one step of a recurrent layer, SimpleRNNCell, LSTMCell, GRUCell and the base of users' own."""

from __future__ import annotations

import math
from typing import Any

from ...core import nest
from ...ops.array.full import full
from ...ops.array.reshape import shape as shape_of
from ...ops.core.infer import shape_in
from ...ops.linalg.matrix_product import matmul
from ...ops.math.unary import tanh
from ...ops.nn.activation import relu
from ...ops.nn.cell_gates import gru_gates, lstm_gates
from ..initializer import Constant, Uniform
from ..layer import Layer


def batch_size(x: Any, axis: int) -> Any:
    """A size of x, as a one-element value where a Program does not know it yet."""
    size = shape_in(x)[axis]
    return size if size >= 0 else shape_of(x)[axis]


def _is_shape(shape: Any) -> bool:
    return isinstance(shape, (list, tuple)) and all(isinstance(n, int) for n in shape)


class RNNCellBase(Layer):
    """Base of cells. A cell's `forward(inputs, states)` gives the outputs and the new states of one step.

    A cell of one's own defines `state_shape`, the shape of a state without the batch size (or several, nested), unless
    it is always called with states.

    >>> import proa as paddle
    >>> class Sum(paddle.nn.RNNCellBase):
    ...     state_shape = (2,)
    ...     def forward(self, inputs, states):
    ...         return inputs + states, inputs + states
    >>> outputs, last = paddle.nn.RNN(Sum())(paddle.ones([1, 3, 2]))
    >>> outputs.tolist()
    [[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]]
    """

    @property
    def state_shape(self) -> Any:
        """The shape of a state without the batch size, or several, nested."""
        raise NotImplementedError(f"{type(self).__name__} must define the property state_shape, or be called with "
                                  f"initial states.")

    @property
    def state_dtype(self) -> Any:
        """The dtype of a state, or several, nested as `state_shape`; not defined: the default dtype."""
        raise NotImplementedError(f"{type(self).__name__} does not define the property state_dtype.")

    def get_initial_states(self, batch_ref: Any, shape: Any = None, dtype: Any = None, init_value: float = 0.0,
                           batch_dim_idx: int = 0) -> Any:
        """States [batch, *shape] filled with `init_value`; the batch size is that of `batch_ref` at `batch_dim_idx`.

        `shape` (by default `state_shape`) may be several shapes, nested; so is then what is returned. `dtype` is the
        inputs' unless given.
        """
        reference = next(nest.leaves(batch_ref))
        batch = batch_size(reference, batch_dim_idx)

        def of_shape(shape: Any) -> Any:
            if _is_shape(shape):
                return full([batch, *(n for n in shape if n >= 0)], init_value, dtype or reference.dtype)
            return type(shape)(of_shape(inner) for inner in shape)

        return of_shape(self.state_shape if shape is None else shape)


class _GatedCell(RNNCellBase):
    """What the three cells share: two weights and two biases, whose rows are the gates one after the other."""

    def __init__(self, gates: int, input_size: int, hidden_size: int, attrs: tuple[Any, ...]):
        super().__init__()
        if hidden_size <= 0:
            raise ValueError(f"{type(self).__name__}(hidden_size): must be above 0. Received {hidden_size}.")
        self.input_size, self.hidden_size = input_size, hidden_size
        rows = gates * hidden_size
        weight_ih, weight_hh, bias_ih, bias_hh = attrs
        self.weight_ih = self._parameter([rows, input_size], weight_ih)
        self.weight_hh = self._parameter([rows, hidden_size], weight_hh)
        self.bias_ih = self._parameter([rows], bias_ih, is_bias=True)
        self.bias_hh = self._parameter([rows], bias_hh, is_bias=True)

    def _parameter(self, shape: list[int], attr: Any, is_bias: bool = False) -> Any:
        """A parameter; where its attr is False one that stays as it is, a bias of zeros or a weight of ones."""
        bound = 1 / math.sqrt(self.hidden_size)
        if attr is not False:
            return self.create_parameter(shape, attr, is_bias=is_bias, default_initializer=Uniform(-bound, bound))
        fixed = self.create_parameter(shape, Constant(0.0 if is_bias else 1.0), is_bias=is_bias)
        fixed.stop_gradient = True
        return fixed

    def _summands(self, inputs: Any, h: Any) -> tuple[Any, Any]:
        """What the gates are made of: the inputs' part and the state's."""
        return (matmul(inputs, self.weight_ih, transpose_y=True) + self.bias_ih,
                matmul(h, self.weight_hh, transpose_y=True) + self.bias_hh)

    @property
    def state_shape(self) -> Any:
        """The shape of the state without the batch size."""
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(_GatedCell):
    """h' = activation(W_ih x + b_ih + W_hh h + b_hh); `activation` is 'tanh' or 'relu' (Elman, 1990).

    Weights [hidden, input] and [hidden, hidden]; inputs [batch, input], states [batch, hidden].

    >>> import proa as paddle
    >>> cell = paddle.nn.SimpleRNNCell(4, 8)
    >>> out, state = cell(paddle.ones([2, 4]))
    >>> out.shape, state.shape
    ([2, 8], [2, 8])
    """

    def __init__(self, input_size: int, hidden_size: int, activation: str = "tanh", weight_ih_attr: Any = None,
                 weight_hh_attr: Any = None, bias_ih_attr: Any = None, bias_hh_attr: Any = None,
                 name: str | None = None):
        super().__init__(1, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr))
        if activation not in ("tanh", "relu"):
            raise ValueError(f"SimpleRNNCell(activation): must be 'tanh' or 'relu'. Received {activation!r}.")
        self.activation = activation

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """The new hidden state, twice: as output and as state."""
        states = self.get_initial_states(inputs) if states is None else states
        from_input, from_state = self._summands(inputs, states)
        h = (tanh if self.activation == "tanh" else relu)(from_input + from_state)
        return h, h

    def extra_repr(self) -> str:
        """The sizes, and an activation that is not tanh."""
        return super().extra_repr() + ("" if self.activation == "tanh" else f", activation={self.activation}")


class LSTMCell(_GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997).

    With i, f, g, o the four parts, in this order, of W_ih x + b_ih + W_hh h + b_hh:
    c' = sigmoid(f) c + sigmoid(i) tanh(g) and h' = sigmoid(o) tanh(c'). Weights [4 * hidden, input] and
    [4 * hidden, hidden]; inputs [batch, input], states a tuple (h, c), each [batch, hidden].

    >>> import proa as paddle
    >>> cell = paddle.nn.LSTMCell(3, 4)
    >>> y, (h, c) = cell(paddle.ones([2, 3]))
    >>> y.shape, h.shape, c.shape
    ([2, 4], [2, 4], [2, 4])
    """

    def __init__(self, input_size: int, hidden_size: int, weight_ih_attr: Any = None, weight_hh_attr: Any = None,
                 bias_ih_attr: Any = None, bias_hh_attr: Any = None, name: str | None = None):
        super().__init__(4, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr))

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, tuple[Any, Any]]:
        """The new hidden state, and the tuple of both new states."""
        h, c = _pair(self.get_initial_states(inputs) if states is None else states)
        from_input, from_state = self._summands(inputs, h)
        h, c = lstm_gates(from_input + from_state, c)
        return h, (h, c)

    @property
    def state_shape(self) -> Any:
        """The shapes of both states without the batch size."""
        return (self.hidden_size,), (self.hidden_size,)


def _pair(states: Any) -> tuple[Any, Any]:
    if not isinstance(states, (list, tuple)) or len(states) != 2:
        received = f"{len(states)} values" if isinstance(states, (list, tuple)) else type(states).__name__
        raise ValueError(f"LSTMCell(states): must be a tuple (h, c) of two tensors. Received {received}.")
    return states[0], states[1]


class GRUCell(_GatedCell):
    """Gated recurrent unit (Cho et al., 2014), with the reset gate behind the recurrent product.

    With r, z, n the three parts, in this order, of x' = W_ih x + b_ih and of h' = W_hh h + b_hh:
    r = sigmoid(x'r + h'r), z = sigmoid(x'z + h'z), n = tanh(x'n + r h'n), and the new state is z h + (1 - z) n.
    Weights [3 * hidden, input] and [3 * hidden, hidden]; inputs [batch, input], states [batch, hidden].

    >>> import proa as paddle
    >>> cell = paddle.nn.GRUCell(4, 8)
    >>> out, state = cell(paddle.ones([2, 4]))
    >>> out.shape, state.shape
    ([2, 8], [2, 8])
    """

    def __init__(self, input_size: int, hidden_size: int, weight_ih_attr: Any = None, weight_hh_attr: Any = None,
                 bias_ih_attr: Any = None, bias_hh_attr: Any = None, name: str | None = None):
        super().__init__(3, input_size, hidden_size, (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr))

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """The new hidden state, twice: as output and as state."""
        states = self.get_initial_states(inputs) if states is None else states
        from_input, from_state = self._summands(inputs, states)
        h = gru_gates(from_input, from_state, states)
        return h, h
