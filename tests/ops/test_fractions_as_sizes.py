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
    "Linear": lambda: paddle.nn.Linear(2.5, 3), "randint of fractions": lambda: paddle.randint(0.5, 5),
    "randperm": lambda: paddle.randperm(2.5), "slice": lambda: paddle.slice(X, [0], [0.5], [2]),
    "strided_slice": lambda: paddle.strided_slice(X, [0], [0], [2], [1.5]),
    "adaptive_avg_pool1d": lambda: F.adaptive_avg_pool1d(X.unsqueeze(0), 1.5),
    "triu_indices": lambda: paddle.triu_indices(2.5), "vander": lambda: paddle.vander(X[0], 2.5),
    "sequence_mask": lambda: F.sequence_mask(paddle.to_tensor([1]), 2.5),
    "padding": lambda: F.max_pool1d(X.unsqueeze(0), 2, padding=[0.5]),
    "sum along a tensor": lambda: X.sum(paddle.to_tensor(0.5)),
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


@pytest.mark.parametrize("value", ["none", "tanh", 0.5, None])
def test_what_is_neither_true_nor_false(value):
    """PyTorch's names of what gelu does would all count as True."""
    with pytest.raises(TypeError, match="must be True or False"):
        F.gelu(X, value)
    with pytest.raises(TypeError, match="must be True or False"):
        F.gumbel_softmax(X, hard=value)


@pytest.mark.parametrize("padding", [None, 1.5, {}, lambda: 1, [1, 2, 3]])
def test_a_padding_that_is_none_is_refused_where_the_layer_is_made(padding):
    with pytest.raises(ValueError, match=r"Conv2D\(padding\)"):
        paddle.nn.Conv2D(2, 2, 3, padding=padding)
