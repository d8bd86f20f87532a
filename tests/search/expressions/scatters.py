"""Values put at places: scatter, index_add, index_put, masks; windows and resampling; sorted and counted places."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production


@production(1.5, "scatters")
def _put_at_places(body: Body) -> Found | None:
    v = body.value("float", 1, 3)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    text, size = v.text, v.shape[axis]
    places = [body.below(size) for _ in range(2)]
    index = f"paddle.to_tensor({places})"
    rows = f"paddle.index_select({text}, {index}, axis={axis})"
    found = [
        f"paddle.index_add({text}, {index}, {axis}, {rows} * 0.5)",
        f"paddle.put_along_axis({text}, paddle.argmin({text}, axis={axis}, keepdim=True), {text}.mean(), {axis})",
        f"paddle.put_along_axis({text}, paddle.argsort({text}, {axis}), {text} * 0.5, {axis}, reduce='add')",
        f"paddle.masked_fill({text}, {text} > 0.3, {text}.mean())",
        f"paddle.where({text} > {text}.mean(), {text}, {text}.mean() * 0.5)",
        f"paddle.diff({text}, axis={axis}, prepend=paddle.index_select({text}, paddle.to_tensor([0]), axis={axis}))",
        f"paddle.rot90({text}.unsqueeze(-1), 2, [{axis}, -1]).squeeze(-1)",
    ]
    if axis == 0:
        found += [
            f"paddle.scatter({text}, paddle.to_tensor({sorted(set(places))}), "
            f"{text}[:{len(set(places))}] * 0.5)",
            f"paddle.scatter({text}, {index}, {rows} * 0.5, overwrite=False)",
            f"paddle.scatter_nd_add({text}, {index}.unsqueeze(-1), {rows} * 0.5)",
            f"paddle.index_put({text}, ({index},), {rows} * 0.5, accumulate=True)",
            f"{text}.index_fill({index}, 0, 0.25)",
        ]
    return body.pick(*found), v.shape, "float"


@production(0.8, "scatters")
def _counted(body: Body) -> Found | None:
    """Places and counts of values."""
    v = body.value("float", 1, 2)
    if v is None:
        return None
    text = v.text
    edges = "paddle.to_tensor([-0.5, 0.0, 0.5]).astype(paddle.get_default_dtype())"
    return body.pick(
        (f"paddle.searchsorted({edges}, {text})", v.shape, "int"),
        (f"paddle.bucketize({text}, {edges}, right=True)", v.shape, "int"),
        (f"paddle.bincount(({text} > 0).astype('int64').flatten(), minlength=3)[:2] * 0.1", (2,), "float"),
        (f"paddle.unique(paddle.clip(paddle.round({text}), -1.0, 1.0)).sum()", (), "float"),
        (f"paddle.nonzero({text} > -5.0).max() * 0.1", (), "float"),
        (f"paddle.where({text} > -5.0)[0].sum() * 0.05", (), "float"),
        (f"paddle.mode(paddle.round({text}), axis=-1)[0]", v.shape[:-1], "float"),
        (f"paddle.kthvalue({text}, 1, axis=-1)[0]", v.shape[:-1], "float"),
        (f"paddle.einsum('{'ab'[: v.rank]}->{'ab'[: v.rank][::-1]}', {text})", v.shape[::-1], "float"),
        (f"paddle.logsumexp({text}, axis=-1)", v.shape[:-1], "float"),
        (f"paddle.nansum({text}, axis=0)", v.shape[1:], "float"),
        (f"paddle.outer({text}.flatten()[:2], {text}.flatten()[:2])", (2, 2), "float")
        if all(isinstance(s, int) and s > 1 for s in v.shape)
        else (f"paddle.amax({text}, axis=-1)", v.shape[:-1], "float"),
    )


@production(0.8, "scatters")
def _windows(body: Body) -> Found | None:
    """Windows, shuffles and samples of images."""
    v = body.value("float", 4, 4)
    if v is None or not all(isinstance(s, int) for s in v.shape[1:]) or min(v.shape[2:]) < 2:
        return None
    n, c, h, w = v.shape
    text = v.text
    found = [
        (f"F.unfold({text}, 2)", (n, c * 4, (h - 1) * (w - 1)), "float"),
        (f"F.interpolate({text}, size=[{h + 1}, {w}], mode='bilinear', align_corners=True)", (n, c, h + 1, w), "float"),
        (f"F.interpolate({text}, size=[3, 2], mode='bicubic')", (n, c, 3, 2), "float"),
        (f"F.interpolate({text}, size=[3, 2], mode='area')", (n, c, 3, 2), "float"),
        (f"F.max_pool2d({text}, 2, 1, return_mask=True)[0]", (n, c, h - 1, w - 1), "float"),
        (f"F.lp_pool2d({text}.abs() + 0.1, 2, 2, 1)", (n, c, h - 1, w - 1), "float"),
        (f"F.adaptive_max_pool2d({text}, [1, 2])", (n, c, 1, 2), "float"),
        (f"F.local_response_norm({text}, 3)", v.shape, "float"),
        (f"F.grid_sample({text}, F.affine_grid(paddle.tanh({text}.mean()) * paddle.ones([{text}.shape[0], 2, 3]), "
         f"[{text}.shape[0], {c}, 2, 3]))", (n, c, 2, 3), "float"),
        (f"F.channel_shuffle({text}, {c})", v.shape, "float"),
        (f"F.zeropad2d({text}, [1, 0, 0, 1])", (n, c, h + 1, w + 1), "float"),
        (f"F.temporal_shift(paddle.concat([{text}, {text}]), 2, 0.25)", (f"{n}+{n}" if isinstance(n, str) else 2 * n,
                                                                        c, h, w), "float"),
    ]
    if h % 2 == 0 and w % 2 == 0:
        found.append((f"F.pixel_unshuffle({text}, 2)", (n, c * 4, h // 2, w // 2), "float"))
    return body.pick(*found)
