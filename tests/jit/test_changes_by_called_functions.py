"""What a branch or loop that a tensor decides about does to lists, dicts, objects and arrays by calling functions."""

import collections
import contextlib
import functools
import warnings
from dataclasses import dataclass

import numpy as np
import proa as paddle
import pytest
from proa.jit.operators import watching

VALUES = ([3.0, 4.0], [-3.0, -4.0])


class Box:
    def __init__(self, t):
        self.t = t


class Slim:
    __slots__ = ("t",)

    def __init__(self, t):
        self.t = t


@dataclass(slots=True)
class Counted:
    t: object
    n: int = 0


def set_t(owner, value):
    owner.t = value


def set_first(items, value):
    items[0] = value


def of_a_list_and_an_attribute(x, y):
    items, box = [x], Box(x)
    if y.max() > 0:
        pass
    else:
        set_first(items, y)
        set_t(box, y)
    return items[0], box.t


def of_slots(x, y):
    slim = Slim(x)
    if y.max() > 0:
        set_t(slim, y)
    return slim.t


def of_a_list_in_a_list(x, y):
    items = [[x], x]
    if y.max() > 0:
        set_first(items[0], y)
    return items[0][0]


def of_a_list_in_an_object_in_a_list(x, y):
    items = [Box([x])]

    def change(value):
        items[0].t[0] = value

    if y.max() > 0:
        change(y)
    return items[0].t[0]


def by_a_lambda(x, y):
    items = [x, y]
    turn = lambda: items.reverse()
    if y.max() > 0:
        turn()
    return items[0]


def by_a_bound_method(x, y):
    items = [x, y]
    turn = items.reverse
    if y.max() > 0:
        turn()
    return items[0]


def by_a_partial_object(x, y):
    items = [x, y]
    change = functools.partial(set_first, items)
    if y.max() > 0:
        change(y * 2)
    return items[0]


def by_a_default_value(x, y):
    items = [x, y]

    def change(value, of=items):
        of[0] = value

    if y.max() > 0:
        change(y * 2)
    return items[0]


def of_a_list_in_a_dict(x, y):
    items = [x, y]
    held = {"a": items}
    if y.max() > 0:
        held["a"].reverse()
    return items[0]


def of_an_attribute_in_a_loop(x, y):
    items = [x, y]
    box, i = Box(items), 0
    while i < y.max():
        box.t[0] = box.t[0] + y
        i += 1
    return items[0]


def of_a_list_in_a_loop(x, y):
    items = [x, y]

    def add(value):
        items[0] = items[0] + value

    i = 0
    while i < y.max():
        add(y)
        i += 1
    return items[0]


@pytest.mark.parametrize("function", [
    of_a_list_and_an_attribute, of_slots, of_a_list_in_a_list, of_a_list_in_an_object_in_a_list, by_a_lambda,
    by_a_bound_method, by_a_partial_object, by_a_default_value, of_a_list_in_a_dict, of_an_attribute_in_a_loop,
    of_a_list_in_a_loop], ids=lambda f: f.__name__)
def test_they_are_done_where_the_way_is_taken(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        found, wanted = (f(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(value)) for f in (converted, function))
        np.testing.assert_array_equal(np.stack(found), np.stack(wanted))


def of_an_array(x, y):
    a = np.zeros(2, "float32")
    if y.max() > 0:
        a[0] = 1.0
    return x + paddle.to_tensor(a)


def of_a_deque(x, y):
    items = collections.deque([x])
    if y.max() > 0:
        items.append(y)
    return sum(items)


def of_a_set(x, y):
    kept = {1}
    if y.max() > 0:
        kept.add(2)
    return x * len(kept)


def in_an_expression(x, y):
    items = [x]
    _ = set_first(items, y) if y.max() > 0 else 1
    return items[0]


def behind_and(x, y):
    items = [x]

    def change(value):
        items[0] = value
        return value.sum() > 0

    _ = y.max() > 0 and change(y)
    return items[0]


@pytest.mark.parametrize("function", [of_an_array, of_a_deque, of_a_set, in_an_expression, behind_and],
                         ids=lambda f: f.__name__)
def test_what_cannot_be_a_part_of_the_program_is_refused_in_words(function):
    with pytest.raises((TypeError, RuntimeError), match=rf"{function.__name__}: a tensor decides .* change"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]), paddle.ones([2]))
    converted = paddle.jit.to_static(function)
    for value in VALUES:
        with pytest.warns(paddle.jit.FallbackWarning) if value is VALUES[0] else contextlib.nullcontext():
            found = converted(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(value))
        wanted = function(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(value))
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


KEPT = Counted(None)


