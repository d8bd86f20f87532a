"""x[key] and x[key] = value against NumPy: values, gradients, Programs and errors."""

import random
import sys

import checks
import numpy as np
import proa as paddle
import pytest
from proa.ops.array.indexing import _plain_ranges
from proa.ops.core import native
from records import Record, floats

X = floats(4, 3, 5)
MASK0, MASK01, MASK = np.array([True, False, True, True]), floats(4, 3, seed=1) > 0, X > 0.2
ROWS, COLUMNS = np.array([2, 0, -1]), np.array([[1], [2]])
s_ = np.s_

KEYS = [
    s_[0],
    s_[-1],
    s_[1:],
    s_[:],
    s_[...],
    s_[None],
    s_[::2],
    s_[::-1],
    s_[3:0:-2],
    s_[-100:100],
    s_[2:2],
    s_[5:-1:-1],
    s_[1:3, 0],
    s_[..., 0],
    s_[..., 1:3],
    s_[0, ..., 1],
    s_[None, 0],
    s_[0, None, 1],
    s_[0, ..., None],
    s_[:, None, :, 2],
    s_[0, 1, 2],
    s_[-1, -1, -1],
    s_[1:, ::-1, -2],
    s_[:, 1:1],
    s_[[0, 2]],
    s_[[0, 2], [1, 2]],
    s_[:, [0, 2]],
    s_[[0, 1], :, [1, 2]],
    s_[:, 0, [0, 1]],
    s_[[0, 1], :, 0],
    s_[[[0, 1], [1, 0]]],
    s_[:, [[0, 1], [1, 0]], 1:],
    s_[..., [4, -1]],
    s_[1:3, [0, 1], ::2],
    s_[[]],
    s_[:, []],
    s_[None, [0, 1]],
    s_[[0, 1], None],
    s_[[0, 1], None, [0, 1]],
    s_[:, None, [0, 1], [1, 2]],
    s_[ROWS],
    s_[ROWS, COLUMNS],
    s_[:, :, COLUMNS],
    s_[COLUMNS, ROWS],
    s_[range(2)],
    s_[np.int64(1)],
    s_[np.array(1)],
    s_[(0, 1), 1],
    s_[MASK],
    s_[MASK0],
    s_[MASK01],
    s_[:, [True, False, True]],
    s_[MASK0, 1],
    s_[MASK0, [0, 1, 2]],
    s_[MASK01, 2:],
    s_[MASK01, [0]],
    s_[0, MASK01[0]],
    s_[..., X[0, 0] > 0],
    s_[True],
    s_[False],
    s_[MASK0, ..., [0, 1, 2]],
]


def keys():
    """The keys, by their text."""
    return pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key).replace("None", "_").replace("\n", "")[:60])


def as_value(item):
    """An array of an index as a tensor, so that the tensor kinds of index are tried too."""
    return paddle.to_tensor(item) if isinstance(item, np.ndarray) else item


def with_tensors(key):
    """The key with its arrays as tensors."""
    return tuple(map(as_value, key)) if isinstance(key, tuple) else as_value(key)


@keys()
def test_get(key):
    x = paddle.to_tensor(X)
    for k in (key, with_tensors(key)):
        checks.close(x[k].numpy(), X[key], 0, f"x[{key}]")


@keys()
def test_set(key):
    part = X[key]
    values = [7.0, floats(*part.shape, seed=5), floats(*part.shape[1:], seed=6), floats(1, *part.shape, seed=7)]
    for value in values:
        for k in (key, with_tensors(key)):
            expected, x = X.copy(), paddle.to_tensor(X)
            expected[key] = np.broadcast_to(value, (1, *part.shape))[0]
            x[k] = value if isinstance(value, float) else paddle.to_tensor(value)
            checks.close(x.numpy(), expected, 0, f"x[{key}] = value")


def assigned(x, value, key):
    """A copy of x with a part set."""
    result = x.copy() if isinstance(x, np.ndarray) else x * 1.0
    result[key] = value
    return result


