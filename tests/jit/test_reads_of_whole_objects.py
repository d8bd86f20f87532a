"""What a function reads of an object by other ways than `o.name`, and of deques: calls behind a change see it."""

import copy
import dataclasses
import operator
from collections import deque

import proa as paddle
import pytest


@dataclasses.dataclass
class Settings:
    rate: float = 2.0


class Holder:
    def __init__(self):
        self.settings = Settings()


HOLDER, QUEUE = Holder(), deque([2.0, 1.0])
RATE = operator.attrgetter("rate")

READS = {
    "vars": lambda x: x * vars(HOLDER.settings)["rate"],
    "values": lambda x: x * sum(vars(HOLDER.settings).values()),
    "__dict__": lambda x: x * HOLDER.settings.__dict__["rate"],
    "attrgetter": lambda x: x * operator.attrgetter("settings.rate")(HOLDER),
    "attrgetter of before": lambda x: x * RATE(HOLDER.settings),
    "attrgetter for each": lambda x: x * next(iter(map(RATE, [HOLDER.settings]))),
    "copy": lambda x: x * copy.copy(HOLDER.settings).rate,
    "deepcopy": lambda x: x * copy.deepcopy(HOLDER).settings.rate,
    "asdict": lambda x: x * dataclasses.asdict(HOLDER.settings)["rate"],
    "replace": lambda x: x * dataclasses.replace(HOLDER.settings).rate,
    "equality": lambda x: x * (2.0 if HOLDER.settings == Settings() else 3.0)}


@pytest.mark.parametrize("function", READS.values(), ids=READS)
def test_attributes_are_watched(function):
    converted, x = paddle.jit.to_static(function, full_graph=True), paddle.ones([1])
    try:
        for HOLDER.settings.rate in (2.0, 3.0, 2.0):
            assert converted(x).item() == function(x).item()
        assert converted.get_traced_count() == 2
    finally:
        HOLDER.settings.rate = 2.0


def test_a_new_attribute_is_seen():
    settings = Settings()
    converted = paddle.jit.to_static(lambda x: x * len(vars(settings)), full_graph=True)
    assert converted(paddle.ones([1])).item() == 1
    settings.extra = 1.0
    assert converted(paddle.ones([1])).item() == 2


@pytest.mark.parametrize("function", [lambda x: x * QUEUE[0], lambda x: x * sum(QUEUE), lambda x: x * len(QUEUE)],
                         ids=["item", "sum", "length"])
def test_the_items_of_a_deque_are_watched(function):
    converted, x = paddle.jit.to_static(function, full_graph=True), paddle.ones([1])
    try:
        for value in (3.0, 4.0):
            assert converted(x).item() == function(x).item()
            QUEUE.appendleft(value)
    finally:
        QUEUE.clear()
        QUEUE.extend([2.0, 1.0])


def test_what_is_appended_to_a_deque_is_appended_in_each_call():
    class Keeper(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.seen = deque(maxlen=2)

        def forward(self, x):
            self.seen.append(7)
            return x * len(self.seen)

    keeper, written = paddle.jit.to_static(Keeper()), Keeper()
    for _ in range(4):
        assert keeper(paddle.ones([1])).item() == written(paddle.ones([1])).item()
        assert keeper.seen == written.seen


@pytest.mark.parametrize("full_graph", [False, True])
def test_an_attrgetter_reads_the_sizes_of_the_run(full_graph):
    def function(x):
        return x * operator.attrgetter("shape", "T.ndim")(x)[0][0]

    converted = paddle.jit.to_static(function, full_graph=full_graph)
    for size in (2, 3, 4, 5, 6, 7, 8):
        assert converted(paddle.ones([size, 2])).sum().item() == 2 * size**2
