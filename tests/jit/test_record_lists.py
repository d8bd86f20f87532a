"""Lists that grow where a tensor decides: items of several parts, several lists at once, lists repeated by a size."""

import warnings

import numpy as np
import proa as paddle
import pytest

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32")
SPEC = [paddle.static.InputSpec([None, 2], "float32")]


def pairs(x):
    items = []
    while x.sum() > 1:
        items.append((x, x.sum()))
        x = x * 0.5
    total = paddle.zeros([])
    for rows, weight in items:
        total = total + rows.sum() * weight
    return total, len(items)


def dicts(x):
    found = []
    for row in x:
        if row.sum() > 4:
            found.append({"row": row, "weight": row.sum(), "name": "row"})
    total = x.sum() * 0
    for each in found:
        total = total + each["weight"] * each["row"][0]
    return total, len(found)


def nested(x):
    found = [(x[0], (1, x[0].sum()))]
    for row in x:
        if row.sum() < 9:
            found = found + [(row, (2, row.sum()))]
    number, total = found[-1][1]
    return number, total, paddle.stack([row for row, _ in found])


def depth_first(x):
    stack, total = [(x, 0)], x.sum() * 0
    while len(stack) > 0:
        y, depth = stack.pop()
        total = total + y.sum() * (depth + 1)
        if y.abs().sum() > 4:
            stack.append((y * 0.5, depth + 1))
            stack.append((y * 0.25, depth + 1))
    return total


def changed_in_many_ways(x):
    items = [(x[0], 1.0)]
    while x.sum() > 2:
        items.insert(0, (x[0], 2.0))
        items.extend([(x[1] * 2, 3.0)])
        items[1] = (x[0] * 3, 4.0)
        x = x * 0.5
    items.reverse()
    del items[0]
    items += items[1:]
    total = x.sum() * 0
    for n, (row, weight) in enumerate(items):
        total = total * 0.9 + row.sum() * weight * (n + 1)
    return total, len(items)


def states_of_a_search(x):
    """A loop's variables kept by name, and the best of them."""
    kept = []
    state = {"x": x, "step": 0}
    while state["x"].sum() > 1:
        kept.append(dict(state))
        state = {"x": state["x"] * 0.5, "step": state["step"] + 1}
    best, at = x.sum() * 0, -1
    for each in kept:
        if each["x"].max() < 3:
            best, at = each["x"].sum(), each["step"]
    return best, at


@pytest.mark.filterwarnings("ignore:.*after one branch and")
@pytest.mark.parametrize("spec", [None, SPEC])
@pytest.mark.parametrize("function", [pairs, dicts, nested, depth_first, changed_in_many_ways, states_of_a_search])
def test_items_of_several_parts_are_those_without_conversion(function, spec, tmp_path):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    given = [X, X * 3] if function is changed_in_many_ways else [X, X * 3, X[:1] * 0.1]
    runs = [converted]
    if spec is not None:
        paddle.jit.save(converted, str(tmp_path / "model"))
        runs.append(paddle.jit.load(str(tmp_path / "model")))
    for run in runs:
        for x in given:
            wanted, found = function(paddle.to_tensor(x)), run(paddle.to_tensor(x))
            _check(found, wanted)


def _check(found, wanted):
    found, wanted = (v if isinstance(v, (list, tuple)) else [v] for v in (found, wanted))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.ravel(np.asarray(a)), np.ravel(np.asarray(b)), rtol=1e-5)


def test_gradients_flow_through_the_parts_of_items():
    x, y = paddle.to_tensor(X, stop_gradient=False), paddle.to_tensor(X, stop_gradient=False)
    pairs(x)[0].backward()
    paddle.jit.to_static(pairs, full_graph=True)(y)[0].backward()
    np.testing.assert_allclose(y.grad.numpy(), x.grad.numpy(), rtol=1e-5)
    assert np.abs(x.grad.numpy()).max() > 1


def changes_an_item(x):
    items = []
    while x.sum() > 1:
        items.append({"x": x})
        items[-1]["x"] = x * 2
        x = x * 0.5
    return sum(each["x"].sum() for each in items)


def changes_what_it_has_put_in(x):
    items, last = [], {"x": x}
    while x.sum() > 1:
        last = {"x": x}
        items.append(last)
        x = x * 0.5
        last["x"] = x
    return sum(each["x"].sum() for each in items)


def changes_what_was_in_it(x):
    first = [x]
    items = [first]
    while x.sum() > 1:
        items.append([x])
        x = x * 0.5
    first.append(x)
    return sum(each[0].sum() for each in items)


@pytest.mark.parametrize("function", [changes_an_item, changes_what_it_has_put_in, changes_what_was_in_it])
def test_an_item_that_is_changed_in_place_is_refused(function):
    with pytest.raises(TypeError, match=r"test_record_lists.py:\d+: this (dict|list) is an item of a list that grows"):
        paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        found = paddle.jit.to_static(function)(paddle.to_tensor(X))
    np.testing.assert_allclose(found.numpy(), function(paddle.to_tensor(X)).numpy())


def other_items(x):
    items = []
    while x.sum() > 1:
        items.append((x, x))
        if x.sum() > 2:
            items.append((x,))
        x = x * 0.5
    return x


def returned(x):
    items = []
    while x.sum() > 1:
        items.append((x, 1))
        x = x * 0.5
    return items


