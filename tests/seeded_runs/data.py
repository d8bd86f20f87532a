"""What the runs train on, made by NumPy from a seed of its own."""

import numpy as np


def pictures(count, classes, size, channels=1, seed=0):
    """Blurred blots, a place and slant a class: float32 pictures [count, channels, size, size], int64 labels."""
    random = np.random.RandomState(seed)
    labels = random.randint(0, classes, count).astype("int64")
    grid = np.arange(size)
    y, x = grid[:, None], grid[None, :]
    angle = labels * (2 * np.pi / classes)
    center_y = (size / 2 + size / 4 * np.sin(angle) + random.randn(count))[:, None, None]
    center_x = (size / 2 + size / 4 * np.cos(angle) + random.randn(count))[:, None, None]
    blots = np.exp(-((y - center_y) ** 2 + (x - center_x) ** 2) / (size / 2))
    found = blots[:, None] + 0.1 * random.randn(count, channels, size, size)
    return found.astype("float32"), labels


def sentences(count, length, words, seed=0):
    """Random walks over words, each of which likes three followers: int64 [count, length]."""
    random = np.random.RandomState(seed)
    likes = random.randint(1, words, (words, 3))
    found = np.empty((count, length), "int64")
    found[:, 0] = random.randint(1, words, count)
    for t in range(1, length):
        found[:, t] = likes[found[:, t - 1], random.randint(0, 3, count)]
    return found
