"""Two names for one list, dict or tensor: a converted function shows under both what is done to it under one."""

import numpy as np
import proa as paddle
import pytest

VALUES = ([[1.0, 2.0], [3.0, 4.0]], [[-1.0, 2.0], [-3.0, 1.0]], [[0.1, 0.2], [0.1, 0.1]], [[9.0, 2.0], [3.0, 30.0]])


def dict_under_two_names_in_a_branch(x):
    a = {"k": x}
    b = a
    if x.sum() > 1:
        a["k"] = x * 5
        b["k"] = b["k"] + 1
    return b["k"], a["k"]


def dict_read_under_another_name_in_a_loop(x):
    a = {"k": x}
    b = a
    while b["k"].sum() > 1:
        a["k"] = a["k"] * 0.5
    return b["k"], a["k"]


def list_under_two_names_in_a_loop(x):
    a = [x, 0]
    b = a
    while a[0].sum() > 1:
        b[0] = b[0] * 0.5
        a[1] += 1
    return b[0], b[1], a[0]


def inner_list_of_another(x):
    rows = [[x], [x * 2]]
    first = rows[0]
    while rows[0][0].sum() > 1:
        first[0] = first[0] * 0.3
    return rows[0][0], first[0]


def one_object_made_in_both_branches(x):
    if x.sum() > 1:
        a = [x]
        b = a
    else:
        a = [x * 3]
        b = a
    a[0] = a[0] + 1
    return b[0]


def lists_that_change_places(x):
    h, g = [x, x * 2], [x * 3, x * 4]
    c = h
    n = x.sum()
    while n > 1:
        h, g = g, h
        n = n * 0.5
    return c[0], c[1], h[0], g[1]


def one_kept_and_one_new(x):
    a = [x, x * 2]
    before = a
    while a[0].sum() > 1:
        a = [a[0] * 0.5, a[1] + 1]
    return before[0], a[0], a[1]


def parameter_of_a_function(x):
    d = {"a": x, "n": x.sum()}
    e = {"d": d}

    def update(q):
        if q["n"] > 3:
            q["a"] = q["a"] * 2
            q["n"] = q["n"] - 3

    update(e["d"])
    update(d)
    return d["a"], d["n"], e["d"]["a"]


def items_of_a_list(x):
    parts = [{"v": x}, {"v": -x}]
    for each in parts:
        if each["v"].sum() > 1:
            each["v"] = each["v"] * 7
    return parts[0]["v"], parts[1]["v"]


def what_a_call_gives(x):
    d = {"v": x}

    def same(value):
        return value

    e = same(d)
    if x.sum() > 1:
        e["v"] = x * 7
    return d["v"]


def tensor_changed_in_a_loop(x):
    x = x * 1
    y = x
    while x.sum() > 1:
        x[0] = x[0] - 50
    return y, x


def view_changed_in_a_loop(x):
    x = x * 1
    row = x[0]
    while row.sum() > 1:
        row.subtract_(paddle.ones([2]) * 50)
    return x


def value_that_a_condition_chose(x):
    a, b = x * 1, x * 2
    c = a if x.sum() > 1 else b
    a[0] = 50
    return c


def former_value_is_the_same_tensor(x):
    x = x * 1
    former = x
    while x.sum() > 1:
        former = x
        x[0] = x[0] - 50
    return former, x


def former_value_apart(x):
    x = x * 1
    former = x
    while x.sum() > 1:
        former = x.clone()
        x[0] = x[0] - 50
    return former, x


SAME = (dict_under_two_names_in_a_branch, dict_read_under_another_name_in_a_loop, list_under_two_names_in_a_loop,
        inner_list_of_another, lists_that_change_places, one_kept_and_one_new,
        parameter_of_a_function, items_of_a_list, what_a_call_gives, tensor_changed_in_a_loop, view_changed_in_a_loop,
        value_that_a_condition_chose, former_value_is_the_same_tensor, former_value_apart)


def outcome(function, value):
    x = paddle.to_tensor(value, stop_gradient=False)
    results = function(x)
    results = results if isinstance(results, (list, tuple)) else [results]
    tensors = [r for r in results if isinstance(r, paddle.Tensor) and not r.stop_gradient]
    sum(((r * (r.detach() + n)).sum() for n, r in enumerate(tensors)), x.sum() * 0).backward()
    return [np.asarray(r) for r in (*results, x.grad)]


