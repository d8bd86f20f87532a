"""The windows of images as sequences of rows: im2sequence (`fluid.layers.nn`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face

__all__ = ["im2sequence"]


def _pair(value: int | Sequence[int]) -> list[int]:
    return [value, value] if isinstance(value, int) else list(value)


@face
def im2sequence(input: Any, filter_size: int | Sequence[int] = 1, stride: int | Sequence[int] = 1,
                padding: int | Sequence[int] = 0, input_image_size: Any = None,
                out_stride: int | Sequence[int] = 1, name: str | None = None) -> Any:
    """The windows of each image [N, C, H, W], row by row, as a sequence of rows of C · height · width numbers.

    `padding`: one number, [up, left], or [up, left, down, right]. `input_image_size` [N, 2]: the images' own heights
    and widths before a network made them `out_stride` times smaller; windows outside of them are left out.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     rows = fluid.layers.im2sequence(fluid.data("x", [None, 3, 4, 4]), 2, 2)
    ...     rows.shape, rows.lod_level
    ((-1, 12), 1)
    """
    pads = _pair(padding)
    attrs: dict[str, Any] = {"kernels": _pair(filter_size), "strides": _pair(stride),
                             "paddings": pads * 2 if len(pads) == 2 else pads}
    if input_image_size is not None:
        attrs["out_stride"] = _pair(out_stride)
    return LayerHelper("im2sequence", name=name).apply("im2sequence", input, input_image_size, **attrs)[0]
