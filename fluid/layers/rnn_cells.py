"""Recurrent cells, one step each, and `rnn`, which runs one over sequences: RNNCell, GRUCell, LSTMCell."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ...core import nest
from ...core.unique_name import generate
from ..layer_helper import LayerHelper
from ..mode import face
from ..param_attr import ParamAttr
from .elementwise import elementwise_add, elementwise_mul, elementwise_sub, scale
from .linear_algebra import matmul
from .manipulation import shape as shape_of
from .manipulation import slice, split, transpose
from .ops import sigmoid, tanh
from .sequence_lod import sequence_mask
from .static_rnn import StaticRNN
from .tensor import concat, fill_constant, fill_constant_batch_size_like, reverse


class RNNCell:
    """Base of cells: `call(inputs, states)` gives the outputs and the new states of one step.

    A cell of one's own defines `state_shape`, the shape of a state without the batch size, or several in a list, unless
    it is always given initial states.
    """

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """The outputs and the new states of one step."""
        raise NotImplementedError(f"{type(self).__name__} must define call(inputs, states).")

    def __call__(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """As `call`."""
        return self.call(inputs, states, **kwargs)

    @face
    def get_initial_states(self, batch_ref: Any, shape: Any = None, dtype: Any = "float32", init_value: float = 0,
                           batch_dim_idx: int = 0) -> Any:
        """States filled with `init_value`, a row for each item of `batch_ref` along a dimension."""
        reference = next(nest.leaves(batch_ref))

        def of_shape(shape: Any) -> Any:
            if all(isinstance(size, int) for size in shape):
                sizes = shape if shape and shape[0] < 0 else [-1, *shape]
                return fill_constant_batch_size_like(reference, list(sizes), dtype, init_value, batch_dim_idx)
            return type(shape)(map(of_shape, shape))

        return of_shape(self.state_shape if shape is None else shape)

    @property
    def state_shape(self) -> Any:
        """The shape of a state without the batch size, or several, nested."""
        raise NotImplementedError(f"{type(self).__name__} must define state_shape, or be called with initial states.")

    @property
    def state_dtype(self) -> Any:
        """The dtype of a state, or several, nested as `state_shape`."""
        raise NotImplementedError(f"{type(self).__name__} does not define state_dtype.")


class _GatedCell(RNNCell):
    """What both cells share: weights for input and state together, which are made when the first input is there."""

    def __init__(self, unit: str, name: str, hidden_size: int, param_attr: Any, bias_attr: Any, gate_activation: Any,
                 activation: Any, dtype: Any):
        self.hidden_size, self.dtype = hidden_size, dtype
        self.param_attr, self.bias_attr = param_attr, bias_attr
        self.gate_activation: Callable[[Any], Any] = gate_activation or sigmoid
        self.activation: Callable[[Any], Any] = activation or tanh
        self.helper = LayerHelper(unit, name=generate(f"{name}/{unit}"))
        self.weights: list[tuple[Any, Any]] = []  # with their biases

    def _made(self, width: int, parts: Sequence[tuple[int, str]]) -> None:
        """Makes the parameters, once: for each part, of so many columns, what its name gets at its end."""
        if self.weights:
            return
        weights = [self.helper.parameter(_named(self.param_attr, end), [width + self.hidden_size, columns], self.dtype)
                   for columns, end in parts]
        biases = [self.helper.parameter(_named(self.bias_attr, end), [columns], self.dtype, is_bias=True)
                  for columns, end in parts]
        self.weights = list(zip(weights, biases, strict=True))

    def _product(self, part: int, *x: Any) -> Any:
        weight, bias = self.weights[part]
        product = matmul(concat(list(x), 1), weight)
        return product if bias is None else elementwise_add(product, bias)


def _named(attr: Any, end: str) -> Any:
    """The attribute of one of several parameters: a name that is given for all of them is completed."""
    made = ParamAttr._to_attr(attr)
    if not made or made.name is None or not end:
        return attr
    made = copy.copy(made)
    made.name += end
    return made


class GRUCell(_GatedCell):
    """A gated recurrent unit (Cho et al., 2014).

    With r, u the two parts of gate_activation(W [x, h] + b) and c = activation(V [x, r h] + d), the new state, which is
    the output too, is u h + (1 - u) c.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x, h = fluid.data("x", [None, 3]), fluid.data("h", [None, 5])
    ...     out, new = fluid.layers.GRUCell(5)(x, h)
    ...     out.shape
    (-1, 5)
    """

    def __init__(self, hidden_size: int, param_attr: Any = None, bias_attr: Any = None, gate_activation: Any = None,
                 activation: Any = None, dtype: Any = "float32", name: str = "GRUCell"):
        super().__init__("BasicGRUUnit", name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype)

    @face
    def call(self, inputs: Any, states: Any) -> Any:  # type: ignore[override]
        """The new state, twice: as output and as state."""
        self._made(inputs.shape[-1], [(2 * self.hidden_size, "_gate"), (self.hidden_size, "_candidate")])
        r, u = split(self.gate_activation(self._product(0, inputs, states)), 2, 1)
        c = self.activation(self._product(1, inputs, elementwise_mul(r, states)))
        new = elementwise_add(elementwise_mul(u, states), elementwise_mul(scale(u, -1.0, 1.0), c))
        return new, new

    @property
    def state_shape(self) -> Any:
        """The shape of the state."""
        return [self.hidden_size]


class LSTMCell(_GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997).

    With i, j, f, o the four parts of W [x, h] + b, states [h, c] become
    c' = c gate_activation(f + forget_bias) + gate_activation(i) activation(j), h' = activation(c') gate_activation(o).
    """

    def __init__(self, hidden_size: int, param_attr: Any = None, bias_attr: Any = None, gate_activation: Any = None,
                 activation: Any = None, forget_bias: float = 1.0, dtype: Any = "float32", name: str = "LSTMCell"):
        super().__init__("BasicLSTMUnit", name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype)
        self.forget_bias = forget_bias

    @face
    def call(self, inputs: Any, states: Any) -> Any:  # type: ignore[override]
        """The new hidden state, and the list of both states."""
        h, c = states
        self._made(inputs.shape[-1], [(4 * self.hidden_size, "")])
        i, j, f, o = split(self._product(0, inputs, h), 4, 1)
        kept = elementwise_mul(c, self.gate_activation(elementwise_add(f, self._forget_bias())))
        c = elementwise_add(kept, elementwise_mul(self.gate_activation(i), self.activation(j)))
        h = elementwise_mul(self.activation(c), self.gate_activation(o))
        return h, [h, c]

    def _forget_bias(self) -> Any:
        return fill_constant([1], self.dtype, self.forget_bias)

    @property
    def state_shape(self) -> Any:
        """The shapes of the hidden state and of the cell's."""
        return [[self.hidden_size], [self.hidden_size]]


