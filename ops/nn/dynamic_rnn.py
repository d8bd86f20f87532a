"""Recurrent layers over packed rows, as dynamic_lstm, dynamic_lstmp and dynamic_gru apply them: lstm, lstmp, gru.

Their inputs are projected already, [rows, gates]. Rows of all sequences lie one behind the other, and none is padded
out: a step takes the sequences that are long enough. Each has its gradient as one operator.
"""

from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.recurrent import packed
from ...backend.recurrent.packed_sweeps import gru_backward, gru_forward, lstm_backward, lstm_forward
from ...core.dtype import DType
from ..core.gradient import differentiable_once
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..sequence.offsets import last_of, levels_of
from ..sequence.steps import Steps, sequences_of
from . import dynamic_rnn_kernels as kernels
from .dynamic_rnn_kernels import ACTIVATIONS, Gru, Lstm, Projection


def _steps(xp: Any, what: str, x: Any, lod: list, is_reverse: bool) -> Steps:
    return Steps.packed(xp, last_of(what, lod, len(x)), is_reverse)


# shapes

def _check_input(what: str, x: Spec, lod: list, weight: Spec, gates: int, rows: int) -> None:
    """ValueError unless x is [rows, gates] with a LoD, and the weight [rows of states, gates]."""
    levels_of(f"{what}(input)", lod or [])
    if x.rank != 2 or x.shape[1] not in (-1, gates):
        raise ValueError(f"{what}(input): must be [rows, {gates}], projected for all gates; a fully connected layer of "
                         f"this size does that. Received {list(x.shape)}.")
    if weight.shape != (rows, gates):
        raise ValueError(f"{what}(weight): must be {[rows, gates]}. Received {list(weight.shape)}.")
    _check_dtype(what, x.dtype, weight=weight)


def _check_dtype(what: str, dtype: DType, **others: Spec | None) -> None:
    for name, other in others.items():
        if other is not None and other.dtype is not dtype:
            raise TypeError(f"{what}({name}): must have the input's dtype {dtype}. Received {other.dtype}.")


def _check_state(what: str, name: str, x: Spec, lod: list, state: Spec | None, width: int) -> None:
    if state is None:
        return
    count = sequences_of(lod)
    if state.rank != 2 or state.shape[1] not in (-1, width) or (state.shape[0] != count and -1 not in (
            state.shape[0], count)):
        raise ValueError(f"{what}({name}): must be [sequences, {width}]. Received {list(state.shape)}.")
    _check_dtype(what, x.dtype, **{name: state})


def _check_bias(what: str, x: Spec, bias: Spec | None, sizes: dict[str, int]) -> None:
    if bias is None:
        return
    size = bias.shape[0] if bias.rank == 1 else bias.shape[-1]
    if size not in sizes.values() or bias.rank > 2:
        told = " or ".join(f"[1, {size}] ({name})" for name, size in sizes.items())
        raise ValueError(f"{what}(bias): must be {told}. Received {list(bias.shape)}.")
    _check_dtype(what, x.dtype, bias=bias)


def _check_activations(what: str, **names: str) -> None:
    for argument, name in names.items():
        if name not in ACTIVATIONS:
            raise ValueError(f"{what}({argument}): must be one of {', '.join(ACTIVATIONS)}. Received {name!r}.")


# the engine of generated loops

def _is_usual(gate: str, candidate: str) -> bool:
    """Whether the activations are those of the engine's gated recurrent unit."""
    return gate == "sigmoid" and candidate == "tanh"


def _told(steps: Steps) -> packed.PackedSteps:
    return packed.PackedSteps(steps.first, steps.step, steps.active)


def _ordered(state: Any, steps: Steps) -> Any:
    return None if state is None else state[steps.order]


def _by_sequence(found: Any, state: Any, steps: Steps) -> Any:
    return None if state is None else steps.by_sequence(found, state)


def _whole(value: Any, size: int) -> Any:
    """A bias, or zeros, as a vector."""
    return np.zeros(size, np.float32) if value is None else np.ascontiguousarray(value.reshape(-1)[:size])


# gru

def _gru_cell(activation: str, gate_activation: str, origin_mode: bool) -> Gru:
    return Gru(ACTIVATIONS[gate_activation], ACTIVATIONS[activation], origin_mode)


