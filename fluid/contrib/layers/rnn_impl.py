"""Recurrent layers over padded sequences that are made of simple operators: basic_gru, basic_lstm."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ....core.param_attr import to_param_attr
from ....core.unique_name import generate
from ... import layers
from ...layer_helper import LayerHelper
from ...mode import face


def _named(attr: Any, ending: str) -> Any:
    """The attribute with an ending behind its name, where it has one."""
    given = to_param_attr(attr)
    if given is None or given.name is None:
        return attr
    found = copy.copy(given)
    found.name = given.name + ending
    return found


class _Unit:
    """A cell: its parameters are made at its first step. `step(input, *states)` gives the new states."""

    kind = ""
    states = 1

    def __init__(self, name_scope: str, hidden_size: int, param_attr: Any = None, bias_attr: Any = None,
                 gate_activation: Any = None, activation: Any = None, dtype: Any = "float32"):
        self.helper = LayerHelper(self.kind, name=generate(f"{name_scope}/{self.kind}"))
        self.size, self.param_attr, self.bias_attr, self.dtype = hidden_size, param_attr, bias_attr, dtype
        self.gate, self.activation = gate_activation or layers.sigmoid, activation or layers.tanh
        self.parameters: list[Any] = []

    def _parameter(self, ending: str, shape: list[int], is_bias: bool = False) -> None:
        attr = self.bias_attr if is_bias else self.param_attr
        self.parameters.append(self.helper.parameter(_named(attr, ending), shape, self.dtype, is_bias=is_bias))


class BasicGRUUnit(_Unit):
    """h' = u h + (1 - u) c, with gates r and u of the input and h, and the candidate c of the input and r h."""

    kind = "BasicGRUUnit"

    @face
    def __call__(self, input: Any, pre_hidden: Any) -> Any:
        """The new state."""
        return self.step(input, pre_hidden)[0]

    def step(self, x: Any, hidden: Any) -> tuple[Any, ...]:
        """The new state, alone in a tuple."""
        if not self.parameters:
            rows = x.shape[-1] + self.size
            self._parameter("_gate", [rows, 2 * self.size])
            self._parameter("_candidate", [rows, self.size])
            self._parameter("_gate", [2 * self.size], True)
            self._parameter("_candidate", [self.size], True)
        of_gates, of_candidate, gate_bias, candidate_bias = self.parameters
        product = layers.matmul(layers.concat([x, hidden], 1), of_gates)
        r, u = layers.split(self.gate(layers.elementwise_add(product, gate_bias)), 2, dim=1)
        product = layers.matmul(layers.concat([x, r * hidden], 1), of_candidate)
        c = self.activation(layers.elementwise_add(product, candidate_bias))
        return (u * hidden + (1 - u) * c,)


class BasicLSTMUnit(_Unit):
    """c' = c sigmoid(f + forget_bias) + sigmoid(i) tanh(j); h' = tanh(c') sigmoid(o)."""

    kind = "BasicLSTMUnit"
    states = 2

    def __init__(self, name_scope: str, hidden_size: int, param_attr: Any = None, bias_attr: Any = None,
                 gate_activation: Any = None, activation: Any = None, forget_bias: float = 1.0,
                 dtype: Any = "float32"):
        super().__init__(name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype)
        self.forget_bias = forget_bias

    @face
    def __call__(self, input: Any, pre_hidden: Any, pre_cell: Any) -> tuple[Any, Any]:
        """The new hidden values and cells."""
        hidden, cell = self.step(input, pre_hidden, pre_cell)
        return hidden, cell

    def step(self, x: Any, hidden: Any, cell: Any) -> tuple[Any, ...]:
        """The new hidden values and cells."""
        if not self.parameters:
            self._parameter("", [x.shape[-1] + self.size, 4 * self.size])
            self._parameter("", [4 * self.size], True)
        weight, bias = self.parameters
        product = layers.matmul(layers.concat([x, hidden], 1), weight)
        i, j, f, o = layers.split(layers.elementwise_add(product, bias), 4, dim=-1)
        new = cell * layers.sigmoid(f + self.forget_bias) + layers.sigmoid(i) * layers.tanh(j)
        return layers.tanh(new) * layers.sigmoid(o), new


def _masked(new: Any, old: Any, mask: Any) -> Any:
    """The new states where the mask is 1, else the old ones."""
    return layers.elementwise_mul(new, mask, axis=0) - layers.elementwise_mul(old, mask - 1, axis=0)