@keys()
@pytest.mark.parametrize("check", ["gradient", "second order"])
def test_gradients(key, check):
    records = [Record("slice", lambda x: x[key], [X], lambda x: x[key])] if X[key].size else []
    places = np.arange(X.size).reshape(X.shape)[key]
    if np.unique(places).size == places.size:  # of several values for one place the last stays, which has all the slope
        value = floats(*X[key].shape[1:], seed=5)
        records.append(Record("set_value", lambda x, v: assigned(x, v, key), [X, value], None))
    for record in records:
        checks.CHECKS[check](record)


@pytest.mark.parametrize(
    "key",
    [
        s_[0],
        s_[1:, 0],
        s_[::-1],
        s_[None, :, 1],
        s_[[0, 2]],
        s_[:, [0, 1]],
        s_[[0, 1], :, [1, 2]],
        s_[0, [0, 1]],
        s_[:, [True, False, True]],
        s_[:, 1, [0, 1]],
        s_[..., -1],
    ],
    ids=str,
)
def test_program(key):
    get = Record("slice", lambda x: x[key], [X], None)
    put = Record("set_value", lambda x, v: assigned(x, v, key), [X, np.array(3.0)], None, batched=[0])
    checks.check_static(get)
    checks.check_static(put)


def test_int_beside_tensor_drops_its_dimension():
    x = paddle.to_tensor(X)
    checks.close(x[0, :, [0, 1]].numpy(), X[0][:, [0, 1]], 0, "x[0, :, [0, 1]]")
    x[0, :, [0, 1]] = paddle.to_tensor(X[0][:, [1, 0]])
    checks.close(x[0, :, [0, 1]].numpy(), X[0][:, [1, 0]], 0, "x[0, :, [0, 1]] = …")


def test_tensor_bounds():
    x, one, three = paddle.to_tensor(X), paddle.to_tensor(1), paddle.to_tensor([3])
    checks.close(x[one].numpy(), X[1], 0, "x[0-d]")
    checks.close(x[one:three, ::2].numpy(), X[1:3, ::2], 0, "x[0-d:1-d]")
    x[one:three, 0] = 0.0
    checks.close(x[1:3, 0].numpy(), np.zeros((2, 5)), 0, "x[0-d:1-d] = …")


@pytest.mark.parametrize("key", [s_[::-1], s_[::-2], s_[2::-1], s_[:1:-1], s_[:0:-1], s_[3:-1:-1], s_[:-1:-1], s_[::2]])
@pytest.mark.parametrize("which", ["step", "stop, step", "start, stop, step", "stop"])
def test_tensors_as_step_and_end(key, which):
    """Which end is meant by what was left out, the sign of the step says, also where a run alone knows it."""
    given = {name: getattr(key, name) for name in ("start", "stop", "step")}
    fed = {name: n for name, n in given.items() if name in which and n is not None}
    key_of = lambda make: slice(*[make(name, n) if name in fed else n for name, n in given.items()])
    x = paddle.to_tensor(X)
    eagerly = key_of(lambda name, n: paddle.to_tensor(n))
    checks.close(x[eagerly].numpy(), X[key], 0, f"x[{key}]")
    x[eagerly] = 7.0
    checks.close(x.numpy(), assigned(X.copy(), 7.0, key), 0, f"x[{key}] = …")
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        part = paddle.static.data("x", X.shape, X.dtype)[
            key_of(lambda name, n: paddle.static.data(name, [1], "int64"))]
    feed = {"x": X} | {name: np.array([n]) for name, n in fed.items()}
    checks.close(paddle.static.Executor().run(main, feed=feed, fetch_list=[part])[0], X[key], 0, f"a run's x[{key}]")


