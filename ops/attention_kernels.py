"""The kernels of attention: tile by tile of the scores, on NumPy or CuPy arrays [batch, heads, length, head_dim]."""

import math
from collections.abc import Iterator
from typing import Any

_TILE = 1 << 17  # scores of a tile on the host: 512 KiB of float32, which stay in a core's cache
_DEVICE_TILE = 1 << 26

Tile = tuple[slice, slice, slice]


def _tiles(xp: Any, batch: int, heads: int, queries: int, keys: int) -> Iterator[Tile]:
    """Slices of batch, heads and queries whose scores have about as many elements as a tile may."""
    room = _TILE if xp.__name__ == "numpy" else _DEVICE_TILE
    rows = min(queries, max(16, room // max(keys, 1)))
    height = min(heads, max(1, room // max(queries * keys, 1)))
    depth = min(batch, max(1, room // max(heads * queries * keys, 1)))
    for b in range(0, batch, max(depth, 1)):
        for h in range(0, heads, max(height, 1)):
            for r in range(0, queries, max(rows, 1)):
                yield slice(b, b + depth), slice(h, h + height), slice(r, min(r + rows, queries))


class Arithmetic:
    """What is done with a tile, on arrays of a namespace; the scores it is given are its own to change."""

    def __init__(self, xp: Any):
        self.xp = xp

    def product(self, a: Any, b: Any) -> Any:
        """a @ b."""
        return self.xp.matmul(a, b)

    def exponentials(self, scores: Any) -> tuple[Any, Any]:
        """Makes exp(score - the row's largest) of scores; gives their sums, and the logarithms of exp(score)'s."""
        largest = scores.max(-1, keepdims=True)
        scores -= largest
        self.xp.exp(scores, out=scores)
        sums = scores.sum(-1)
        return sums, largest[..., 0] + self.xp.log(sums)

    def weights(self, scores: Any, totals: Any) -> None:
        """Makes exp(score - the row's total) of scores."""
        scores -= totals[..., None]
        self.xp.exp(scores, out=scores)

    def slopes(self, u: Any, weights: Any, shares: Any) -> None:
        """Makes (u - the row's share) * weight of u."""
        u -= shares[..., None]
        u *= weights


class _Scores:
    """The scores of a tile of queries, from which weights are made; `visible` are the keys that they see."""

    def __init__(self, xp: Any, arithmetic: Any, q: Any, k: Any, mask: Any, scale: float, causal: bool):
        self.xp, self.arithmetic, self.q, self.k, self.scale, self.causal = xp, arithmetic, q, k, scale, causal
        self.mask = None if mask is None else xp.broadcast_to(mask, (*q.shape[:3], k.shape[2]))

    def tiles(self) -> Iterator[Tile]:
        """The tiles that together are all queries."""
        batch, heads, queries, _ = self.q.shape
        return _tiles(self.xp, batch, heads, queries, self.k.shape[2])

    def visible(self, tile: Tile) -> slice:
        """The keys that some query of the tile sees."""
        return slice(0, tile[2].stop if self.causal else self.k.shape[2])

    def of(self, tile: Tile) -> Any:
        """scale * q · kᵀ + mask of a tile, with -inf at keys behind their query where the attention is causal."""
        xp, seen = self.xp, self.visible(tile)
        keys = _wide(self.k[tile[0], tile[1], seen])
        scores = self.arithmetic.product(_wide(self.q[tile]) * self.scale, keys.swapaxes(-1, -2))
        if self.mask is not None:
            scores += self.mask[tile][..., seen]
        if self.causal:
            rows = tile[2].stop - tile[2].start
            xp.copyto(scores[..., tile[2]], -math.inf, where=~xp.tri(rows, dtype=bool))
        return scores


def _wide(x: Any) -> Any:
    """Half-precision values in float32, in which scores and weights are computed."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


def _like(xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """Room for an array that lies in memory as x does: with heads behind positions where x has them so."""
    return xp.empty_like(x, shape=shape)


def forward(xp: Any, arithmetic: Any, q: Any, k: Any, v: Any, mask: Any, scale: float, causal: bool) -> tuple[Any, Any]:
    """softmax(scale * q · kᵀ + mask) · v, and the logarithm of each query's sum of exponentials."""
    _refuse_broadcasting(q, k, v, causal)
    out = _like(xp, q, (*q.shape[:3], v.shape[3]))
    totals = xp.empty(q.shape[:3], _wide(q[:0]).dtype)
    scores = _Scores(xp, arithmetic, q, k, mask, scale, causal)
    for tile in scores.tiles():
        weights = scores.of(tile)
        sums, totals[tile] = arithmetic.exponentials(weights)
        out[tile] = arithmetic.product(weights, _wide(v[tile[0], tile[1], scores.visible(tile)])) / sums[..., None]
    return out, totals


def _refuse_broadcasting(q: Any, k: Any, v: Any, causal: bool) -> None:
    """Raises for what the arithmetic would take in silence; the rule of shapes then tells what is wrong."""
    if q.shape[:2] != k.shape[:2] or k.shape[:3] != v.shape[:3] or (causal and q.shape[2] != k.shape[2]):
        raise ValueError(f"attention: shapes {q.shape}, {k.shape} and {v.shape} do not agree")
    if not q.dtype == k.dtype == v.dtype or q.dtype.kind in "biuc":
        raise TypeError(f"attention: dtypes {q.dtype}, {k.dtype} and {v.dtype} do not agree")


def gradients(xp: Any, arithmetic: Any, q: Any, k: Any, v: Any, mask: Any, out: Any, totals: Any, g: Any, scale: float,
              causal: bool, with_mask: bool) -> tuple[Any, Any, Any, Any]:
    """The gradients of q, k, v and, if wanted, of the mask, from that of the result."""
    dq, dk, dv = (_like(xp, x, x.shape) for x in (q, k, v))
    dk[...] = 0
    dv[...] = 0
    d_mask = xp.zeros(mask.shape, mask.dtype) if with_mask else None
    scores = _Scores(xp, arithmetic, q, k, mask, scale, causal)
    product = arithmetic.product
    for tile in scores.tiles():
        seen = (tile[0], tile[1], scores.visible(tile))
        weights = scores.of(tile)
        arithmetic.weights(weights, totals[tile])
        upper = _wide(g[tile])
        dv[seen] += product(weights.swapaxes(-1, -2), upper)
        slope = product(upper, _wide(v[seen]).swapaxes(-1, -2))
        arithmetic.slopes(slope, weights, (upper * _wide(out[tile])).sum(-1))
        if with_mask:
            _add_to_mask(d_mask, slope, tile, seen[2])
        slope *= scale
        dq[tile] = product(slope, _wide(k[seen]))
        dk[seen] += product(slope.swapaxes(-1, -2), _wide(q[tile]))
    return dq, dk, dv, d_mask


def _add_to_mask(d_mask: Any, slope: Any, tile: Tile, seen: slice) -> None:
    """Adds a tile of the scores' gradient to that of the mask, summed where the mask was broadcast."""
    whole = d_mask.reshape((1,) * (4 - d_mask.ndim) + d_mask.shape)
    once = tuple(n for n, size in enumerate(whole.shape) if size == 1)
    place = tuple(slice(None) if n in once else part for n, part in enumerate((*tile, seen)))
    whole[place] += slope.sum(once, keepdims=True) if once else slope
