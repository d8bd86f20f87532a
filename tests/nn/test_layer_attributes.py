"""What a layer holds is found under its name, by the compiled form as by `Layer.__getattr__`."""

import sys
from collections import OrderedDict, UserDict

import proa as paddle
import pytest
from proa.ops.core import native


class Net(paddle.nn.Layer):
    kind = "of the class"

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([2])
        self.inner = paddle.nn.Linear(2, 2)
        self.register_buffer("steps", paddle.zeros([1]))
        self.size = 3


def _python_calls(function):
    count = 0

    def entered(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(entered)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count - 1  # the function's own


def test_parameters_sublayers_and_buffers_are_found():
    net = Net()
    assert net.weight is net._parameters["weight"]
    assert net.inner is net._sub_layers["inner"]
    assert net.steps is net._buffers["steps"]
    assert (net.size, net.kind, net.training) == (3, "of the class", True)
    assert getattr(net, "missing", None) is None
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'missing'"):
        net.missing


@pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")
def test_no_function_of_python_is_called_for_them():
    net = Net()
    assert _python_calls(lambda: (net.weight, net.inner, net.steps)) == 0


def test_a_name_of_the_class_comes_first():
    net = Net()
    net._parameters["kind"] = net.weight
    assert net.kind == "of the class"


def test_a_getattr_of_ones_own_decides():
    class Doubled(Net):
        def __getattr__(self, name):
            found = super().__getattr__(name)
            return found * 2 if name == "weight" else found

    net = Doubled()
    assert net.weight is not net._parameters["weight"]
    assert net.inner is net._sub_layers["inner"]


def test_a_getattribute_of_ones_own_decides():
    class Watched(Net):
        def __getattribute__(self, name):
            return "seen" if name == "weight" else super().__getattribute__(name)

    net = Watched()
    assert net.weight == "seen"
    assert net.inner is net._sub_layers["inner"]


def test_what_is_put_into_the_registers_is_found():
    net = Net()
    net._parameters = OrderedDict(other=net.weight)
    assert net.other is net._parameters["other"]
    assert not hasattr(net, "weight")

    class Upper(dict):
        def __getitem__(self, name):
            return super().__getitem__(name.upper())

        def __contains__(self, name):
            return super().__contains__(name.upper())

    net.__dict__["_buffers"] = Upper(MASK=1)
    net.__dict__["_sub_layers"] = UserDict(head=2)
    assert (net.mask, net.head) == (1, 2)


def test_before_init_the_message_says_so():
    class Early(paddle.nn.Layer):
        def __init__(self):
            pass

    with pytest.raises(AttributeError, match=r"Call super\(\).__init__\(\) first in Early.__init__"):
        Early().weight


def test_a_property_that_fails_says_what_it_lacks():
    class Lazy(Net):
        @property
        def doubled(self):
            return self.absent * 2

    with pytest.raises(AttributeError):
        Lazy().doubled
