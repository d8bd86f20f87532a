"""The losses of paddleseg and paddledet: their values and gradients from the same numbers."""

import importlib

import numpy as np
import paddle
from shared import numbers, run

RNG = np.random.default_rng(0)


def normal(*shape):
    return paddle.to_tensor(RNG.normal(size=shape).astype("float32"), stop_gradient=False)


def uniform(*shape):
    return paddle.to_tensor(RNG.uniform(0.05, 0.95, shape).astype("float32"), stop_gradient=False)


def classes(high, *shape):
    return paddle.to_tensor(RNG.integers(0, high, shape))


def boxes(*shape):
    """Boxes by their corners."""
    low, size = RNG.uniform(0, 0.6, (*shape, 2)), RNG.uniform(0.1, 0.4, (*shape, 2))
    return paddle.to_tensor(np.concatenate([low, low + size], -1).astype("float32"), stop_gradient=False)


def total(value):
    """One number of what a loss gives: a Tensor, or several by names or in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return sum(total(one) for one in value)
    return value.sum() if value.ndim else value


def parts(item):
    """The Tensors of an argument."""
    if isinstance(item, dict):
        item = list(item.values())
    return item if isinstance(item, (tuple, list)) else [item]


def of(package, make):
    """A case: `make` gives the loss and its arguments."""
    def case(found):
        global RNG
        RNG = np.random.default_rng(1)
        paddle.seed(7)
        np.random.seed(7)
        losses = importlib.import_module(f"{package}.losses")
        loss, *given = make(losses)
        value = total(loss(*given))
        value.backward()
        found["value"] = float(value)
        flat = [one for item in given for one in parts(item)]
        found["gradient"] = np.concatenate([np.ravel(numbers(one.grad)) for one in flat
                                            if isinstance(one, paddle.Tensor) and one.grad is not None]).tolist()

    return case


def labels(high=5):
    """Labels of pixels, some of them ignored."""
    found = RNG.integers(0, high, (2, 16, 16))
    found[:, :2] = 255
    return paddle.to_tensor(found)


SEGMENTATION = {
    "cross entropy": lambda m: (m.CrossEntropyLoss(), normal(2, 5, 16, 16), labels()),
    "cross entropy, hardest": lambda m: (m.CrossEntropyLoss(weight=[1, 2, 1, 3, 1], top_k_percent_pixels=0.3),
                                         normal(2, 5, 16, 16), labels()),
    "distilled": lambda m: (m.DistillCrossEntropyLoss(), normal(2, 5, 16, 16), normal(2, 5, 16, 16), labels()),
    "binary": lambda m: (m.BCELoss(weight="dynamic"), normal(2, 1, 16, 16), labels(2)),
    "binary, edges": lambda m: (m.BCELoss(weight="dynamic", edge_label=True), normal(2, 1, 16, 16),
                                classes(2, 2, 1, 16, 16)),
    "bootstrapped": lambda m: (m.BootstrappedCrossEntropyLoss(64, 0.3), normal(2, 5, 16, 16), labels()),
    "lovasz softmax": lambda m: (m.LovaszSoftmaxLoss(), normal(2, 5, 16, 16), labels()),
    "lovasz hinge": lambda m: (m.LovaszHingeLoss(), normal(2, 2, 16, 16), labels(2)),
    "dice": lambda m: (m.DiceLoss(weight=[1, 2, 1, 3, 1]), normal(2, 5, 16, 16), labels()),
    "focal": lambda m: (m.FocalLoss(), normal(2, 2, 16, 16), labels(2)),
    "ohem": lambda m: (m.OhemCrossEntropyLoss(min_kept=50), normal(2, 5, 16, 16), labels()),
    "ohem edges": lambda m: (m.OhemEdgeAttentionLoss(min_kept=50), (normal(2, 5, 16, 16), normal(2, 1, 16, 16)),
                             labels()),
    "edge attention": lambda m: (m.EdgeAttentionLoss(), (normal(2, 5, 16, 16), normal(2, 1, 16, 16)), labels()),
    "dual task": lambda m: (m.DualTaskLoss(), normal(2, 5, 16, 16), classes(5, 2, 16, 16)),
    "details": lambda m: (m.DetailAggregateLoss(), normal(2, 1, 16, 16), labels(2)),
    "l1": lambda m: (m.L1Loss(), normal(2, 1, 16, 16), normal(2, 1, 16, 16)),
    "squares": lambda m: (m.MSELoss(), normal(2, 1, 16, 16), normal(2, 1, 16, 16)),
    "divergence": lambda m: (m.KLLoss(temperature=2), normal(2, 5, 16, 16), normal(2, 5, 16, 16), labels()),
    "regions": lambda m: (m.RMILoss(num_classes=5), normal(2, 5, 32, 32), classes(5, 2, 32, 32)),
    "points": lambda m: (m.PointCrossEntropyLoss(), [normal(2, 5, 9), uniform(2, 9, 2)], classes(5, 2, 16, 16)),
    "pixel contrast": lambda m: (m.PixelContrastCrossEntropyLoss(max_samples=64, max_views=8),
                                 {"seg": normal(2, 5, 16, 16), "embed": normal(2, 8, 16, 16)},
                                 classes(5, 2, 16, 16)),
    "connected parts": lambda m: (m.SemanticConnectivityLoss(), normal(1, 2, 16, 16), classes(2, 1, 16, 16)),
    "classes in view": lambda m: (m.SECrossEntropyLoss(), normal(2, 5), classes(5, 2, 16, 16)),
}
DETECTION = {
    "focal": lambda m: (m.FocalLoss(), normal(6, 4), classes(5, 6)),
    "quality focal": lambda m: (m.QualityFocalLoss(), normal(6, 4), (classes(5, 6), uniform(6).detach())),
    "distribution focal": lambda m: (m.DistributionFocalLoss(), normal(6, 9), 7 * uniform(6).detach()),
    "ct focal": lambda m: (m.CTFocalLoss(), uniform(2, 3, 8, 8), uniform(2, 3, 8, 8).detach()),
    "giou": lambda m: (m.GIoULoss(), boxes(6), boxes(6).detach()),
    "diou": lambda m: (m.DIouLoss(), boxes(6), boxes(6).detach()),
    "siou": lambda m: (m.SIoULoss(), boxes(6), boxes(6).detach()),
    "probiou": lambda m: (m.ProbIoULoss(), uniform(6, 5), uniform(6, 5).detach()),
    "smooth l1": lambda m: (m.SmoothL1Loss(), normal(6, 4), normal(6, 4).detach()),
    "fcos": lambda m: (m.FCOSLoss(), *fcos()),
    "yolov3": lambda m: (yolo(m), *yolo_numbers()),
    "keypoints": lambda m: (m.KeyPointMSELoss(), normal(2, 5, 8, 8),
                            {"target": uniform(2, 5, 8, 8).detach(), "target_weight": uniform(2, 5, 1).detach()}),
}


def fcos():
    """What the head of FCOS gives at two sizes, and its targets."""
    sizes = (8, 4)

    def each(make, channels):
        return [make(2, channels, size, size) for size in sizes]

    tags = [classes(3, 2, 1, size, size).astype("int32").transpose([0, 2, 3, 1]) for size in sizes]
    aims = [uniform(2, size, size, 4).detach() for size in sizes]
    centers = [uniform(2, size, size, 1).detach() for size in sizes]
    return each(normal, 2), each(uniform, 4), each(normal, 1), tags, aims, centers


def yolo(losses):
    return losses.YOLOv3Loss(num_classes=3, downsample=[16], iou_loss=losses.IouLoss())


def yolo_numbers():
    target = RNG.uniform(0.1, 0.9, (2, 3, 9, 4, 4)).astype("float32")
    target[:, :, 5] = target[:, :, 5] > 0.6
    targets = {"gt_bbox": boxes(2, 3).detach(), "gt_class": classes(3, 2, 3), "target0": paddle.to_tensor(target)}
    return [normal(2, 24, 4, 4)], targets, [[[10, 13], [16, 30], [33, 23]]]


def named(package, prefix, cases):
    return {f"{prefix}: {name}": of(package, make) for name, make in cases.items()}


run(**named("paddleseg.models", "paddleseg", SEGMENTATION), **named("ppdet.modeling", "paddledet", DETECTION))
