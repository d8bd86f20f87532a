"""Images made larger."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ..nn.windows import check_rank, is_last


def upsample_2d(x: Any, size: Any = (2, 2), align_corners: bool = False, data_format: str = "NCHW",
                interpolation: str = "nearest", name: str | None = "Upsample2D") -> Any:
    """Images [N, C, H, W] (or [N, H, W, C]) `size` times as high and wide, by "nearest" or "bilinear" interpolation.

    `size` is a number or two, which need not be whole: the images' sizes are rounded down. Raises ValueError for
    another interpolation, and for `align_corners` with "nearest".

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.layers.upsample_2d(paddle.to_tensor([[[[1.0, 2.0]]]]), size=2).tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """
    last = is_last("upsample_2d", data_format, 2)
    check_rank("upsample_2d(x)", x, 2)
    if interpolation not in ("nearest", "bilinear") or (interpolation == "nearest" and align_corners):
        raise ValueError(f"upsample_2d(interpolation): must be 'nearest', or 'bilinear', which alone knows "
                         f"align_corners. Received {interpolation!r}, align_corners={align_corners}.")
    factors = [float(factor) for factor in (size if isinstance(size, (list, tuple)) else [size] * 2)]
    if len(factors) != 2:
        raise ValueError(f"upsample_2d(size): must be a number or two, for height and width. Received {size!r}.")
    sizes = list(x.shape)[1:3] if last else list(x.shape)[2:]
    wanted = [int(n * factor) for n, factor in zip(sizes, factors, strict=True)]
    whole = all(factor.is_integer() for factor in factors)
    return functional.interpolate(x, wanted if whole else None, None if whole else factors, interpolation,
                                  align_corners, data_format="NHWC" if last else "NCHW")
