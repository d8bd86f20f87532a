"""Copies of converted functions and Layers, and pickles of them: by name where there is one."""

import copy
import functools
import pickle
import sys

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.static import InputSpec


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The module of this test is to be found by name."""
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or type(sys)(__name__))
    vars(sys.modules[__name__]).update(globals())


@paddle.jit.to_static
def decorated(x):
    if x.sum() > 0:
        x = x * 2
    return x


def plain(x, scale=3):
    return x * scale if x.sum() > 0 else x


converted = paddle.jit.to_static(plain, input_spec=[InputSpec([None], "float32", "x")])


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    @paddle.jit.to_static
    def forward(self, x):
        return self.fc(x) if x.sum() > 0 else x

    @paddle.jit.to_static
    def twice(self, x):
        return self.forward(self.forward(x))


class Plain(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x) if x.sum() > 0 else x


def same(a, b):
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


def test_functions_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    again = pickle.loads(pickle.dumps(converted))
    assert again is not converted and again.dygraph_function is plain
    same(again(paddle.ones([2])), converted(paddle.ones([2])))
    assert again.concrete_program.inputs[0].shape == (-1,)


def test_functions_without_a_name_to_find_are_refused():
    local = paddle.jit.to_static(lambda x: x)
    with pytest.raises(pickle.PicklingError, match="top of a module"):
        pickle.dumps(local)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_of_functions(duplicate):
    decorated(paddle.ones([2]))
    other = duplicate(decorated)
    assert other is not decorated and not other.program_cache
    same(other(paddle.ones([2])), decorated(paddle.ones([2])))


def test_deep_copies_of_layers_are_bound_to_themselves():
    for net in (Net(), paddle.jit.to_static(Plain())):
        x = paddle.ones([1, 2])
        net(x)
        other = copy.deepcopy(net)
        other.fc.weight.set_value(other.fc.weight.numpy() * 2)
        other.fc.bias.set_value(other.fc.bias.numpy() + 1)
        same(other(x), nn.functional.linear(x, other.fc.weight, other.fc.bias))
        same(net(x), nn.functional.linear(x, net.fc.weight, net.fc.bias))
        assert other.forward.instance is other and net.forward.instance is net
    net = Net()
    bound = copy.deepcopy(net.twice)
    same(bound(paddle.ones([1, 2])), net.twice(paddle.ones([1, 2])))


class Holder:
    def __init__(self, factor):
        self.factor = factor

    @paddle.jit.to_static
    def scale(self, x):
        return x * self.factor


def test_bound_methods_are_pickled_with_their_object():
    holder = Holder(3.0)
    again, method = pickle.loads(pickle.dumps((holder, holder.scale)))
    assert method.instance is again is not holder and method(paddle.ones([1])).item() == 3.0


def test_layers_that_were_converted_are_pickled():
    net = paddle.jit.to_static(Plain())
    x = paddle.ones([1, 2])
    again = pickle.loads(pickle.dumps(net))
    assert isinstance(again.forward, paddle.jit.StaticFunction) and again.forward.instance is again
    same(again(x), net(x))


class Slotted:
    __slots__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    @paddle.jit.to_static
    def scale(self, x):
        return x * self.factor


class Comparable:
    """Equal ones are different objects; none has a hash."""

    def __init__(self, factor):
        self.factor = factor

    def __eq__(self, other):
        return True

    @paddle.jit.to_static
    def scale(self, x):
        return x * self.factor


@pytest.mark.parametrize("kind", [Slotted, Comparable])
def test_methods_of_any_object(kind):
    one, two = kind(2.0), kind(3.0)
    for _ in range(2):
        assert one.scale(paddle.ones([1])).item() == 2.0 and two.scale(paddle.ones([1])).item() == 3.0
    assert len(one.scale.program_cache) == 1


def test_partial_and_callable_objects():
    class Scaling:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return x * self.factor if x.sum() > 0 else x

    assert paddle.jit.to_static(functools.partial(plain, scale=5), full_graph=True)(paddle.ones([1])).item() == 5.0
    assert paddle.jit.to_static(Scaling(4), full_graph=True)(paddle.ones([1])).item() == 4.0


def test_objects_are_not_kept_alive():
    import gc
    import weakref

    for kind in (Net, Plain):
        net = paddle.jit.to_static(kind()) if kind is Plain else kind()
        net.itself, net.method = net, net.forward
        net(paddle.ones([1, 2]))
        gone = weakref.ref(net)
        del net
        gc.collect()
        assert gone() is None


def test_shallow_copies_of_objects():
    one = Holder(2.0)
    one.scale(paddle.ones([1]))
    two = copy.copy(one)
    two.factor = 5.0
    assert two.scale(paddle.ones([1])).item() == 5.0 and one.scale(paddle.ones([1])).item() == 2.0
