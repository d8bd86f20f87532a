"""Objects that a converted function makes: what their classes do then is converted, `__init__` and `__post_init__`."""

import dataclasses
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import proa as paddle
import pytest

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")
SPEC = [paddle.static.InputSpec([None, 2], "float32")]


class Doubled:
    def __init__(self, x, times=2):
        self.times = times
        if x.sum() > 3:
            self.x = x * times
        else:
            self.x = x

    def get(self):
        return self.x + self.times


class Shifted(Doubled):
    __slots__ = ("by",)

    def __init__(self, x, *args, **kwargs):
        super().__init__(x, *args, **kwargs)
        self.by = 1.0 if x.sum() > 5 else 2.0

    def get(self):
        return super().get() + self.by


class Step(ABC):
    def __init__(self, x):
        self.x = -x if x.mean() > 0 else x

    @abstractmethod
    def get(self):
        ...


class Forward(Step):
    def get(self):
        return self.x * 3


class OnlyOne:
    made: Any = None

    def __new__(cls, x):
        cls.made = "one"
        return super().__new__(cls)

    def __init__(self, x):
        self.x = x * 2 if x.sum() > 0 else x


@dataclasses.dataclass
class Fields:
    loss: Any
    more: Any = None
    weight: dataclasses.InitVar[float] = 1.0

    def __post_init__(self, weight):
        self.names = [field.name for field in dataclasses.fields(self)] + sorted(vars(self))
        if self.loss.sum() > 3:
            self.loss = self.loss * 2 * weight
        if self.more is None:
            self.more = self.loss + 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any

    def __post_init__(self):
        object.__setattr__(self, "x", self.x * 2 if self.x.sum() > 3 else self.x)


@dataclasses.dataclass
class Output(OrderedDict):
    """As the outputs of language models: the fields that are not None are entries too."""

    logits: Any = None
    hidden: Any = None

    def __post_init__(self):
        first = getattr(self, dataclasses.fields(self)[0].name)
        if not isinstance(first, paddle.Tensor) and dataclasses.fields(self)[1:]:
            for name, value in iter(first):
                setattr(self, name, value)
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value


class Pair(NamedTuple):
    a: Any
    b: Any


def plain(x):
    return Doubled(x, times=3).get()


def derived(x):
    return Shifted(x, 4).get()


def abstract(x):
    return Forward(x).get()


def with_new(x):
    return OnlyOne(x).x


def fields(x):
    made = Fields(x, weight=0.5)
    assert made.names == ["loss", "more", "loss", "more"]
    return made.loss, made.more, Fields(loss=x, weight=2.0).loss


def frozen(x):
    return Frozen(x).x


def output(x):
    made = Output(x, x * 2) if x.shape[1] == 2 else Output(x)
    return made["logits"] + made.hidden + list(made.values())[1]


def named(x):
    pair = Pair(x, x * 2)
    if x.sum() > 3:
        pair = Pair(*pair[::-1])
    return pair.a - pair.b * 3


@pytest.mark.parametrize("spec", [None, SPEC])
@pytest.mark.parametrize("function", [plain, derived, abstract, with_new, fields, frozen, output, named])
def test_as_without_conversion(function, spec, tmp_path):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    runs = [converted]
    if spec is not None:
        paddle.jit.save(converted, str(tmp_path / "model"))
        runs.append(paddle.jit.load(str(tmp_path / "model")))
    for run in runs:
        for x in (X, -X, X * 0.1):
            found, wanted = run(paddle.to_tensor(x)), function(paddle.to_tensor(x))
            pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
            for a, b in pairs:
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


class Refused(ValueError):
    def __init__(self, text):
        super().__init__(f"[{text}]")


def refusing(x):
    error = Refused("no")
    if x.shape[1] == 3:
        raise error
    return x


def test_errors_and_classes_without_an_init_are_made_as_they_are():
    converted = paddle.jit.to_static(refusing, full_graph=True)
    assert converted(paddle.ones([1, 2])).shape == [1, 2]
    with pytest.raises(Refused, match=r"^\[no\]"):
        converted(paddle.ones([1, 3]))


def test_an_object_that_is_not_made_for_want_of_an_argument_says_so():
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'x'"):
        paddle.jit.to_static(lambda x: Doubled(), full_graph=True)(paddle.ones([2]))


def function_with_a_default_of_the_trace(x):
    def add(t, y=x * 2, *, times=x.sum()):
        return [t, y * times]

    return add(x)[1] + add(x, x)[0]


def function_with_a_default_called_in_a_branch(x):
    def times(t, y=x + 1):
        return t * y

    if x.sum() > 3:
        x = times(x)
    return x


def function_whose_default_grows(x):
    def gathered(t, seen=[]):
        seen.append(t)
        return sum(seen, x)

    return gathered(x) + gathered(x * 2)


@pytest.mark.parametrize("function", [function_with_a_default_of_the_trace, function_whose_default_grows,
                                      function_with_a_default_called_in_a_branch], ids=lambda f: f.__name__)
def test_default_values_of_functions_made_inside_are_of_this_call(function):
    for spec in (None, SPEC):
        converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
        for x in (X, -X, X * 0.1, X):
            found, wanted = converted(paddle.to_tensor(x)), function(paddle.to_tensor(x))
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
