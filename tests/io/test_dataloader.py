"""The DataLoader: its batches with and without workers, and the arguments it refuses."""

import collections
import itertools
import types

import numpy as np
import proa as paddle
import pytest
from proa import io

Pair = collections.namedtuple("Pair", "image label")
BIG = 5000  # float64 numbers: enough for shared memory

pytestmark = pytest.mark.usefixtures("nothing_left")
workers = pytest.mark.parametrize("num_workers", [0, 1, 3])


class Samples(io.Dataset):
    """Sample i is one of structure `make(i)`."""

    def __init__(self, count, make=lambda i: (np.full(3, i, np.float32), i)):
        self.count, self.make = count, make

    def __getitem__(self, idx):
        return self.make(idx)

    def __len__(self):
        return self.count


class Stream(io.IterableDataset):
    """0 … count-1; in a worker every num_workers-th."""

    def __init__(self, count, shard=True):
        self.count, self.shard = count, shard

    def __iter__(self):
        info = io.get_worker_info()
        if info is None or not self.shard:
            return iter(range(self.count))
        assert info.dataset is self
        return iter(range(info.id, self.count, info.num_workers))


def labels(loader):
    """The second field of each batch, or the only one."""
    return [(batch[1] if isinstance(batch, list) else batch).tolist() for batch in loader]


@workers
def test_batches_are_lists_of_tensors_in_order(num_workers):
    batches = list(io.DataLoader(Samples(7), batch_size=2, num_workers=num_workers))
    assert [b[1].tolist() for b in batches] == [[0, 1], [2, 3], [4, 5], [6]]
    image, label = batches[0]
    assert isinstance(image, paddle.Tensor) and isinstance(label, paddle.Tensor)
    assert image.shape == [2, 3] and image.dtype == "float32" and label.dtype == "int64"
    assert image.stop_gradient and image.place.is_cpu_place()
    assert image.tolist() == [[0.0] * 3, [1.0] * 3]


@workers
@pytest.mark.parametrize("drop_last", [False, True])
def test_length_and_drop_last(num_workers, drop_last):
    loader = io.DataLoader(Samples(7), batch_size=3, drop_last=drop_last, num_workers=num_workers)
    assert len(loader) == len(labels(loader)) == (2 if drop_last else 3)


@workers
def test_called_it_is_an_iterator(num_workers):
    loader = io.DataLoader(Samples(4), batch_size=2, num_workers=num_workers)
    assert labels(loader()) == labels(loader) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("use_shared_memory", [True, False])
@pytest.mark.parametrize("size", [1, BIG])
def test_every_way_of_crossing_gives_the_same(use_shared_memory, size):
    data = Samples(9, lambda i: (np.full(size, i), str(i)))
    loader = io.DataLoader(data, batch_size=2, num_workers=2, use_shared_memory=use_shared_memory)
    batches = list(loader)
    assert [text for _, text in batches] == [["0", "1"], ["2", "3"], ["4", "5"], ["6", "7"], ["8"]]
    for number, (array, _) in enumerate(batches[:4]):
        np.testing.assert_array_equal(array.numpy(), [[2 * number] * size, [2 * number + 1] * size])


