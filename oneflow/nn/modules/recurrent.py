"""Recurrent modules: RNN, LSTM and GRU of several layers, and their cells."""

from __future__ import annotations

import math
from typing import Any

from ....ops.array import full
from ....ops.array import reshape as reshaping
from ....ops.array.concat_split import split
from ....ops.core.trace import apply
from ....ops.math import elementwise, unary
from ....ops.nn.rnn import rnn_op
from ...functions import activations, creation
from .. import functional as F
from .. import init
from ..module import Module, Parameter

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What RNN, LSTM and GRU have in common."""

    mode: str

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None):
        super().__init__()
        if mode not in _GATES:
            raise ValueError(f"RNNBase(mode): must be one of {', '.join(_GATES)}. Received {mode!r}.")
        if proj_size:
            raise NotImplementedError(f"{type(self).__name__}(proj_size): hidden states are not projected. Put a "
                                      "Linear behind it.")
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        gates = _GATES[mode] * hidden_size
        for layer, suffix in self._directions():
            width = input_size if layer == 0 else hidden_size * (2 if bidirectional else 1)
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, width), "weight_hh": (gates, hidden_size)}
            if bias:
                shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
            for kind, shape in shapes.items():
                setattr(self, f"{kind}_l{layer}{suffix}", Parameter(creation.empty(*shape, dtype=dtype,
                                                                                   device=device)))
        self.reset_parameters()

    def _directions(self) -> list[tuple[int, str]]:
        return [(layer, suffix) for layer in range(self.num_layers)
                for suffix in (("", "_reverse") if self.bidirectional else ("",))]

    def reset_parameters(self) -> None:
        """Fills the parameters anew, evenly from ±1 / √hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh") if self.bias else ("weight_ih", "weight_hh")
        return [[getattr(self, f"{kind}_l{layer}{suffix}") for kind in kinds] for layer, suffix in self._directions()]

    def flatten_parameters(self) -> None:
        """Nothing: the weights may lie wherever they are."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        """[time, batch, size], or [batch, time, size] with batch_first; the outputs and the final states."""
        if len(input.shape) not in (2, 3):
            raise RuntimeError(f"{type(self).__name__}: input must have 3 dimensions, or 2 without a batch. Received "
                               f"shape={tuple(input.shape)}.")
        single = len(input.shape) == 2
        x = reshaping.unsqueeze(input, 1) if single else input
        if self.batch_first and not single:
            x = reshaping.transpose(x, [1, 0, 2])
        states = self._states(x, hx, single)
        weights = self.all_weights
        matrices = [w for own in weights for w in own[:2]]
        gates = _GATES[self.mode] * self.hidden_size
        biases = [b for own in weights for b in (own[2:] or [full.zeros([gates], x.dtype)] * 2)]
        out, finals, _, _ = apply(
            rnn_op, x, states, matrices + biases, None, mode=self.mode, input_size=self.input_size,
            hidden_size=self.hidden_size, num_layers=self.num_layers, is_bidirec=self.bidirectional,
            dropout_prob=self.dropout, is_test=not self.training)
        if self.batch_first and not single:
            out = reshaping.transpose(out, [1, 0, 2])
        if single:
            out, finals = reshaping.squeeze(out, 1), [reshaping.squeeze(state, 1) for state in finals]
        return out, self._given(finals)

    def _states(self, x: Any, hx: Any, single: bool) -> list[Any]:
        count = 2 if self.mode == "LSTM" else 1
        if hx is None:
            shape = [len(self._directions()), x.shape[1], self.hidden_size]
            return [full.zeros(shape, x.dtype) for _ in range(count)]
        given = list(hx) if count == 2 else [hx]
        return [reshaping.unsqueeze(state, 1) for state in given] if single else given

    def _given(self, finals: list[Any]) -> Any:
        return finals[0] if len(finals) == 1 else tuple(finals)

    def extra_repr(self) -> str:
        """Its settings."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in (("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0),
                            ("bidirectional", False)):
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or with `nonlinearity="relu"` its relu (Elman, 1990)."""

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any):
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN(nonlinearity): must be 'tanh' or 'relu'. Received {nonlinearity!r}.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); the states are a pair (h, c).

    >>> import proa.oneflow as flow
    >>> out, (h, c) = flow.nn.LSTM(3, 5, num_layers=2)(flow.ones(4, 2, 3))
    >>> out.shape, h.shape
    (oneflow.Size([4, 2, 5]), oneflow.Size([2, 2, 5]))
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al., 2014)."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """What the cells have in common."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
                 dtype: Any = None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.weight_ih = Parameter(creation.empty(num_chunks * hidden_size, input_size, dtype=dtype, device=device))
        self.weight_hh = Parameter(creation.empty(num_chunks * hidden_size, hidden_size, dtype=dtype, device=device))
        self.bias_ih = Parameter(creation.empty(num_chunks * hidden_size, dtype=dtype, device=device)) if bias else None
        self.bias_hh = Parameter(creation.empty(num_chunks * hidden_size, dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters anew, evenly from ±1 / √hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _gates(self, x: Any, h: Any) -> tuple[Any, Any]:
        return F.linear(x, self.weight_ih, self.bias_ih), F.linear(h, self.weight_hh, self.bias_hh)

    def _start(self, x: Any, state: Any) -> Any:
        return full.zeros([*x.shape[:-1], self.hidden_size], x.dtype) if state is None else state

    def extra_repr(self) -> str:
        """Its sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: Any = None, dtype: Any = None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        from_input, from_state = self._gates(input, self._start(input, hx))
        total = elementwise.add(from_input, from_state)
        return unary.tanh(total) if self.nonlinearity == "tanh" else activations.relu(total)


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next states (h, c)."""
        h, c = (None, None) if hx is None else hx
        h, c = self._start(input, h), self._start(input, c)
        i, f, g, o = split(elementwise.add(*self._gates(input, h)), 4, -1)
        c = elementwise.add(elementwise.multiply(F.sigmoid(f), c), elementwise.multiply(F.sigmoid(i), unary.tanh(g)))
        return elementwise.multiply(F.sigmoid(o), unary.tanh(c)), c


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        h = self._start(input, hx)
        from_input, from_state = self._gates(input, h)
        (r, z, n), (hr, hz, hn) = split(from_input, 3, -1), split(from_state, 3, -1)
        reset, update = F.sigmoid(elementwise.add(r, hr)), F.sigmoid(elementwise.add(z, hz))
        new = unary.tanh(elementwise.add(n, elementwise.multiply(reset, hn)))
        return elementwise.add(new, elementwise.multiply(update, elementwise.subtract(h, new)))


__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]