@pytest.mark.parametrize("shape", [None, [None, 2]])
@pytest.mark.parametrize("function", SAME, ids=lambda f: f.__name__)
def test_both_names_show_a_change(function, shape):
    spec = shape and [paddle.static.InputSpec(shape)]
    converted = paddle.jit.to_static(function, input_spec=spec, full_graph=True)
    for value in VALUES:
        for found, wanted in zip(outcome(converted, value), outcome(function, value), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def chosen_by_a_loop(x):
    a, c = x * 1, x * 2
    n = x.sum()
    while n > 1:
        c = a
        n = n * 0.5
    a[0] = 50
    return c


def written_where_a_loop_chose(x):
    a, c = x * 1, x * 2
    n = x.sum()
    while n > 1:
        c = a
        n = n * 0.5
    c[0] = 50
    return a, c


def read_under_another_name_in_the_loop(x):
    x = x * 1
    y = x
    total = x.sum() * 0
    while x.sum() > 1:
        total = total + y.sum()
        x[0] = x[0] - 50
        y = x
    return total


def list_that_is_the_same_in_some_turns(x):
    a, b = [x], [x * 2]
    n = x.sum()
    while n > 1:
        a[0] = a[0] + b[0]
        b = a
        n = n * 0.5
    return a[0], b[0]


def dict_that_a_branch_chose(x):
    a, b = {"v": x}, {"v": x * 2}
    if x.sum() > 1:
        c = a
    else:
        c = b
    c["v"] = x * 7
    return a["v"], b["v"]


def list_that_an_expression_chose(x):
    a, b = [x], [x * 2]
    c = a if x.sum() > 1 else b
    a[0] = x * 7
    return c[0]


def list_that_a_loop_chose(x):
    a, b = [x], [x * 2]
    c, n = a, x.sum()
    while n > 1:
        c = b
        n = n * 0.5
    c[0] = x * 7
    return a[0], b[0]


def list_of_a_dict_under_a_name(x):
    d = {"rows": []}
    rows = d["rows"]
    for row in x:
        if row.sum() > 4:
            d["rows"].append(row)
    return sum(rows, x[0])


def list_changed_in_one_branch_and_left_in_the_other(x):
    a = [x, x * 2]
    b = a
    if x.sum() > 1:
        b[1] = x * 7
    else:
        b = [x * 3, x]
    return a[0], a[1], b[0]


def list_changed_before_a_loop_leaves_it(x):
    a = [x, x * 2]
    b, n = a, x.sum()
    while n > 1:
        b[1] = x * 7
        b = [x, x]
        n = n * 0.5
    return a[1], b[1]


def list_changed_in_some_turns(x):
    a = [x, x * 2]
    b, n, k = a, x.sum(), 0
    while n > 1:
        if k == 0:
            b[1] = x * 7
        b, k, n = [x, x], k + 1, n * 0.5
    return a[1], b[1]


def dict_changed_before_a_break(x):
    a = {"v": x}
    b = a
    for i in range(3):
        if x.sum() > i:
            b = {"v": x * 2}
            break
        b["v"] = x * 7
    return a["v"], b["v"]


def list_of_two_targets(x):
    a = b = [x, x * 2]
    if x.sum() > 1:
        b[1] = x * 7
    else:
        b = [x * 3, x]
    return a[1], b[1]


def list_in_another_by_append(x):
    row, rows = [x, x * 2], []
    rows.append(row)
    if x.sum() > 1:
        row[1] = x * 7
    else:
        row = [x * 3, x]
    return rows[0][1], row[1]


def list_of_lists(x):
    rows = [[x, x * 2], [x * 3, x]]
    for row in rows:
        if x.sum() > 1:
            row[1] = x * 7
        else:
            row = [x * 3, x]
    return rows[0][1], row[1]


def list_of_an_expression(x):
    a = [x, x * 2]
    if len(b := a if x.shape[0] > 1 else [x]) > 1 and x.sum() > 1:
        b[1] = x * 7
    else:
        b = [x * 3, x]
    return a[1], b[1]


def list_that_nobody_else_has(x):
    b = [x, x * 2]
    if x.sum() > 1:
        b[1] = x * 7
    else:
        b = [x * 3, x]
    n = x.sum()
    while n > 1:
        b[0] = b[0] * 0.5
        b = [b[1], b[0]]
        n = n * 0.5
    return b[0], b[1]


def new_list_in_each_branch(x):
    c = [x * 2] if x.sum() > 1 else [x]
    c[0] = c[0] + 1
    c.append(x)
    if x.sum() > 1:
        d = [x]
    else:
        d = [x * 2]
    d[0] = d[0] + 1
    return c[0], c[1], d[0]


@pytest.mark.parametrize("function", [
    one_object_made_in_both_branches, dict_that_a_branch_chose, list_that_an_expression_chose, list_that_a_loop_chose,
    list_of_a_dict_under_a_name, list_changed_before_a_loop_leaves_it, list_changed_in_some_turns,
    dict_changed_before_a_break],
    ids=lambda f: f.__name__)
def test_a_list_or_dict_that_only_a_run_could_tell_apart_is_refused(function):
    with pytest.raises(TypeError, match=rf"{function.__name__}: a tensor decides (which|about|how often)"):
        outcome(paddle.jit.to_static(function, full_graph=True), VALUES[0])


@pytest.mark.parametrize("function", [
    new_list_in_each_branch, list_that_nobody_else_has, list_changed_in_one_branch_and_left_in_the_other,
    list_of_two_targets, list_in_another_by_append, list_of_lists, list_of_an_expression], ids=lambda f: f.__name__)
def test_lists_that_change_in_a_branch_which_may_leave_another_one(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        for found, wanted in zip(outcome(converted, value), outcome(function, value), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [chosen_by_a_loop, written_where_a_loop_chose, read_under_another_name_in_the_loop,
                                      list_that_is_the_same_in_some_turns], ids=lambda f: f.__name__)
def test_what_only_a_run_knows_is_refused(function):
    with pytest.raises((RuntimeError, TypeError), match=rf"{function.__name__}: .* a copy"):
        outcome(paddle.jit.to_static(function, full_graph=True), VALUES[0])


class Box:
    def __init__(self, value):
        self.value = value


def took(box, x):
    box.value = box.value * 0.5 + x
    return box.value.sum()


def another_list_in_a_dict(x, y):
    kept = [x, y]
    held, turns = {"p": kept}, 0
    while y.sum() > -1e3 and turns < 3:
        turns += 1
        held["p"] = [sum(kept), y]
        y = y * 2
    return y, kept[0], held["p"][0]


def another_list_beside_a_test_that_changes(x, y):
    kept = [x, y]
    held, box, turns = {"p": kept}, Box(x), 0
    while took(box, kept[0]) > -1e3 and turns < 3:
        turns += 1
        held["p"] = [sum(kept), y]
        y = y * 2
    return y, kept[1], held["p"][0], box.value


def another_list_under_a_second_name(x, y):
    kept = [x, y]
    held, turns, total = kept, 0, x
    while y.sum() > -1e3 and turns < 3:
        turns += 1
        total = total + kept[1] + held[1]
        held = [y, y * 2]
        y = y + 1
    return total, kept[0], held[0]


def an_outer_list_goes_on(x, y):
    rows = [[x], [y]]
    others, turns = rows, 0
    while y.sum() > -1e3 and turns < 3:
        turns += 1
        rows[0] = [others[0][0] + y]
        y = y * 2
    return rows[0][0], others[0][0], y


@pytest.mark.parametrize("function", [another_list_in_a_dict, another_list_beside_a_test_that_changes,
                                      another_list_under_a_second_name, an_outer_list_goes_on])
def test_a_list_that_a_turn_replaces_stays_as_it_was_for_its_other_holders(function):
    staged = paddle.jit.to_static(function, full_graph=True)
    for first, second in (([1.0, 2.0], [3.0, -1.0]), ([0.5, -2.0], [-900.0, -900.0])):
        def given(first=first, second=second):
            return paddle.to_tensor(first), paddle.to_tensor(second)

        for expected, found in zip(function(*given()), staged(*given()), strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


def changed_and_replaced(x, y):
    kept, turns = [x, y], 0
    while x.sum() < 100 and turns < 3:
        turns += 1
        y[0] *= 0.5
        y = y + 1
    return y, kept[1]


def read_under_another_name(x, y):
    kept, turns = [x], 0
    total = y
    while y.sum() < 100 and turns < 3:
        turns += 1
        x[0] *= 0.5
        total = total + kept[0]
        if turns > 5:
            x = x + 1
    return total, x


@pytest.mark.parametrize("function", [changed_and_replaced, read_under_another_name])
def test_a_tensor_that_turns_change_under_two_names_is_refused_or_right(function):
    def given():
        return paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, -1.0])

    with pytest.raises(TypeError, match="in place"):
        paddle.jit.to_static(function, full_graph=True)(*given())
    with pytest.warns(paddle.jit.FallbackWarning):
        left = paddle.jit.to_static(function)(*given())
    for expected, found in zip(function(*given()), left, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


def changed_and_not_read_behind(x, y):
    other = y
    pair, box = {"a": x, "b": other}, Box(y)
    if box.value.max() > 0:
        pair["b"] = x
    return x + 1


def test_a_dict_that_a_branch_changes_and_nobody_reads_behind_it():
    x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, -1.0])
    assert paddle.jit.to_static(changed_and_not_read_behind, full_graph=True)(x, y).tolist() == [2.0, 3.0]