def unpacked(x):
    items = []
    while x.sum() > 1:
        items.append((x, 1))
        x = x * 0.5
    rows, _ = zip(*items)
    return rows


@pytest.mark.parametrize("function, said", [
    (returned, "it returns a list whose length is known only when the program runs.*key for key, value"),
    (unpacked, r"test_record_lists.py:\d+: how many items this list has.*for key, value in items"),
    (other_items, r"`items` is list of 2 \(tuple of 2, tuple of 1\) after one branch and list of 1"),
])
def test_what_a_list_of_several_parts_cannot_do_is_said(function, said):
    with pytest.raises((TypeError, RuntimeError), match=said):
        paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(X))


def lengths(x):
    return paddle.to_tensor([1, 2] * x.shape[0])


def lengths_of_batch(x):
    return paddle.to_tensor(x.shape[0] * [x.shape[1]]) * 2


def filled_by_index(x):
    n = x.shape[0] - 1
    sums = [0.0] * n + [1.0]
    for i in range(n):
        sums[i] = x[i].sum() * 2
    return paddle.stack([paddle.to_tensor(v) for v in sums])


@pytest.mark.parametrize("function", [lengths, lengths_of_batch, filled_by_index])
def test_a_list_times_a_size_is_that_list_repeated(function):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=SPEC)
    for x in (X, X[:1], np.concatenate([X, X])):
        _check(converted(paddle.to_tensor(x)), function(paddle.to_tensor(x)))


@pytest.mark.parametrize("items", [[None], (1,), "a"])
def test_what_cannot_be_repeated_by_a_size_is_refused(items):
    with pytest.raises(TypeError, match="is repeated as many times as only a run knows.*append"):
        paddle.jit.to_static(lambda x: items * x.shape[0], full_graph=True, input_spec=SPEC).concrete_program


def test_a_list_times_a_size_under_auto_cast():
    @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([None, 2])])
    def third(x):
        with paddle.amp.auto_cast():
            items = [1, 2] * x.shape[0]
        return items[3]

    assert third(paddle.ones([3, 2])).item() == 2


def test_a_list_times_a_tensor_is_a_product():
    converted = paddle.jit.to_static(lambda x: [1.0, 2.0] * x, full_graph=True, input_spec=SPEC)
    np.testing.assert_array_equal(converted(paddle.to_tensor(X)).numpy(), X * [1, 2])


def together(x):
    pasts, results = [], []
    total = x.sum() * 0
    while x.sum() > 1:
        if len(pasts) > 0:
            total = total + pasts[-1].sum() * results[-1].sum()
        for past, result in zip(reversed(pasts), reversed(results)):
            total = total + (past * result).sum()
        pasts.append(x)
        results.append(x * 2)
        x = x * 0.5
    return total, len(results)


def together_in_a_dict(x):
    kept = {"past": [], "results": [], "last": (x, [])}
    total = x.sum() * 0
    while x.sum() > 1:
        if len(kept["past"]) > 0:
            total = total + kept["past"][-1].sum() * kept["results"][-1].sum() - kept["last"][1][0].mean()
        kept["past"].append(x)
        kept["results"].append(x * 2)
        kept["last"][1].append(x)
        x = x * 0.5
    return total


@pytest.mark.parametrize("spec", [None, SPEC])
@pytest.mark.parametrize("function", [together, together_in_a_dict])
def test_lists_that_grow_together(function, spec):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    for x in (X, X * 3, X[:1] * 0.1):
        _check(converted(paddle.to_tensor(x)), function(paddle.to_tensor(x)))


def of_earlier_turns(x, n):
    found, i, total = [], 0, x * 0
    while i < n:
        found.append(x + i)
        if i >= 2:
            total = total + found[-3]
        i += 1
    return total


def last_but_one(x, n):
    found = {"steps": []}
    for i in range(n):
        if i > 1:
            x = x + found["steps"][-2]
        found["steps"].append(x * i)
    return x


@pytest.mark.parametrize("function", [of_earlier_turns, last_but_one])
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 6])
def test_what_a_turn_reads_of_a_list_that_earlier_turns_append_to(function, turns):
    x, n = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor(turns)
    found = paddle.jit.to_static(function, full_graph=True)(x, n)
    np.testing.assert_array_equal(found.numpy(), function(x, n).numpy())


def test_an_index_that_no_turn_gives_a_list_is_pythons_error():
    def function(x, n):
        found = [x]
        while n > 0:
            x, n = x + found[5], n - 1
        return x

    with pytest.raises(IndexError, match="list index out of range"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]), paddle.to_tensor(2))


def test_a_tensor_that_is_changed_in_place_after_it_was_put_into_a_list_that_grows():
    def grown(x):
        items = [x]
        for _ in range(x.sum() > 0):
            items.append(x)
        x.scale_(0.5)
        return items[0]

    def copied(x):
        items = [x.clone()]
        for _ in range(x.sum() > 0):
            items.append(x.clone())
        x.scale_(0.5)
        return items[0] + x

    with pytest.raises(TypeError, match="changed in place later.*items.append"):
        paddle.jit.to_static(grown, full_graph=True)(paddle.ones([2]))
    with pytest.warns(UserWarning, match="changed in place later"):  # as it is written, by default
        assert paddle.jit.to_static(grown)(paddle.ones([2])).tolist() == [0.5, 0.5]
    assert paddle.jit.to_static(copied, full_graph=True)(paddle.ones([2])).tolist() == [1.5, 1.5]
