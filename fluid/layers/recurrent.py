"""Recurrent layers over sequences (dynamic_lstm, dynamic_lstmp, dynamic_gru), single steps; lstm over padded ones."""

from __future__ import annotations

from typing import Any

from ...core.param_attr import ParamAttr
from ...ops.nn.cudnn_lstm import weight_size
from ...ops.nn.rnn_units import activation_number
from ..layer_helper import LayerHelper
from ..mode import face
from .dense import fc


def _gates(what: str, size: int, count: int) -> int:
    """The size of one gate of those that are `size` together."""
    if size <= 0 or size % count:
        raise ValueError(f"{what}(size): must be {count} times the size of the hidden values. Received {size}.")
    return size // count


def _lstm_bias(helper: LayerHelper, attr: Any, hidden: int, use_peepholes: bool, dtype: Any) -> Any:
    if attr is False:
        raise ValueError(f"dynamic_{helper.layer_type}(bias_attr): must not be False: the bias holds the gates' and, "
                         "with use_peepholes, the peepholes.")
    return helper.parameter(attr, [1, (7 if use_peepholes else 4) * hidden], dtype, is_bias=True)


@face
def dynamic_lstm(input: Any, size: int, h_0: Any = None, c_0: Any = None, param_attr: Any = None, bias_attr: Any = None,
                 use_peepholes: bool = True, is_reverse: bool = False, gate_activation: str = "sigmoid",
                 cell_activation: str = "tanh", candidate_activation: str = "tanh", dtype: Any = "float32",
                 name: str | None = None) -> tuple[Any, Any]:
    """Hidden values and cells, [rows, size / 4] each, of a long short-term memory over sequences (LoD).

    `input` [rows, size] is projected already: candidates, input gates, forget gates and output gates side by side.
    With peepholes the gates see the cell through weights that lie behind the bias, [1, 7 * size / 4] together. Unlike
    1.8, gradients of the cells are passed on too.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 5], lod_level=1)
    ...     hidden, cell = fluid.layers.dynamic_lstm(fluid.layers.fc(x, 4 * 3), 4 * 3)
    >>> hidden.shape, hidden.lod_level
    ((-1, 3), 1)
    """
    helper, hidden = LayerHelper("lstm", name=name), _gates("dynamic_lstm", size, 4)
    weight = helper.parameter(param_attr, [hidden, 4 * hidden], dtype)
    bias = _lstm_bias(helper, bias_attr, hidden, use_peepholes, dtype)
    found = helper.apply("lstm", input, h_0, c_0, weight, bias, None, use_peepholes=use_peepholes,
                         is_reverse=is_reverse, gate_activation=gate_activation, cell_activation=cell_activation,
                         candidate_activation=candidate_activation)
    return found[0], found[1]


@face
def dynamic_lstmp(input: Any, size: int, proj_size: int, param_attr: Any = None, bias_attr: Any = None,
                  use_peepholes: bool = True, is_reverse: bool = False, gate_activation: str = "sigmoid",
                  cell_activation: str = "tanh", candidate_activation: str = "tanh", proj_activation: str = "tanh",
                  dtype: Any = "float32", name: str | None = None, h_0: Any = None, c_0: Any = None,
                  cell_clip: float | None = None, proj_clip: float | None = None) -> tuple[Any, Any]:
    """As `dynamic_lstm`, but projections of the hidden values, [rows, proj_size], are given and go into the next step.

    As in 1.8, a `proj_activation` other than "identity" means the cell's activation.
    """
    helper, hidden = LayerHelper("lstmp", name=name), _gates("dynamic_lstmp", size, 4)
    for argument, clip in (("cell_clip", cell_clip), ("proj_clip", proj_clip)):
        if clip is not None and clip < 0:
            raise ValueError(f"dynamic_lstmp({argument}): must not be negative. Received {clip}.")
    weight = helper.parameter(param_attr, [proj_size, 4 * hidden], dtype)
    projection = helper.parameter(param_attr, [hidden, proj_size], dtype)
    bias = _lstm_bias(helper, bias_attr, hidden, use_peepholes, dtype)
    found = helper.apply(
        "lstmp", input, h_0, c_0, weight, projection, bias, None,
        first=("Projection", "Cell", "OrderedP0", "BatchHidden", "BatchGate", "BatchCellPreAct"),
        use_peepholes=use_peepholes, is_reverse=is_reverse, cell_clip=float(cell_clip or 0),
        proj_clip=float(proj_clip or 0), gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation, proj_activation=proj_activation)
    return found[0], found[1]


