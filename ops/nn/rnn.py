"""Recurrent layers: `rnn`, which is a whole stack of layers, both directions and all steps included.

Its gradient is one operator, `rnn_grad`; the gradient of that is `rnn_double_grad`, which differentiates both along a
direction. Gradients of a third order raise NotImplementedError: a cell, called step by step, has those.
"""


import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import recurrent
from ...backend.engines import LOOPS
from ...backend.recurrent import GATES, ArrayEngine, LoopEngine, Plan, Stack, plan_of
from ...core import dtype as dt
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..random.draws import uniform_array

STATES = {"LSTM": 2, "GRU": 1, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many states a cell of each mode has."""


_MOST_LAYERS = 1 << 14


def _plan(x: Any, mode: str, hidden_size: int, num_layers: int, is_bidirec: bool) -> Plan:
    return plan_of(mode, num_layers, 2 if is_bidirec else 1, hidden_size, *x.shape[:2])


@functools.lru_cache(256)
def _wanted(plan: Plan, features: int) -> list[tuple[int, ...]]:
    """The shapes of states and weights."""
    state = (plan.layers * plan.directions, plan.batch, plan.hidden)
    return [*[state] * STATES[plan.mode], *weight_shapes(plan, features)]


def _check(plan: Plan, x: Any, states: Sequence[Any], weights: Sequence[Any], lengths: Any) -> None:
    """ValueError or TypeError unless shapes and dtypes are as `_infer` explains, and no length exceeds the steps."""
    arrays, dtype = (*states, *weights), x.dtype
    if ([a.shape for a in arrays] != _wanted(plan, x.shape[2])
            or (lengths is not None and lengths.shape != (plan.batch,))):
        raise ValueError("rnn: the shapes of the inputs do not go together.")
    if [a for a in arrays if a.dtype is not dtype and a.dtype != dtype]:
        raise TypeError("rnn: the inputs have different dtypes.")
    if lengths is not None and lengths.size and int(lengths.max()) > plan.steps:
        raise ValueError(f"rnn(sequence_length): no length may exceed the {plan.steps} steps of the input. "
                         f"Received {lengths.tolist()}.")


def weight_shapes(plan: Plan, features: int) -> list[tuple[int, ...]]:
    """The shapes of the weights in their order: matrices of all layers and directions, then biases."""
    if not 1 <= plan.layers <= _MOST_LAYERS:
        raise ValueError(f"rnn(num_layers): must lie between 1 and {_MOST_LAYERS}. Received {plan.layers}.")
    count = plan.layers * plan.directions
    inputs = [features if n < plan.directions else plan.width for n in range(count)]
    matrices = [shape for own in inputs for shape in ((plan.gates, own), (plan.gates, plan.hidden))]
    return matrices + [(plan.gates,)] * (2 * count)


def _drawn(xp: Any, plan: Plan, probability: float, is_test: bool, seed: int) -> Any:
    """Which elements pass on between layers, the same behind each of them, as in Paddle; None for all."""
    if is_test or probability == 0 or plan.layers == 1:
        return None
    shape = (plan.steps, plan.batch, plan.width)
    kept = uniform_array(xp, shape, dt.float32, seed=seed) >= probability
    return xp.ascontiguousarray(xp.broadcast_to(kept, (plan.layers - 1, *shape)))


def forward(engine: Any, xp: Any, x: Any, states: Sequence[Any], weights: Sequence[Any], lengths: Any, plan: Plan,
            dropout_prob: float, is_test: bool, seed: int) -> tuple:
    """The results of `rnn` by an engine."""
    _check(plan, x, states, weights, lengths)
    keep = _drawn(xp, plan, dropout_prob, is_test, seed)
    stack = Stack(engine, plan, x, states, weights, lengths, keep, dropout_prob)
    reserve = None if is_test else xp.empty((plan.size,), x.dtype)
    out, finals = stack.forward(reserve)
    mask = xp.empty((0,), "uint8") if keep is None else keep.view("uint8")
    return out, finals, xp.empty((0,), x.dtype) if reserve is None else reserve, mask


def _rnn(xp, x, states, weights, lengths=None, *, mode: str = "RNN_TANH", input_size: int = 10, hidden_size: int = 100,
         num_layers: int = 1, is_bidirec: bool = False, dropout_prob: float = 0.0, is_test: bool = False,
         seed: int = 0):
    plan = _plan(x, mode, hidden_size, num_layers, is_bidirec)
    return forward(ArrayEngine(xp), xp, x, states, weights, lengths, plan, dropout_prob, is_test, seed)


def _rnn_by_loops(x, states, weights, lengths=None, *, mode: str = "RNN_TANH", hidden_size: int = 100,
                  num_layers: int = 1, is_bidirec: bool = False, dropout_prob: float = 0.0, is_test: bool = False,
                  seed: int = 0, **_: Any):
    plan = _plan(x, mode, hidden_size, num_layers, is_bidirec)
    if not recurrent.takes("forward", plan, x, *states, *weights):
        return NotImplemented
    return forward(LoopEngine(), np, x, states, weights, lengths, plan, dropout_prob, is_test, seed)


def backward(engine: Any, xp: Any, x: Any, states: Sequence[Any], weights: Sequence[Any], lengths: Any, out: Any,
             reserve: Any, keep: Any, grad_out: Any, grad_states: Sequence[Any], plan: Plan, dropout_prob: float,
             wants_input: bool) -> tuple:
    """The results of `rnn_grad` by an engine; what evaluation did not keep is computed again."""
    stack = Stack(engine, plan, x, states, weights, lengths, _kept(keep), dropout_prob)
    if reserve.size != plan.size:
        reserve = xp.empty((plan.size,), x.dtype)
        out, _ = stack.forward(reserve)
    return stack.backward(reserve, out, grad_out, grad_states, wants_input)


def _kept(keep: Any) -> Any:
    return keep.view("bool") if keep is not None and keep.size else None


def _rnn_grad(xp, x, states, weights, lengths, out, reserve, keep, grad_out, grad_states, *, mode: str,
              hidden_size: int, num_layers: int, is_bidirec: bool, dropout_prob: float, wants_input: bool = True):
    plan = _plan(x, mode, hidden_size, num_layers, is_bidirec)
    return backward(ArrayEngine(xp), xp, x, states, weights, lengths, out, reserve, keep, grad_out, grad_states, plan,
                    dropout_prob, wants_input)


def _rnn_grad_by_loops(x, states, weights, lengths, out, reserve, keep, grad_out, grad_states, *, mode: str,
                       hidden_size: int, num_layers: int, is_bidirec: bool, dropout_prob: float,
                       wants_input: bool = True):
    plan = _plan(x, mode, hidden_size, num_layers, is_bidirec)
    if not recurrent.takes("backward", plan, x, *states, *weights, out, reserve, grad_out, *grad_states):
        return NotImplemented
    out = np.ascontiguousarray(out)
    return backward(LoopEngine(), np, x, states, weights, lengths, out, reserve, keep, grad_out, grad_states, plan,
                    dropout_prob, wants_input)


_STEP = {"complex64": 1e-10, "complex128": 1e-30}  # its square vanishes beside 1, so there is no error of truncation


def _rnn_double_grad(xp, x, states, weights, lengths, keep, grad_out, grad_states, v_x, v_states, v_weights, *,
                     mode: str, hidden_size: int, num_layers: int, is_bidirec: bool, dropout_prob: float):
    """The derivatives, along the direction v, of what `rnn_grad` and `rnn` compute.

    By symmetry of second derivatives they are the gradients of v times what `rnn_grad` gives. They are taken by a
    complex step: f(x + ihv) = f(x) + ihf'(x)v (Squire and Trapp, 1998).
    """
    given, dtype = x.dtype, xp.result_type(x.dtype, xp.complex64)
    step = _STEP[dtype.name]

    def along(value: Any, direction: Any) -> Any:
        return value.astype(dtype) if direction is None else value + direction * xp.asarray(step * 1j, dtype)

    x = along(x, v_x)
    states = [along(*pair) for pair in zip(states, v_states, strict=True)]
    weights = [along(*pair) for pair in zip(weights, v_weights, strict=True)]
    plan, engine = _plan(x, mode, hidden_size, num_layers, is_bidirec), ArrayEngine(xp)
    stack = Stack(engine, plan, x, states, weights, lengths, _kept(keep), dropout_prob)
    reserve = xp.empty((plan.size,), dtype)
    out, finals = stack.forward(reserve)
    of_x, of_states, of_weights = stack.backward(reserve, out, grad_out.astype(dtype),
                                                 [g.astype(dtype) for g in grad_states])

    def part(value: Any) -> Any:
        return (value.imag / step).astype(given, copy=False)

    return (part(of_x), [part(v) for v in of_states], [part(v) for v in of_weights], part(out),
            [part(v) for v in finals])


# shapes

def _infer(x, states, weights, lengths=None, *, mode="RNN_TANH", hidden_size=100, num_layers=1, is_bidirec=False,
           is_test=False, dropout_prob=0.0, **_):
    if mode not in GATES:
        raise ValueError(f"rnn(mode): must be one of {', '.join(GATES)}. Received {mode!r}.")
    if x.rank != 3:
        raise ValueError(f"rnn(inputs): must have 3 dimensions, steps, batch and features. "
                         f"Received inputs.shape={list(x.shape)}.")
    plan = Plan(mode, num_layers, 2 if is_bidirec else 1, hidden_size, *x.shape[:2])
    state = (num_layers * plan.directions, plan.batch, hidden_size)
    _check_states(x, states, STATES[mode], state)
    _check_weights(x, weights, plan)
    _check_lengths(x, lengths)
    out = Spec((*x.shape[:2], plan.width), x.dtype)
    size = 0 if is_test else plan.size if -1 not in x.shape[:2] else -1
    keep = (num_layers - 1, *out.shape) if not is_test and dropout_prob > 0 and num_layers > 1 else (0,)
    return out, [Spec(state, x.dtype) for _ in states], Spec((size,), x.dtype), Spec(keep, dt.uint8)


def _check_states(x: Spec, states: Sequence[Spec], count: int, shape: tuple[int, ...]) -> None:
    if len(states) != count:
        raise ValueError(f"rnn(initial_states): must be {count} tensor(s). Received {len(states)}.")
    for state in states:
        if state.rank != 3 or any(a != b and -1 not in (a, b) for a, b in zip(state.shape, shape, strict=True)):
            raise ValueError(f"rnn(initial_states): each must have the shape [layers * directions, batch, hidden] = "
                             f"{list(shape)}. Received {list(state.shape)} for inputs of shape {list(x.shape)}, "
                             f"steps first.")
        if state.dtype is not x.dtype:
            raise TypeError(f"rnn(initial_states): must have the inputs' dtype {x.dtype}. Received {state.dtype}.")


def _check_weights(x: Spec, weights: Sequence[Spec], plan: Plan) -> None:
    shapes = weight_shapes(plan, x.shape[2])
    if len(weights) != len(shapes):
        raise ValueError(f"rnn(weight_list): must be {len(shapes)} tensors, four for each layer and direction. "
                         f"Received {len(weights)}.")
    for n, (weight, wanted) in enumerate(zip(weights, shapes, strict=True)):
        fits = weight.rank == len(wanted)
        if not fits or any(a != b and -1 not in (a, b) for a, b in zip(weight.shape, wanted, strict=True)):
            raise ValueError(f"rnn(inputs, weight_list): the weight at {n} must have the shape {list(wanted)} for "
                             f"inputs of {x.shape[2]} features. Received {list(weight.shape)}.")
        if weight.dtype is not x.dtype:
            raise TypeError(f"rnn(inputs): must have the weights' dtype {weight.dtype}. Received {x.dtype}. "
                            f"Convert with inputs.astype(...), or the layer with layer.to(dtype=...).")


def _check_lengths(x: Spec, lengths: Spec | None) -> None:
    if lengths is None:
        return
    if lengths.rank != 1 or (-1 not in (lengths.shape[0], x.shape[1]) and lengths.shape[0] != x.shape[1]):
        raise ValueError(f"rnn(sequence_length): must have the shape [batch] = [{x.shape[1]}]. "
                         f"Received {list(lengths.shape)}.")
    if not lengths.dtype.is_integer:
        raise TypeError(f"rnn(sequence_length): must hold integers. Received {lengths.dtype}.")


def _infer_grad(x, states, weights, *_, wants_input=True, **__):
    return x if wants_input else None, states, weights


def _infer_double_grad(x, states, weights, lengths, keep, grad_out, grad_states, *_, **__):
    return x, states, weights, grad_out, grad_states


# gradients

def _sizes(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in ("mode", "hidden_size", "num_layers", "is_bidirec", "dropout_prob")}


def _gradients(g, d_State, Input, PreState, WeightList, SequenceLength, Out, Reserve, DropoutState, attrs, wants):
    found = apply(rnn_grad_op, Input, PreState, WeightList, SequenceLength, Out, Reserve, DropoutState, g, d_State,
                  wants_input=wants[0], **_sizes(attrs))
    return tuple(gradient if wanted else None for gradient, wanted in zip(found, wants, strict=True))


def _second(d_InputGrad, d_PreStateGrad, d_WeightListGrad, Input, PreState, WeightList, SequenceLength, DropoutState,
            OutGrad, StateGrad, attrs, wants):
    found = apply(rnn_double_grad_op, Input, PreState, WeightList, SequenceLength, DropoutState, OutGrad, StateGrad,
                  d_InputGrad, d_PreStateGrad, d_WeightListGrad, **_sizes(attrs))
    return tuple(gradient if wanted else None for gradient, wanted in zip(found, wants, strict=True))


def _third(g, mode):
    raise NotImplementedError(
        f"The operator rnn ({mode}) has gradients of the first and second order only. Call a cell, such as "
        f"paddle.nn.LSTMCell, step by step: its gradients are of any order."
    )


rnn_double_grad_op = operator(
    "rnn_double_grad",
    "Input, PreState*, WeightList*, SequenceLength?, DropoutState?, OutGrad, StateGrad*, V?, VState*, VWeight* -> "
    "InputOut, PreStateOut*, WeightListOut*, OutGradOut, StateGradOut*",
    kernel=_rnn_double_grad, infer=_infer_double_grad,
    grad={slot: _third for slot in ("Input", "PreState", "WeightList", "OutGrad", "StateGrad", "V", "VState",
                                    "VWeight")}, only_here=True)
rnn_grad_op = operator(
    "rnn_grad",
    "Input, PreState*, WeightList*, SequenceLength?, Out, Reserve, DropoutState?, OutGrad, StateGrad* -> "
    "InputGrad, PreStateGrad*, WeightListGrad*",
    kernel=_rnn_grad, engines=[by(LOOPS, _rnn_grad_by_loops)], infer=_infer_grad,
    grad={"Input, PreState, WeightList, OutGrad, StateGrad": _second}, only_here=True)
rnn_op = operator(
    "rnn", "Input, PreState*, WeightList*, SequenceLength? -> Out, State*, Reserve&, DropoutState?", kernel=_rnn,
    engines=[by(LOOPS, _rnn_by_loops)], infer=_infer, effects="random",
    grad={"Input, PreState, WeightList": _gradients})
