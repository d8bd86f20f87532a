"""The models that mutants are made of: Layers of many operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import proa as paddle
from proa.static import InputSpec

nn, F = paddle.nn, paddle.nn.functional


class _Function(nn.Layer):
    """A function as a Layer, with some weights."""

    def __init__(self, function: Callable[..., Any], **parts: Any):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs: Any) -> Any:
        return self.function(self, *inputs)


def _loop(self: Any, x: Any) -> Any:
    rounds = paddle.zeros([1], "int64")
    while rounds < 4:
        x = self.fc(x)
        rounds += 1
    if x.mean() > 0:
        x = x * 2
    else:
        x = x - 1
    return x


def _indices(self: Any, x: Any) -> Any:
    rows = paddle.to_tensor([2, 0, 1])
    picked = paddle.gather(x, rows)
    spread = paddle.scatter(x, rows, picked * 2)
    seen = paddle.gather_nd(spread, paddle.to_tensor([[0, 1], [2, 2]]))
    return paddle.concat([picked, spread], 0), seen, paddle.index_select(x, rows, 1), F.one_hot(rows, 5)


def _shapes(self: Any, x: Any) -> Any:
    a = paddle.tile(paddle.unsqueeze(x, 1), [1, 2, 1]).reshape([-1, 8]).transpose([1, 0])
    b = paddle.expand(x[:, :1], [3, 5])
    c = paddle.stack(paddle.split(x, 2, axis=1), 0)
    d = paddle.strided_slice(x, [0, 1], [0, 3], [3, 0], [1, -1])
    made = paddle.full([2, 3], 4.0), paddle.arange(0, 6, 2), paddle.eye(3)
    return a, b, c, d, *made, paddle.cumsum(x, 1), paddle.roll(x, 1)


def _pictures(self: Any, x: Any) -> Any:
    y = self.up(x)
    y = F.interpolate(y, size=[7, 9], mode="bilinear")
    y = F.pad(y, [1, 2, 0, 1], mode="reflect")
    y = F.adaptive_avg_pool2d(y, [3, 2])
    grid = F.affine_grid(paddle.ones([1, 2, 3]) * 0.3, [1, 3, 4, 5], align_corners=True)
    return y, F.grid_sample(y, grid), F.unfold(x, 2), F.pixel_shuffle(paddle.concat([x, x], 1), 2)


def _boxes(self: Any, x: Any) -> Any:
    boxes = paddle.concat([x[:, :2], x[:, :2] + 1.0 + x[:, 2:].abs()], 1)
    kept = paddle.vision.ops.nms(boxes, 0.3)
    picture = paddle.reshape(paddle.arange(64, dtype="float32"), [1, 1, 8, 8])
    return kept, paddle.vision.ops.roi_align(picture, boxes, paddle.full([1], 3, "int32"), 2)


def _sorting(self: Any, x: Any) -> Any:
    values, places = paddle.topk(x, 2)
    unique, counts = paddle.unique(places, return_counts=True)
    chosen = paddle.where(x > 0, x, -x), paddle.nonzero(x), paddle.masked_select(x, x > 0)
    return values, paddle.argsort(x, 1), unique, counts, *chosen


def models() -> dict[str, tuple[nn.Layer, list[InputSpec]]]:
    """Layers and the specs of their inputs."""
    wide = [InputSpec([3, 4], "float32", "x")]
    return {
        "lenet": (paddle.vision.models.LeNet(), [InputSpec([None, 1, 28, 28], "float32", "x")]),
        "transposed": (_Function(_pictures, up=nn.Conv2DTranspose(2, 4, 3, stride=2, output_padding=1)),
                       [InputSpec([1, 2, 4, 4], "float32", "x")]),
        "normalized": (nn.Sequential(nn.Conv2D(2, 4, 3, groups=2, dilation=2), nn.BatchNorm2D(4), nn.Hardswish(),
                                     nn.MaxPool2D(2, ceil_mode=True), nn.GroupNorm(2, 4), nn.Flatten()),
                       [InputSpec([2, 2, 12, 12], "float32", "x")]),
        "attention": (nn.Sequential(nn.Embedding(20, 8), nn.TransformerEncoderLayer(8, 2, 16), nn.LayerNorm(8)),
                      [InputSpec([2, 5], "int64", "x")]),
        "recurrent": (_Function(lambda self, x: self.lstm(x)[0], lstm=nn.LSTM(4, 3, 2, direction="bidirect")),
                      [InputSpec([2, 3, 4], "float32", "x")]),
        "loop": (_Function(_loop, fc=nn.Linear(4, 4)), wide),
        "indices": (_Function(_indices), [InputSpec([3, 3], "float32", "x")]),
        "shapes": (_Function(_shapes), wide),
        "boxes": (_Function(_boxes), wide),
        "sorting": (_Function(_sorting), wide),
    }