def test_zero_dimensions():
    x = paddle.to_tensor([1.0, 2.0])
    assert x[0].shape == [] and paddle.to_tensor(3.0)[...].shape == []
    with pytest.raises(IndexError, match="0-d tensor"):
        paddle.to_tensor(3.0)[0]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (4, "index 4 is out of range for dimension 0 of size 4"),
        (s_[0, -4], "index -4 is out of range for dimension 1 of size 3"),
        (s_[0, 0, 0, 0], "4 indices for a tensor of 3 dimensions"),
        (s_[..., ...], "only one ellipsis"),
        (1.5, "must be an int, a slice"),
        ("a", "must be an int, a slice"),
        (s_[[1.5]], "dtype float32"),
        (s_[np.array([True, False])], "the mask must have x's sizes"),
        (s_[[9]], "out of bounds"),
    ],
)
def test_errors(key, message):
    with pytest.raises(IndexError, match=message):
        paddle.to_tensor(X)[key]


def test_step_of_zero():
    with pytest.raises(ValueError, match="must not be 0"):
        paddle.to_tensor(X)[::0]


def test_value_that_does_not_fit():
    x = paddle.to_tensor(X)
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = paddle.zeros([2], "float64")
    with pytest.raises(ValueError, match="broadcast"):
        x[[0, 1]] = paddle.zeros([4, 5], "float64")
    with pytest.raises(ValueError, match="more dimensions"):
        x[0] = paddle.zeros([2, 3, 5], "float64")


def test_assigning_casts_and_keeps_the_dtype():
    x = paddle.to_tensor([1, 2, 3])
    x[0] = 7.9
    x[1] = paddle.to_tensor(5.5)
    assert x.tolist() == [7, 5, 3] and x.dtype == "int64"


def test_a_leaf_is_not_assigned_to():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 3.0


def test_a_full_slice_is_a_view():
    x = paddle.to_tensor([1.0, 2.0])
    y = x[:]
    y[0] = 5.0
    assert x.tolist() == y.tolist() == [5.0, 2.0]
    assert paddle.to_tensor(3.0)[...].shape == []


@pytest.mark.parametrize("rank", [1, 2])
def test_points_by_tensors_of_one_shape_are_numpys(rank):
    draw = np.random.RandomState(rank)
    array = draw.randn(4, 5, 3).astype("float32")
    shape = (6,) if rank == 1 else (2, 3)
    rows, columns, last = (draw.randint(-size, size, shape) for size in array.shape)
    for key in ((rows, columns), (rows, columns, last), (rows, columns[:1]), (rows, rows.astype("int32"))):
        x = paddle.to_tensor(array, stop_gradient=False)
        found = x[tuple(map(paddle.to_tensor, key))]
        assert np.array_equal(found.numpy(), array[key])
        found.backward(found.detach())
        wanted = np.zeros_like(array)
        np.add.at(wanted, key, array[key])
        assert np.allclose(x.grad.numpy(), wanted)
    with pytest.raises(IndexError):
        paddle.to_tensor(array)[tuple(paddle.to_tensor(rows) for _ in range(4))]