def of_slots_that_outlive_the_call(x):
    if x.sum() > 0:
        KEPT.t = KEPT.t + x
    return KEPT.t * KEPT.n


def test_slots_outlive_the_call():
    runs = []
    for each in (paddle.jit.to_static(of_slots_that_outlive_the_call, full_graph=True), of_slots_that_outlive_the_call):
        KEPT.t, KEPT.n = paddle.zeros([2]), 2
        found = []
        for n, value in enumerate(([1.0, 2.0], [-1.0, -1.0], [2.0, 2.0], [1.0, 1.0])):
            KEPT.n = 2 + n // 2
            found += [each(paddle.to_tensor(value)).numpy(), KEPT.t.numpy()]
        runs.append(found)
    np.testing.assert_array_equal(*runs)


def test_an_object_with_slots_that_outlives_the_call_is_not_returned():
    def function(x):
        KEPT.t = x * 2
        return KEPT

    with pytest.raises(RuntimeError, match="it returns a Counted that holds tensors"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def returned_in_with(x):
    with paddle.no_grad():
        if x[0] > 0:
            return x, x + 1


def returned_in_try(x):
    try:
        if x[0] > 0:
            return x
    finally:
        x = x * 2


@pytest.mark.parametrize("function", [returned_in_with, returned_in_try], ids=lambda f: f.__name__)
def test_nothing_is_returned_where_no_return_is_reached(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        found, wanted = converted(paddle.to_tensor(value)), function(paddle.to_tensor(value))
        assert (found is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_array_equal(np.stack(found), np.stack(wanted))


def need(holds):
    if not holds:
        raise ValueError("needed")


def caught(x):
    try:
        if x.sum() > 100:
            need(False)
        y = x * 2
    except ValueError:
        y = x * 3
    return y


def test_an_error_of_a_branch_is_not_caught_while_it_is_traced():
    with pytest.raises(RuntimeError, match=r"caught: this `try` would catch an error \(needed\) of a branch"):
        paddle.jit.to_static(caught, full_graph=True)(paddle.ones([2]))
    with pytest.warns(paddle.jit.FallbackWarning, match="of a branch"):
        np.testing.assert_array_equal(paddle.jit.to_static(caught)(paddle.ones([2])).numpy(), [2, 2])


def left_in_a_loop(x):
    t = x
    for _ in range(x[1] > 0):
        t = t
    t.scale_(0.5)
    return t


def test_what_a_loop_leaves_as_it_is_stays_the_same_tensor():
    converted = paddle.jit.to_static(left_in_a_loop, full_graph=True)
    for value in VALUES:
        x = paddle.to_tensor(value)
        converted(x)
        np.testing.assert_array_equal(x.numpy(), np.array(value) * 0.5)


def changed_in_a_branch(x, y):
    t = x
    if y.max() > 0:
        t = y
    if y.min() > 100:
        t.add_(y)
    return t * 2


def test_a_leaf_that_a_branch_might_change_in_place():
    x, y = (paddle.to_tensor([1.0, 2.0], stop_gradient=False) for _ in range(2))
    with pytest.raises(RuntimeError, match=r"`x`, a leaf with stop_gradient=False, may be changed in place"):
        paddle.jit.to_static(changed_in_a_branch, full_graph=True)(x, y)
    converted = paddle.jit.to_static(changed_in_a_branch)
    np.testing.assert_array_equal(converted(x.detach(), y.detach()).numpy(), [2, 4])
    with pytest.warns(paddle.jit.FallbackWarning, match="a leaf"):
        converted(x, y).sum().backward()
    np.testing.assert_array_equal(y.grad.numpy(), [2, 2])


def list_that_may_be_empty(x):
    items = []
    if x.sum() > 0:
        items.append(x)
    return x * 2 if bool(items) else x


def test_the_truth_of_a_list_of_the_program():
    converted = paddle.jit.to_static(list_that_may_be_empty, full_graph=True)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x).numpy(), list_that_may_be_empty(x).numpy())


def chosen_and_read(x):
    y = x * 3
    if x.sum() > 0.5:
        y = x
    x[-1] = -5
    return y * 2


def none_or_the_same(x):
    y = None
    if x.sum() > 0.5:
        y = x
    x[-1] = -5
    if y is None:
        z = x * 3
    else:
        z = y * 2
    return z


def chosen_and_read_in_a_branch(x):
    y = x * 3
    if x.sum() > 0.5:
        y = x
    if (x > 0).any():
        x[-1] = 0.5
        z = y if x[0] > 0 else x * 2
    else:
        z = x * 1
    return z


def length_of_a_dict(x):
    d = {"a": x, "b": x}
    if x.sum() > 0:
        d["c"] = x
    else:
        del d["b"]
    return x * len(d)


def view_of_what_a_condition_chose(x):
    y = x * 1.0
    z = x * 2.0
    if x[0] > 0:
        z = y
    y[0] = -1.0
    view = z.reshape([2, 1])
    view.add_(view * 0.5)
    return y + z


@pytest.mark.parametrize("function", [
    view_of_what_a_condition_chose, chosen_and_read, none_or_the_same, chosen_and_read_in_a_branch, length_of_a_dict],
    ids=lambda f: f.__name__)
def test_what_only_a_run_knows(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in (*VALUES, [-1.0, 3.0], [9.0, 1.0]):
        found, wanted = converted(paddle.to_tensor(value)), function(paddle.to_tensor(value))
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def chosen_twice(x):
    y = x * 2
    if x[1] > 0:
        z = x if x[0] > 0 else y
    else:
        z = x * 3
    x[-1] = -5
    return z * 2


def keys_of_a_dict(x):
    d = {"a": x}
    if x.sum() > 0:
        d["c"] = x
    return sum([d[key] for key in d], x)


def values_of_a_dict(x):
    d = {"a": x}
    if x.sum() > 0:
        d["c"] = x
    return sum(d.values(), x)


def next_of_an_iterator(x):
    items = iter([x, x * 2])
    if x.sum() > 0:
        next(items)
    return next(items)


def tuple_of_an_iterator(x):
    items = iter([x, x * 2])
    if x.sum() > 0:
        x = x + tuple(items)[0]
    return sum(items, x)


def iterator_in_parts(x):
    items = map(abs, (x, x * 2))
    if x.sum() > 0:
        first, second = items
        x = first + second
    return sum(items, x)


def rest_of_a_generator(x):
    items = (x * n for n in (1, 2))
    if x.sum() > 0:
        x = sum(items, x)
    return sum(items, x)


def equal_dicts(x):
    d = {"a": 1}
    if x.sum() > 0:
        d["c"] = 2
    return x + 1 if d == {"a": 1} else x * 2


def length_in_a_match(x):
    items = [x]
    if x.sum() > 0:
        items.append(x * 2)
    match items:
        case [_, y]:
            return y
        case _:
            return x


@pytest.mark.parametrize("function", [chosen_twice, keys_of_a_dict, values_of_a_dict, next_of_an_iterator,
                                      tuple_of_an_iterator, iterator_in_parts,
                                      rest_of_a_generator, equal_dicts, length_in_a_match], ids=lambda f: f.__name__)
def test_what_a_program_cannot_tell_runs_as_it_was_written(function):
    with pytest.raises((RuntimeError, TypeError), match=r"\.py.*(tensor|program)"):
        paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(VALUES[0]))
    converted = paddle.jit.to_static(function)
    with pytest.warns(paddle.jit.FallbackWarning):
        converted(paddle.to_tensor(VALUES[0]))
    for value in VALUES:
        found, wanted = converted(paddle.to_tensor(value)), function(paddle.to_tensor(value))
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def used_under_another_condition(x):
    if x.sum() > 0:
        y = x
    if x[0] > 0:
        x = y * 2
    return x


def test_a_value_that_a_run_lacks():
    converted = paddle.jit.to_static(used_under_another_condition)
    np.testing.assert_array_equal(converted(paddle.to_tensor([1.0, 2.0])).numpy(), [2, 4])
    with pytest.raises(UnboundLocalError):
        converted(paddle.to_tensor([1.0, -2.0]))
    whole = paddle.jit.to_static(used_under_another_condition, full_graph=True)
    with pytest.raises(AssertionError, match="only one branch of this `if` gives `y` a value"):
        whole(paddle.to_tensor([1.0, -2.0]))


def test_an_array_that_cannot_be_written_is_not_copied(tmp_path, monkeypatch):
    np.save(tmp_path / "table.npy", np.arange(4, dtype="float32"))
    table, written = np.load(tmp_path / "table.npy", mmap_mode="r"), np.arange(4, dtype="float32")
    copied, made = [], watching.Watched.__init__

    def noted(self, container, shown):
        copied.append(container)
        made(self, container, shown)

    monkeypatch.setattr(watching.Watched, "__init__", noted)

    def row(x, n):
        return x * float(table[n]) + float(written[n])

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        return row(x, 2) if x.sum() > 0 else x

    assert function(paddle.ones([2])).tolist() == [4.0, 4.0]
    assert any(each is written for each in copied) and not any(each is table for each in copied)


class _Counting(paddle.nn.Layer):
    def __init__(self, way):
        super().__init__()
        self.way, self.calls = way, paddle.zeros([1])

    def counted(self, x):
        self.calls = self.calls + 1
        return x * 2

    def forward(self, x):
        if self.way == "cond":
            return paddle.static.nn.cond(x.sum() > 0, lambda: self.counted(x), lambda: x)
        return paddle.static.nn.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, self.counted(y)],
                                           [paddle.zeros([1], "int64"), x])[1]


