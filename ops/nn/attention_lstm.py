"""attending_lstm: an LSTM whose input at each step is a mean of its sequence's rows, weighted by the cell of the step
before. What attention_lstm is made of."""

from typing import Any

from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import last_of, lengths_of, levels_of, owners, places_in
from .dynamic_rnn_kernels import ACTIVATIONS


def _padded(xp: Any, x: Any, offsets: Any) -> Any:
    """The rows x by sequence, [number of sequences, longest, width]; zeros behind shorter ones."""
    lengths = lengths_of(offsets)
    found = xp.zeros((lengths.size, int(lengths.max()) if lengths.size else 0, x.shape[1]), x.dtype)
    found[owners(xp, offsets), places_in(xp, offsets)] = x
    return found


def _shares(xp: Any, scores: Any, is_there: Any) -> Any:
    """softmax along each row, over the places that are there."""
    scores = xp.where(is_there, scores, -xp.inf)
    powers = xp.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def _attending(xp, x, cell, hidden, attention, attention_bias, scalar, scalar_bias, weight, bias, lod, *,
               gate_activation: str = "sigmoid", cell_activation: str = "tanh", candidate_activation: str = "tanh"):
    gate, inner, candidate = (ACTIVATIONS[name].function for name in (gate_activation, cell_activation,
                                                                      candidate_activation))
    offsets = last_of("attending_lstm(x)", lod, len(x))
    lengths, rows, (width, size) = lengths_of(offsets), _padded(xp, x, offsets), (x.shape[1], cell.shape[1])
    is_there = xp.arange(rows.shape[1])[None] < lengths[:, None]
    first = (rows @ attention[:width])[:, :, 0]
    if attention_bias is not None:
        first = first + attention_bias.reshape(())
    if hidden is None:
        hidden = xp.zeros_like(cell)
    made = [xp.empty((len(x), size), x.dtype) for _ in range(2)]
    for step in range(rows.shape[1]):
        on = xp.nonzero(lengths > step)[0]
        scores = xp.maximum(first[on] + cell[on] @ attention[width:], 0)
        if scalar is not None:
            scores = scores * scalar.reshape(())
            scores = xp.maximum(scores if scalar_bias is None else scores + scalar_bias.reshape(()), 0)
        taken = (_shares(xp, scores, is_there[on])[:, None] @ rows[on])[:, 0]
        gates = hidden[on] @ weight[:size] + taken @ weight[size:] + bias.reshape(-1)
        forget, write, show = (gate(xp, gates[:, n * size: (n + 1) * size]) for n in range(3))
        new = forget * cell[on] + write * candidate(xp, gates[:, 3 * size:])
        cell, hidden = cell.copy(), hidden.copy()
        cell[on], hidden[on] = new, show * inner(xp, new)
        for kept, value in zip(made, (hidden, cell), strict=True):
            kept[offsets[on] + step] = value[on]
    return tuple(made)


def _infer(x: Any, cell: Any, hidden: Any, attention: Any, attention_bias: Any, scalar: Any, scalar_bias: Any,
           weight: Any, bias: Any, lod: Any, **_: str) -> tuple[Spec, Spec]:
    levels_of("attending_lstm(x)", lod)
    size = cell.shape[1]
    if -1 not in (x.shape[1], size) and tuple(weight.shape) != (x.shape[1] + size, 4 * size):
        raise ValueError(f"attention_lstm(LSTMWeight): must be [{x.shape[1] + size}, {4 * size}], for rows of "
                         f"{x.shape[1]} numbers and cells of {size}. Received {list(weight.shape)}.")
    made = Spec((x.shape[0], size), x.dtype)
    return made, made


attending_lstm_op = operator(
    "attending_lstm", "X, C0, H0?, AttentionWeight, AttentionBias?, AttentionScalar?, AttentionScalarBias?, "
    "LSTMWeight, LSTMBias, lod^X -> Hidden, Cell", kernel=_attending, infer=_infer, only_here=True, fails="values")
"""Each step's scores are relu(X . AttentionWeight[:M] + AttentionBias + cell . AttentionWeight[M:]); a scalar times
them, and its bias, are cut off at 0 once more. Their softmax over the sequence weighs its rows. LSTMWeight is of the
state, then of the input; its columns are of the gates that forget, write and show, and of the candidate."""

__all__ = ["attending_lstm_op"]
