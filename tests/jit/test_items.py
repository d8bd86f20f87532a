"""Items of Python lists by an index that a tensor decides: read, set and augmented, in branches and loops."""

import numpy as np
import proa as paddle
import pytest


def set_in_a_loop(x, n):
    items = [x, x + 1, x + 2]
    i = n
    while i < 3:
        items[i] = x * 10 + items[i - 1]
        i = i + 1
    return items


def set_and_augmented(x, n):
    items = [x, x + 1, x + 2]
    items[n] = x * 10
    items[-n] *= 3
    items[n - 1] += items[n]
    return items


def numbers(x, n):
    counts = [1, 2, 3]
    for i in range(n + 1):
        counts[i] += i * 10
    return [x * count for count in counts]


def inside_of_others(x, n):
    rows = [[x, x + 1], [x + 2, x + 3]]
    rows[1][n] = x * 9
    if n > 0:
        rows[0][n - 1] = x * 7
    return [*rows[0], *rows[1]]


def under_another_name(x, n):
    a = b = [x, x + 1]
    a[n] = x * 5
    return b


def of_other_things(x, n):
    table = {0: x, 1: x + 1}
    for k in range(2):
        table[k] = x * k
        table[k] += 1
    y = x * 1
    y[n] = 5.0
    y[n] += 3.0
    return [table[0], table[1], y]


@pytest.mark.parametrize("function", [set_in_a_loop, set_and_augmented, numbers, inside_of_others, under_another_name,
                                      of_other_things], ids=lambda f: f.__name__)
def test_a_list_with_a_symbolic_index(function):
    found = []
    for called in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        results = called(x, paddle.to_tensor(1))
        paddle.add_n([(r * r).sum() for r in results]).backward()
        found.append([*(r.numpy() for r in results), x.grad.numpy()])
    for eager, converted in zip(*found, strict=True):
        np.testing.assert_allclose(converted, eager)


@pytest.mark.parametrize("index, place", [(-3, 0), (2, 2), (3, None), (-4, None)])
def test_where_no_item_is_it_is_an_index_error(index, place):
    def changed(x, n):
        items = [x, x, x]
        items[n] = x * 2
        return items

    converted = paddle.jit.to_static(changed, full_graph=True)
    x = paddle.ones([2])
    if place is None:
        with pytest.raises(IndexError, match="list assignment index out of range"):
            converted(x, paddle.to_tensor(index))
    else:
        assert [r.tolist() == [2, 2] for r in converted(x, paddle.to_tensor(index))] == [n == place for n in range(3)]


@pytest.mark.parametrize("other", ["a", lambda x: x[:1], lambda x: x.astype("float64"), 3])
def test_items_that_are_not_alike_are_named(other):
    def changed(x, n):
        items = [x, other(x) if callable(other) else other]
        items[n] = x * 2
        return items[0]

    with pytest.raises(TypeError, match=r"test_items.py.*`a\[i\] = x`.*one shape and dtype.*paddle.stack"):
        paddle.jit.to_static(changed, full_graph=True)(paddle.ones([2]), paddle.to_tensor(1))


def test_an_exported_file_has_the_choice(tmp_path):
    prefix = str(tmp_path / "items")
    specs = [paddle.static.InputSpec([None, 2], "float32", "x"), paddle.static.InputSpec([], "int64", "n")]
    paddle.jit.save(paddle.jit.to_static(set_in_a_loop, full_graph=True), prefix, specs)
    loaded = paddle.jit.load(prefix)
    for rows, n in ((1, 0), (3, 2)):
        x = paddle.rand([rows, 2])
        for found, expected in zip(loaded(x, paddle.to_tensor(n)), set_in_a_loop(x, paddle.to_tensor(n)), strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-6)


# Under no_grad an item is what it is: nothing is computed

def set_at_a_tensor(x):
    items = [x * 2, x * 3]
    with paddle.no_grad():
        items[(x.sum() > 0).astype("int64")] = x
    return items[0] * items[1]


def taken_at_a_tensor(x):
    items = [x * 2, x * 3]
    with paddle.no_grad():
        one, other = items[(x.sum() > 0).astype("int64")], items[paddle.to_tensor(-1)]
    return one * other


def of_a_list_that_grew(x):
    items = []
    for k in range(paddle.to_tensor(3)):
        items.append(x * k)
    with paddle.no_grad():
        items[0] = x
        last, part, every = items.pop(), items[1:], list(items)
        items.reverse()
        for one in items:
            pass
    return last * part[0] * every[0] * one * items[1]


@pytest.mark.parametrize("function", [set_at_a_tensor, taken_at_a_tensor, of_a_list_that_grew],
                         ids=lambda f: f.__name__)
def test_gradients_of_items_taken_under_no_grad(function):
    for sign in (1.0, -1.0):
        results = []
        for call in (function, paddle.jit.to_static(function, full_graph=True)):
            x = paddle.to_tensor([sign, 2 * sign], stop_gradient=False)
            y = call(x)
            y.sum().backward()
            results.append([y.tolist(), x.grad.tolist()])
        assert results[0] == results[1]
