"""What layers compute besides: `linear`, `dropout`, `embedding`, `pad`, `interpolate`, …"""

from __future__ import annotations

from typing import Any

from ....core.random import drawing_from
from ....nn import functional as F
from ....ops.array import reshape as reshaping
from ....ops.linalg import matrix_product
from ....ops.math import casting, elementwise, reduce
from ...charge import apply_op, flowing

_TURNED = {"trans_x": False, "trans_y": True}


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """input @ weight.T + bias: weight is [features out, features in].

    >>> import proa.oneflow as flow
    >>> flow.nn.functional.linear(flow.ones(1, 2), flow.ones(3, 2), flow.ones(3)).tolist()
    [[3.0, 3.0, 3.0]]
    """
    product = apply_op(matrix_product.matmul_op, (input, weight), _TURNED)
    return product if bias is None else apply_op(elementwise.add_op, (product, bias))


@flowing
def dropout(input: Any, p: float = 0.5, training: bool = True, generator: Any = None, *, addend: Any = None) -> Any:
    """input with elements set to 0 with probability p and the others divided by 1 - p; input itself elsewhere.

    `addend` is added to the result.
    """
    with drawing_from(generator):
        result = F.dropout(input, p, training=training) if training and p > 0 else input
    return result if addend is None else elementwise.add(result, addend)


def _dropped(name: str, doc: str) -> Any:
    def function(input: Any, p: float = 0.5, training: bool = True) -> Any:
        if not training or p == 0:
            return input
        return F.dropout(input, p, [0, 1], training)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return flowing(function)


dropout1d = _dropped("dropout1d", "As `dropout`, of whole channels [N, C, L].")
dropout2d = _dropped("dropout2d", "As `dropout`, of whole channels [N, C, H, W].")
dropout3d = _dropped("dropout3d", "As `dropout`, of whole channels [N, C, D, H, W].")


@flowing
def embedding(input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:
    """Rows of a table by their numbers; no gradient flows to the row of `padding_idx`."""
    if scale_grad_by_freq or max_norm is not None:
        raise NotImplementedError("embedding(max_norm, scale_grad_by_freq): the table is not changed by a lookup, nor "
                                  "its gradient scaled. Leave them out.")
    return _lookup(input, weight, padding_idx)


def _lookup(indices: Any, weight: Any, padding_idx: int | None) -> Any:
    if padding_idx is None:
        return F.embedding(indices, weight)
    from ....ops.array.where import where as choose
    from ....ops.math import comparison

    padding_idx %= weight.shape[0]
    rows = F.embedding(indices, weight)  # the row itself is looked up; its gradient stops
    is_padding = reshaping.unsqueeze(comparison.equal(indices, padding_idx), -1)
    return choose(is_padding, rows.detach(), rows)


@flowing
def one_hot(input: Any, num_classes: int = -1, on_value: Any = 1, off_value: Any = 0) -> Any:
    """Class numbers as vectors with `on_value` at their places (int64, or float32 for floats)."""
    if num_classes == -1:
        num_classes = int(reduce.max(input)) + 1
    hot = F.one_hot(input, num_classes)
    dtype = "float32" if isinstance(on_value, float) or isinstance(off_value, float) else "int64"
    if (on_value, off_value) == (1, 0):
        return casting.cast(hot, dtype)
    return casting.cast(elementwise.scale(hot, float(on_value - off_value), float(off_value)), dtype)


@flowing
def pad(input: Any, pad: Any, mode: str = "constant", value: float = 0.0) -> Any:
    """Values around the last dimensions: `pad` is (before, after) of the last one, then of the one before it, ….

    `mode`: "constant", "reflect", "replicate" or "circular".
    """
    widths, rank = [int(n) for n in pad], len(input.shape)
    if mode != "constant":
        return _padded_by_itself(input, widths, mode)
    whole = [0] * (2 * rank - len(widths))
    pairs = [*whole, *(n for at in range(len(widths) - 2, -1, -2) for n in widths[at:at + 2])]
    if any(n < 0 for n in pairs):
        cut = tuple(slice(max(-low, 0), size - max(-high, 0)) for size, low, high in zip(
            input.shape, pairs[::2], pairs[1::2], strict=True))
        from ....ops.array.indexing import getitem

        input, pairs = getitem(input, cut), [max(n, 0) for n in pairs]
    return F.pad(input, pairs, "constant", value) if any(pairs) else reshaping.clone(input)


def _padded_by_itself(x: Any, widths: list[int], mode: str) -> Any:
    count = len(widths) // 2
    layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[count]
    missing = count + 2 - len(x.shape)
    for _ in range(missing):
        x = reshaping.unsqueeze(x, 0)
    result = F.pad(x, widths, mode, data_format=layout)
    for _ in range(missing):
        result = reshaping.squeeze(result, 0)
    return result


@flowing
def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> Any:
    """Images of another size, by `mode` "nearest", "linear", "bilinear", "bicubic", "trilinear" or "area"."""
    rank = len(input.shape) - 2
    if isinstance(size, int):
        size = [size] * rank
    if size is None:
        factors = [scale_factor] * rank if isinstance(scale_factor, (int, float)) else list(scale_factor)
        size = [int(n * factor) for n, factor in zip(input.shape[2:], factors, strict=True)]
    size = [int(n) for n in size]
    if mode == "area":
        pools: dict[int, Any] = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
        return pools[rank](input, size[0] if rank == 1 else size)
    layout = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[rank]
    if rank == 1 and mode == "nearest":
        return reshaping.squeeze(F.interpolate(reshaping.unsqueeze(input, 2), [1, *size], mode="nearest"), 2)
    if rank == 3 and mode == "nearest":
        return F.interpolate(input, size, mode="nearest", data_format="NCDHW")
    return F.interpolate(input, size, mode=mode, align_corners=bool(align_corners), data_format=layout)


def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Any:
    """As `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


@flowing
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Channels [N, C * r², H, W] laid out as an image [N, C, H * r, W * r]."""
    return F.pixel_shuffle(input, upscale_factor)


@flowing
def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool = False) -> Any:
    """The image at the places that a grid holds, from -1 to 1."""
    return F.grid_sample(input, grid, mode, padding_mode, align_corners)


@flowing
def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """The grid that affine maps make, for `grid_sample`."""
    return F.affine_grid(theta, list(size), align_corners)


@flowing
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension."""
    return F.cosine_similarity(x1, x2, dim, eps)


@flowing
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of the difference of vectors."""
    return F.pairwise_distance(casting.as_floating(x1), casting.as_floating(x2), p, eps, keepdim)


@flowing
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False) -> Any:
    """softmax(query @ key.T / sqrt(size) + mask) @ value of [batch, heads, length, size]."""
    turned = [reshaping.transpose(x, [0, 2, 1, 3]) for x in (query, key, value)]
    result = F.scaled_dot_product_attention(turned[0], turned[1], turned[2], attn_mask, dropout_p, is_causal)
    return reshaping.transpose(result, [0, 2, 1, 3])