def _gru(xp, x, h0, weight, bias, lod, *, activation: str = "tanh", gate_activation: str = "sigmoid",
         is_reverse: bool = False, origin_mode: bool = False):
    steps = _steps(xp, "dynamic_gru(input)", x, lod, is_reverse)
    return kernels.gru(xp, x, h0, weight, bias, steps, _gru_cell(activation, gate_activation, origin_mode))


def _gru_grad(xp, h0, weight, bias, gates, reset, before, grad, lod, *, activation: str, gate_activation: str,
              is_reverse: bool, origin_mode: bool):
    steps = _steps(xp, "dynamic_gru(input)", gates, lod, is_reverse)
    cell = _gru_cell(activation, gate_activation, origin_mode)
    of_x, of_state, of_weight = kernels.gru_grad(xp, h0, weight, gates, reset, before, grad, steps, cell)
    return of_x, of_state, of_weight, None if bias is None else of_x.sum(0).reshape(bias.shape)


def _gru_by_loops(x, h0, weight, bias, lod, *, activation: str = "tanh", gate_activation: str = "sigmoid",
                  is_reverse: bool = False, origin_mode: bool = False):
    if not _is_usual(gate_activation, activation) or not packed.takes(gru_forward, *x.shape, x, h0, weight, bias):
        return NotImplemented
    steps = _steps(np, "dynamic_gru(input)", x, lod, is_reverse)
    cell = _gru_cell(activation, gate_activation, origin_mode)
    return packed.gru_forward(x, _whole(bias, x.shape[1]), *cell.weights(weight), _ordered(h0, steps), origin_mode,
                              _told(steps))


def _gru_grad_by_loops(h0, weight, bias, gates, reset, before, grad, lod, *, activation: str, gate_activation: str,
                       is_reverse: bool, origin_mode: bool):
    if not _is_usual(gate_activation, activation) or not packed.takes(
            gru_backward, *gates.shape, h0, weight, bias, gates, reset, before, grad):
        return NotImplemented
    steps = _steps(np, "dynamic_gru(input)", gates, lod, is_reverse)
    cell, hidden = _gru_cell(activation, gate_activation, origin_mode), len(weight)
    of_x, of_state = packed.gru_backward(gates, before, *cell.weights(weight), grad, origin_mode, h0 is not None,
                                         _told(steps))
    of_weight = cell.joined(np, packed.product(before.T, of_x[:, :2 * hidden]),
                            packed.product(reset.T, of_x[:, 2 * hidden:]))
    return (of_x, _by_sequence(of_state, h0, steps), of_weight,
            None if bias is None else of_x.sum(0).reshape(bias.shape))


def _infer_gru(x, h0, weight, bias, lod, *, activation="tanh", gate_activation="sigmoid", is_reverse=False,
               origin_mode=False):
    what, hidden = "dynamic_gru", weight.shape[0]
    _check_input(what, x, lod, weight, 3 * hidden, hidden)
    _check_state(what, "h_0", x, lod, h0, hidden)
    _check_bias(what, x, bias, {"for all gates": 3 * hidden})
    _check_activations(what, candidate_activation=activation, gate_activation=gate_activation)
    state = Spec((x.shape[0], hidden), x.dtype)
    return state, Spec((x.shape[0], 3 * hidden), x.dtype), state, state


def _gru_gradients(g, H0, Weight, Bias, BatchGate, BatchResetHiddenPrev, BatchHidden, lod, activation, gate_activation,
                   is_reverse, origin_mode):
    return apply(gru_grad_op, H0, Weight, Bias, BatchGate, BatchResetHiddenPrev, BatchHidden, g, lod,
                 activation=activation, gate_activation=gate_activation, is_reverse=is_reverse,
                 origin_mode=origin_mode)


gru_grad_op = operator(
    "gru_grad",
    "H0?, Weight, Bias?, BatchGate, BatchResetHiddenPrev, BatchHidden, HiddenGrad, lod^BatchGate -> "
    "InputGrad, H0Grad, WeightGrad, BiasGrad", kernel=_gru_grad, engines=[by(LOOPS, _gru_grad_by_loops)],
    infer=lambda h0, weight, bias, gates, *_, **__: (gates, h0, weight, bias), only_here=True,
    fails="values", grad=differentiable_once(
        "H0, Weight, Bias, BatchGate, BatchResetHiddenPrev, BatchHidden, HiddenGrad", "gru"))
