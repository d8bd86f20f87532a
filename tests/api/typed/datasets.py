"""Datasets of all kinds."""
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import proa as paddle
from proa.io import BatchSampler, DataLoader, Dataset, IterableDataset, Sampler, Subset, get_worker_info, random_split
from proa.vision import transforms as T

Image = npt.NDArray[np.float32]


class Pictures(Dataset[tuple[Image, int]]):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n
        self.change = T.Compose([T.Normalize(mean=[0.5], std=[0.5], data_format="CHW")])

    def __getitem__(self, index: int) -> tuple[Image, int]:
        return self.change(np.full((1, 4, 4), index, "float32")), index % 2

    def __len__(self) -> int:
        return self.n


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from range(start, 10, step)


class Odd(Sampler[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(1, 10, 2))

    def __len__(self) -> int:
        return 5


def collate(samples: Sequence[tuple[Image, int]]) -> tuple[paddle.Tensor, paddle.Tensor]:
    return paddle.to_tensor(np.stack([s[0] for s in samples])), paddle.to_tensor([s[1] for s in samples])


data = Pictures(10)
train, held = random_split(data, [8, 2])
first: Subset[tuple[Image, int]] = Subset(data, [0, 1])
loader = DataLoader(train, batch_size=4, shuffle=True, drop_last=True, collate_fn=collate, num_workers=0)
for images, labels in loader:
    print(images.shape, labels.shape)
for batch in DataLoader(Stream(), batch_size=3):
    print(batch)
sampled = DataLoader(data, batch_sampler=BatchSampler(sampler=Odd(data), batch_size=2))
print(len(sampled), len(held), first[0][1], sum(1 for _ in sampled))
