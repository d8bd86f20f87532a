"""YOLO's maps on arrays: the boxes in them, and what true boxes say that they should hold."""

import math
from collections.abc import Sequence
from typing import Any

from ...backend.scatter import assign_at


def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1, small) / (1 + small)


class Map:
    """A map [N, A * (5 + classes), H, W] in parts [N, A, 5 + classes, H, W], and the boxes in it."""

    def __init__(self, xp: Any, x: Any, classes: int, anchors: Sequence[int], downsample: int, scale: float):
        self.xp, self.dtype, self.classes = xp, x.dtype, classes
        self.height, self.width = x.shape[2:]
        self.anchors = xp.asarray(anchors, dtype=x.dtype).reshape(-1, 2)
        self.part = x.reshape(len(x), len(self.anchors), 5 + classes, self.height, self.width)
        self.downsample, self.scale = downsample, scale

    def _middles(self) -> list[Any]:
        """Across and down, in cells: [N, A, H, W]."""
        xp, shift = self.xp, 0.5 * (1 - self.scale)
        grid = [xp.arange(self.width, dtype=self.dtype), xp.arange(self.height, dtype=self.dtype)[:, None]]
        return [sigmoid(xp, self.part[:, :, n]) * self.scale + shift + grid[n] for n in range(2)]

    def _sides(self) -> list[Any]:
        """Width and height, in elements of the image that the map is of."""
        return [self.xp.exp(self.part[:, :, 2 + n]) * self.anchors[:, n, None, None] for n in range(2)]

    def corners(self, image: Any, clip: bool) -> Any:
        """(left, top, right, bottom) [N, A, 4, H, W] in images of sizes `image` [N, 2], height first."""
        xp, result = self.xp, []
        cells = (self.width, self.height)
        for n, (middle, side) in enumerate(zip(self._middles(), self._sides(), strict=True)):
            size = image[:, 1 - n].astype(self.dtype)[:, None, None, None]
            middle, half = middle * size / cells[n], side * size / (self.downsample * cells[n]) / 2
            edges = [middle - half, middle + half]
            if clip:
                edges = [xp.maximum(edges[0], 0), xp.minimum(edges[1], size - 1)]
            result.append(edges)
        (left, right), (top, bottom) = result
        return xp.stack([left, top, right, bottom], 2)

    def relative(self) -> list[Any]:
        """Middles and sides as shares of the image: (across, down, width, height)."""
        across, down = self._middles()
        width, height = self._sides()
        return [across / self.width, down / self.height, width / (self.downsample * self.width),
                height / (self.downsample * self.height)]


def overlap(xp: Any, a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The intersection over the union of boxes given by middles and sides."""
    sides = []
    for n in range(2):
        low = xp.maximum(a[n] - a[n + 2] / 2, b[n] - b[n + 2] / 2)
        high = xp.minimum(a[n] + a[n + 2] / 2, b[n] + b[n + 2] / 2)
        sides.append(xp.maximum(high - low, 0))
    common = sides[0] * sides[1]
    union = a[2] * a[3] + b[2] * b[3] - common
    return xp.where(union > 0, common / xp.where(union > 0, union, 1), 0)


class Truth:
    """True boxes [N, B, 4] (middles and sides as shares of the image), and which element of a map each belongs to."""

    def __init__(self, xp: Any, map_: Map, boxes: Any, labels: Any, scores: Any, anchors: Sequence[int],
                 chosen: Sequence[int]):
        self.xp, self.map, self.boxes, self.labels = xp, map_, boxes, labels
        self.scores = xp.ones(labels.shape, map_.dtype) if scores is None else scores
        self.sides = [map_.downsample * map_.width, map_.downsample * map_.height]
        self.real = (boxes[..., 2] > 1e-6) & (boxes[..., 3] > 1e-6)
        every = xp.asarray(anchors, dtype=map_.dtype).reshape(-1, 2)
        middle = xp.zeros((), map_.dtype)
        shape = overlap(xp, (middle, middle, boxes[..., 2, None], boxes[..., 3, None]),
                        (middle, middle, every[:, 0] / self.sides[0], every[:, 1] / self.sides[1]))
        places = xp.asarray([chosen.index(n) if n in chosen else -1 for n in range(len(every))])
        self.match = xp.where(self.real, places[shape.argmax(-1)], -1)
        self.anchor = xp.maximum(self.match, 0)
        self.cell = [xp.clip((boxes[..., n] * size).astype("int64"), 0, size - 1)
                     for n, size in enumerate((map_.width, map_.height))]

    def presence(self, threshold: float) -> Any:
        """[N, A, H, W]: a true box's score where it belongs, -1 where another is near one, 0 elsewhere."""
        xp = self.xp
        found = [part[..., None] for part in self.map.relative()]
        given = [self.boxes[:, None, None, None, :, n] for n in range(4)]
        near = overlap(xp, found, given) * self.real[:, None, None, None]
        result = xp.where(near.max(-1) > threshold, -1, 0).astype(self.map.dtype)
        sample, number = xp.nonzero(self.match >= 0)
        across, down = (part[sample, number] for part in self.cell)
        assign_at(xp, result, (sample, self.match[sample, number], down, across), self.scores[sample, number])
        return result

    def compared(self, present: Any, smooth: bool) -> tuple[Any, ...]:
        """Flat positions in the map, targets, weights, and 1 for distances: [N, 1, elements] each."""
        xp, map_ = self.xp, self.map
        samples, count = self.labels.shape
        depth, plane = 5 + map_.classes, map_.height * map_.width
        parts = xp.asarray([0, 1, 2, 3, *range(5, depth)])
        cell = self.cell[1] * map_.width + self.cell[0]
        at = (self.anchor[..., None] * depth + parts) * plane + cell[..., None]
        objects = (xp.arange(len(map_.anchors))[:, None] * depth + 4) * plane + xp.arange(plane)
        sure = xp.where(self.match >= 0, self.scores, 0).astype(map_.dtype)
        scale = 2 - self.boxes[..., 2] * self.boxes[..., 3]
        weights = xp.concatenate([xp.repeat((sure * scale)[..., None], 4, -1),
                                  xp.repeat(sure[..., None], map_.classes, -1)], -1)
        by_distance = xp.asarray([0, 0, 1, 1] + [0] * map_.classes, dtype=map_.dtype)
        seen = present > 1e-5
        columns = [
            (at, xp.broadcast_to(objects, (samples, *objects.shape))), (self._targets(smooth), seen),
            (weights, xp.where(seen, present, present > -0.5)),
            (xp.broadcast_to(by_distance, at.shape), xp.zeros(present.shape))]
        kinds = ("int64", map_.dtype, map_.dtype, map_.dtype)
        return tuple(
            xp.concatenate([part.reshape(samples, 1, math.prod(part.shape[1:])) for part in pair], -1).astype(kind)
            for pair, kind in zip(columns, kinds, strict=True))

    def _targets(self, smooth: bool) -> Any:
        """What the elements of a box should hold: its place in the cell, its size, its class; [N, B, 4 + classes]."""
        xp, map_ = self.xp, self.map
        cells = (map_.width, map_.height)
        place = [self.boxes[..., n] * cells[n] - self.cell[n] for n in range(2)]
        size = [xp.log(xp.where(self.real, self.boxes[..., 2 + n], 1) * self.sides[n] / map_.anchors[self.anchor, n])
                for n in range(2)]
        low = min(1 / map_.classes, 1 / 40) if smooth else 0.0
        same = self.labels[..., None] == xp.arange(map_.classes)
        return xp.concatenate([xp.stack([*place, *size], -1), xp.where(same, 1 - low, low)], -1)