def _one_way(x: Any, units: Sequence[Any], initial: Sequence[Any], mask: Any, dropout_prob: float | None,
             way: int) -> list[Any]:
    """The outputs of the last layer, [steps, batch, hidden]; then each kind of last states, [layers, batch, hidden]."""
    recurrence = layers.StaticRNN()
    with recurrence.step():
        step = recurrence.step_input(x)
        inside = None if mask is None else recurrence.step_input(mask)
        for number, unit in enumerate(units):
            old = [recurrence.memory(init=state[number, way]) for state in initial] or [
                recurrence.memory(batch_ref=x, shape=[-1, unit.size], ref_batch_dim_idx=1) for _ in range(unit.states)]
            new = unit.step(step, *old)
            if inside is not None:
                new = tuple(_masked(a, b, inside) for a, b in zip(new, old, strict=True))
            for before, after in zip(old, new, strict=True):
                recurrence.update_memory(before, after)
                recurrence.step_output(after)
            step = new[0]
            if dropout_prob:
                step = layers.dropout(step, dropout_prob)
        recurrence.step_output(step)
    *states, out = recurrence()
    count, size = units[0].states, units[0].size
    last = [layers.concat([values[-1] for values in states[kind::count]], axis=0) for kind in range(count)]
    return [out, *(layers.reshape(value, [len(units), -1, size]) for value in last)]


def _layers_of(made: Callable[[str, Any, Any], Any], name: str, count: int, way: str, param_attr: Any,
               bias_attr: Any) -> list[Any]:
    between = "_reverse_layers_" if way == "bw" else "_layers_"
    return [made(f"{name}{between}{n}", _named(param_attr, f"_{way}_w_{n}"), _named(bias_attr, f"_{way}_b_{n}"))
            for n in range(count)]


def _stack(x: Any, initial: Sequence[Any], units: Sequence[Sequence[Any]], sequence_length: Any,
           dropout_prob: float | None, batch_first: bool) -> tuple[Any, ...]:
    """Both ways' outputs side by side, and their last states."""
    count, ways, size = len(units[0]), len(units), units[0][0].size
    x = layers.transpose(x, [1, 0, 2]) if batch_first else x
    mask = None
    if sequence_length is not None:
        mask = layers.sequence_mask(sequence_length, maxlen=layers.shape(x)[0], dtype="float32")
        mask = layers.transpose(mask, [1, 0])
    initial = [layers.reshape(state, [count, ways, -1, size]) for state in initial if state is not None]
    out, *last = _one_way(x, units[0], initial, mask, dropout_prob, 0)
    if ways == 2:
        back = None if mask is None else layers.reverse(mask, axis=[0])
        other, *others = _one_way(layers.reverse(x, axis=[0]), units[1], initial, back, dropout_prob, 1)
        out = layers.concat([out, layers.reverse(other, axis=[0])], axis=2)
        last = [layers.reshape(layers.concat(list(both), axis=1), [count * 2, -1, size])
                for both in zip(last, others, strict=True)]
    return (layers.transpose(out, [1, 0, 2]) if batch_first else out, *last)


@face
def basic_gru(input: Any, init_hidden: Any, hidden_size: int, num_layers: int = 1, sequence_length: Any = None,
              dropout_prob: float = 0.0, bidirectional: bool = False, batch_first: bool = True, param_attr: Any = None,
              bias_attr: Any = None, gate_activation: Any = None, activation: Any = None, dtype: Any = "float32",
              name: str = "basic_gru") -> tuple[Any, ...]:
    """The last layer's outputs, [batch, steps, hidden * directions], and the last states of all layers.

    Behind `sequence_length` steps a sequence keeps its state. `init_hidden` [layers * directions, batch, hidden] may be
    None for zeros.
    """
    def made(scope: str, weights: Any, biases: Any) -> BasicGRUUnit:
        return BasicGRUUnit(scope, hidden_size, weights, biases, gate_activation, activation, dtype)

    units = [_layers_of(made, name, num_layers, way, param_attr, bias_attr)
             for way in (("fw", "bw") if bidirectional else ("fw",))]
    return _stack(input, [init_hidden], units, sequence_length, dropout_prob, batch_first)


@face
def basic_lstm(input: Any, init_hidden: Any, init_cell: Any, hidden_size: int, num_layers: int = 1,
               sequence_length: Any = None, dropout_prob: float = 0.0, bidirectional: bool = False,
               batch_first: bool = True, param_attr: Any = None, bias_attr: Any = None, gate_activation: Any = None,
               activation: Any = None, forget_bias: float = 1.0, dtype: Any = "float32",
               name: str = "basic_lstm") -> tuple[Any, ...]:
    """As `basic_gru`, with a long short-term memory's cells beside the states; as in 1.8, its activations are fixed."""
    def made(scope: str, weights: Any, biases: Any) -> BasicLSTMUnit:
        return BasicLSTMUnit(scope, hidden_size, weights, biases, gate_activation, activation, forget_bias, dtype)

    units = [_layers_of(made, name, num_layers, way, param_attr, bias_attr)
             for way in (("fw", "bw") if bidirectional else ("fw",))]
    return _stack(input, [init_hidden, init_cell], units, sequence_length, dropout_prob, batch_first)


__all__ = ["BasicGRUUnit", "BasicLSTMUnit", "basic_gru", "basic_lstm"]
