"""Arrays that were unpickled: equal dtypes, but objects of their own, which loops in C once took for float64."""

import pickle

import numpy as np
import proa as paddle
import pytest

F32 = np.dtype("float32")


def unpickled(array):
    found = pickle.loads(pickle.dumps(array))
    assert found.dtype is not array.dtype and found.dtype == array.dtype
    return found


class Rows(paddle.io.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, place):
        return np.full(3, place, "float32")


@pytest.mark.parametrize("made", [
    paddle.to_tensor,
    paddle.Tensor,
    lambda a: paddle.to_tensor(a[:1]),
    lambda a: paddle.nn.functional.relu(a),
    lambda a: next(iter(paddle.io.DataLoader(Rows(), num_workers=1)))[0],
    lambda a: next(iter(paddle.io.DataLoader([a, a])))[0],
])
def test_tensors_hold_the_dtype_that_kernels_know(made):
    assert made(unpickled(np.ones((2, 3), "float32")))._array.dtype is F32


def test_a_parameter_keeps_its_dtype():
    layer = paddle.nn.Linear(3, 2)
    layer.weight.set_value(unpickled(np.ones((3, 2), "float32")))
    assert layer.weight._array.dtype is F32 and layer.weight.tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize("name", ["uniform", "exponential", "normal"])
def test_numbers_are_drawn_for_any_object_of_the_dtype(name):
    from proa.backend import random
    from proa.ops.random.draws import engine

    own = unpickled(np.ones(1, "float32")).dtype
    draw, count = getattr(random, name), 1 << 19  # so many that loops in C take their turn
    drawn = [draw(engine(3), (count,), kind) for kind in (F32, own) for _ in range(2)]
    assert all(np.array_equal(drawn[0], other) for other in drawn) and 0.2 < abs(drawn[0]).mean() < 1.1
