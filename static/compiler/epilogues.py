"""The operators that stand for a product with a frozen weight and what is done to it right after, in compiled plans.

`fused_conv2d`: activation(conv(Input, Filter) + Bias + Residual); `fused_linear`: activation(X @ Y + Bias + Residual).
They never get into a file. oneDNN computes them with the weight packed once; where it declines, and on other devices,
the operators that they stand for run one after the other.
"""

from typing import Any

import numpy as np

from ...backend import loops, onednn, threads
from ...backend.loops.names import parallel
from ...ops.conv import conv_by_onednn
from ...ops.operator import Ints, find, operator
from ...ops.spec import Spec

ACTIVATIONS = {"": None, "relu": None, "gelu": "gelu", "tanh": "tanh", "sigmoid": "sigmoid", "swish": "swish",
               "silu": "swish"}
"""What may follow a product, and oneDNN's name for it. oneDNN's relu makes 0 of NaN: relu is a loop of its own."""


class Packed:
    """The packed form of the weight that an operation was last given; a new weight is packed anew."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[Any, Any, Any] | None = None  # replaced as a whole: several threads may run at once

    def of(self, weight: np.ndarray, key: Any, pack: Any) -> Any:
        """`pack()` of this weight, for this key; the weight itself where it cannot be packed."""
        last = self._last
        if last is None or last[0] is not weight or last[1] != key:
            packed = pack()
            last = self._last = weight, key, weight if packed is NotImplemented else packed
        return last[2]


@loops.kernel
def _relu_in_place(x, n):
    for i in parallel(n, 1):
        x[i] = max(x[i], 0.0)


def _finish(xp: Any, result: Any, bias: Any, residual: Any, activation: str) -> Any:
    """What follows a product, one operator after the other."""
    if bias is not None:
        result = result + bias
    if residual is not None:
        result = result + residual
    return find(activation).kernel(xp, result) if activation else result


def _relu(result: np.ndarray) -> np.ndarray:
    """relu of an array that nobody else has, in its own memory."""
    flat = result if result.flags.c_contiguous else result.transpose(0, *range(2, result.ndim), 1)
    if loops.is_ready() and flat.flags.c_contiguous and result.dtype == np.float32:
        _relu_in_place.typed("f32*", "i64")(threads.get_num_threads(), flat, flat.size)
        return result
    return np.maximum(result, 0, out=result)


def _conv(xp, x, w, bias=None, residual=None, *, packed: Any, activation: str = "", strides: Ints, paddings: Ints,
          padding_algorithm: str = "EXPLICIT", dilations: Ints, groups: int = 1):
    attrs = dict(strides=strides, paddings=paddings, padding_algorithm=padding_algorithm, dilations=dilations,
                 groups=groups)
    result = find("conv2d").kernel_for(xp)(xp, x, w, **attrs)
    return _finish(xp, result, None if bias is None else bias.reshape(-1, 1, 1), residual, activation)


def _conv_on_host(x, w, bias=None, residual=None, *, packed: Any, activation="", strides=(), paddings=(),
                  padding_algorithm="EXPLICIT", dilations=(), groups=1):
    if not onednn.is_ready() or x.dtype != np.float32:
        return NotImplemented
    if residual is not None and 0 in residual.shape:
        return NotImplemented
    result = conv_by_onednn(
        x, w, lambda *geometry: packed.of(w, x.shape, lambda: onednn.pack_weight(w, x.shape, *geometry)), bias,
        residual, ACTIVATIONS[activation], strides, paddings, padding_algorithm, dilations, groups)
    return result if result is NotImplemented or activation != "relu" else _relu(result)


def _infer_conv(x, w, bias=None, residual=None, *, packed=None, activation="", **attrs):
    return find("conv2d").infer(x, w, **attrs)


fused_conv_op = operator("fused_conv2d", "Input, Filter, Bias?, Residual? -> Output", kernel=_conv, cpu=_conv_on_host,
                         infer=_infer_conv)


def _linear(xp, x, y, bias=None, residual=None, *, packed: Any, activation: str = ""):
    return _finish(xp, xp.matmul(x, y), bias, residual, activation)


def _linear_on_host(x, y, bias=None, residual=None, *, packed: Any, activation=""):
    rows = x.size // x.shape[-1] if x.ndim and x.shape[-1] else 0
    if rows * y.size <= onednn.LARGE or not onednn.is_ready() or x.dtype != np.float32 or y.dtype != np.float32:
        return NotImplemented
    weight = packed.of(y, rows, lambda: onednn.pack_matrix(y, rows))
    result = onednn.matmul(x, weight, None, bias, ACTIVATIONS[activation], residual)
    return result if result is NotImplemented or activation != "relu" else _relu(result)


def _infer_linear(x, y, bias=None, residual=None, *, packed=None, activation=""):
    return Spec((*x.shape[:-1], y.shape[-1]), x.dtype)


fused_linear_op = operator("fused_linear", "X, Y, Bias?, Residual? -> Out", kernel=_linear, cpu=_linear_on_host,
                           infer=_infer_linear)