def masked(new: Any, old: Any, mask: Any) -> Any:
    """`new` in the rows in which the mask is 1, `old` where it is 0."""
    kept = elementwise_mul(old, scale(mask, 1.0, -1.0), axis=0)
    return elementwise_sub(elementwise_mul(new, mask, axis=0), kept)


def steps_first(x: Any) -> Any:
    """x with its first two dimensions exchanged."""
    return transpose(x, [1, 0, *range(2, len(x.shape))])


@face
def rnn(cell: Any, inputs: Any, initial_states: Any = None, sequence_length: Any = None, time_major: bool = False,
        is_reverse: bool = False, **kwargs: Any) -> Any:
    """The outputs [batch, steps, …] of a cell over inputs [batch, steps, …], and its last states.

    Steps come first with `time_major`; with `is_reverse` they run from the last to the first. A state stays as it is
    behind the `sequence_length` of its sequence. Inputs and states may be nested; other keyword arguments go to
    `cell.call`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     outputs, last = fluid.layers.rnn(fluid.layers.GRUCell(5), fluid.data("x", [None, 6, 3]))
    ...     outputs.shape, last.shape
    ((-1, 6, 5), (-1, 5))
    """
    if initial_states is None:
        initial_states = cell.get_initial_states(batch_ref=inputs, batch_dim_idx=1 if time_major else 0)
    inputs = inputs if time_major else nest.map_structure(steps_first, inputs)
    mask = None
    if sequence_length is not None:
        known = next(nest.leaves(inputs)).shape[0]  # layers behind it may ask how many steps there are
        steps = known if known > 0 else slice(shape_of(next(nest.leaves(inputs))), [0], [0], [1])
        mask = steps_first(sequence_mask(sequence_length, steps, next(nest.leaves(initial_states)).dtype))
    if is_reverse:
        inputs = nest.map_structure(lambda x: reverse(x, [0]), inputs)
        mask = None if mask is None else reverse(mask, [0])
    recurrence = StaticRNN()
    with recurrence.step():
        taken = nest.map_structure(recurrence.step_input, inputs)
        states = nest.map_structure(recurrence.memory, initial_states)
        outputs, new = cell.call(taken, states, **kwargs)
        if mask is not None:
            kept = recurrence.step_input(mask)
            new = nest.map_structure(lambda new, old: masked(new, old, kept), new, states)
        for old, state in zip(nest.leaves(states), nest.leaves(new), strict=True):
            recurrence.update_memory(old, state)
        recurrence.output(*nest.leaves(outputs), *nest.leaves(new))
    found = recurrence()
    count = len(list(nest.leaves(outputs)))
    outputs, last = nest.pack(outputs, found[:count]), nest.pack(new, [state[-1] for state in found[count:]])
    if is_reverse:
        outputs = nest.map_structure(lambda x: reverse(x, [0]), outputs)
    return outputs if time_major else nest.map_structure(steps_first, outputs), last


__all__ = ["GRUCell", "LSTMCell", "RNNCell", "rnn"]