@face
def dynamic_gru(input: Any, size: int, param_attr: Any = None, bias_attr: Any = None, is_reverse: bool = False,
                gate_activation: str = "sigmoid", candidate_activation: str = "tanh", h_0: Any = None,
                origin_mode: bool = False) -> Any:
    """The states, [rows, size], of a gated recurrent unit over sequences (LoD).

    `input` [rows, 3 * size] is projected already: update gates, reset gates and candidates side by side. The new state
    is (1 - u) h + u c of the old one and the candidate, with `origin_mode` u h + (1 - u) c.
    """
    helper = LayerHelper("gru")
    weight = helper.parameter(param_attr, [size, 3 * size], input.dtype)
    bias = helper.parameter(bias_attr, [1, 3 * size], input.dtype, is_bias=True)
    return helper.apply("gru", input, h_0, weight, bias, None, activation=candidate_activation,
                        gate_activation=gate_activation, is_reverse=is_reverse, origin_mode=origin_mode)[0]


@face
def gru_unit(input: Any, hidden: Any, size: int, param_attr: Any = None, bias_attr: Any = None,
             activation: str = "tanh", gate_activation: str = "sigmoid",
             origin_mode: bool = False) -> tuple[Any, Any, Any]:
    """One step of a gated recurrent unit: (the new state, the reset state before, the gates).

    `input` [rows, size] is projected already, `hidden` [rows, size / 3] the state before. As in 1.8, the activations
    are tanh and sigmoid whatever is said.
    """
    helper, width = LayerHelper("gru_unit"), _gates("gru_unit", size, 3)
    for argument, name in (("activation", activation), ("gate_activation", gate_activation)):
        activation_number(f"gru_unit({argument})", name)
    weight = helper.parameter(param_attr, [width, 3 * width], input.dtype)
    bias = helper.parameter(bias_attr, [1, 3 * width], input.dtype, is_bias=True)
    new, gates, reset = helper.apply("gru_unit", input, hidden, weight, bias, first=("Gate", "ResetHiddenPrev"),
                                     activation=2, gate_activation=1, origin_mode=origin_mode)
    return new, reset, gates


@face
def lstm_unit(x_t: Any, hidden_t_prev: Any, cell_t_prev: Any, forget_bias: float = 0.0, param_attr: Any = None,
              bias_attr: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """One step of a long short-term memory, its projection included: the new hidden values and cells, [rows, size]."""
    helper = LayerHelper("lstm_unit", name=name)
    for argument, value in (("x_t", x_t), ("hidden_t_prev", hidden_t_prev), ("cell_t_prev", cell_t_prev)):
        if len(value.shape) != 2:
            raise ValueError(f"lstm_unit({argument}): must have 2 dimensions. Received shape {list(value.shape)}.")
    if hidden_t_prev.shape[1] != cell_t_prev.shape[1]:
        raise ValueError(f"lstm_unit(hidden_t_prev, cell_t_prev): must be equally wide. Received "
                         f"{list(hidden_t_prev.shape)} and {list(cell_t_prev.shape)}.")
    both = LayerHelper("concat").apply("concat", [x_t, hidden_t_prev], None, axis=1)
    projected = fc(both, 4 * cell_t_prev.shape[1], param_attr=param_attr,
                   bias_attr=ParamAttr() if bias_attr is None else bias_attr)
    cell, hidden = helper.apply("lstm_unit", projected, cell_t_prev, forget_bias=float(forget_bias))
    return hidden, cell


@face
def lstm(input: Any, init_h: Any, init_c: Any, max_len: int, hidden_size: int, num_layers: int,
         dropout_prob: float = 0.0, is_bidirec: bool = False, is_test: bool = False, name: str | None = None,
         default_initializer: Any = None, seed: int = -1) -> tuple[Any, Any, Any]:
    """A stack of LSTM layers over padded sequences [steps, batch, features]: (hidden values, last hidden, last cells).

    Hidden values are [steps, batch, hidden_size * directions]; initial and last states [layers * directions, batch,
    hidden_size]. Between layers `dropout_prob` of the values are dropped, unless `is_test`. The weights of all layers
    are one vector. In 1.8 this is for GPUs alone; `max_len` is theirs.
    """
    helper, features = LayerHelper("cudnn_lstm", name=name), input.shape[-1]
    size = weight_size(features, hidden_size, num_layers, 2 if is_bidirec else 1)
    weight = helper.parameter(None, [size], input.dtype, default_initializer=default_initializer)
    found = helper.apply("cudnn_lstm", input, init_h, init_c, weight, None, max_len=max_len, dropout_prob=dropout_prob,
                         is_bidirec=is_bidirec, input_size=features, hidden_size=hidden_size, num_layers=num_layers,
                         is_test=is_test, seed=seed)
    return found[0], found[1], found[2]


__all__ = ["dynamic_gru", "dynamic_lstm", "dynamic_lstmp", "gru_unit", "lstm", "lstm_unit"]
