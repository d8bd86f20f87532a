"""flow.utils.data: data sets, samplers and the loader."""

import numpy as np
import proa.oneflow as flow
import pytest
from proa.oneflow.utils import data


class Squares(data.Dataset):
    def __getitem__(self, n):
        return flow.tensor([float(n), float(n * n)]), n, {"name": str(n)}

    def __len__(self):
        return 7


@pytest.mark.parametrize("workers", [0, 2])
def test_batches(workers):
    loader = data.DataLoader(Squares(), batch_size=3, num_workers=workers)
    batches = list(loader)
    assert len(loader) == 3 and [len(y) for _, y, _ in batches] == [3, 3, 1]
    x, y, names = batches[0]
    assert type(x) is type(y) is flow.Tensor and x.tolist()[2] == [2.0, 4.0] and y.dtype is flow.int64
    assert names == {"name": ["0", "1", "2"]}
    assert len(list(data.DataLoader(Squares(), 3, drop_last=True, num_workers=workers))) == 2


def test_order():
    flow.manual_seed(2)
    loader = data.DataLoader(data.TensorDataset(flow.arange(20)), 20, shuffle=True)
    first, second = (next(iter(loader))[0].tolist() for _ in range(2))
    assert sorted(first) == list(range(20)) and first != second
    flow.manual_seed(2)
    assert next(iter(loader))[0].tolist() == first
    own = data.DataLoader(data.TensorDataset(flow.arange(4)), 2, sampler=data.SubsetRandomSampler([3]))
    assert [x.tolist() for x, in own] == [[3]]
    batches = data.BatchSampler(data.SequentialSampler(range(5)), 2, False)
    assert list(batches) == [[0, 1], [2, 3], [4]] and len(batches) == 3
    assert [x.tolist() for x, in data.DataLoader(data.TensorDataset(flow.arange(5)), batch_sampler=batches)] == [
        [0, 1], [2, 3], [4]]
    assert len(list(data.RandomSampler(range(3), True, 10))) == 10
    part = data.DistributedSampler(range(5), 2, 1, shuffle=False)
    assert list(part) == [1, 3, 0] and len(part) == 3
    assert set(data.WeightedRandomSampler([0.0, 1.0], 5)) == {1}


def test_no_batches_streams_and_functions_of_ones_own():
    assert [x.tolist() for x, _, _ in data.DataLoader(Squares(), batch_size=None)][2] == [2.0, 4.0]

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(np.arange(5, dtype="float32"))

    assert [b.tolist() for b in data.DataLoader(Stream(), 2)] == [[0.0, 1.0], [2.0, 3.0], [4.0]]
    own = data.DataLoader(Squares(), 7, collate_fn=lambda batch: flow.stack([x for x, _, _ in batch]))
    assert next(iter(own)).shape == (7, 2)


def test_parts():
    parts = data.random_split(range(10), [7, 3], flow.Generator().manual_seed(1))
    assert sorted([*parts[0], *parts[1]]) == list(range(10))
    assert len(data.ConcatDataset([Squares(), Squares()])) == 14 and data.Subset(Squares(), [3])[0][1] == 3
    with pytest.raises(ValueError, match="add up to 10"):
        data.random_split(range(10), [7, 4])
    with pytest.raises(ValueError, match="Give one of both"):
        data.DataLoader(Squares(), shuffle=True, sampler=[1])
