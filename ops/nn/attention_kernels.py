"""The kernels of attention: tile by tile of the scores, on NumPy or CuPy arrays [batch, heads, length, head_dim]."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backend import products
from ...backend.kernels.attention import product as product_by_onednn

_TILE = 1 << 17  # scores of a tile on the host: 512 KiB of float32, which stay in a core's cache
_DEVICE_TILE = 1 << 26
_FAR = 64.0  # a logarithm beyond it has few digits for its sum, at -1e9 none: weights are divided by their sum

Tile = tuple[slice, slice, slice]


def _tiles(xp: Any, batch: int, heads: int, queries: int, keys: int) -> Iterator[Tile]:
    """Slices of batch, heads and queries whose scores have about as many elements as a tile may."""
    room = _TILE if xp is np else _DEVICE_TILE
    rows = min(queries, max(16, room // max(keys, 1)))
    height = min(heads, max(1, room // max(queries * keys, 1)))
    depth = min(batch, max(1, room // max(heads * queries * keys, 1)))
    for b in range(0, batch, max(depth, 1)):
        for h in range(0, heads, max(height, 1)):
            for r in range(0, queries, max(rows, 1)):
                yield slice(b, b + depth), slice(h, h + height), slice(r, min(r + rows, queries))


class Arithmetic:
    """What is done with a tile, on arrays of a namespace; the scores it is given are its own to change.

    Scores are the products q · kᵀ of some queries with the keys that some of them see. With `first` at least 0 the
    attention is causal, and that is the number of the tile's first query; the keys are then those up to its last.
    """

    def __init__(self, xp: Any):
        self.xp = xp

    def product(self, a: Any, b: Any, out: Any = None) -> Any:
        """a @ b, in `out` where that is given."""
        if out is None:
            return products.matmul(self.xp, a, b)
        out[...] = products.matmul(self.xp, a, b)
        return out

    def _logits(self, scores: Any, scale: float, mask: Any, first: int) -> None:
        """Makes scale * score + mask of scores, with -inf at keys behind their query where the attention is causal."""
        scores *= scale
        if mask is not None:
            scores += mask
        if first >= 0:
            rows = scores.shape[-2]
            self.xp.copyto(scores[..., first:], -math.inf, where=~self.xp.tri(rows, dtype=bool))

    def normalize(self, scores: Any, scale: float, mask: Any, first: int) -> Any:
        """Makes weights, the softmax, of scores; gives the logarithms of the sums of exponentials."""
        self._logits(scores, scale, mask, first)
        largest = scores.max(-1, keepdims=True)
        scores -= largest
        self.xp.exp(scores, out=scores)
        sums = scores.sum(-1, keepdims=True)
        scores /= sums
        return (largest + self.xp.log(sums))[..., 0]

    def weights(self, scores: Any, scale: float, mask: Any, first: int, totals: Any) -> None:
        """Makes the weights of scores again, from the logarithms of the sums."""
        self._logits(scores, scale, mask, first)
        scores -= totals[..., None]
        self.xp.exp(scores, out=scores)
        if self.xp is not np or bool((np.abs(totals) > _FAR).any()):
            scores /= scores.sum(-1, keepdims=True)

    def slopes(self, u: Any, weights: Any, factor: float) -> None:
        """Makes (u - the row's sum of u * weight) * weight * factor of u."""
        u -= (u * weights).sum(-1, keepdims=True)
        u *= weights
        if factor != 1.0:
            u *= factor


class WithLargeProducts(Arithmetic):
    """That on NumPy arrays of float32 with large products by oneDNN: what computes while loops are not worth making."""

    def __init__(self) -> None:
        super().__init__(np)

    def product(self, a: Any, b: Any, out: Any = None) -> Any:
        """a @ b, in `out` where that is given."""
        return product_by_onednn(a, b, out)

    @staticmethod
    def takes(*arrays: Any) -> bool:
        """Whether it takes these arrays; None stands for one that is not there."""
        return all(array is None or array.dtype == np.float32 and array.size for array in arrays)


def _wide(x: Any) -> Any:
    """Half-precision values in float32, in which scores and weights are computed."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


class _Scores:
    """The scores of a tile of queries, from which weights are made."""

    def __init__(self, xp: Any, arithmetic: Any, q: Any, k: Any, mask: Any, scale: float, causal: bool):
        self.xp, self.arithmetic, self.q, self.k, self.scale, self.causal = xp, arithmetic, q, k, scale, causal
        self.mask = None if mask is None else xp.broadcast_to(_wide(mask), (*q.shape[:3], k.shape[2]))

    def tiles(self) -> Iterator[Tile]:
        """The tiles that together are all queries."""
        batch, heads, queries, _ = self.q.shape
        return _tiles(self.xp, batch, heads, queries, self.k.shape[2])

    def visible(self, tile: Tile) -> slice:
        """The keys that some query of the tile sees."""
        return slice(0, tile[2].stop if self.causal else self.k.shape[2])

    def of(self, tile: Tile) -> tuple[Any, tuple]:
        """The products q · kᵀ of a tile; and what weights are made with: the scale, the mask, the first query."""
        seen = self.visible(tile)
        scores = self.arithmetic.product(_wide(self.q[tile]), _wide(self.k[tile[0], tile[1], seen]).swapaxes(-1, -2))
        mask = None if self.mask is None else self.mask[tile][..., seen]
        return scores, (self.scale, mask, tile[2].start if self.causal else -1)


def _like(xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """Room for an array that lies in memory as x does: with heads behind positions where x has them so."""
    return xp.empty_like(x, shape=shape)


def _put(arithmetic: Any, target: Any, a: Any, b: Any, adds: bool) -> None:
    """target = a @ b, or added to it."""
    if adds:
        target += arithmetic.product(a, b)
    elif target.dtype.itemsize == 2:
        target[...] = arithmetic.product(a, b)
    else:
        arithmetic.product(a, b, target)


def forward(xp: Any, arithmetic: Any, q: Any, k: Any, v: Any, mask: Any, scale: float, causal: bool) -> tuple[Any, Any]:
    """softmax(scale * q · kᵀ + mask) · v, and the logarithm of each query's sum of exponentials."""
    _refuse_broadcasting(q, k, v, causal)
    out = _like(xp, q, (*q.shape[:3], v.shape[3]))
    totals = xp.empty(q.shape[:3], _wide(q[:0]).dtype)
    scores = _Scores(xp, arithmetic, q, k, mask, scale, causal)
    for tile in scores.tiles():
        weights, terms = scores.of(tile)
        totals[tile] = arithmetic.normalize(weights, *terms)
        _put(arithmetic, out[tile], weights, _wide(v[tile[0], tile[1], scores.visible(tile)]), False)
    return out, totals


def _refuse_broadcasting(q: Any, k: Any, v: Any, causal: bool) -> None:
    """Raises for what the arithmetic would take in silence; the rule of shapes then tells what is wrong."""
    if q.shape[:2] != k.shape[:2] or k.shape[:3] != v.shape[:3] or (causal and q.shape[2] != k.shape[2]):
        raise ValueError(f"attention: shapes {q.shape}, {k.shape} and {v.shape} do not agree")
    if not q.dtype == k.dtype == v.dtype or q.dtype.kind in "biuc":
        raise TypeError(f"attention: dtypes {q.dtype}, {k.dtype} and {v.dtype} do not agree")


def gradients(xp: Any, arithmetic: Any, q: Any, k: Any, v: Any, mask: Any, totals: Any, g: Any, scale: float,
              causal: bool, with_mask: bool) -> tuple[Any, Any, Any, Any]:
    """The gradients of q, k, v and, if wanted, of the mask, from that of the result."""
    dq, dk, dv = (_like(xp, x, x.shape) for x in (q, k, v))
    d_mask = xp.zeros(mask.shape, mask.dtype) if with_mask else None
    scores = _Scores(xp, arithmetic, q, k, mask, scale, causal)
    product = arithmetic.product
    parts = list(scores.tiles())
    several = any(tile[2] != slice(0, q.shape[2]) for tile in parts)  # a key's gradient comes from several tiles
    if several or not parts:
        dk[...] = 0
        dv[...] = 0
    for tile in parts:
        seen = (tile[0], tile[1], scores.visible(tile))
        weights, terms = scores.of(tile)
        arithmetic.weights(weights, *terms, totals[tile])
        upper = _wide(g[tile])
        _put(arithmetic, dv[seen], weights.swapaxes(-1, -2), upper, several)
        slope = product(upper, _wide(v[seen]).swapaxes(-1, -2))
        arithmetic.slopes(slope, weights, 1.0 if with_mask else scale)
        if with_mask:
            _add_to_mask(d_mask, slope, tile, seen[2])
            slope *= scale
        _put(arithmetic, dq[tile], slope, _wide(k[seen]), False)
        _put(arithmetic, dk[seen], slope.swapaxes(-1, -2), _wide(q[tile]), several)
    return dq, dk, dv, d_mask


def _add_to_mask(d_mask: Any, slope: Any, tile: Tile, seen: slice) -> None:
    """Adds a tile of the scores' gradient to that of the mask, summed where the mask was broadcast."""
    whole = d_mask.reshape((1,) * (4 - d_mask.ndim) + d_mask.shape)
    once = tuple(n for n, size in enumerate(whole.shape) if size == 1)
    place = tuple(slice(None) if n in once else part for n, part in enumerate((*tile, seen)))
    whole[place] += slope.sum(once, keepdims=True) if once else slope
