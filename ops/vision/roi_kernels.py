"""Regions of images on arrays: which elements stand in each bin of a region, and with what weight.

Regions are boxes [R, 4] of corners (left, top, right, bottom); `counts` says how many of them each image has. A region
is cut into bins [height, width], and each bin gives one number for each channel.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ...backend.kernels.regions import Samples, Spans
from ...backend.scatter import add_at as add_each_at
from ..array.gather import add_at
from .matching import bounds_of

_PART = 1 << 21  # elements that are gathered at once


def counts_of(xp: Any, boxes: Any, lod: Any = ()) -> Any:
    """How many regions each image has, by their LoD; without one all are of one image."""
    bounds = bounds_of("roi pooling(rois)", boxes, lod)
    return xp.asarray([b - a for a, b in bounds], dtype="int32")


def images_of(xp: Any, counts: Any, regions: int) -> Any:
    """The number of the image of each region."""
    if int(counts.sum()) != regions:
        raise ValueError(f"roi pooling(boxes, boxes_num): boxes_num must sum to the number of boxes, {regions}. "
                         f"Received {counts.tolist()}.")
    return xp.searchsorted(xp.cumsum(counts), xp.arange(regions), side="right")


def images_of_boxes(xp: Any, counts: Any, boxes: Any) -> Any:
    """As `images_of`; ValueError for boxes of another shape than [R, 4]."""
    if boxes.shape[1:] != (4,):
        raise ValueError(f"roi pooling(boxes): must have the shape [R, 4]. Received {list(boxes.shape)}.")
    return images_of(xp, counts, len(boxes))


def _parts(bins: int, inner: int, regions: int) -> Iterator[slice]:
    step = max(_PART // max(bins * inner, 1), 1)
    return (slice(start, start + step) for start in range(0, regions, step))


def rounded(xp: Any, x: Any) -> Any:
    """x to the nearest integers, halves away from zero."""
    return xp.sign(x) * xp.floor(xp.abs(x) + 0.5)


# means of interpolated samples

def _samples(xp: Any, start: Any, size: Any, bins: int, ratio: int, limit: int) -> Samples:
    """Along one dimension, for each region and bin, elements and their weights [R, bins, 2 * samples]."""
    width = size / bins
    count = xp.full(start.shape, ratio, start.dtype) if ratio > 0 else xp.ceil(width)
    most = max(int(count.max()), 1) if count.size else 1
    number, share = xp.arange(most, dtype=start.dtype), (width / xp.maximum(count, 1))[:, None, None]
    place = (start[:, None] + xp.arange(bins, dtype=start.dtype) * width[:, None])[:, :, None] + (number + 0.5) * share
    counts = (number < count[:, None, None]) & (place >= -1) & (place <= limit)
    place = xp.clip(place, 0, limit - 1)
    low = xp.floor(place)
    after = place - low
    weight = counts / xp.maximum(count, 1)[:, None, None].astype(start.dtype)
    at = xp.concatenate([low, xp.minimum(low + 1, limit - 1)], -1).astype("int64")
    return Samples(at, xp.concatenate([weight * (1 - after), weight * after], -1).astype(start.dtype))


def samples(xp: Any, boxes: Any, bins: Sequence[int], sizes: Sequence[int], scale: float, ratio: int,
            aligned: bool) -> tuple[Samples, Samples]:
    """What makes the bins, down and along."""
    start = boxes[:, :2] * scale - (0.5 if aligned else 0.0)
    size = boxes[:, 2:] * scale - (0.5 if aligned else 0.0) - start
    if not aligned:
        size = xp.maximum(size, 1)
    down, along = (_samples(xp, start[:, 1 - n], size[:, 1 - n], bins[n], ratio, sizes[n]) for n in range(2))
    return down, along


def _aligned(xp: Any, boxes: Any, image: Any, bins: Sequence[int], sizes: Sequence[int], scale: float, ratio: int,
             aligned: bool) -> tuple[Any, Any]:
    """Flat positions in all images, and weights, of what makes the bins: [bins of all regions, elements]."""
    down, along = samples(xp, boxes, bins, sizes, scale, ratio, aligned)
    at = (image[:, None, None] * sizes[0] + down.at)[:, :, None, :, None] * sizes[1] + along.at[:, None, :, None, :]
    weight = down.weight[:, :, None, :, None] * along.weight[:, None, :, None, :]
    inner = at.shape[3] * at.shape[4]
    return at.reshape(-1, inner), weight.reshape(-1, inner)


def _rows(xp: Any, x: Any) -> Any:
    """Images [N, C, H, W] as [N * H * W, C]."""
    return xp.ascontiguousarray(x.transpose(0, 2, 3, 1)).reshape(-1, x.shape[1])


def _step(bins: Sequence[int], channels: int, boxes: Any, scale: float, ratio: int) -> int:
    """The elements that the bins of one region gather at most."""
    if ratio > 0:
        return bins[0] * bins[1] * 4 * ratio * ratio * channels
    spans = (boxes[:, 2:] - boxes[:, :2]) * scale if len(boxes) else boxes[:, 2:]
    area = float((spans.max(0) + bins[0] + bins[1]).prod()) if len(boxes) else 1.0
    return int(4 * max(area, 1)) * channels


def align(xp: Any, x: Any, boxes: Any, counts: Any, bins: Sequence[int], scale: float, ratio: int,
          aligned: bool) -> Any:
    """The means of samples in each bin [R, C, *bins]."""
    image, rows = images_of_boxes(xp, counts, boxes), _rows(xp, x)
    result = xp.zeros((len(boxes), bins[0] * bins[1], x.shape[1]), x.dtype)
    for part in _parts(1, _step(bins, x.shape[1], boxes, scale, ratio), len(boxes)):
        at, weight = _aligned(xp, boxes[part], image[part], bins, x.shape[2:], scale, ratio, aligned)
        made = xp.matmul(weight.astype(x.dtype)[:, None], rows[at])
        result[part] = made.reshape(-1, bins[0] * bins[1], x.shape[1])
    return result.transpose(0, 2, 1).reshape(len(boxes), x.shape[1], *bins)


def align_back(xp: Any, g: Any, boxes: Any, counts: Any, shape: Sequence[int], scale: float, ratio: int,
               aligned: bool) -> Any:
    """The transpose of `align` in the images: g [R, C, *bins] to [N, C, H, W]."""
    image, bins, channels = images_of_boxes(xp, counts, boxes), g.shape[2:], shape[1]
    rows = xp.zeros((shape[0] * shape[2] * shape[3], channels), g.dtype)
    g = g.reshape(len(boxes), channels, bins[0] * bins[1]).transpose(0, 2, 1)
    for part in _parts(1, _step(bins, channels, boxes, scale, ratio), len(boxes)):
        at, weight = _aligned(xp, boxes[part], image[part], bins, shape[2:], scale, ratio, aligned)
        given = weight.astype(g.dtype)[:, :, None] * g[part].reshape(-1, 1, channels)
        add_at(xp, rows, at.reshape(-1), given.reshape(-1, channels))
    return rows.reshape(shape[0], *shape[2:], channels).transpose(0, 3, 1, 2)


# bins of whole elements

def _spans(xp: Any, start: Any, size: Any, bins: int, limit: int) -> Spans:
    """The first element of each bin, and the one after its last: [R, bins]."""
    width = (size / bins)[:, None]
    number = xp.arange(bins, dtype=start.dtype)
    first = xp.floor(number * width + start[:, None])
    last = xp.ceil((number + 1) * width + start[:, None])
    return Spans(xp.clip(first, 0, limit).astype("int64"), xp.clip(last, 0, limit).astype("int64"))


def rounded_spans(xp: Any, boxes: Any, bins: Sequence[int], sizes: Sequence[int], scale: float) -> tuple[Spans, Spans]:
    """Bins of regions whose corners are brought to whole elements, down and along."""
    corners = rounded(xp, boxes * scale)
    extents = xp.maximum(corners[:, 2:] - corners[:, :2] + 1, 1)
    down, along = (_spans(xp, corners[:, 1 - n], extents[:, 1 - n], bins[n], sizes[n]) for n in range(2))
    return down, along


def scaled_spans(xp: Any, boxes: Any, bins: Sequence[int], sizes: Sequence[int], scale: float) -> tuple[Spans, Spans]:
    """Bins of regions from the beginning of one whole element to the end of another, scaled, down and along."""
    start = rounded(xp, boxes[:, :2]) * scale
    extent = xp.maximum((rounded(xp, boxes[:, 2:]) + 1) * scale - start, 0.1)
    down, along = (_spans(xp, start[:, 1 - n], extent[:, 1 - n], bins[n], sizes[n]) for n in range(2))
    return down, along


def maxima(xp: Any, x: Any, boxes: Any, counts: Any, bins: Sequence[int], scale: float) -> tuple[Any, Any]:
    """The largest element in each bin, and its position in its channel: 0 and -1 for a bin without elements."""
    image, rows, count = images_of_boxes(xp, counts, boxes), _rows(xp, x), bins[0] * bins[1]
    spans = rounded_spans(xp, boxes, bins, x.shape[2:], scale)
    most = [max(int((last - first).max()), 1) if len(boxes) else 1 for first, last in spans]
    values = xp.zeros((len(boxes), count, x.shape[1]), x.dtype)
    found = xp.full(values.shape, -1, "int64")
    for part in _parts(count, most[0] * most[1] * x.shape[1], len(boxes)):
        inside = [(first[part], last[part]) for first, last in spans]
        flat, some = _elements(xp, inside, most, x.shape[3])
        elements = rows[xp.repeat(image[part], count)[:, None] * (x.shape[2] * x.shape[3]) + flat]
        best = elements.argmax(1)
        largest = xp.take_along_axis(elements, best[:, None], 1)[:, 0]
        values[part] = xp.where(some, largest, 0).reshape(-1, count, x.shape[1])
        found[part] = xp.where(some, xp.take_along_axis(flat, best, 1), -1).reshape(-1, count, x.shape[1])
    shape = (len(boxes), x.shape[1], *bins)
    return values.transpose(0, 2, 1).reshape(shape), found.transpose(0, 2, 1).reshape(shape)


def _elements(xp: Any, spans: Sequence[tuple[Any, Any]], most: Sequence[int], width: int) -> tuple[Any, Any]:
    """Positions in a plane of the elements of bins [bins, elements], the last repeated; and whether there are any."""
    places = [xp.maximum(xp.minimum(first[:, :, None] + xp.arange(n), last[:, :, None] - 1), 0)
              for (first, last), n in zip(spans, most, strict=True)]
    flat = places[0][:, :, None, :, None] * width + places[1][:, None, :, None, :]
    down, along = (last > first for first, last in spans)
    return flat.reshape(-1, most[0] * most[1]), (down[:, :, None] & along[:, None]).reshape(-1, 1)


def flat_positions(xp: Any, positions: Any, counts: Any, plane: int) -> Any:
    """Where positions [R, C, *bins] in a channel of `plane` elements lie in all images."""
    regions, channels = positions.shape[:2]
    channel = images_of(xp, counts, regions)[:, None] * channels + xp.arange(channels)
    return channel[:, :, None, None] * plane + xp.maximum(positions, 0)


# means of whole elements, by sums from the first corner

class SummedBins:
    """The bins of regions in images whose channels are in [C', *bins]: each bin has channels of its own."""

    def __init__(self, xp: Any, boxes: Any, counts: Any, bins: Sequence[int], sizes: Sequence[int], scale: float):
        spans = scaled_spans(xp, boxes, bins, sizes, scale)
        down, along = [edge[:, None, :, None] for edge in spans[0]], [edge[:, None, None, :] for edge in spans[1]]
        self.edges = [((down[a], along[b]), 1 if a == b else -1) for a in range(2) for b in range(2)]
        count = xp.maximum(down[1] - down[0], 0) * xp.maximum(along[1] - along[0], 0)
        self.factor = xp.where(count > 0, 1 / xp.maximum(count, 1), 0)
        self.image = images_of_boxes(xp, counts, boxes)[:, None, None, None]
        self.bins, self.sizes, self.xp = bins, sizes, xp

    def _at(self, image: Any, channels: int, edge: tuple[Any, Any]) -> tuple:
        xp = self.xp
        return (image, xp.arange(channels)[:, None, None], xp.arange(self.bins[0])[:, None],
                xp.arange(self.bins[1]), *edge)

    def means(self, x: Any) -> Any:
        """The mean of each bin [R, C', *bins]."""
        xp, channels = self.xp, x.shape[1] // (self.bins[0] * self.bins[1])
        asked = xp.unique(self.image)  # only images that have regions are summed
        sums = xp.zeros((len(asked), channels, *self.bins, self.sizes[0] + 1, self.sizes[1] + 1))
        planes = x[asked].reshape(len(asked), channels, *self.bins, *self.sizes)
        sums[..., 1:, 1:] = xp.cumsum(xp.cumsum(planes, -1, "float64"), -2)
        image = xp.searchsorted(asked, self.image)
        total = sum(sums[self._at(image, channels, edge)] * sign for edge, sign in self.edges)
        return (total * self.factor).astype(x.dtype)

    def back(self, g: Any, samples: int) -> Any:
        """The transpose of `means`: g [R, C', *bins] to the images."""
        xp, channels = self.xp, g.shape[1]
        asked = xp.unique(self.image)
        image = xp.searchsorted(asked, self.image)
        sums = xp.zeros((len(asked), channels, *self.bins, self.sizes[0] + 1, self.sizes[1] + 1))
        share = g * self.factor
        for edge, sign in self.edges:
            at = xp.broadcast_arrays(*self._at(image, channels, edge))
            add_each_at(xp, sums, tuple(at), share * sign)
        ahead = xp.cumsum(xp.cumsum(sums[..., ::-1, ::-1], -1), -2)[..., ::-1, ::-1]
        given = xp.zeros((samples, channels * self.bins[0] * self.bins[1], *self.sizes), g.dtype)
        given[asked] = ahead[..., 1:, 1:].reshape(len(asked), -1, *self.sizes).astype(g.dtype)
        return given


# means of an image that is interpolated

def _risen(xp: Any, t: Any) -> Any:
    """The integral up to t of what an element at 0 adds to the interpolated image: 1 - |t| within [-1, 1]."""
    t = xp.clip(t, -1, 1)
    return xp.where(t < 0, (t + 1) ** 2 / 2, 1 - (1 - t) ** 2 / 2)


class Integrals:
    """The bins of regions in images that are functions of the plane, interpolated between their elements."""

    def __init__(self, xp: Any, boxes: Any, counts: Any, bins: Sequence[int], sizes: Sequence[int], scale: float):
        corners = boxes * scale
        spans = xp.maximum(corners[:, 2:] - corners[:, :2], 0)
        self.down, self.along = (self._weights(xp, corners[:, 1 - n], spans[:, 1 - n] / bins[n], bins[n], sizes[n])
                                 for n in range(2))
        area = spans[:, 0] * spans[:, 1] / (bins[0] * bins[1])
        self.factor = xp.where(area > 0, 1 / xp.where(area > 0, area, 1), 0)[:, None, None, None]
        self.image, self.xp = images_of_boxes(xp, counts, boxes), xp

    @staticmethod
    def _weights(xp: Any, start: Any, width: Any, bins: int, size: int) -> Any:
        """What each element adds to each bin along one dimension [R, bins, size]."""
        edges = start[:, None] + xp.arange(bins + 1, dtype=start.dtype) * width[:, None]
        risen = _risen(xp, edges[:, :, None] - xp.arange(size, dtype=start.dtype))
        return risen[:, 1:] - risen[:, :-1]

    def means(self, x: Any) -> Any:
        """The mean of each bin [R, C, *bins]."""
        along = self.xp.matmul(x[self.image], self.along[:, None].swapaxes(-1, -2))
        return (self.xp.matmul(self.down[:, None], along) * self.factor).astype(x.dtype)

    def back(self, g: Any, samples: int) -> Any:
        """The transpose of `means`: g [R, C, *bins] to the images."""
        xp = self.xp
        given = xp.matmul(xp.matmul(self.down[:, None].swapaxes(-1, -2), g * self.factor), self.along[:, None])
        result = xp.zeros((samples, *given.shape[1:]), g.dtype)
        add_at(xp, result, self.image, given.astype(g.dtype))
        return result
