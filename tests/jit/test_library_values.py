"""What values of Python's library hold: a call sees what has changed between calls, and changes are made in each."""

import array
import configparser
import ctypes
import datetime
import fractions
import io
import itertools
import logging
import os
import pathlib
import queue
import re
import threading
from collections import ChainMap, UserDict
from contextvars import ContextVar
from types import MappingProxyType

import numpy as np
import proa as paddle
import pytest

LOCAL, VARIABLE, UNDER, LAYERED = threading.local(), ContextVar("VARIABLE", default=2.0), {"k": 2.0}, {"k": 2.0}
PROXY, WRAPPED, CHAIN = MappingProxyType(UNDER), UserDict(k=2.0), ChainMap({}, LAYERED)
BYTES, NUMBERS, NUMBER, ARRAY = bytearray(b"\x02"), array.array("d", [2.0]), ctypes.c_double(2.0), np.array([2.0])
VIEW = memoryview(NUMBERS)
NAME = "PROA_TEST_LIBRARY_VALUES"


def set_number(value):
    NUMBER.value = value


READS = {  # what reads, and what sets
    "environ": (lambda x: x * float(os.environ[NAME]), lambda v: os.environ.update({NAME: str(v)})),
    "environ.get": (lambda x: x * float(os.environ.get(NAME, "7")), lambda v: os.environ.update({NAME: str(v)})),
    "getenv": (lambda x: x * float(os.getenv(NAME)), lambda v: os.environ.update({NAME: str(v)})),
    "local": (lambda x: x * LOCAL.k, lambda v: setattr(LOCAL, "k", v)),
    "ContextVar": (lambda x: x * VARIABLE.get(), VARIABLE.set),
    "MappingProxyType": (lambda x: x * PROXY["k"], lambda v: UNDER.update(k=v)),
    "UserDict": (lambda x: x * WRAPPED["k"], lambda v: WRAPPED.update(k=v)),
    "ChainMap": (lambda x: x * CHAIN["k"], lambda v: LAYERED.update(k=v)),
    "bytearray": (lambda x: x * BYTES[0], lambda v: BYTES.__setitem__(0, int(v))),
    "array": (lambda x: x * NUMBERS[0], lambda v: NUMBERS.__setitem__(0, v)),
    "memoryview": (lambda x: x * VIEW[0], lambda v: NUMBERS.__setitem__(0, v)),
    "ctypes": (lambda x: x * NUMBER.value, set_number)}


@pytest.mark.parametrize("name", READS)
def test_a_change_between_calls_is_seen(name):
    function, change = READS[name]
    converted, x = paddle.jit.to_static(function, full_graph=True), paddle.ones([1])
    try:
        for value in (2.0, 3.0, 3.0):
            change(value)
            assert converted(x).item() == value
        assert converted.get_traced_count() == 2
    finally:
        change(2.0)
        os.environ.pop(NAME, None)


def test_a_new_entry_is_seen():
    wrapped, under = UserDict(), {}
    proxy = MappingProxyType(under)
    converted = paddle.jit.to_static(lambda x: x * (wrapped.get("k", 2.0) + proxy.get("k", 3.0) + (NAME in os.environ)),
                                     full_graph=True)
    assert converted(paddle.ones([1])).item() == 5
    wrapped["k"] = 4.0
    assert converted(paddle.ones([1])).item() == 7
    under["k"] = 5.0
    assert converted(paddle.ones([1])).item() == 9
    os.environ[NAME] = "1"
    try:
        assert converted(paddle.ones([1])).item() == 10
    finally:
        del os.environ[NAME]
    assert converted(paddle.ones([1])).item() == 9


