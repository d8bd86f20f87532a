"""Data, weights and results that are equal on all sides."""

import numpy as np
import numpy.random


def random(seed, *shape):
    """Standard normal float32 numbers: the same for the same seed and shape on every side."""
    return np.random.default_rng(seed).standard_normal(shape, dtype="float32")


def labels(seed, count, classes):
    """Class numbers, int64 `[count]`."""
    return np.random.default_rng(seed).integers(0, classes, count)


def weights(shapes):
    """Arrays for parameters of these shapes in this order: He's scale for weights, zeros for vectors."""
    for seed, shape in enumerate(shapes):
        if len(shape) < 2:
            yield np.zeros(shape, "float32")
        else:
            fan_in = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
            yield random(seed, *shape) * np.float32(fan_in) ** -0.5


def fill_paddle(layer):
    """Sets a layer's weights; vectors of ones (the scale of a normalization) stay."""
    chosen = [p for p in layer.parameters() if not p.stop_gradient and not _scale(p.numpy())]
    for parameter, value in zip(chosen, weights([tuple(p.shape) for p in chosen])):
        parameter.set_value(value)
    return layer


def fill_torch(torch, parameters, transposed=True, untouched=0):
    """Sets PyTorch parameters, given in Paddle's order, to what `fill_paddle` sets; there a Linear's weight is turned.

    `transposed=False` is for layers that keep [out, in] in both (recurrent ones), `untouched` the number of parameters
    at the beginning that do (embeddings).
    """
    chosen = [p for p in parameters if not _scale(p.detach().cpu().numpy())]
    turned = [transposed and p.ndim == 2 and index >= untouched for index, p in enumerate(chosen)]
    shapes = [tuple(p.shape)[::-1] if turn else tuple(p.shape) for p, turn in zip(chosen, turned)]
    with torch.no_grad():
        for parameter, turn, value in zip(chosen, turned, weights(shapes)):
            parameter.copy_(torch.as_tensor(value.T.copy() if turn else value))


def _scale(array):
    return array.ndim == 1 and bool((array == 1).all())


def number(value):
    """One number that stands for a result: the mean magnitude; None when there is none."""
    if isinstance(value, (list, tuple)):
        value = value[0]
    if value is None:
        return None
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    return float(np.abs(np.asarray(array, "float64")).mean())
