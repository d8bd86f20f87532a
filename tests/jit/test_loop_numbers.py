"""What a loop counts through is an int, as without conversion: a tensor beside it keeps its dtype; lists take -i."""

import itertools

import numpy as np
import proa as paddle
import pytest


def count(x):
    return (x > 0).astype("int64").sum()


def added(x):
    z = paddle.zeros([3], "int32")
    for i in range(count(x)):
        z = z + i
    return z


def other_way_round(x):
    z = paddle.ones([3], "int32")
    for i in range(1, count(x) + 1):
        z = (2 * i + 1) * z
    return z


def after_the_loop(x):
    z = y = paddle.ones([2], "int32")
    for i in range(count(x)):
        y = z * (i - 3) // 2
    return y


def enumerated(x):
    z = paddle.zeros([], "int32")
    for i, row in enumerate(x):
        if row > 0:
            z = z + i
    return z


def with_floats(x):
    y = x * 1.0
    for i in range(count(x)):
        y = y + i * 0.5 - y / (i + 1)
    return y


def made_int64(x):
    z = paddle.zeros([], "int64")
    for i in range(count(x)):
        z = z + paddle.full([], 2, "int64") * i
    return z


def from_behind(x):
    items, y = [x, x * 2.0, x * 3.0], x * 0.0
    for i in range(count(x)):
        y = y + items[-1 - i] * (i + 1)
    return y


def by_a_tensor(x):
    items, y = [x, x * 2.0, x * 3.0], x * 0.0
    k = paddle.to_tensor(-3)
    while k < 2:
        y = y * 0.5 + items[k]
        k += 1
    return y


def of_a_list_that_grows(x):
    items, y = [x], x * 0.0
    for i in range(count(x)):
        items.append(items[-1] * 0.5)
        y = y + items[-2] * items[-1 - i]
    return y


CASES = [added, other_way_round, after_the_loop, enumerated, with_floats, made_int64, from_behind, by_a_tensor,
         of_a_list_that_grows]


@pytest.mark.parametrize("spec", [None, [paddle.static.InputSpec([None], "float32")]])
@pytest.mark.parametrize("function", CASES)
def test_as_without_conversion(function, spec):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    x = paddle.to_tensor([0.5, -1.0, 2.0])
    found, expected = converted(x), function(x)
    assert found.dtype is expected.dtype
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


def widened(n):
    z, s, i = paddle.zeros([3], "int32"), 0.5, paddle.to_tensor(0)
    while i < n:
        z = z + i
        s = i
        i += 1
    return z, z * s


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_tensor_of_another_dtype_widens_what_a_loop_carries_from_the_first_turn_on(turns):
    n = paddle.to_tensor(turns)
    with pytest.warns(UserWarning, match="is int64 after one branch and int32 after the other"):
        found = paddle.jit.to_static(widened, full_graph=True)(n)
    assert found[0].dtype is paddle.int64
    for x, y in zip(found, widened(n), strict=True):
        np.testing.assert_array_equal(x.numpy(), y.numpy())


def test_a_dtype_that_each_turn_changes_is_refused_with_the_way_out():
    def function(x):
        z, i = paddle.zeros([3], "int32"), paddle.to_tensor(0)
        while i < count(x):
            z = (z + i).astype("float32") if z.dtype is paddle.int64 else (z + i)
            i += 1
        return z

    with pytest.raises(TypeError, match=r"`z` is .* before a turn and .* behind it.*`z = z.astype\("):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def test_stop_gradient_by_what_a_tensor_holds_is_refused_with_the_way_out():
    def function(x):
        h = x * 2.0
        if x.sum() > 0:
            h.stop_gradient = True
        return h * x

    x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    with pytest.raises(TypeError, match=r"line \d+, in function: `stop_gradient` of a tensor depends.*h.detach\(\)"):
        paddle.jit.to_static(function, full_graph=True)(x)
    assert paddle.jit.to_static(function, full_graph=True)(x.detach()).tolist() == [2.0, 2.0]  # it stops already


def first_total(rows):
    total = 0
    for row in rows:
        total += row
    return total


def under_a_condition(rows):
    total, count, i = 0, 0, 0
    while i < rows.shape[0]:
        i += 1
        if i % 2 == 0:
            continue
        total = total + rows[i - 1] * i
        count += np.int64(1)
    return total, count


