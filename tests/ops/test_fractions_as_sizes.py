"""A fraction where an axis or a size belongs is an error, never cut; so are formats that do not exist."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest

X = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4))

FRACTIONS = {
    "zeros": lambda: paddle.zeros([2.5]), "full": lambda: paddle.full([np.float32(1.5)], 2.0),
    "reshape": lambda: X.reshape([2.5, -1]), "transpose": lambda: X.transpose([0.5, 1]),
    "mean": lambda: paddle.mean(X, 0.5), "sum": lambda: X.sum([0.5]), "squeeze": lambda: X.squeeze(0.5),
    "roll": lambda: X.roll(0.5), "flip": lambda: X.flip(0.5), "tril": lambda: paddle.tril(X, 0.5),
    "split": lambda: paddle.split(X, 2.5, 1), "tile": lambda: paddle.tile(X, [1.5, 1]),
    "expand": lambda: X.expand([3.5, 4]), "repeat_interleave": lambda: paddle.repeat_interleave(X, 1.5, 0),
    "quantile": lambda: paddle.quantile(X, 0.5, axis=[0.4]), "randint": lambda: paddle.randint(0, 5, [2.5]),
    "argmax": lambda: X.argmax(0.5), "concat": lambda: paddle.concat([X, X], 0.5), "cumsum": lambda: X.cumsum(0.5),
    "stack": lambda: paddle.stack([X, X], 0.5), "gather": lambda: paddle.gather(X, paddle.to_tensor([0]), 0.5),
    "fft": lambda: paddle.fft.fft(X, 2.5), "rot90": lambda: paddle.rot90(X, 0.5),
    "Linear": lambda: paddle.nn.Linear(2.5, 3),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_a_fraction_is_refused(name):
    with pytest.raises(ValueError, match="whole numbers"):
        FRACTIONS[name]()


def test_whole_floats_are_sizes():
    assert paddle.zeros([2.0, np.float64(3.0)]).shape == [2, 3]
    assert X.reshape([12 / 2, -1]).shape == [6, 2]


def test_formats_that_there_are_not():
    picture = paddle.ones([1, 2, 4, 4])
    with pytest.raises(ValueError, match="data_format"):
        F.pad(picture, [1, 1, 1, 1], data_format="ABC")
    with pytest.raises(ValueError, match="data_format"):
        F.prelu(picture, paddle.ones([2]), data_format="NN")


def test_sizes_and_places_out_of_range():
    with pytest.raises(ValueError, match="-1"):
        paddle.ones([2, 1]).expand([2, -2])
    with pytest.raises((ValueError, IndexError)):
        paddle.take(paddle.ones([3]), paddle.to_tensor([-4]))
    assert paddle.take(paddle.arange(3), paddle.to_tensor([-3])).tolist() == [0]
