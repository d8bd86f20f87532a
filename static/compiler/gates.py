"""The operator that stands, in compiled plans, for the gates of squeeze-and-excitation (Hu et al., 2018).

`channel_gate`: gate(conv(relu(conv(mean of X over its places, First) + FirstBias), Second) + SecondBias), [n, c, 1, 1],
with windows of one element; with `is_multiplied` X times that. It never gets into a file. Loops compute it where the
channels lie side by side; elsewhere the operators that it stands for run one after the other.
"""

from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels.channel_gate import channel_gate
from ...backend.loops.kernel import is_at_once
from ...ops.core import native
from ...ops.core.kernels import by
from ...ops.core.operator import find, operator
from ...ops.core.spec import Spec

GATES = ("hard_sigmoid", "sigmoid")
HARD = GATES[0]


def _gate(xp, x, first, second, first_bias=None, second_bias=None, *, gate: str, slope: float = 0.2,
          offset: float = 0.5, is_multiplied: bool = False):
    hidden = find("pool2d").kernel_for(xp)(xp, x, pooling_type="avg", ksize=[1, 1], adaptive=True)
    hidden = hidden.reshape(hidden.shape[:2]) @ first.reshape(first.shape[:2]).T
    hidden = xp.maximum(hidden if first_bias is None else hidden + first_bias, 0)
    result = hidden @ second.reshape(second.shape[:2]).T
    result = (result if second_bias is None else result + second_bias)[:, :, None, None]
    if gate == HARD:  # by itself: importing all activations takes longer than the first run's gates
        result = (result * slope + offset).clip(0, 1)
    else:
        result = find(gate).kernel_for(xp)(xp, result)
    return x * result if is_multiplied else result


def _gate_by_loops(x, first, second, first_bias=None, second_bias=None, *, gate, slope=0.2, offset=0.5,
                   is_multiplied=False):
    result = channel_gate(x, first, second, first_bias, second_bias, gate, slope, offset, is_multiplied)
    if result is not NotImplemented or native.module is None or x.ndim != 4 or is_at_once():
        return result
    image = x.transpose(0, 2, 3, 1)
    out = np.empty(image.shape if is_multiplied else (len(x), 1, 1, x.shape[1]), np.float32)
    done = native.module.gate_channels(image, first, first_bias, second, second_bias, out, gate == HARD, is_multiplied,
                                       slope, offset)
    return out.transpose(0, 3, 1, 2) if done else NotImplemented


def _infer(x, first, second, first_bias=None, second_bias=None, *, is_multiplied=False, **attrs):
    return x if is_multiplied else Spec((x.shape[0], second.shape[0], 1, 1), x.dtype)


def _cost(inputs: Any, outputs: Any, attrs: Any) -> int:
    x, first = inputs[:2]
    return int(np.prod(x)) + 4 * x[0] * first[0] * first[1]


channel_gate_op = operator("channel_gate", "X, First, Second, FirstBias?, SecondBias? -> Out", kernel=_gate,
                           engines=[by(LOOPS, _gate_by_loops)], infer=_infer, cost=_cost)