class _CountingWithin(_Counting):
    def forward(self, x):
        if x.max() < 100:
            x = super().forward(x)
        return x + self.calls


@pytest.mark.parametrize("way", ["cond", "while_loop"])
@pytest.mark.parametrize(("kind", "said"), [
    (_Counting, "`self.calls` another value.* Write it as an `if` or `while`"),
    (_CountingWithin, "of the branch or loop alone")])
def test_attributes_that_functions_of_static_nns_control_flow_give_values_are_refused(kind, said, way):
    with pytest.raises(RuntimeError, match=said):
        paddle.jit.to_static(kind(way), full_graph=True)(paddle.ones([2]))
    net = paddle.jit.to_static(kind(way))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        net(paddle.ones([2]))
    assert net.calls.item() == (1 if way == "cond" else 2)


@pytest.mark.parametrize("loops", [False, True])
def test_a_list_in_a_dict_that_grows_where_a_layer_sets_its_attributes(loops):
    """The trace that found the attributes had made the list one of the Program; the next one began with that."""
    layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 2))

    def branches(x):
        found = {"p": [x]}
        if x.mean() > 0:
            found["p"].append(layer(x))
        return sum(found["p"])

    def turns(x):
        found, n = {"p": [x]}, x.sum()
        while n > 0:
            found["p"].append(layer(x))
            n = n - 2
        return sum(found["p"])

    function = turns if loops else branches
    converted = paddle.jit.to_static(function, full_graph=True)
    for sign in (1.0, -1.0):
        x = paddle.ones([3, 2]) * sign
        np.testing.assert_allclose(converted(x).numpy(), function(x).numpy(), rtol=1e-6)


