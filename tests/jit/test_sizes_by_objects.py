"""What objects of a user's class say of sizes that only a run knows: properties called `shape`, `len`."""

import numpy as np
import proa as paddle
import pytest


class Points:
    def __init__(self, values):
        self.values = values

    @property
    def shape(self):
        return self.values.shape

    def __len__(self):
        return self.values.shape[0]


class Chosen:
    def __init__(self, values):
        self.values = values

    @property
    def shape(self):
        return self.values * 2 if self.values.sum() > 0 else self.values


def of_a_property(x):
    return x * Points(x).shape[0]


def unpacked(x):
    rows, columns = Points(x).shape
    return x * rows + columns


def joined_with_a_list(x):
    return x.reshape(Points(x).shape[:-1] + [2, 1])


def length(x):
    return x * len(Points(x))


def chosen_by_a_tensor(x):
    return Chosen(x).shape


class Layer(paddle.nn.Layer):
    @property
    def shape(self):
        return self.last.shape

    def forward(self, x):
        self.last = x
        return x * self.shape[0]


@pytest.mark.parametrize("rows", [None, 3])
@pytest.mark.parametrize("function", [of_a_property, unpacked, joined_with_a_list, length, chosen_by_a_tensor, Layer])
def test_sizes_are_those_of_the_run(function, rows):
    function = Layer() if function is Layer else function
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(3, 2))
    expected = function(x)
    spec = paddle.static.InputSpec([rows, 2])
    converted = paddle.jit.to_static(function, input_spec=[spec], full_graph=True)
    np.testing.assert_array_equal(converted(x), expected)


class Owner:
    shape = None


def test_an_attribute_called_shape_that_changes():
    owner = Owner()
    owner.shape = [2.0]
    converted = paddle.jit.to_static(lambda x: x * owner.shape[0], full_graph=True)
    x = paddle.ones([1])
    before = converted(x).item()
    owner.shape = [5.0]
    assert (before, converted(x).item()) == (2.0, 5.0)
