"""Adding a bias to each channel, alone and with what OneFlow fuses with it."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.core.trace import apply
from ...ops.math.elementwise import add_op
from .dropouts import dropped


def _axis(what: str, value: Any, data_format: str | None) -> int:
    """The dimension of the channels: the second, or the last for "N...C"."""
    if data_format is None or data_format.startswith("NC"):
        return 1
    if data_format.startswith("N") and data_format.endswith("C"):
        return len(value.shape) - 1
    raise ValueError(f"{what}(data_format): must be 'NC...' or 'N...C'. Received {data_format!r}.")


def _biased(what: str, value: Any, bias: Any, data_format: str | None) -> Any:
    axis = _axis(what, value, data_format)
    if len(bias.shape) != 1 or len(value.shape) <= axis or bias.shape[0] != value.shape[axis]:
        raise ValueError(f"{what}(bias): must have one element for each size of dimension {axis} of the value. "
                         f"Received value.shape={list(value.shape)}, bias.shape={list(bias.shape)}.")
    return apply(add_op, value, bias, axis=-1 if axis == len(value.shape) - 1 else axis)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """value + bias, one element of the bias a channel: dimension 1, or the last one for data_format "N...C".

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.nn.bias_add(paddle.zeros([1, 2, 1]), paddle.to_tensor([1.0, 2.0])).tolist()
    [[[1.0], [2.0]]]
    """
    return _biased("bias_add", value, bias, data_format)


def fused_bias_add_gelu(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """gelu(`bias_add(value, bias)`)."""
    return functional.gelu(_biased("fused_bias_add_gelu", value, bias, data_format))


def fused_bias_add_dropout(value: Any, bias: Any, data_format: str | None = None, rate: float = 0.0,
                           noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """`bias_add(value, bias)` with elements set to 0 with probability `rate`, in every job: give 0 to keep them all."""
    return dropped("fused_bias_add_dropout", _biased("fused_bias_add_dropout", value, bias, data_format), rate,
                   noise_shape)
