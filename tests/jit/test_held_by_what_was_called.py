"""Lists and dicts that something holds which a call has made: they show there what a branch or a loop does to them."""

import itertools
from collections import OrderedDict, deque, namedtuple
from functools import partial

import numpy as np
import proa as paddle
import pytest

VALUES = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])
Pair = namedtuple("Pair", "a b")


class Box:
    def __init__(self, t):
        self.t = t

    def set(self, t):
        self.t = t


def given(items):
    return items


def first(items):
    return items[0]


def in_an_object(x):
    items = [x]
    box = Box(items)
    if x.sum() > 0:
        items[0] = x * 5
    return box.t[0]


def in_an_object_by_a_method(x):
    items, box = [x], Box(0)
    box.set(items)
    if x.sum() > 0:
        items[0] = x * 5
    return box.t[0]


def in_an_attribute(x):
    items, box = [x], Box(0)
    setattr(box, "t", items)
    if x.sum() > 0:
        items[0] = x * 5
    return box.t[0]


def in_a_dict(x):
    items = [x]
    d = dict(k=items)
    if x.sum() > 0:
        items[0] = x * 5
    return d["k"][0]


def in_a_named_tuple(x):
    items = [x]
    pair = Pair(items, 1)
    if x.sum() > 0:
        items[0] = x * 5
    return pair.a[0]


def in_a_deque(x):
    items, queue = [x], deque()
    queue.appendleft(items)
    if x.sum() > 0:
        items[0] = x * 5
    return queue[0][0]


def in_an_iterator(x):
    items = [x]
    pairs = zip(items, [1], strict=True)
    if x.sum() > 0:
        items[0] = x * 5
    return next(pairs)[0]


def in_a_chain(x):
    items = [x]
    chain = itertools.chain(items, [x])
    if x.sum() > 0:
        items[0] = x * 5
    return list(chain)[0]


def in_a_partial_call(x):
    items = [x]
    call = partial(first, items)
    if x.sum() > 0:
        items[0] = x * 5
    return call()


def in_what_a_function_gives(x):
    items = [x]
    other = given(items)
    if x.sum() > 0:
        items[0] = x * 5
    return other[0]


def in_a_list_that_grows(x):
    items, rows = [x], []
    rows += [items]
    if x.sum() > 0:
        items[0] = x * 5
    return rows[0][0]


def in_a_list_of_several(x):
    items = [x]
    rows = [items] * 2
    if x.sum() > 0:
        items[0] = x * 5
    return rows[1][0]


def in_a_comprehension(x):
    items = [x]
    rows = [items for _ in range(2)] + [row for row in [items]]
    if x.sum() > 0:
        items[0] = x * 5
    return rows[0][0] + rows[2][0]


def in_a_view(x):
    d = OrderedDict(a=x)
    view = d.items()
    if x.sum() > 0:
        d["a"] = x * 5
    return list(view)[0][1]


def in_a_method(x):
    d = {"a": x}
    get = d.get
    if x.sum() > 0:
        d["a"] = x * 5
    return get("a")


def changed_by_a_loop(x):
    items, n = [x], paddle.zeros([])
    box = Box(items)
    while n < 3:
        items[0] = items[0] * 2
        n = n + 1
    return box.t[0]


SHOWN = [function for name, function in list(globals().items()) if name.startswith(("in_", "changed_"))]


@pytest.mark.parametrize("function", SHOWN, ids=lambda f: f.__name__)
def test_it_shows_what_is_done(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x), function(x))


def grows_elsewhere(x):
    items = [x]
    held = given(given((items, 1)))
    if x.sum() > 0:
        items.append(x)
    return x * len(held[0])


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_a_list_that_grows_and_is_held_is_refused():
    with pytest.raises(TypeError, match="the list `items` is changed in place"):
        paddle.jit.to_static(grows_elsewhere, full_graph=True)(paddle.to_tensor(VALUES[0]))
    converted = paddle.jit.to_static(grows_elsewhere)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x), grows_elsewhere(x))


def only_read_by_calls(x):
    items = [x]
    items = given(items)
    y = paddle.concat(items) + first(items) + sum(items)
    y = y + sorted(reversed(items), key=lambda _: 1)[0]
    for n, item in enumerate(items):
        y = y + item * n
    if x.sum() > 0:
        items.append(y)
    return paddle.stack(items)


def replaced_items(x):
    items = [x]
    if x.sum() > 0:
        items.append(x * 2)
    items[:] = [items[-1], x, items[0]]
    other = items.copy()
    items[:] = other
    return paddle.stack(items)


@pytest.mark.parametrize("function", [only_read_by_calls, replaced_items])
def test_a_list_that_nothing_else_holds_may_grow(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x), function(x))