def test_rows_and_masked_elements_are_set_as_numpy_sets_them():
    draw = np.random.RandomState(0)
    array = draw.randn(4, 5).astype("float32")
    rows, mask = np.array([2, -4, 1]), array > 0
    for key, values in ((rows, [0, 2.5, draw.randn(5), draw.randn(1, 5), draw.randn(3, 5), draw.randn(1, 3, 5)]),
                        (rows.reshape(3, 1), [1, draw.randn(3, 1, 5)]),
                        (mask, [0.0, 7, draw.randn(1), draw.randn(mask.sum())]),
                        (mask[:, 0], [-1, draw.randn(mask[:, 0].sum(), 5)])):
        for value in values:
            wanted = array.copy()
            wanted[key] = value
            for given in (value, *([paddle.to_tensor(value.astype(d)) for d in ("float32", "float64")]
                                   if isinstance(value, np.ndarray) else ())):
                x = paddle.to_tensor(array)
                x[paddle.to_tensor(key)] = given
                assert np.array_equal(x.numpy(), wanted), (key, given)
    whole = paddle.to_tensor(np.arange(6))
    whole[paddle.to_tensor([0, 2])] = 9
    assert whole.tolist() == [9, 1, 9, 3, 4, 5]
    source = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    part = paddle.to_tensor([5.0], stop_gradient=False)
    changed = source * 1.0
    changed[paddle.to_tensor([False, True])] = part
    (changed * paddle.to_tensor([3.0, 4.0])).sum().backward()
    assert changed.tolist() == [1.0, 5.0] and source.grad.tolist() == [3.0, 0.0] and part.grad.tolist() == [4.0]
    with pytest.raises(ValueError, match="more dimensions"):
        whole[paddle.to_tensor([0, 2])] = paddle.ones([2, 2], "int64")
    with pytest.raises(IndexError, match="mask"):
        whole[paddle.to_tensor([True, False])] = 1


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("index", [[[2, 0, -1], [1, 1, 1]], [[0], [1], [1]]], ids=["wide", "one column"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gradient_of_what_was_taken_is_that_of_the_operator_to_the_last_bit(axis, index, dtype):
    data = paddle.to_tensor(floats(3, 3).astype(dtype), stop_gradient=False)
    places = paddle.to_tensor(index)
    weights = paddle.to_tensor(floats(*places.shape, seed=2).astype(dtype))
    taken = paddle.take_along_axis(data, places, axis, broadcast=False)
    found, = paddle.grad((taken * weights).sum(), data)
    put = paddle.put_along_axis(paddle.zeros([3, 3], dtype), places, weights, axis, "add", broadcast=False)
    assert found.dtype == data.dtype and found.numpy().tobytes() == put.numpy().tobytes()


def test_the_gradient_of_what_was_taken_of_a_vector_adds_up_and_is_differentiable():
    data = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    taken = paddle.take_along_axis(data, paddle.to_tensor([2, -1, 0]), 0)
    first, = paddle.grad((taken * taken).sum(), data, create_graph=True)
    assert first.tolist() == [2.0, 0.0, 12.0]
    assert paddle.grad(first.sum(), data)[0].tolist() == [2.0, 0.0, 4.0]


def test_places_along_an_axis_are_repeated_to_sizes_that_only_a_run_tells():
    main, places = paddle.static.Program(), np.array([[[1]]])
    with paddle.static.program_guard(main):
        x, index = paddle.static.data("x", [-1, -1, 5], X.dtype), paddle.assign(places)
        found = [paddle.take_along_axis(x, index, 1), paddle.put_along_axis(x, index, 7.0, 1)]
    taken, put = paddle.static.Executor().run(main, feed={"x": X}, fetch_list=found)
    np.testing.assert_array_equal(taken, X[:, 1:2])
    np.testing.assert_array_equal(put, assigned(X, 7.0, s_[:, 1]))


@pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")
def test_keys_are_read_alike_without_the_compiled_form(monkeypatch):
    draw, x = random.Random(3), paddle.zeros([4, 5, 6])
    numbers = [0, 1, -1, 2, -3, 7, 2**31, 2**62, sys.maxsize, -2**63, 2**70, True, np.int64(1), 1.0, x]
    few = [0, 1, -1, 2, None, None]

    def item():
        pick = draw.random()
        if pick < 0.2:
            return draw.choice([None, ..., ...])
        if pick < 0.5:
            return draw.choice(numbers if draw.random() < 0.3 else few[:4])
        some = numbers if draw.random() < 0.2 else few
        return slice(*[draw.choice(some) for _ in range(3)]) if draw.random() < 0.8 else slice(None)

    keys = [tuple(item() for _ in range(draw.randrange(5))) for _ in range(3000)] + [item() for _ in range(300)]
    keys += [(), [1], [slice(1)], (0,) * 40]

    def read(key, added):
        ranges = _plain_ranges(x, key, added)
        return ranges, None if ranges is None else added

    found = [read(key, added) for key in keys for added in (None, [])]
    monkeypatch.setattr(native, "module", None)
    assert found == [read(key, added) for key in keys for added in (None, [])]
    assert sum(ranges is not None for ranges, _ in found) > 1000
