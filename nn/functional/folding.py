"""Windows of images as columns, and back: unfold, fold."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import apply
from ...ops.nn.fold import fold_op, unfold_op
from ...ops.nn.window_arguments import check_padding, repeated

__all__ = ["fold", "unfold"]


def _windows(what: str, kernel_sizes: Any, strides: Any, paddings: Any, dilations: Any) -> dict[str, list[int]]:
    given = [int(n) for n in paddings] if isinstance(paddings, (list, tuple)) else [int(paddings)]
    check_padding(what, given)
    pads = given * 4 if len(given) == 1 else given * 2 if len(given) == 2 else given
    if len(pads) != 4:
        raise ValueError(f"{what}(paddings): must be an int, two (height, width), or four (top, left, bottom, right). "
                         f"Received {paddings!r}.")
    return {"kernel_sizes": repeated(what, "kernel_sizes", kernel_sizes, 2),
            "strides": repeated(what, "strides", strides, 2), "paddings": pads,
            "dilations": repeated(what, "dilations", dilations, 2)}


def unfold(x: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1,
           name: str | None = None) -> Any:
    """The windows of x [N, C, H, W] as columns: [N, C * kH * kW, windows].

    `paddings`: an int, two (height, width) or four (top, left, bottom, right).

    >>> import proa as paddle
    >>> paddle.nn.functional.unfold(paddle.ones([2, 3, 4, 4]), 2, strides=2).shape
    [2, 12, 4]
    """
    return apply(unfold_op, x, **_windows("unfold", kernel_sizes, strides, paddings, dilations))


def fold(x: Any, output_sizes: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1,
         name: str | None = None) -> Any:
    """Columns [N, C * kH * kW, windows] added up to images [N, C, *output_sizes]: the transpose of `unfold`.

    Raises ValueError where there are not as many columns as windows.

    >>> import proa as paddle
    >>> columns = paddle.ones([1, 4, 9])
    >>> paddle.nn.functional.fold(columns, 4, 2)[0, 0, :2].tolist()
    [[1.0, 2.0, 2.0, 1.0], [2.0, 4.0, 4.0, 2.0]]
    """
    sizes = repeated("fold", "output_sizes", output_sizes, 2)
    return apply(fold_op, x, output_sizes=sizes, **_windows("fold", kernel_sizes, strides, paddings, dilations))