gru_op = operator(
    "gru", "Input, H0?, Weight, Bias?, lod^Input -> Hidden, BatchGate&, BatchResetHiddenPrev&, BatchHidden&",
    kernel=_gru, engines=[by(LOOPS, _gru_by_loops)], infer=_infer_gru, grad={"Input, H0, Weight, Bias": _gru_gradients},
    fails="values")
"""States of all rows; then what its gradient needs: gates, reset states, and the states before each step."""


# lstm

def _lstm_cell(bias: Any, hidden: int, use_peepholes: bool, gate: str, cell: str, candidate: str,
               clip: float = 0.0) -> Lstm:
    peepholes = bias.reshape(-1)[4 * hidden:].reshape(3, hidden) if use_peepholes else None
    return Lstm(ACTIVATIONS[gate], ACTIVATIONS[cell], ACTIVATIONS[candidate], peepholes, clip)


def _lstm(xp, x, h0, c0, weight, bias, lod, *, use_peepholes: bool = True, is_reverse: bool = False,
          gate_activation: str = "sigmoid", cell_activation: str = "tanh", candidate_activation: str = "tanh"):
    steps = _steps(xp, "dynamic_lstm(input)", x, lod, is_reverse)
    cell = _lstm_cell(bias, len(weight), use_peepholes, gate_activation, cell_activation, candidate_activation)
    return kernels.lstm(xp, x, h0, c0, weight, bias, steps, cell)


def _lstm_grad(xp, h0, c0, weight, bias, gates, cells, shown, out, grad, cell_grad, lod, *, use_peepholes: bool,
               is_reverse: bool, gate_activation: str, cell_activation: str, candidate_activation: str):
    steps = _steps(xp, "dynamic_lstm(input)", gates, lod, is_reverse)
    cell = _lstm_cell(bias, len(weight), use_peepholes, gate_activation, cell_activation, candidate_activation)
    *others, of_bias = kernels.lstm_grad(xp, h0, c0, weight, gates, cells, shown, out, grad, cell_grad, steps, cell)
    return *others, _of_bias(xp, of_bias, bias)


def _peepholes(bias: Any, hidden: int, use_peepholes: bool) -> Any:
    """Three vectors one behind the other, zeros without."""
    return np.ascontiguousarray(bias.reshape(-1)[4 * hidden:]) if use_peepholes else np.zeros(3 * hidden, np.float32)


def _lstm_by_loops(x, h0, c0, weight, bias, lod, *, use_peepholes: bool = True, is_reverse: bool = False,
                   gate_activation: str = "sigmoid", cell_activation: str = "tanh", candidate_activation: str = "tanh"):
    sweep = lstm_forward(gate_activation, cell_activation, candidate_activation)
    if not packed.takes(sweep, *x.shape, x, h0, c0, weight, bias):
        return NotImplemented
    steps, hidden = _steps(np, "dynamic_lstm(input)", x, lod, is_reverse), len(weight)
    return packed.lstm_forward(sweep, x, _whole(bias, 4 * hidden), _peepholes(bias, hidden, use_peepholes), weight,
                               _ordered(h0, steps), _ordered(c0, steps), _told(steps))


def _lstm_grad_by_loops(h0, c0, weight, bias, gates, cells, shown, out, grad, cell_grad, lod, *, use_peepholes: bool,
                        is_reverse: bool, gate_activation: str, cell_activation: str, candidate_activation: str):
    sweep = lstm_backward(gate_activation, cell_activation, candidate_activation)
    if not packed.takes(sweep, *gates.shape, h0, c0, weight, bias, gates, cells, shown, out, grad, cell_grad):
        return NotImplemented
    steps, hidden = _steps(np, "dynamic_lstm(input)", gates, lod, is_reverse), len(weight)
    cell = _lstm_cell(bias, hidden, use_peepholes, gate_activation, cell_activation, candidate_activation)
    before = steps.before(cells, c0)
    d, dh, dc = packed.lstm_backward(sweep, gates, before, shown, _peepholes(bias, hidden, use_peepholes), weight, grad,
                                     cell_grad, h0 is not None, _told(steps))
    of_bias = np.concatenate([d.sum(0), *cell.of_peepholes(np, d, before, cells)])
    return (d, _by_sequence(dh, h0, steps), _by_sequence(dc, c0, steps), packed.product(steps.before(out, h0).T, d),
            _of_bias(np, of_bias, bias))