def counting():
    """Functions that count in what they find, by what that is."""
    local, variable, wrapped = threading.local(), ContextVar("counts"), UserDict()
    grows, numbers, items = bytearray(b"\x00"), array.array("d", [0.0]), np.zeros(2)
    os.environ.pop(NAME, None)

    def in_local(x):
        local.count = getattr(local, "count", 0) + 1
        return x * local.count

    def in_variable(x):
        variable.set(variable.get(0) + 1)
        return x * variable.get()

    def in_environment(x):
        os.environ[NAME] = str(int(os.environ.get(NAME, "0")) + 1)
        return x * int(os.environ[NAME])

    def in_wrapped(x):
        wrapped["n"] = wrapped.get("n", 0) + 1
        return x * wrapped["n"]

    def in_bytes(x):
        grows.append(grows[-1] + 1)
        return x * grows[-1]

    def in_numbers(x):
        numbers[0] += 1
        return x * numbers[0]

    def in_items(x):
        items[0] += 1
        return x * items[0]

    return [in_local, in_variable, in_environment, in_wrapped, in_bytes, in_numbers, in_items]


@pytest.mark.parametrize("place", range(7), ids=[f.__name__ for f in counting()])
def test_what_a_function_changes_is_changed_in_each_call(place):
    converted = paddle.jit.to_static(counting()[place], full_graph=True)
    assert [converted(paddle.ones([1])).item() for _ in range(3)] == [1, 2, 3]
    os.environ.pop(NAME, None)


