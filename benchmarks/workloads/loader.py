"""An epoch of a DataLoader with worker processes: images are cropped, flipped and scaled one at a time."""

import numpy as np

SIZE = {"batch": 64, "samples": 2048, "workers": 2}


def amount(size):
    return size["samples"]


class Images:
    """A synthetic data set: 72×72 images in memory, 64×64 crops out."""

    def __init__(self, samples):
        self.images = np.random.default_rng(0).integers(0, 256, (256, 72, 72, 3), "uint8")
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        top, left = np.random.randint(0, 9, 2)
        image = self.images[index % len(self.images), top:top + 64, left:left + 64]
        if np.random.rand() < 0.5:
            image = image[:, ::-1]
        scaled = (image.astype("float32") / 255 - 0.5) / 0.25
        return np.ascontiguousarray(scaled.transpose(2, 0, 1)), np.int64(index % 10)


def _epoch(loader):
    def step():
        for _batch in loader:
            pass

    return step


def in_paddle(paddle, mode, size):
    class Data(Images, paddle.io.Dataset):
        pass

    return _epoch(paddle.io.DataLoader(
        Data(size["samples"]), batch_size=size["batch"], shuffle=True, num_workers=size["workers"]))


def in_torch(torch, mode, size):
    from torch.utils.data import DataLoader, Dataset

    class Data(Images, Dataset):
        pass

    return _epoch(DataLoader(
        Data(size["samples"]), batch_size=size["batch"], shuffle=True, num_workers=size["workers"]))
