"""cudnn_lstm: the stacked LSTM of layers.lstm over padded sequences, with the weights of all layers in one vector.

They lie as cuDNN has them: the matrices of each layer and direction (of the input, then of the hidden values, each with
input, forget, cell and output gates one below the other), then in the same order two biases for each. It is computed as
`rnn` is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...backend import recurrent
from ...backend.engines import LOOPS
from ...backend.recurrent import ArrayEngine, LoopEngine, Plan, plan_of
from ...core.dtype import uint8
from ..core.gradient import differentiable_once
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .rnn import backward, forward, weight_shapes


def weight_size(features: int, hidden: int, layers: int, directions: int) -> int:
    """How many elements the weights of all layers have."""
    return sum(map(math.prod, weight_shapes(Plan("LSTM", layers, directions, hidden, 1, 1), features)))


def _plan(x: Any, hidden_size: int, num_layers: int, is_bidirec: bool) -> Plan:
    return plan_of("LSTM", num_layers, 2 if is_bidirec else 1, hidden_size, *x.shape[:2])


def _parts(weight: Any, plan: Plan, features: int) -> list[Any]:
    """Each weight as a view."""
    found, start = [], 0
    for shape in weight_shapes(plan, features):
        size = math.prod(shape)
        found.append(weight.reshape(-1)[start:start + size].reshape(shape))
        start += size
    return found


def _lstm_by(engine: Any, xp: Any, x: Any, h: Any, c: Any, weights: list[Any], plan: Plan, dropout_prob: float,
             is_test: bool, seed: int) -> tuple:
    out, (last_h, last_c), reserve, keep = forward(engine, xp, x, [h, c], weights, None, plan, dropout_prob, is_test,
                                                   max(seed, 0))
    return out, last_h, last_c, reserve, keep


def _lstm(xp, x, h, c, weight, cache=None, *, max_len: int = 20, dropout_prob: float = 0.0, is_bidirec: bool = False,
          input_size: int = 10, hidden_size: int = 100, num_layers: int = 1, is_test: bool = False, seed: int = 0):
    plan = _plan(x, hidden_size, num_layers, is_bidirec)
    return _lstm_by(ArrayEngine(xp), xp, x, h, c, _parts(weight, plan, x.shape[2]), plan, dropout_prob, is_test, seed)


def _lstm_by_loops(x, h, c, weight, cache=None, *, dropout_prob: float = 0.0, is_bidirec: bool = False,
                   hidden_size: int = 100, num_layers: int = 1, is_test: bool = False, seed: int = 0, **_: Any):
    plan = _plan(x, hidden_size, num_layers, is_bidirec)
    if not recurrent.takes("forward", plan, x, h, c, weight):
        return NotImplemented
    return _lstm_by(LoopEngine(), np, x, h, c, _parts(weight, plan, x.shape[2]), plan, dropout_prob, is_test, seed)


def _grad_by(engine: Any, xp: Any, x: Any, h: Any, c: Any, weight: Any, out: Any, reserve: Any, keep: Any,
             grads: tuple, plan: Plan, dropout_prob: float) -> tuple:
    weights = _parts(weight, plan, x.shape[2])
    of_x, of_states, of_weights = backward(engine, xp, x, [h, c], weights, None, out, reserve, keep, grads[0],
                                           list(grads[1:]), plan, dropout_prob, True)
    flat = xp.concatenate([g.reshape(-1) for g in of_weights])
    return of_x, *of_states, flat.reshape(weight.shape)


def _grad(xp, x, h, c, weight, out, reserve, keep, out_grad, h_grad, c_grad, *, dropout_prob: float, is_bidirec: bool,
          hidden_size: int, num_layers: int):
    plan = _plan(x, hidden_size, num_layers, is_bidirec)
    return _grad_by(ArrayEngine(xp), xp, x, h, c, weight, out, reserve, keep, (out_grad, h_grad, c_grad), plan,
                    dropout_prob)


def _grad_by_loops(x, h, c, weight, out, reserve, keep, out_grad, h_grad, c_grad, *, dropout_prob: float,
                   is_bidirec: bool, hidden_size: int, num_layers: int):
    plan = _plan(x, hidden_size, num_layers, is_bidirec)
    if not recurrent.takes("backward", plan, x, h, c, weight, out, reserve, out_grad, h_grad, c_grad):
        return NotImplemented
    return _grad_by(LoopEngine(), np, x, h, c, weight, np.ascontiguousarray(out), reserve, keep,
                    (out_grad, h_grad, c_grad), plan, dropout_prob)


def _infer(x, h, c, weight, cache=None, *, dropout_prob=0.0, is_bidirec=False, hidden_size=100, num_layers=1,
           is_test=False, **_):
    if x.rank != 3:
        raise ValueError(f"lstm(input): must have 3 dimensions, steps, batch and features. Received {list(x.shape)}.")
    plan = _plan(x, hidden_size, num_layers, is_bidirec)
    state = (num_layers * plan.directions, x.shape[1], hidden_size)
    for name, value in (("init_h", h), ("init_c", c)):
        if value.rank != 3 or any(a != b and -1 not in (a, b) for a, b in zip(value.shape, state, strict=True)):
            raise ValueError(f"lstm({name}): must be [layers * directions, batch, hidden_size] = {list(state)}. "
                             f"Received {list(value.shape)}.")
    size = weight_size(x.shape[2], hidden_size, num_layers, plan.directions)
    if math.prod(weight.shape) != size:
        raise ValueError(f"lstm(weight): must have {size} elements for {x.shape[2]} features. "
                         f"Received shape {list(weight.shape)}.")
    out = Spec((*x.shape[:2], plan.width), x.dtype)
    kept = 0 if is_test else plan.size if -1 not in x.shape[:2] else -1
    drawn = (num_layers - 1, *out.shape) if not is_test and dropout_prob > 0 and num_layers > 1 else (0,)
    return out, Spec(state, x.dtype), Spec(state, x.dtype), Spec((kept,), x.dtype), Spec(drawn, uint8)


def _gradients(g, d_last_h, d_last_c, Input, InitH, InitC, W, Out, Reserve, StateOut, dropout_prob, is_bidirec,
               hidden_size, num_layers):
    return apply(cudnn_lstm_grad_op, Input, InitH, InitC, W, Out, Reserve, StateOut, g, d_last_h, d_last_c,
                 dropout_prob=dropout_prob, is_bidirec=is_bidirec, hidden_size=hidden_size, num_layers=num_layers)


cudnn_lstm_grad_op = operator(
    "cudnn_lstm_grad",
    "Input, InitH, InitC, W, Out, Reserve, StateOut, OutGrad, last_hGrad, last_cGrad -> "
    "InputGrad, InitHGrad, InitCGrad, WGrad", kernel=_grad, engines=[by(LOOPS, _grad_by_loops)],
    infer=lambda x, h, c, weight, *_, **__: (x, h, c, weight), only_here=True,
    grad=differentiable_once("Input, InitH, InitC, W, Out, OutGrad, last_hGrad, last_cGrad", "cudnn_lstm"))
cudnn_lstm_op = operator(
    "cudnn_lstm", "Input, InitH, InitC, W, Cache? -> Out, last_h, last_c, Reserve, StateOut", kernel=_lstm,
    engines=[by(LOOPS, _lstm_by_loops)], infer=_infer, effects="random",
    grad={"Input, InitH, InitC, W": _gradients})
"""Hidden values of the last layer at all steps; the final states; what the gradient needs."""
