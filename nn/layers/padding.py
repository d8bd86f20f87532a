"""Padding of signals, images and volumes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from ...ops.array.full import is_value
from ...ops.nn.window_arguments import check_format
from .. import functional as F
from ..layer import Layer


class _Pad(Layer):
    """What stands around the input: see `nn.functional.pad`."""

    __shows_its_name__ = True

    def _settle(self, padding: Any, mode: str, value: float, data_format: str, formats: tuple[str, ...]) -> None:
        self._data_format = check_format(type(self).__name__, data_format, formats)
        self._mode, self._value = mode, value
        count = 2 * (len(formats[0]) - 2)
        same = isinstance(padding, Integral)
        self._pad = padding if is_value(padding) else [padding] * count if same else list(padding)

    def forward(self, x: Any) -> Any:
        """The input with its padding."""
        return F.pad(x, self._pad, self._mode, self._value, self._data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"padding={self._pad}, mode={self._mode}, value={self._value}, data_format={self._data_format}"


class Pad1D(_Pad):
    """[N, C, L] with `padding` (left, right), or one number, around L.

    >>> import proa as paddle
    >>> paddle.nn.Pad1D([1, 2], "replicate")(paddle.to_tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0, 2.0]]]
    """

    def __init__(self, padding: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCL",
                 name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(padding, mode, value, data_format, ("NCL", "NLC"))


class Pad2D(_Pad):
    """[N, C, H, W] with `padding` (left, right, top, bottom), or one number, around its images.

    >>> import proa as paddle
    >>> paddle.nn.Pad2D([1, 1, 2, 2])(paddle.ones([1, 3, 4, 4])).shape
    [1, 3, 8, 6]
    """

    def __init__(self, padding: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCHW",
                 name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(padding, mode, value, data_format, ("NCHW", "NHWC"))


class Pad3D(_Pad):
    """[N, C, D, H, W] with `padding` (left, right, top, bottom, front, back), or one number, around its volumes.

    >>> import proa as paddle
    >>> paddle.nn.Pad3D(1)(paddle.ones([1, 3, 4, 4, 4])).shape
    [1, 3, 6, 6, 6]
    """

    def __init__(self, padding: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCDHW",
                 name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(padding, mode, value, data_format, ("NCDHW", "NDHWC"))


class ZeroPad2D(_Pad):
    """[N, C, H, W] with zeros around its images; `padding` as in `Pad2D`.

    >>> import proa as paddle
    >>> paddle.nn.ZeroPad2D([1, 0, 0, 0])(paddle.ones([1, 1, 1, 2])).tolist()
    [[[[0.0, 1.0, 1.0]]]]
    """

    def __init__(self, padding: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self._name = name
        self._settle(padding, "constant", 0.0, data_format, ("NCHW", "NHWC"))

    def extra_repr(self) -> str:
        """The settings."""
        return f"padding={self._pad}, data_format={self._data_format}"