def test_what_a_generator_goes_over_is_read_at_once():
    def function(x):
        y = x
        if x.mean() > 100:
            y = y * 2
        else:
            factors = [lambda q: q * 2, lambda q: q + 1]
            y = y + sum(f(x) for f in factors)
        return y

    converted = paddle.jit.to_static(function, full_graph=True)
    for size in (1.0, 200.0):
        assert converted(paddle.full([2], size)).tolist() == function(paddle.full([2], size)).tolist()


def test_what_a_generator_reads_later_is_kept_for_it():
    def function(x):
        y = x
        if x.mean() > 100:
            by = paddle.to_tensor(3.0)
        else:
            by = paddle.to_tensor(2.0)
        later = (each * by for each in [x, y])
        by = by + 1
        return sum(later)

    converted = paddle.jit.to_static(function, full_graph=True)
    for size in (1.0, 200.0):
        assert converted(paddle.full([2], size)).tolist() == function(paddle.full([2], size)).tolist()


class Counted(paddle.nn.Layer):
    """One branch changes what the other one sets to what it was before."""

    def __init__(self):
        super().__init__()
        self.count, self.last, self.held = 0, paddle.zeros([1]), {"a": 0}

    def more(self, x):
        self.count += 1
        self.last = x * 3.0
        self.held["a"] = 5

    def reset(self, last):
        self.count, self.last = 0, last
        self.held["a"] = 0

    def forward(self, x):
        last = self.last
        if x.sum() > 0:
            self.more(x)
        else:
            self.reset(last)
        return x + self.count, self.last * 1.0, x + self.held["a"]


class Turned(Counted):
    def forward(self, x):
        last = self.last
        if x.sum() <= 0:
            self.reset(last)
        else:
            self.more(x)
        return x + self.count, self.last * 1.0, x + self.held["a"]


@pytest.mark.parametrize("kind", [Counted, Turned])
@pytest.mark.parametrize("full_graph", [False, True])
def test_a_branch_that_sets_what_was_there_beside_one_that_changes_it(kind, full_graph):
    plain, converted = kind(), paddle.jit.to_static(kind(), full_graph=full_graph)
    for number in (1.0, -1.0, 2.0, -2.0, 3.0):
        x = paddle.to_tensor([number])
        for found, wanted in zip(converted(x), plain(x), strict=True):
            np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_another_name_for_an_object_whose_attribute_both_branches_set():
    class Box:
        def __init__(self, n):
            self.n = n

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        box = Box(3)
        if x.sum() > 0:
            box = box
            box.n += 1
        else:
            box.n = 3
        return x * box.n

    assert [function(paddle.to_tensor([v])).item() for v in (1.0, -1.0)] == [4.0, -3.0]
