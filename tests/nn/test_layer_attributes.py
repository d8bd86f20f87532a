"""What a layer holds is found under its name, by the compiled form as by `Layer.__getattr__`."""

import sys
from collections import OrderedDict, UserDict

import numpy as np
import proa as paddle
import pytest
from proa import nn
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


@pytest.mark.parametrize("hook", [
    lambda state: {key: value * 0.0 for key, value in state.items()},
    lambda state: state.update({key: value * 0.0 for key, value in state.items()})], ids=["returns", "changes"])
def test_what_is_loaded_goes_to_the_layer_and_not_to_what_hooks_of_its_state_give(hook):
    layer = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    layer.register_state_dict_hook(hook)
    layer[0].register_state_dict_hook(hook)
    given = {key: np.full(value.shape, 3.0, "float32") for key, value in layer.state_dict().items()}
    assert layer.set_state_dict(given) == ([], [])
    assert all((value.numpy() == 3.0).all() for value in layer.parameters())
    assert all((value.numpy() == 0.0).all() for value in layer.state_dict().values())


def test_a_state_that_was_saved_in_another_dtype_can_be_loaded():
    layer = paddle.amp.decorate(nn.Linear(2, 2), level="O2", dtype="bfloat16", save_dtype="float32")
    saved = {key: value.numpy() + 1.0 for key, value in layer.state_dict().items()}
    layer.set_state_dict(saved)
    for key, value in layer.state_dict().items():
        assert value.dtype == paddle.float32
        np.testing.assert_allclose(value.numpy(), saved[key], rtol=1e-2)


def test_hooks_of_layers_below_are_called_when_these_are_in_the_state():
    inner = nn.Sequential(nn.Linear(1, 1))
    net = nn.Sequential(inner, nn.ReLU(), nn.Linear(1, 1, bias_attr=False))
    called = []
    net.register_state_dict_hook(lambda state: called.append(("net", list(state))))
    inner[0].register_state_dict_hook(lambda state: called.append(("linear", list(state))))
    handle = inner.register_state_dict_hook(lambda state: {"more": paddle.ones([1]), "0.0.bias": paddle.zeros([1])})
    below = ["0.0.weight", "0.0.bias"]
    state = net.state_dict()
    assert list(state) == [*below, "more", "2.weight"] and state["0.0.bias"] is not inner[0].bias
    assert called == [("linear", below), ("net", list(state))]
    handle.remove()
    assert list(net.state_dict()) == [*below, "2.weight"]
    assert len(net.state_dict(use_hook=False)) == 3 and len(called) == 4