def _of_bias(xp: Any, found: Any, bias: Any) -> Any:
    """The gradient in the bias' shape; peepholes that are there but not used have none."""
    if found.size < bias.size:
        found = xp.concatenate([found, xp.zeros(bias.size - found.size, found.dtype)])
    return found.reshape(bias.shape)


def _check_lstm(what: str, x: Spec, h0: Any, c0: Any, bias: Spec, lod: list, hidden: int, size: int,
                use_peepholes: bool) -> None:
    _check_state(what, "h_0", x, lod, h0, size)
    _check_state(what, "c_0", x, lod, c0, hidden)
    if (h0 is None) != (c0 is None):
        raise ValueError(f"{what}(h_0, c_0): both must be given, or none.")
    sizes = {"with peepholes": 7 * hidden}
    if not use_peepholes:
        sizes = {"without peepholes": 4 * hidden, **sizes}
    _check_bias(what, x, bias, sizes)


def _infer_lstm(x, h0, c0, weight, bias, lod, *, use_peepholes=True, is_reverse=False, gate_activation="sigmoid",
                cell_activation="tanh", candidate_activation="tanh"):
    what, hidden = "dynamic_lstm", weight.shape[0]
    _check_input(what, x, lod, weight, 4 * hidden, hidden)
    _check_lstm(what, x, h0, c0, bias, lod, hidden, hidden, use_peepholes)
    _check_activations(what, gate_activation=gate_activation, cell_activation=cell_activation,
                       candidate_activation=candidate_activation)
    state = Spec((x.shape[0], hidden), x.dtype)
    return state, state, Spec((x.shape[0], 4 * hidden), x.dtype), state


def _lstm_gradients(g, d_Cell, H0, C0, Weight, Bias, BatchGate, Cell, BatchCellPreAct, Hidden, lod, use_peepholes,
                    is_reverse, gate_activation, cell_activation, candidate_activation):
    return apply(lstm_grad_op, H0, C0, Weight, Bias, BatchGate, Cell, BatchCellPreAct, Hidden, g, d_Cell, lod,
                 use_peepholes=use_peepholes, is_reverse=is_reverse, gate_activation=gate_activation,
                 cell_activation=cell_activation, candidate_activation=candidate_activation)


lstm_grad_op = operator(
    "lstm_grad",
    "H0?, C0?, Weight, Bias, BatchGate, Cell, BatchCellPreAct, Hidden, HiddenGrad, CellGrad, lod^BatchGate -> "
    "InputGrad, H0Grad, C0Grad, WeightGrad, BiasGrad", kernel=_lstm_grad, engines=[by(LOOPS, _lstm_grad_by_loops)],
    infer=lambda h0, c0, weight, bias, gates, *_, **__: (gates, h0, c0, weight, bias), only_here=True,
    fails="values", grad=differentiable_once(
        "H0, C0, Weight, Bias, BatchGate, Cell, BatchCellPreAct, Hidden, HiddenGrad, CellGrad", "lstm"))
lstm_op = operator(
    "lstm", "Input, H0?, C0?, Weight, Bias, lod^Input -> Hidden, Cell, BatchGate&, BatchCellPreAct&", kernel=_lstm,
    engines=[by(LOOPS, _lstm_by_loops)], infer=_infer_lstm,
    grad={"Input, H0, C0, Weight, Bias": _lstm_gradients}, fails="values")
"""Hidden values and cells of all rows; then the gates, and what the cells' activation makes of them."""


# lstmp

def _projected(cell_activation: str, proj_activation: str, proj_clip: float) -> Projection:
    """As in PaddlePaddle, which takes the cell's activation for any but "identity"."""
    return Projection(ACTIVATIONS["identity" if proj_activation == "identity" else cell_activation], proj_clip)


