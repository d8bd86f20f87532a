"""From samples to a batch."""

import collections

import numpy as np
import proa as paddle
import pytest
from proa.io import default_collate_fn, default_convert_fn
from proa.io.dataloader.collate import map_leaves, to_arrays, to_tensors

Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([1, 2], np.array([1, 2], np.int64)),
        ([1.5, 2.5], np.array([1.5, 2.5], np.float64)),
        ([1, 2.5], np.array([1.0, 2.5], np.float64)),
        ([True, False], np.array([True, False])),
        ([np.float16(1), np.float16(2)], np.array([1, 2], np.float16)),
        ([np.bool_(True)], np.array([True])),
        ([np.ones(2, np.int32)] * 3, np.ones((3, 2), np.int32)),
        ([np.array(3)], np.array([3])),
    ],
)
def test_numbers_and_arrays(samples, expected):
    found = default_collate_fn(samples)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_tensors_give_a_tensor():
    found = default_collate_fn([paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])])
    assert isinstance(found, paddle.Tensor)
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_text_stays_text():
    assert default_collate_fn(["a", "b"]) == ["a", "b"]
    assert default_collate_fn([b"a", b"b"]) == [b"a", b"b"]


def test_structures():
    found = default_collate_fn([{"a": 1, "b": (1, "x")}, {"a": 2, "b": (2, "y")}])
    assert list(found) == ["a", "b"]
    assert found["a"].tolist() == [1, 2]
    assert found["b"][0].tolist() == [1, 2] and found["b"][1] == ["x", "y"]
    assert type(default_collate_fn([(1, 2)])) is list


@pytest.mark.parametrize(
    ("samples", "error", "match"),
    [
        ([], ValueError, "at least one sample"),
        ([None], TypeError, "Received NoneType"),
        ([object], TypeError, "collate_fn of your own"),
        ([(1, 2), (3,)], ValueError, r"number of fields. Received \[1, 2\]"),
        ([{"a": 1}, {"b": 1}], KeyError, "same keys"),
        ([np.ones(2), np.ones(3)], ValueError, r"\[\(2,\), \(3,\)\]"),
    ],
)
def test_refuses(samples, error, match):
    with pytest.raises(error, match=match):
        default_collate_fn(samples)


def test_convert_keeps_a_sample():
    array = np.ones(2)
    found = default_convert_fn([1, "a", None, array, {"a": (3, 4)}, b"q"])
    assert found[:3] == [1, "a", None] and found[3] is array and found[4:] == [{"a": [3, 4]}, b"q"]
    assert default_convert_fn(np.float32(3)) == 3


def test_map_leaves_keeps_named_tuples():
    assert map_leaves(str, Pair(1, (2, {"k": 3}))) == Pair("1", ["2", {"k": "3"}])


def test_to_arrays_makes_contiguous_arrays():
    found = to_arrays((paddle.to_tensor([1, 2]), np.ones((2, 3)).T, np.float64(2), np.array(5.0)))
    assert type(found[0]) is np.ndarray and found[0].tolist() == [1, 2]
    assert found[1].flags.c_contiguous and found[1].shape == (3, 2)
    assert found[2] == 2 and found[3].shape == ()


def test_to_tensors_leaves_what_no_tensor_holds():
    names = np.array(["a", "b"])
    found = to_tensors({"x": np.ones(2), "n": names, "i": 3, "s": "t", "none": None}, None, owned=True)
    assert found["x"].tolist() == [1.0, 1.0]
    assert found["n"] is names and (found["i"], found["s"], found["none"]) == (3, "t", None)
    with pytest.raises(TypeError, match="uint32"):
        to_tensors(np.ones(2, np.uint32), None, owned=True)


def test_to_tensors_copies_what_others_hold():
    array = np.ones(2)
    tensor = to_tensors(array, None, owned=False)
    array[:] = 0
    assert tensor.tolist() == [1.0, 1.0]
