"""RNN and BiRNN, which take any cell through a sequence.

One of the three cells of this package, without `sequence_length`, is one operator, `rnn`, for all steps; any other is
called step by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import nest
from ...ops.array.concat_split import concat, stack
from ...ops.array.rearrange import flip
from ...ops.array.reshape import squeeze, transpose, unsqueeze
from ...ops.core.infer import shape_in
from ...ops.core.trace import apply, current_trace
from ...ops.nn.rnn import rnn_op
from ..layer import Layer
from .open_steps import step_at, through_open_steps
from .rnn_cells import GRUCell, LSTMCell, SimpleRNNCell


def steps_first(x: Any) -> Any:
    """[batch, steps, features] as [steps, batch, features], and back."""
    return transpose(x, [1, 0, 2])


def apply_rnn(mode: str, x: Any, states: Sequence[Any], cells: Sequence[Any], lengths: Any,
              **attrs: Any) -> tuple[Any, list[Any]]:
    """The operator `rnn` with the cells' weights on steps-first inputs: the outputs and the final states."""
    weights = [w for cell in cells for w in (cell.weight_ih, cell.weight_hh)]
    weights += [b for cell in cells for b in (cell.bias_ih, cell.bias_hh)]
    out, finals, _, _ = apply(rnn_op, x, list(states), weights, lengths, mode=mode, input_size=cells[0].input_size,
                              hidden_size=cells[0].hidden_size, **attrs)
    return out, finals


def check_sequence(what: str, inputs: Any, input_size: int, time_major: bool) -> None:
    """ValueError unless inputs are three-dimensional and have as many features as the layer takes."""
    shape = list(shape_in(inputs))
    if len(shape) == 3 and shape[2] in (input_size, -1):
        return
    order = "[steps, batch, features]" if time_major else "[batch, steps, features]"
    way_out = (f" For one sequence without a batch, x.unsqueeze({int(time_major)}); for one step of a batch, "
               f"x.unsqueeze({int(not time_major)})." if len(shape) == 2 else "")
    raise ValueError(f"{what}(inputs): must be {order}, with {input_size} features (input_size). Received "
                     f"shape {shape}.{way_out}")


def _mode_of(cell: Any) -> str | None:
    """The operator's mode that does what a cell does; None for a cell that must be called."""
    if cell._forward_pre_hooks or cell._forward_post_hooks:
        return None
    if type(cell) is SimpleRNNCell:
        return f"RNN_{cell.activation.upper()}"
    return {LSTMCell: "LSTM", GRUCell: "GRU"}.get(type(cell))


