"""Lists whose length a tensor decides: a `for` that takes its items of one as it grows, and `… if … else …` of two."""

import numpy as np
import proa as paddle
import pytest

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")


def zipped(x):
    items = [x]
    for _, _ in zip(items, x, strict=False):
        if x.any():
            items.extend([x])
    return len(items)


def direct(x):
    items = [x]
    for item in items:
        if item.sum() * len(items) < 60:
            items.append(x)
    return len(items)


def by_iterator(x):
    items = [x]
    for _, item in enumerate(iter(items)):
        if item.sum() * len(items) < 60:
            items.append(x)
    return len(items)


def of_the_program(x):
    items = [row for row in x if row.sum() > 4]
    for row in items:
        if len(items) < 8:
            items.append(row)
    return len(items)


def records(x):
    items = [(row, 1) for row in x if row.sum() > 4]
    for row, k in items:
        if len(items) < 8:
            items.append((row, k))
    return len(items)


def copy_walked(x):
    items = [x, x]
    for _ in list(items):
        if x.any():
            items.append(x)
    return len(items)


def only_read(x):
    items, found, total = [row for row in x if row.sum() > 4], [], 0
    for row in x:
        items.append(row)
        for item in items:
            total = total + item.sum()
            if item.sum() > 7:
                found.append(item)
    return total + len(found)


def sides_of_other_lengths(x):
    items = [row for row in x]
    items = list(items) if x.all() else [x[0]]
    items.append(x[1])
    return paddle.stack(items).sum() + len(items)


def sides_of_pairs(x):
    items = [(x[0], 1), (x[1], 2)] if x.all() else [(x[1], 2)]
    items.append((x[2], 7))
    return items[0][1] + items[-1][1] * len(items)


def held_side(x):
    items = [row for row in x]
    items = items if x.all() else [x[0]]
    return len(items)


def held_side_changed(x):
    items = [x, x]
    others = items if x.all() else [x]
    others.append(x)
    return len(items)


def sides_in_tuples(x):
    items, k = ([x, x], 1) if x.all() else ([x], 2)
    return len(items) * k


def converted(function, rows):
    spec = [paddle.static.InputSpec([rows, 2], "float32")]
    return paddle.jit.to_static(function, full_graph=True, input_spec=spec)


@pytest.mark.parametrize("rows", [3, None])
@pytest.mark.parametrize("function", [copy_walked, only_read, sides_of_other_lengths, sides_of_pairs])
def test_gives_what_python_gives(function, rows):
    program = converted(function, rows)
    for x in (X, X * np.float32([[0], [1], [1]])):
        x = paddle.to_tensor(x)
        assert float(program(x)) == float(function(x))


@pytest.mark.parametrize("rows", [3, None])
@pytest.mark.parametrize("function", [zipped, direct, by_iterator, of_the_program, records])
def test_a_list_that_a_loop_takes_items_of_does_not_grow_in_it(function, rows):
    with pytest.raises(TypeError, match="while a `for` takes its items of that list"):
        converted(function, rows)(paddle.to_tensor(X))


@pytest.mark.parametrize("function", [held_side, held_side_changed, sides_in_tuples])
def test_lists_of_other_lengths_are_new_on_both_sides(function):
    with pytest.raises(TypeError, match="its sides give lists of different lengths"):
        converted(function, 3)(paddle.to_tensor(X))
