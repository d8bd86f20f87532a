"""Datasets and what is made of them."""

import numpy as np
import proa as paddle
import pytest
from proa import io
from proa.core import random as core_random
from proa.core.place import CPUPlace


class Numbers(io.Dataset):
    def __init__(self, count, start=0):
        self.count, self.start = count, start

    def __getitem__(self, idx):
        return self.start + idx, "x"

    def __len__(self):
        return self.count


class Stream(io.IterableDataset):
    def __init__(self, *values):
        self.values = values

    def __iter__(self):
        return iter(self.values)


def test_what_a_subclass_must_define_is_named():
    with pytest.raises(NotImplementedError, match=r"Dataset.__getitem__\(idx\) is not defined"):
        io.Dataset()[0]
    with pytest.raises(NotImplementedError, match="__len__"):
        len(io.Dataset())
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(io.IterableDataset())


def test_a_stream_has_no_index_and_no_length_and_lists():
    for kind in (TypeError, RuntimeError):  # as in Python and as in Paddle
        with pytest.raises(kind, match="no index"):
            Stream(1)[0]
        with pytest.raises(kind, match="no len"):
            len(Stream(1))
    assert list(Stream(1, 2)) == [1, 2]


def test_tensor_dataset_of_tensors_and_arrays():
    data = io.TensorDataset([paddle.to_tensor(np.arange(6).reshape(3, 2)), np.arange(3)])
    assert len(data) == 3
    row, number = data[1]
    assert row.tolist() == [2, 3] and number == 1


@pytest.mark.parametrize("shapes", [[(3,), (4,)], [(3,), ()]])
def test_tensor_dataset_wants_one_first_dimension(shapes):
    for kind in (ValueError, AssertionError):  # the second as in Paddle
        with pytest.raises(kind, match="first dimensions must be equal"):
            io.TensorDataset([np.zeros(shape) for shape in shapes])


def test_tensor_dataset_wants_a_list():
    for wrong in ([], np.zeros(3)):
        with pytest.raises(TypeError, match="list of Tensors"):
            io.TensorDataset(wrong)


def test_compose_puts_the_fields_side_by_side():
    both = io.ComposeDataset([Numbers(3), Numbers(3, start=10)])
    assert len(both) == 3
    assert both[1] == (1, "x", 11, "x")


def test_compose_takes_single_values_too():
    class Plain(Numbers):
        def __getitem__(self, idx):
            return idx

    assert io.ComposeDataset([Plain(2), Numbers(2)])[1] == (1, 1, "x")


def test_chain_is_one_stream():
    assert list(io.ChainDataset((Stream(1, 2), Stream(3)))) == [1, 2, 3]


def test_concat_counts_on_and_from_the_end():
    data = io.ConcatDataset([Numbers(2), Numbers(0), Numbers(3, start=10)])
    assert len(data) == 5
    assert data.cumulative_sizes == [2, 2, 5]
    assert [data[i][0] for i in range(5)] == [0, 1, 10, 11, 12]
    assert data[-1] == data[4] and data[-5] == data[0]
    for outside in (5, -6):
        with pytest.raises(IndexError, match="outside the 5 samples"):
            data[outside]


@pytest.mark.parametrize("kind", [io.ComposeDataset, io.ChainDataset, io.ConcatDataset])
def test_combinations_want_datasets_of_their_kind(kind):
    with pytest.raises(ValueError, match="at least one"):
        kind([])
    wrong = Numbers(2) if kind is io.ChainDataset else Stream(1)
    with pytest.raises(TypeError, match=kind.__name__):
        kind([wrong])
    with pytest.raises(TypeError, match="Received list"):
        kind([[1, 2]])


def test_compose_wants_equal_lengths():
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        io.ComposeDataset([Numbers(2), Numbers(3)])


def test_subset():
    part = io.Subset(Numbers(5), [4, 2])
    assert len(part) == 2
    assert [part[i][0] for i in range(2)] == [4, 2]
    with pytest.raises(IndexError):
        part[2]


def test_random_split_covers_everything_once_and_repeats_under_seed():
    def split():
        core_random.seed(5)
        return [part.indices for part in io.random_split(Numbers(10), [3, 7])]

    first = split()
    assert [len(part) for part in first] == [3, 7]
    assert sorted(first[0] + first[1]) == list(range(10))
    assert split() == first
    assert [part.indices for part in io.random_split(Numbers(10), [3, 7])] != first


def test_random_split_takes_a_generator():
    def split():
        generator = core_random.Generator(CPUPlace(), 9)
        return [part.indices for part in io.random_split(Numbers(6), [3, 3], generator)]

    assert split() == split()


def test_random_split_refuses():
    with pytest.raises(ValueError, match="add up to 9, for a dataset of 10"):
        io.random_split(Numbers(10), [5, 4])
    with pytest.raises(ValueError, match="fractions"):
        io.random_split(Numbers(10), [0.5, 0.5])
    with pytest.raises(TypeError, match="generator"):
        io.random_split(Numbers(10), [5, 5], generator=4)
