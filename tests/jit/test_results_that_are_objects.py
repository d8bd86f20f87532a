"""Functions that return objects of the user that hold tensors, as dataclasses: a Program gives another each time."""

import dataclasses
import types
from typing import Any

import numpy as np
import proa as paddle
import pytest
from proa.jit.errors import ConversionError
from proa.static import InputSpec


@dataclasses.dataclass
class Output:
    loss: Any = None
    logits: Any = None
    hidden: tuple = ()
    name: str = "output"


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any


@dataclasses.dataclass(slots=True)
class Slotted:
    value: Any
    other: Any = None


class Plain:
    def __init__(self, value):
        self.value, self.size, self.child = value, value.shape[0], Frozen(value * 2)


def dataclass(x):
    return Output(x.sum(), x * 2, (x + 1, [x - 1]))


def nested(x):
    return {"frozen": Frozen(x * 2), "slotted": [Slotted(x * 3), Slotted(x, "a")]}


def plain(x):
    return Plain(x + 1)


def namespace(x):
    return types.SimpleNamespace(value=x * 2, numbers=[1, 2])


def filled_on_some_ways(x):
    found = Output(x.sum())
    if x.sum() > 3:
        found.logits = x * 2
    return found


def distribution(x):
    return paddle.distribution.Normal(x, paddle.exp(x))


def shown(value):
    if isinstance(value, paddle.Tensor):
        return value.numpy().tolist()
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    if isinstance(value, Slotted):
        return ["Slotted", shown(value.value), shown(value.other)]
    return [type(value), shown(vars(value))] if hasattr(value, "__dict__") else value


FUNCTIONS = [dataclass, nested, plain, namespace, filled_on_some_ways]


@pytest.mark.parametrize("spec", [None, [InputSpec([None])]], ids=["exact", "open"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_written(function, spec):
    converted = paddle.jit.to_static(function, spec, full_graph=True)
    for values in ([1.0, 2.0, 3.0], [0.5, 0.25], [5.0, 6.0, 7.0]):
        x = paddle.to_tensor(values)
        first, second = converted(x), converted(x)
        assert shown(first) == shown(second) == shown(function(x))
        assert first is not second


def test_gradients_flow_through_the_attributes():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    found = paddle.jit.to_static(dataclass, full_graph=True)(x)
    (found.loss * found.logits.sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [12.0, 12.0])


def test_a_distribution_is_drawn_from_outside():
    x = paddle.to_tensor([1.0, -30.0])
    converted = paddle.jit.to_static(distribution, full_graph=True)
    for _ in range(2):
        found = converted(x)
        assert found.sample([5]).shape == [5, 2]
        np.testing.assert_allclose(found.mean.numpy(), x.numpy())
    with pytest.raises(ConversionError, match="returns a Normal"):  # which would keep a size that only a run knows
        paddle.jit.to_static(distribution, [InputSpec([None])], full_graph=True)(x)


KEPT = Output()


def kept(x):
    KEPT.loss = x.sum()
    return KEPT


def twice(x):
    found = Output(x * 2)
    return found, found


def itself(x):
    found = Plain(x)
    found.child = found
    return found


@pytest.mark.parametrize("function", [kept, twice, itself])
def test_an_object_that_is_to_stay_the_same_is_refused(function):
    with pytest.raises(ConversionError, match="that holds tensors"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def test_a_file_has_the_attributes_in_their_order(tmp_path):
    net = paddle.nn.Layer()
    net.forward = paddle.jit.to_static(dataclass, [InputSpec([None])])
    paddle.jit.save(net, str(tmp_path / "model"))
    loss, logits, *hidden = paddle.jit.load(str(tmp_path / "model"))(paddle.to_tensor([1.0, 2.0]))
    assert (loss.item(), logits.tolist(), [each.tolist() for each in hidden]) == (3.0, [2.0, 4.0], [[2, 3], [0, 1]])