def _lstmp(xp, x, h0, c0, weight, projection, bias, lod, *, use_peepholes: bool = True, is_reverse: bool = False,
           cell_clip: float = 0.0, proj_clip: float = 0.0, gate_activation: str = "sigmoid",
           cell_activation: str = "tanh", candidate_activation: str = "tanh", proj_activation: str = "tanh"):
    steps = _steps(xp, "dynamic_lstmp(input)", x, lod, is_reverse)
    cell = _lstm_cell(bias, len(projection), use_peepholes, gate_activation, cell_activation, candidate_activation,
                      cell_clip)
    return kernels.lstmp(xp, x, h0, c0, weight, projection, bias, steps, cell,
                         _projected(cell_activation, proj_activation, proj_clip))


def _lstmp_grad(xp, h0, c0, weight, projection, bias, gates, cells, shown, inner, out, grad, cell_grad, lod, *,
                use_peepholes: bool, is_reverse: bool, cell_clip: float, proj_clip: float, gate_activation: str,
                cell_activation: str, candidate_activation: str, proj_activation: str):
    steps = _steps(xp, "dynamic_lstmp(input)", gates, lod, is_reverse)
    cell = _lstm_cell(bias, len(projection), use_peepholes, gate_activation, cell_activation, candidate_activation,
                      cell_clip)
    *others, of_bias = kernels.lstmp_grad(xp, h0, c0, weight, projection, gates, cells, shown, inner, out, grad,
                                          cell_grad, steps, cell,
                                          _projected(cell_activation, proj_activation, proj_clip))
    return *others, _of_bias(xp, of_bias, bias)


def _infer_lstmp(x, h0, c0, weight, projection, bias, lod, *, use_peepholes=True, is_reverse=False, cell_clip=0.0,
                 proj_clip=0.0, gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh",
                 proj_activation="tanh"):
    what, (hidden, size) = "dynamic_lstmp", projection.shape
    _check_input(what, x, lod, weight, 4 * hidden, size)
    _check_lstm(what, x, h0, c0, bias, lod, hidden, size, use_peepholes)
    _check_dtype(what, x.dtype, proj_weight=projection)
    _check_activations(what, gate_activation=gate_activation, cell_activation=cell_activation,
                       candidate_activation=candidate_activation, proj_activation=proj_activation)
    state = Spec((x.shape[0], hidden), x.dtype)
    return Spec((x.shape[0], size), x.dtype), state, Spec((x.shape[0], 4 * hidden), x.dtype), state, state


def _lstmp_gradients(g, d_Cell, H0, C0, Weight, ProjWeight, Bias, BatchGate, Cell, BatchCellPreAct, BatchHidden,
                     Projection, lod, use_peepholes, is_reverse, cell_clip, proj_clip, gate_activation,
                     cell_activation, candidate_activation, proj_activation):
    return apply(lstmp_grad_op, H0, C0, Weight, ProjWeight, Bias, BatchGate, Cell, BatchCellPreAct, BatchHidden,
                 Projection, g, d_Cell, lod, use_peepholes=use_peepholes, is_reverse=is_reverse, cell_clip=cell_clip,
                 proj_clip=proj_clip, gate_activation=gate_activation, cell_activation=cell_activation,
                 candidate_activation=candidate_activation, proj_activation=proj_activation)


lstmp_grad_op = operator(
    "lstmp_grad",
    "H0?, C0?, Weight, ProjWeight, Bias, BatchGate, Cell, BatchCellPreAct, BatchHidden, Projection, ProjectionGrad, "
    "CellGrad, lod^BatchGate -> InputGrad, H0Grad, C0Grad, WeightGrad, ProjWeightGrad, BiasGrad", kernel=_lstmp_grad,
    infer=lambda h0, c0, weight, projection, bias, gates, *_, **__: (gates, h0, c0, weight, projection, bias),
    only_here=True, fails="values", grad=differentiable_once(
        "H0, C0, Weight, ProjWeight, Bias, BatchGate, Cell, BatchCellPreAct, BatchHidden, Projection, ProjectionGrad, "
        "CellGrad", "lstmp"))
lstmp_op = operator(
    "lstmp",
    "Input, H0?, C0?, Weight, ProjWeight, Bias, lod^Input -> Projection, Cell, BatchGate, BatchCellPreAct, BatchHidden",
    kernel=_lstmp, infer=_infer_lstmp, grad={"Input, H0, C0, Weight, ProjWeight, Bias": _lstmp_gradients},
    fails="values")
"""Projected hidden values and cells of all rows; then what its gradient needs, as of `lstm`, and hidden values."""