def test_batches_that_are_kept_do_not_change():
    loader = io.DataLoader(Samples(100, lambda i: np.full(BIG, i)), num_workers=2)
    kept = list(loader)
    assert [int(t.numpy().sum()) // BIG for t in kept] == list(range(100))


@workers
def test_shuffle_repeats_under_numpys_seed_and_differs_otherwise(num_workers):
    loader = io.DataLoader(Samples(20), batch_size=4, shuffle=True, num_workers=num_workers)
    np.random.seed(3)
    first, second = labels(loader), labels(loader)
    np.random.seed(3)
    assert labels(loader) == first != second
    assert sorted(itertools.chain.from_iterable(first)) == list(range(20))


def test_shuffle_has_the_oracles_order():
    np.random.seed(3)
    assert labels(io.DataLoader(Samples(10), batch_size=5, shuffle=True)) == [[5, 4, 1, 2, 9], [6, 7, 0, 3, 8]]
    np.random.seed(3)
    assert labels(io.DataLoader(Samples(4), shuffle=True, num_workers=2)) == [[3], [2], [0], [1]]


@workers
def test_batch_sampler(num_workers):
    sampler = io.BatchSampler(sampler=io.SequenceSampler(range(5)), batch_size=2, drop_last=True)
    loader = io.DataLoader(Samples(9), batch_sampler=sampler, num_workers=num_workers)
    assert loader.batch_sampler is sampler and loader.batch_size is None
    assert labels(loader) == [[0, 1], [2, 3]] and len(loader) == 2
    assert labels(io.DataLoader(Samples(9), batch_sampler=[[8, 1], [3]], num_workers=num_workers)) == [[8, 1], [3]]


@workers
def test_without_batching(num_workers):
    data = Samples(3, lambda i: (np.full(2, i), i, "t"))
    loader = io.DataLoader(data, batch_size=None, num_workers=num_workers)
    found = list(loader)
    assert len(loader) == 3
    assert [(a.tolist(), i, t) for a, i, t in found] == [([i, i], i, "t") for i in range(3)]
    shuffled = io.DataLoader(Samples(30, int), batch_size=None, shuffle=True, num_workers=num_workers)
    numbers = list(shuffled)
    assert sorted(numbers) == list(range(30)) != numbers


@workers
def test_without_batching_a_tensor_does_not_share_the_datasets_memory(num_workers):
    array = np.zeros(3)
    found = list(io.DataLoader(Samples(2, lambda i: array), batch_size=None, num_workers=num_workers))
    array[:] = 1
    assert found[0].tolist() == [0.0] * 3


@workers
def test_structures_are_kept(num_workers):
    data = Samples(2, lambda i: {"a": i, "b": (1.5, "x"), "c": [np.ones(2)]})
    (batch,) = io.DataLoader(data, batch_size=2, num_workers=num_workers)
    assert list(batch) == ["a", "b", "c"]
    assert batch["a"].tolist() == [0, 1]
    assert batch["b"][0].tolist() == [1.5, 1.5] and batch["b"][1] == ["x", "x"]
    assert batch["c"][0].shape == [2, 2]


@workers
def test_collate_fn_decides_the_batch(num_workers):
    def collate(samples):
        total = sum(samples)
        return Pair(np.full(2, total), (total, "x", None, paddle.to_tensor([1.0]), {"k": np.float32(2)}))

    (pair,) = io.DataLoader(Samples(3, int), batch_size=3, collate_fn=collate, num_workers=num_workers)
    assert type(pair) is Pair and pair.image.tolist() == [3, 3]
    total, text, nothing, tensor, rest = pair.label
    assert (total, text, nothing) == (3, "x", None)
    assert isinstance(tensor, paddle.Tensor) and tensor.tolist() == [1.0]
    assert rest == {"k": np.float32(2)}


@workers
def test_tensors_as_samples(num_workers):
    data = Samples(4, lambda i: paddle.to_tensor([float(i)]))
    batches = list(io.DataLoader(data, batch_size=2, num_workers=num_workers))
    assert [b.tolist() for b in batches] == [[[0.0], [1.0]], [[2.0], [3.0]]]


@workers
def test_text_alone(num_workers):
    assert list(io.DataLoader(["a", "b", "c"], batch_size=2, num_workers=num_workers)) == [["a", "b"], ["c"]]


def test_stream_in_this_process():
    assert labels(io.DataLoader(Stream(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert labels(io.DataLoader(Stream(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(io.DataLoader(Stream(3), batch_size=None)) == [0, 1, 2]
    assert io.get_worker_info() is None


def test_stream_with_workers_that_take_turns():
    assert labels(io.DataLoader(Stream(7), batch_size=2, num_workers=2)) == [[0, 2], [1, 3], [4, 6], [5]]
    assert labels(io.DataLoader(Stream(7), batch_size=2, num_workers=2, drop_last=True)) == [[0, 2], [1, 3], [4, 6]]
    assert list(io.DataLoader(Stream(5), batch_size=None, num_workers=3)) == [0, 1, 2, 3, 4]
    assert labels(io.DataLoader(Stream(3, shard=False), batch_size=2, num_workers=2)) == [[0, 1], [0, 1], [2], [2]]


def test_stream_whose_workers_end_at_different_times():
    class Uneven(io.IterableDataset):
        def __iter__(self):
            number = io.get_worker_info().id
            return iter([(number, i) for i in range((0, 4, 1)[number])])

    found = list(io.DataLoader(Uneven(), batch_size=None, num_workers=3))
    assert found == [[1, 0], [2, 0], [1, 1], [1, 2], [1, 3]]


def test_no_batch_at_all():
    for num_workers in (0, 2):
        assert list(io.DataLoader(Samples(0), num_workers=num_workers)) == []
        assert list(io.DataLoader(Stream(0), num_workers=num_workers)) == []


def test_a_stream_has_no_length_but_lists():
    loader = io.DataLoader(Stream(2))
    with pytest.raises(TypeError, match="does not know its length"):
        len(loader)
    assert len(list(loader)) == 2


def test_two_iterators_at_once():
    for persistent in (False, True):
        loader = io.DataLoader(Samples(6), batch_size=2, num_workers=2, persistent_workers=persistent)
        found = [(a[1].tolist(), b[1].tolist()) for a, b in zip(loader, loader, strict=True)]
        assert found == [([0, 1], [0, 1]), ([2, 3], [2, 3]), ([4, 5], [4, 5])]


@workers
def test_feed_list_names_the_fields(num_workers):
    feed = [types.SimpleNamespace(name="x"), types.SimpleNamespace(name="y")]
    loader = io.DataLoader(Samples(2), feed, return_list=False, batch_size=2, num_workers=num_workers)
    ((batch,),) = loader
    assert list(batch) == ["x", "y"] and np.array(batch["y"]).tolist() == [0, 1]
    assert batch["y"].shape() == [2]  # as in a scope
    with pytest.raises(ValueError, match="one variable for each field"):
        list(io.DataLoader(Samples(2), feed[:1], return_list=False, num_workers=num_workers))


@workers
def test_several_places_have_a_batch_each(num_workers):
    feed = [types.SimpleNamespace(name="x"), types.SimpleNamespace(name="y")]
    loader = io.DataLoader(Samples(10), feed, ["cpu", "cpu"], return_list=False, batch_size=2, num_workers=num_workers)
    assert len(loader) == 5
    for _ in range(2):
        assert [[np.array(each["y"]).tolist() for each in group] for group in loader] == [
            [[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    loader = io.DataLoader(Samples(5), feed, ["cpu", "cpu"], batch_size=2, num_workers=num_workers)
    assert [[y.tolist() for _, y in group] for group in loader] == [[[0, 1], [2, 3]]]


@workers
def test_places(num_workers):
    for places in ("cpu", [paddle.core.place.CPUPlace()]):
        (batch,) = io.DataLoader(Samples(1), places=places, num_workers=num_workers)
        assert batch[0].place.is_cpu_place()


SEQUENCE = io.BatchSampler(range(3))


@pytest.mark.parametrize(
    ("dataset", "arguments", "error", "match"),
    [
        (Samples(3), {"batch_sampler": SEQUENCE, "batch_size": 2}, ValueError, "batch_sampler decides"),
        (Samples(3), {"batch_sampler": SEQUENCE, "shuffle": True}, ValueError, "batch_sampler decides"),
        (Samples(3), {"batch_sampler": SEQUENCE, "drop_last": True}, ValueError, "batch_sampler decides"),
        (Stream(3), {"shuffle": True}, ValueError, "Shuffle inside|shuffle inside"),
        (Stream(3), {"batch_sampler": SEQUENCE}, ValueError, "no indices to sample"),
        (Samples(3), {"num_workers": -1}, ValueError, "num_workers"),
        (Samples(3), {"num_workers": 1.5}, TypeError, "num_workers"),
        (Samples(3), {"num_workers": True}, TypeError, "num_workers"),
        (Samples(3), {"timeout": -1}, ValueError, "timeout"),
        (Samples(3), {"timeout": -1}, AssertionError, "timeout"),  # as in Paddle
        (Samples(3), {"num_workers": -1}, AssertionError, "num_workers"),
        (Samples(3), {"timeout": "1"}, TypeError, "timeout"),
        (Samples(3), {"batch_size": 0}, ValueError, "batch_size"),
        (Samples(3), {"batch_size": "a"}, TypeError, "batch_size"),
        (Stream(3), {"batch_size": -1}, ValueError, "batch_size"),
        (Samples(3), {"prefetch_factor": 0}, ValueError, "prefetch_factor"),
        (Samples(3), {"drop_last": "a"}, TypeError, "drop_last"),
        (Samples(3), {"shuffle": 1}, TypeError, "shuffle"),
        (Samples(3), {"worker_init_fn": 3}, TypeError, "worker_init_fn"),
        (Samples(3), {"collate_fn": 3}, TypeError, "collate_fn"),
        (Samples(3), {"persistent_workers": 1}, TypeError, "persistent_workers"),
        (Samples(3), {"places": ["cpu", "cpu"]}, ValueError, "one place"),
    ],
)
def test_refuses(dataset, arguments, error, match):
    with pytest.raises(error, match=match):
        io.DataLoader(dataset, **arguments)


def test_what_a_loader_reads_is_told():
    from proa.io.reader import DataLoader, _DatasetKind

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    by_index = DataLoader(paddle.io.TensorDataset([paddle.ones([3, 2])]), batch_size=2)
    stream = DataLoader(Stream(), batch_size=None)
    assert (by_index.dataset_kind, stream.dataset_kind) == (_DatasetKind.MAP, _DatasetKind.ITER) == (0, 1)
    assert by_index.auto_collate_batch and not stream.auto_collate_batch


def test_what_packages_need_that_set_a_loader_s_attributes_themselves():
    """As paddlenlp 2.2 to 2.4 does in its DataLoader for Paddle 2.2."""
    from proa.io.reader import _get_paddle_place, _get_paddle_place_list, _InfiniteIterableSampler

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    assert next(iter(_InfiniteIterableSampler(Stream(), 3))) == [None] * 3
    assert _get_paddle_place(None) is None and _get_paddle_place("cpu") == paddle.CPUPlace()
    with pytest.raises(TypeError, match="a list or tuple of places. Received 'cpu'"):
        _get_paddle_place_list("cpu")
    with pytest.raises(TypeError, match="an IterableDataset. Received list"):
        _InfiniteIterableSampler([1])