class _OfCells(Layer):
    """Takes cells through sequences. It calls them in methods of its own, which conversion follows."""

    time_major: bool

    def _pass(self, cell: Any, is_reverse: bool, inputs: Any, states: Any, lengths: Any,
              kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """The outputs of all steps and the final states."""
        if states is None:
            states = cell.get_initial_states(inputs, batch_dim_idx=1 if self.time_major else 0)
        mode = _mode_of(cell)
        if mode and lengths is None and not kwargs:
            return self._at_once(mode, cell, is_reverse, inputs, states)
        return self._step_by_step(cell, is_reverse, inputs, states, lengths, kwargs)

    def _at_once(self, mode: str, cell: Any, is_reverse: bool, inputs: Any, states: Any) -> tuple[Any, Any]:
        check_sequence("RNN", inputs, cell.input_size, self.time_major)
        x = inputs if self.time_major else steps_first(inputs)
        several = isinstance(states, (list, tuple))
        given = [unsqueeze(state, 0) for state in (states if several else [states])]
        out, finals = apply_rnn(mode, flip(x, [0]) if is_reverse else x, given, [cell], None)
        out = flip(out, [0]) if is_reverse else out
        last = tuple(squeeze(final, 0) for final in finals)
        return out if self.time_major else steps_first(out), last if several else last[0]

    def _step_by_step(self, cell: Any, is_reverse: bool, inputs: Any, states: Any, lengths: Any,
                      kwargs: dict[str, Any]) -> tuple[Any, Any]:
        axis = 0 if self.time_major else 1
        steps = shape_in(next(nest.leaves(inputs)))[axis]
        if steps < 0:
            through = current_trace().staged(through_open_steps)
            outputs, states = through(cell, axis, is_reverse, inputs, states, lengths, kwargs)
            return (outputs if axis == 0 else nest.map_structure(_batch_first, outputs)), states
        outputs = [None] * steps
        for t in reversed(range(steps)) if is_reverse else range(steps):
            outputs[t], states = step_at(t, cell, axis, inputs, states, lengths, kwargs)
        return nest.map_structure(lambda *values: stack(list(values), axis), *outputs), states


def _batch_first(x: Any) -> Any:
    return transpose(x, [1, 0, *range(2, len(x.shape))])


def _check_cell(what: str, cell: Any) -> None:
    """TypeError unless the cell can be called with a step's inputs and states."""
    if not callable(cell):
        raise TypeError(f"{what}: must be a cell, a Layer such as nn.LSTMCell(16, 32) that takes (inputs, states). "
                        f"Received {type(cell).__name__} {cell!r}.")


class RNN(_OfCells):
    """Takes a cell through a sequence, from the first step to the last, or with `is_reverse` the other way round.

    Inputs [batch, steps, ...], or steps first with `time_major`; for a cell that takes them so, several, nested. The
    result is the outputs of all steps and the final states. Beyond a sequence's length (`sequence_length`, [batch])
    states stay as they are, and the outputs are what the cell makes of them.

    >>> import proa as paddle
    >>> outputs, h = paddle.nn.RNN(paddle.nn.GRUCell(3, 4))(paddle.ones([2, 5, 3]))
    >>> outputs.shape, h.shape
    ([2, 5, 4], [2, 4])
    """

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False):
        super().__init__()
        _check_cell("RNN(cell)", cell)
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None,
                **kwargs: Any) -> tuple[Any, Any]:
        """The outputs and the final states; other keyword arguments go to the cell."""
        return self._pass(self.cell, self.is_reverse, inputs, initial_states, sequence_length, kwargs)


class BiRNN(_OfCells):
    """Takes one cell forward through a sequence and another backward; their outputs lie side by side.

    Initial and final states are pairs, of the forward and of the backward cell. Otherwise as RNN.

    >>> import proa as paddle
    >>> both = paddle.nn.BiRNN(paddle.nn.GRUCell(4, 8), paddle.nn.GRUCell(4, 8))
    >>> out, (forward, backward) = both(paddle.ones([2, 5, 4]))
    >>> out.shape, forward.shape
    ([2, 5, 16], [2, 8])
    """

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False):
        super().__init__()
        _check_cell("BiRNN(cell_fw)", cell_fw)
        _check_cell("BiRNN(cell_bw)", cell_bw)
        sizes = [getattr(cell, "input_size", None) for cell in (cell_fw, cell_bw)]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(f"BiRNN(cell_fw, cell_bw): must have one input_size. Received {sizes[0]} and {sizes[1]}.")
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None,
                **kwargs: Any) -> tuple[Any, Any]:
        """The outputs [batch, steps, forward and backward features] and the pair of final states."""
        if initial_states is not None and (not isinstance(initial_states, (list, tuple)) or len(initial_states) != 2):
            raise ValueError("BiRNN(initial_states): must be a pair, of the forward and of the backward cell. "
                             f"Received {type(initial_states).__name__}.")
        states = (None, None) if initial_states is None else initial_states
        forward, backward = [self._pass(cell, n == 1, inputs, states[n], sequence_length, kwargs)
                             for n, cell in enumerate((self.cell_fw, self.cell_bw))]
        both = nest.map_structure(lambda a, b: concat([a, b], axis=-1), forward[0], backward[0])
        return both, (forward[1], backward[1])
