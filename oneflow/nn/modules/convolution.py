"""Convolutions as modules; Fold and Unfold."""

from __future__ import annotations

import math
from typing import Any

from ...functions import creation
from .. import functional as F
from .. import init
from ..module import Module, Parameter
from .dense import uniform_by_fan_in


def sizes_of(value: Any, rank: int) -> tuple[int, ...]:
    """One number for each dimension."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank


class _Conv(Module):
    rank: int
    transposed = False

    def _build(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
               groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any) -> None:
        name, rank = type(self).__name__, self.rank
        if padding_mode != "zeros":
            raise NotImplementedError(f"{name}(padding_mode): must be 'zeros'. Received {padding_mode!r}. Pad before "
                                      "it, by nn.functional.pad.")
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}(groups): must divide in_channels and out_channels. Received {groups}, "
                             f"{in_channels} and {out_channels}.")
        self.in_channels, self.out_channels, self.groups, self.padding_mode = (in_channels, out_channels, groups,
                                                                               padding_mode)
        self.kernel_size, self.stride = sizes_of(kernel_size, rank), sizes_of(stride, rank)
        self.padding = padding.upper() if isinstance(padding, str) else sizes_of(padding, rank)
        self.dilation = sizes_of(dilation, rank)
        channels = ((in_channels, out_channels // groups) if self.transposed else
                    (out_channels, in_channels // groups))
        self.weight = Parameter(creation.empty(*channels, *self.kernel_size, dtype=dtype, device=device))
        self.bias = Parameter(creation.empty(out_channels, dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            uniform_by_fan_in(self.bias, self.weight)

    def extra_repr(self) -> str:
        """Its settings."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if isinstance(self.padding, str) or any(self.padding):
            parts.append(f"padding={self.padding}")
        if any(n != 1 for n in self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class _Plain(_Conv):
    _function: Any

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
                 device: Any = None, dtype: Any = None):
        super().__init__()
        self._build(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                    device, dtype)

    def forward(self, x: Any) -> Any:
        """[N, channels in, …] gives [N, channels out, …]."""
        return type(self)._function(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv1d(_Plain):
    """A convolution over one dimension: weight [channels out, channels in / groups, size]."""

    rank, _function = 1, staticmethod(F.conv1d)


class Conv2d(_Plain):
    """A convolution over two dimensions: weight [channels out, channels in / groups, height, width].

    >>> import proa.oneflow as flow
    >>> flow.nn.Conv2d(3, 8, 3, padding=1)(flow.ones(1, 3, 6, 6)).shape
    oneflow.Size([1, 8, 6, 6])
    """

    rank, _function = 2, staticmethod(F.conv2d)


class Conv3d(_Plain):
    """A convolution over three dimensions: weight [channels out, channels in / groups, depth, height, width]."""

    rank, _function = 3, staticmethod(F.conv3d)


class _Transposed(_Conv):
    _function: Any
    transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None):
        super().__init__()
        self.output_padding = sizes_of(output_padding, self.rank)
        self._build(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                    device, dtype)

    def forward(self, x: Any) -> Any:
        """[N, channels in, …] gives [N, channels out, …]."""
        return type(self)._function(x, self.weight, self.bias, self.stride, self.padding, self.output_padding,
                                    self.groups, self.dilation)


class ConvTranspose1d(_Transposed):
    """The transposed convolution over one dimension: weight [channels in, channels out / groups, size]."""

    rank, _function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """The transposed convolution over two dimensions: weight [channels in, channels out / groups, height, width]."""

    rank, _function = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """The transposed convolution over three dimensions."""

    rank, _function = 3, staticmethod(F.conv_transpose3d)


class Unfold(Module):
    """The windows of an image as columns."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Any) -> Any:
        """[N, C, H, W] gives [N, C * window, windows]."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Module):
    """The image whose windows are columns, added where they overlap."""

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1):
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input: Any) -> Any:
        """[N, C * window, windows] gives [N, C, H, W]."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