class Table(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.table, self.ready = np.zeros(2, "float32"), False

    def forward(self, x):
        if not self.ready:
            self.table[:] = [1.0, 2.0]
            self.ready = True
        return x + paddle.to_tensor(self.table)


def test_an_array_that_is_filled_once_is_filled():
    table = Table()
    converted = paddle.jit.to_static(table, full_graph=True)
    for _ in range(3):
        assert converted(paddle.zeros([2])).tolist() == [1, 2]
    assert table.table.tolist() == [1, 2]


def test_a_thread_has_values_of_its_own():
    local, found = threading.local(), []
    converted = paddle.jit.to_static(lambda x: x * local.k, full_graph=True)

    def run(value):
        local.k = value
        found.append(converted(paddle.ones([1])).item())

    run(2.0)
    other = threading.Thread(target=run, args=(3.0,))
    other.start()
    other.join()
    run(2.0)
    assert found == [2, 3, 2]


def chosen():
    """Functions that change what they find in a branch that a tensor decides about."""
    variable, numbers, environment = ContextVar("chosen"), array.array("d", [1.0]), os.environ

    def set_variable(value):
        variable.set(value)

    def set_environment(value):
        environment[NAME] = value

    def in_variable(x):
        if x.sum() > 0:
            set_variable(2.0)
        else:
            set_variable(3.0)
        return x * variable.get()

    def in_numbers(x):
        if x.sum() > 0:
            numbers[0] = 2.0
        else:
            numbers[0] = 3.0
        return x * numbers[0]

    def in_environment(x):
        if x.sum() > 0:
            set_environment("2")
        else:
            set_environment("3")
        return x * float(os.environ[NAME])

    return [in_variable, in_numbers, in_environment]


@pytest.mark.parametrize("place", range(3), ids=[f.__name__ for f in chosen()])
@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")  # numbers in memory are no state of a branch
def test_what_a_branch_changes_is_what_the_taken_one_does(place):
    converted = paddle.jit.to_static(chosen()[place])
    try:
        assert [converted(paddle.full([1], v)).item() for v in (1.0, -1.0, 1.0)] == [2, -3, 2]
    finally:
        os.environ.pop(NAME, None)


def taking():
    """Functions that take items of iterators that outlive the call."""
    def numbers():
        yield from (1.0, 2.0, 3.0)

    made, counted, walked, kept = numbers(), itertools.count(1), iter([1.0, 2.0, 3.0]), iter([1.0, 2.0])

    class Holder(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.steps = itertools.count(1)

        def forward(self, x):
            return x * next(self.steps)

    def of_a_loop(x):
        for k in kept:
            x = x * (1 + k)
        return x

    return [lambda x: x * next(made), lambda x: x * next(counted), lambda x: x * (1 + sum(walked)), of_a_loop, Holder()]


@pytest.mark.parametrize("place", range(5), ids=["generator", "count", "sum", "loop", "attribute"])
def test_each_call_takes_items_of_an_iterator_that_outlives_it(place):
    written, converted = taking()[place], paddle.jit.to_static(taking()[place])
    with pytest.warns(paddle.jit.FallbackWarning, match="the next item is taken of the iterator"):
        found = [converted(paddle.ones([1])).item() for _ in range(3)]
    assert found == [written(paddle.ones([1])).item() for _ in range(3)]
    with pytest.raises(RuntimeError, match="which outlives the call"):
        paddle.jit.to_static(taking()[place], full_graph=True)(paddle.ones([1]))


def gives(place):
    """Functions that take something new in each call of an object of the library that outlives it."""
    waiting, lines, items, parser = queue.Queue(), io.StringIO("1\n2\n3\n4\n"), iter([1.0, 2.0, 3.0]), made_parser()
    for value in (1.0, 2.0, 3.0):
        waiting.put(value)

    class Holder(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.lines = lines

        def forward(self, x):
            return x * float(self.lines.readline())

    def sections(x):
        parser["a"]["k"] = str(float(parser["a"]["k"]) + 1)
        return x * parser.getfloat("a", "k")

    return [lambda x: x * waiting.get(), lambda x: x * float(lines.readline()), lambda x: x * items.__next__(),
            lambda x: x * (1 + waiting.qsize() + (waiting.get() > 2)), Holder(), sections][place]


def made_parser():
    parser = configparser.ConfigParser()
    parser["a"] = {"k": "2"}
    return parser


@pytest.mark.parametrize("place", range(6), ids=["queue", "StringIO", "__next__", "qsize", "attribute", "sections"])
def test_each_call_takes_of_an_object_that_outlives_it(place):
    written, converted = gives(place), paddle.jit.to_static(gives(place))
    with pytest.warns(paddle.jit.FallbackWarning, match="outlives the call"):
        found = [converted(paddle.ones([1])).item() for _ in range(3)]
    assert found == [written(paddle.ones([1])).item() for _ in range(3)]
    with pytest.raises(RuntimeError, match=r"test_library_values.py.*outlives the call"):
        paddle.jit.to_static(gives(place), full_graph=True)(paddle.ones([1]))


PARSERS = {"getfloat": lambda parser, x: x * parser.getfloat("a", "k"),
           "items": lambda parser, x: x * float(parser["a"]["k"]),
           "in": lambda parser, x: x * (2.0 if "b" not in parser else 3.0)}


@pytest.mark.parametrize("name", PARSERS)
def test_what_an_object_of_the_library_holds_is_watched(name):
    parser, read = made_parser(), PARSERS[name]
    converted = paddle.jit.to_static(lambda x: read(parser, x), full_graph=True)
    x = paddle.ones([1])
    assert [converted(x).item() for _ in range(2)] == [2.0, 2.0]
    parser["a"]["k"] = "3"
    parser["b"] = {}
    assert [converted(x).item() for _ in range(2)] == [3.0, 3.0] and converted.get_traced_count() == 2


def test_what_changes_nothing_of_the_library_is_called():
    pattern, day, number = re.compile("a+"), datetime.date(2020, 2, 3), fractions.Fraction(1, 2)
    lock, log, place, found = threading.Lock(), logging.getLogger("test"), pathlib.Path("a"), re.match("a", "ab")

    def function(x):
        log.debug("traced")
        made = io.StringIO("5\n6\n")
        made.readline()
        lock.acquire()
        lock.release()
        place.joinpath("b").name.upper()
        factor = len(pattern.findall("aab")) * day.isoweekday() * number.limit_denominator(3).denominator * found.end()
        return x * factor * float(made.readline())

    converted = paddle.jit.to_static(function, full_graph=True)
    assert [converted(paddle.ones([1])).item() for _ in range(2)] == [12.0, 12.0]
