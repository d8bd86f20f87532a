"""Converted functions that read objects with `__slots__`: private ones, and ones that a subclass has shadowed."""

import numpy as np
import proa as paddle
import pytest


class Kept:
    __slots__ = ("value",)


class Computed(Kept):
    """Has a property in place of the slot, as mpmath's constants have."""

    def __init__(self, of):
        self.of = of

    @property
    def value(self):
        return self.of * 2


class Private:
    __slots__ = ("__scale",)

    def __init__(self, scale):
        self.rescale(scale)

    def rescale(self, scale):
        self.__scale = scale

    def times(self, x):
        return x * self.__scale


@pytest.fixture
def x():
    return paddle.to_tensor([1.0, 2.0])


def test_a_property_in_place_of_a_slot(x):
    computed = Computed(1.5)
    function = paddle.jit.to_static(lambda x: x * computed.value, full_graph=True)
    np.testing.assert_allclose(function(x), [3.0, 6.0])
    computed.of = 2.0
    np.testing.assert_allclose(function(x), [4.0, 8.0])


def test_a_private_slot_that_changes_between_calls(x):
    private = Private(3.0)
    function = paddle.jit.to_static(lambda x: private.times(x), full_graph=True)
    np.testing.assert_allclose(function(x), [3.0, 6.0])
    private.rescale(5.0)
    np.testing.assert_allclose(function(x), [5.0, 10.0])


def test_a_private_slot_that_a_call_changes(x):
    private = Private(3.0)

    def step(x):
        y = private.times(x)
        private.rescale(7.0)
        return y

    function = paddle.jit.to_static(step, full_graph=True)
    np.testing.assert_allclose(function(x), [3.0, 6.0])
    np.testing.assert_allclose(function(x), [7.0, 14.0])
