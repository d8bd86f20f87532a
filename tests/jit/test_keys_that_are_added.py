"""Keys that are added to a dict, or taken away, after a Program was made of a function that has asked for them."""

from collections import Counter, OrderedDict, defaultdict

import proa as paddle
import pytest
from proa import nn


def make(kind):
    return kind(a=1.0) if kind is not defaultdict else defaultdict(float, a=1.0)


ASKED = {
    "values": lambda d, x: x * sum(d.values()), "items": lambda d, x: x * sum([v for _, v in d.items()]),
    "keys": lambda d, x: x * sum(d[key] for key in d.keys()), "a loop": lambda d, x: x * sum([d[key] for key in d]),
    "len": lambda d, x: x * len(d), "in": lambda d, x: x * 2 if "b" in d else x,
    "not in": lambda d, x: x if "b" not in d else x * 3, "get": lambda d, x: x * d.get("b", 5.0),
    "sorted": lambda d, x: x * d[sorted(d)[-1]], "equal": lambda d, x: x * 2 if d == {"a": 1.0} else x,
    "the order": lambda d, x: x * list(d.values())[0]}


@pytest.mark.parametrize("kind", [dict, OrderedDict, defaultdict, Counter])
@pytest.mark.parametrize("asked", ASKED)
def test_of_a_variable(asked, kind):
    d, function = make(kind), ASKED[asked]
    converted = paddle.jit.to_static(lambda x: function(d, x), full_graph=True)
    x = paddle.full([1], 1.5)

    def check():
        assert converted(x).item() == function(d, x).item()

    check()
    d["b"] = 2.0
    check()
    made = converted.get_traced_count()
    check()
    assert converted.get_traced_count() == made
    d["a"] = d.pop("a")
    check()
    del d["b"]
    check()


@pytest.mark.parametrize("kind", [defaultdict, Counter])
def test_a_key_that_the_class_gives_a_value(kind):
    d = make(kind)
    converted = paddle.jit.to_static(lambda x: x + d["b"], full_graph=True)
    x = paddle.full([1], 1.5)
    assert converted(x).item() == 1.5
    d["b"] = 2.0
    assert converted(x).item() == 3.5


def test_whether_there_is_one():
    d = {}
    converted = paddle.jit.to_static(lambda x: x * 2 if d else x * 3, full_graph=True)
    x = paddle.full([1], 1.0)
    assert converted(x).item() == 3.0
    d["a"] = 1.0
    assert converted(x).item() == 2.0


class Layer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.shifts = {"a": paddle.ones([1])}
        self.kept = {}

    def forward(self, x, size):
        if size not in self.kept:
            self.kept[size] = paddle.full([1], float(size))
        return x * self.kept[size] + sum(self.shifts.values())


def test_tensors_of_a_layer_and_what_it_keeps_itself():
    eager, converted = Layer(), paddle.jit.to_static(Layer(), full_graph=True)
    x = paddle.ones([1])
    for size in (1, 2, 1, 2):
        assert converted(x, size).item() == eager(x, size).item()
    for net in (eager, converted):
        net.shifts["b"] = paddle.full([1], 7.0)
    made = [converted.forward.get_traced_count()]
    for size in (1, 2, 1, 2):
        assert converted(x, size).item() == eager(x, size).item()
        made.append(converted.forward.get_traced_count())
    assert made[-1] == made[-3]