def product(rows):
    result = 1
    for row in rows:
        result *= row.sum()
    return result / 2


@pytest.mark.parametrize("function", [first_total, under_a_condition, product])
def test_a_number_that_becomes_a_tensor_in_a_loop(function):
    spec = [paddle.static.InputSpec([None, 2], "float32")]
    converted = paddle.jit.to_static(function, spec, full_graph=True)
    for count in (1, 2, 5):
        a, b = (paddle.to_tensor(np.arange(1.0, 2 * count + 1).reshape(count, 2), "float32") for _ in range(2))
        a.stop_gradient = b.stop_gradient = False
        got, wanted = ([*r] if isinstance(r, tuple) else [r] for r in (converted(a), function(b)))
        for x, y in zip(got, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-6)
        (got[0] ** 2).sum().backward()
        (wanted[0] ** 2).sum().backward()
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-5)
    assert float(converted(paddle.zeros([0, 2]))[0] if function is under_a_condition else
                 converted(paddle.zeros([0, 2]))) == (0.5 if function is product else 0)


def test_branches_of_two_dtypes_are_told_of():
    def chosen(x):
        return x.argmax() if x.sum() > 0 else x.sum()

    with pytest.warns(UserWarning, match="is int64 after one branch and float32 after the other"):
        assert paddle.jit.to_static(chosen, full_graph=True)(paddle.ones([3])).item() == 0


def test_comprehensions_over_what_only_a_run_knows():
    def collected(rows):
        kept = [row * 2 for row in rows if row.sum() > 3]
        pairs = [a * b for a, b in zip(rows, itertools.count(1))]
        total = sum(kept) + sum(row.sum() for row in rows) * len(kept) + max(row.max() for row in pairs)
        if any((row < 0).any() for row in rows) or not all(row.sum() < 100 for row in pairs):
            total = -total
        return total + sum(list(rows)), paddle.stack(pairs)

    spec = [paddle.static.InputSpec([None, 2], "float32")]
    converted = paddle.jit.to_static(collected, spec, full_graph=True)
    known = paddle.jit.to_static(collected, full_graph=True)
    for rows in ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 5.0]], [[9.0, -2.0], [3.0, 40.0], [0.0, 1.0]]):
        x = paddle.to_tensor(rows)
        for found in (converted(x), known(x)):
            for got, wanted in zip(found, collected(x), strict=True):
                np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6)


def a_setting_among_tensors(x):
    """As models that generate text hand their settings on, beside what changes."""
    kept = {"use_cache": True, "scale": 2.0, "cache": None, "steps": 0}
    y = x
    for _ in range(4):
        cache = () if kept["use_cache"] else None
        y = y * kept["scale"] if kept["cache"] is None else y + kept["cache"][0]
        kept["cache"] = (*cache, y)
        kept["steps"] = kept["steps"] + 1
        if y.sum() > 20:
            break
    return y, kept["steps"]


def some_numbers_change(x):
    kept = {"n": [0, 0], "pair": (3, x.reshape([1, -1])), "shape": (1, -1)}
    while x.sum() > 1:
        if x.mean() > 0.5:
            kept["n"][0] += 1
        kept["n"][1] += 2
        kept["pair"] = (kept["pair"][0], x.reshape(kept["shape"]))
        x = x * 0.5
    return kept["n"][0], kept["n"][1], kept["pair"][0] * kept["pair"][1].reshape([-1])


def begins_with_another_dtype(x):
    kept = {"b": {"most": 0, "least": 1}, "a": 7}
    while x.sum() > 1:
        kept["b"]["most"] = kept["b"]["most"] + x.sum()
        kept["b"]["least"] += 1
        x = x * 0.5
    return kept["b"]["most"] * kept["a"] + kept["b"]["least"]


def a_truth_among_tensors(x):
    kept, rest = {"use_cache": True, "cache": None}, (x, True, 2)
    while x.sum() > 1:
        x = x * 0.5 if kept["cache"] is None else x * 0.5 + kept["cache"] * 0.1
        kept["cache"] = x if kept["use_cache"] else None
        rest = (rest[0] + x, *rest[1:])
    return x, rest[0] * rest[2], kept["use_cache"] is True, rest[1] is True


