"""Private attributes, `self.__name`, in converted code: what changes, what counts, properties."""

import warnings

import proa as paddle
import pytest
from proa import nn


class Held(nn.Layer):
    def __init__(self):
        super().__init__()
        self.__factor, self.__table, self.__items = 2.0, {"a": 1.0}, [1.0]

    def change(self, value):
        self.__factor, self.__table["a"], self.__items[0] = value, value * 10, value * 100

    def forward(self, x):
        return x * self.__factor + self.__table["a"] + self.__items[0]


class Counting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.__calls, self.__first, self.__sum = 0, None, paddle.zeros([1])

    def forward(self, x):
        self.__calls += 1
        if self.__first is None:
            self.__first = x
        self.__sum = self.__sum + x
        if x.sum() > 2:
            self.__chosen = x * 2
        else:
            self.__chosen = x * 3
        return x * self.__calls + self.__first + self.__sum + self.__chosen


class WithProperties(nn.Layer):
    @property
    def __rows(self):
        return self.last.shape[0]

    @property
    def __size(self):
        return self.last if self.last.sum() > 0 else -self.last

    @property
    def __doubled(self):
        return self.held

    @__doubled.setter
    def __doubled(self, value):
        self.held = value * 2

    def forward(self, x):
        self.last = self.held = x
        if x.sum() > 0:
            self.__doubled = x + 1
        return x * self.__rows + self.__size + self.__doubled


def test_a_private_attribute_that_changes():
    layer, eager = Held(), Held()
    converted = paddle.jit.to_static(layer, full_graph=True)
    x = paddle.ones([1])
    for value in (3.0, 4.0):
        assert converted(x).item() == eager(x).item()
        layer.change(value)
        eager.change(value)
    assert converted(x).item() == eager(x).item()


def test_private_state():
    eager, converted = Counting(), paddle.jit.to_static(Counting(), full_graph=True)
    inputs = [paddle.full([1], value) for value in (1.0, 2.0, 3.0, 4.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)  # a Program for each count
        assert [converted(x).item() for x in inputs] == [eager(x).item() for x in inputs]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_private_properties(sign):
    spec = paddle.static.InputSpec([None])
    converted = paddle.jit.to_static(WithProperties(), input_spec=[spec], full_graph=True)
    x = paddle.full([3], sign)
    assert converted(x).tolist() == WithProperties()(x).tolist()