def bound_to_a_list_in_a_branch(x):
    items = [x * 1, x * 2]
    if x.sum() > 1:
        other = items
    if x.sum() > 1:
        other[0] = x * 7
    return items[0]


def bound_to_a_list_in_a_loop(x):
    items = [x * 1, x * 2]
    for _ in range((x.max() > -9) + 1):
        other = items
    other[0] = x * 7
    return items[0]


def bound_to_a_dict_or_none(x):
    d, other = {"a": x * 1}, None
    if x.sum() > 1:
        other = (d,)
    if other is not None:
        other[0]["a"] = x * 7
    return d["a"]


def put_under_a_key(x):
    items, d = [x * 1, x * 2], {}
    if x.sum() > 1:
        d["a"] = items
    if "a" in d:
        d["a"][0] = x * 7
    return items[0]


def two_names_of_one_way(x):
    items = [x]
    if x.max() > -9:
        one = items
        other = one
    one[0] = x * 7
    return other[0]


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [bound_to_a_list_in_a_branch, bound_to_a_list_in_a_loop, bound_to_a_dict_or_none,
                                      put_under_a_key, two_names_of_one_way])
def test_what_some_ways_bind_to_a_list_that_another_holds_is_not_changed(function):
    with pytest.raises(TypeError, match="is changed in place later"):
        paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(VALUES[0]))
    converted = paddle.jit.to_static(function)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x), function(x))
