"""YOLO-style boxes: the loss of a small head, and what is done to its output: thresholds and suppression."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn

CLASSES, ANCHORS, GRID = 3, [(1.0, 1.5), (2.0, 1.0)], 4


class Head(nn.Layer):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2D(3, 8, 3, stride=2, padding=1), nn.BatchNorm2D(8), nn.LeakyReLU(0.1),
            nn.Conv2D(8, 8, 3, stride=2, padding=1), nn.BatchNorm2D(8), nn.LeakyReLU(0.1))
        self.out = nn.Conv2D(8, len(ANCHORS) * (5 + CLASSES), 1)

    def forward(self, images, target=None):
        x = self.out(self.backbone(images))
        n, _, h, w = x.shape
        x = x.reshape([n, len(ANCHORS), 5 + CLASSES, h, w]).transpose([0, 1, 3, 4, 2])
        if target is not None:
            return self.loss(x, target)
        return self.boxes(x, h, w)

    def loss(self, x, target):
        there = target[..., 4]
        parts = {
            "xy": (F.binary_cross_entropy_with_logits(x[..., :2], target[..., :2], reduction="none").sum(-1) * there),
            "wh": ((x[..., 2:4] - target[..., 2:4]).abs().sum(-1) * there),
            "there": F.binary_cross_entropy_with_logits(x[..., 4], there, reduction="none"),
            "class": F.binary_cross_entropy_with_logits(
                x[..., 5:], target[..., 5:], reduction="none").sum(-1) * there}
        return sum(value.mean() for value in parts.values())

    def boxes(self, x, h, w):
        ys, xs = paddle.meshgrid(paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32"))
        anchors = paddle.to_tensor(ANCHORS).reshape([1, len(ANCHORS), 1, 1, 2])
        centre = (F.sigmoid(x[..., :2]) + paddle.stack([xs, ys], axis=-1)) / paddle.to_tensor([float(w), float(h)])
        size = paddle.exp(x[..., 2:4]) * anchors / float(h)
        score = F.sigmoid(x[..., 4:5]) * F.sigmoid(x[..., 5:])
        corners = paddle.concat([centre - size / 2, centre + size / 2], axis=-1)
        return corners.reshape([corners.shape[0], -1, 4]), score.reshape([score.shape[0], -1, CLASSES])


def overlap(box, boxes):
    low = paddle.maximum(box[:2], boxes[:, :2])
    high = paddle.minimum(box[2:], boxes[:, 2:])
    side = F.relu(high - low)
    shared = side[:, 0] * side[:, 1]
    area = (box[2] - box[0]) * (box[3] - box[1])
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return shared / (area + areas - shared + 1e-9)


def suppress(boxes, scores, threshold, limit):
    """The indices of the boxes kept, best first, -1 where there is none."""
    alive = paddle.ones([boxes.shape[0]])
    kept = paddle.full([limit], -1, "int64")
    count = paddle.zeros([], "int64")
    while count < limit:
        best = paddle.argmax(scores * alive)
        if paddle.max(scores * alive) <= 0.05:
            break
        kept = paddle.where(paddle.arange(limit) == count, best, kept)
        alive = alive * (overlap(boxes[best], boxes) < threshold).astype("float32")
        count = count + 1
    return kept, count


def postprocess(boxes, scores):
    found = []
    for label in range(scores.shape[1]):
        likely = scores[:, label]
        kept, count = suppress(boxes, likely, 0.4, 5)
        found.append(kept)
        found.append(count.unsqueeze(0))
    return paddle.concat(found)


def selected(boxes, scores):
    """Sizes that the values decide."""
    best = scores.max(axis=-1)
    keep = paddle.nonzero(best > 0.28).squeeze(-1)
    return paddle.gather(boxes, keep), paddle.masked_select(best, best > 0.28)


def test_training(same_curve):
    def train(convert):
        net = Head()
        static = convert(net)
        sgd = paddle.optimizer.Momentum(0.05, parameters=net.parameters(), weight_decay=1e-4)
        rng, losses = np.random.RandomState(0), []
        for _ in range(20):
            images = paddle.to_tensor(rng.rand(2, 3, 16, 16).astype("float32"))
            target = rng.rand(2, len(ANCHORS), GRID, GRID, 5 + CLASSES).astype("float32")
            target[..., 4:] = target[..., 4:] > 0.7
            loss = static(images, paddle.to_tensor(target))
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            losses.append(float(loss))
        return losses

    same_curve(train)


def test_boxes_and_suppression(same_curve):
    def detect(convert):
        net = Head()
        net.eval()
        static, after, some = convert(net), convert(postprocess), convert(selected)
        images = paddle.to_tensor(np.random.RandomState(1).rand(2, 3, 16, 16).astype("float32"))
        with paddle.no_grad():
            boxes, scores = static(images)
            chosen = [out.numpy().ravel() for i in range(2) for out in some(boxes[i], scores[i])]
            kept = [after(boxes[i], scores[i]).numpy() for i in range(2)]
        return np.concatenate([boxes.numpy().ravel(), scores.numpy().ravel(), *kept, *chosen])

    same_curve(detect)