@pytest.mark.parametrize("spec", [None, [paddle.static.InputSpec([None], "float32")]])
@pytest.mark.parametrize("function", [a_truth_among_tensors, a_setting_among_tensors, some_numbers_change,
                                      begins_with_another_dtype])
def test_numbers_in_lists_and_dicts_that_a_loop_leaves_stay_numbers(function, spec):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    for values in ([0.5, 1.0, 2.0], [7.0, 8.0, 1.0]):
        found, expected = converted(paddle.to_tensor(values)), function(paddle.to_tensor(values))
        pairs = [(found, expected)] if not isinstance(expected, tuple) else zip(found, expected, strict=True)
        for a, b in pairs:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def by_steps_of_a_tensor(x):
    step = (x.sum() > 0).astype("int64").reshape([1]) * 2 - 1
    s = x.astype("float16")
    for i in range(3 - step, 3 + 3 * step, step):
        s = s * 2 + i
        step.add_(paddle.ones([1], "int64"))
    return s, step


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_step_that_a_tensor_decides(sign):
    x = paddle.to_tensor([1.0, 2.0]) * sign
    found = paddle.jit.to_static(by_steps_of_a_tensor, full_graph=True)(x)
    for a, b in zip(found, by_steps_of_a_tensor(x), strict=True):
        assert a.dtype == b.dtype and a.tolist() == b.tolist()


def summed_from_one_zero(x, n):
    total, most = paddle.zeros([1]), paddle.to_tensor(-1.0)
    for i in range(n):
        total, most = total * 0.5 + x, paddle.maximum(most, x[i])
    return total, most


def state_in_a_dict(x, n):
    i, kept = paddle.zeros([], "int32"), {"sum": paddle.zeros([1]), "scale": 2}
    while i < n:
        if x.mean() > 0:
            kept["sum"] = kept["sum"] + x * kept["scale"]
        i += 1
    return kept["sum"]


@pytest.mark.filterwarnings("ignore:.* of dimensions in both branches")
@pytest.mark.parametrize("spec", [None, [paddle.static.InputSpec([None, 2]), paddle.static.InputSpec([], "int32")]])
@pytest.mark.parametrize("function", [summed_from_one_zero, state_in_a_dict])
def test_what_begins_with_fewer_dimensions_than_turns_leave(function, spec, tmp_path):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    if spec is not None:
        paddle.jit.save(converted, str(tmp_path / "m"))
        loaded = paddle.jit.load(str(tmp_path / "m"))
    for turns in (3, 1, 0):
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [0.5, 9.0]], stop_gradient=False)
        wanted = nest_of(function(x, paddle.to_tensor(turns, "int32")))
        (slope,) = paddle.grad(sum(value.sum() for value in wanted), x, allow_unused=True)
        for call in (converted,) if spec is None else (converted, loaded):
            found = nest_of(call(x, paddle.to_tensor(turns, "int32")))
            for a, b in zip(found, wanted, strict=True):
                assert a.shape == b.shape
                np.testing.assert_allclose(a.numpy(), b.numpy())
            (other,) = paddle.grad(sum(value.sum() for value in found), x, allow_unused=True)
            np.testing.assert_allclose(0 if other is None else other.numpy(), 0 if slope is None else slope.numpy())


def nest_of(values):
    return values if isinstance(values, (list, tuple)) else [values]


def test_dimensions_that_each_turn_changes_are_refused_with_the_way_out():
    def deeper(x, n):
        for _ in range(n):
            x = x.unsqueeze(0)
        return x

    with pytest.raises(TypeError, match=r"in deeper: a tensor decides how often this loop runs, and `x` is Variable of "
                                        r"shape \[1, 2\].* before a turn and Variable of shape \[1, 1, 2\]"
                                        r".* number of Python"):
        paddle.jit.to_static(deeper, full_graph=True)(paddle.ones([2]), paddle.to_tensor(2))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_range_of_a_tensor_of_either_dtype_with_a_break(dtype):
    """The bound may be an int32: what counts is an int, whose first value, 0, is one of Python's."""
    @paddle.jit.to_static(full_graph=True)
    def summed(x, n):
        total = paddle.zeros([1])
        for k in range(n):
            if k > 2:
                break
            total = total + x * k
        return total

    for n, wanted in ((1, 0.0), (3, 3.0), (5, 3.0)):
        assert summed(paddle.ones([1]), paddle.to_tensor([n], dtype)).item() == wanted
