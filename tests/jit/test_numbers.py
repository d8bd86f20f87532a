"""Numbers of Python that only a run knows: beside them a tensor keeps its dtype, and their digits are a double's."""

import math

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec

FLOATS = ["float16", "bfloat16", "float32", "float64"]
DTYPES = [*FLOATS, "uint8", "int32", "int64"]


def counted(x, n):
    i, s = 0, 0.1
    while i < n:
        i, s = i + 1, s * 2
    return x + i, x * (i * 2 - 1), x * s, x / (i + 1), x * (i / 2), x * -s, x > s, x + max(i, 1), x * min(s, 2)


def of_nested_loops(x, n):
    s, i = 0.1, 0
    while i < n:
        j = 0
        while j < i:
            s, j = s * 1.1, j + 1
        i += 1
    return x * s, x + i, x + j


def chosen(x, n):
    s, k = 0.3, 1
    if n > 2:
        s = 0.1
        k += 2
    return x * s, x * k, x * (0.25 if n > 5 else 0.1)


def in_containers(x, n):
    a, d, i = [0.1, 2], {"s": 0.1, "k": 1}, 0
    while i < n:
        a[0], a[1] = a[0] * 2, a[1] + 1
        d["s"] *= 2
        d["k"] += i
        i += 1
    return x * a[0], x + a[1], x * d["s"], x + d["k"], paddle.to_tensor(a)


def of_tensors(x, n):
    return x * x.sum().item(), x + int(n), x * float(n), x + n.item() // 2


def of_functions(x, n):
    s = 0.126
    for i in range(n):
        s = s * (i + 1)
    return x * math.sqrt(s), x * round(s), math.exp(s) * x, x * round(s, 2), x * math.floor(s)


def of_sizes(x, n):
    size = x.shape[0]
    return x * (1.0 / size), x * size**-0.5, x / size, x + size, x * (size / 2), x * math.sqrt(size)


PROGRAMS = [counted, of_nested_loops, chosen, in_containers, of_tensors, of_functions, of_sizes]


def equal(found, wanted):
    assert found.dtype == wanted.dtype
    digits = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6}.get(wanted.dtype.name, 1e-14)
    np.testing.assert_allclose(found.astype("float64").numpy(), wanted.astype("float64").numpy(), rtol=digits, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_beside_a_number_a_tensor_keeps_its_dtype(program, dtype):
    x, n = paddle.to_tensor([1, 2, 3]).astype(dtype), paddle.to_tensor(3)
    open_sizes = [InputSpec([None], dtype), InputSpec([], "int64")]
    for spec in (None, open_sizes):
        made = paddle.jit.to_static(program, full_graph=True, input_spec=spec)(x, n)
        for found, wanted in zip(made, program(x, n), strict=True):
            equal(found, wanted)


def accumulated(x, n):
    total, largest, i = 0.0, 0, 0
    while i < n:
        total = total + (x * 0.1).sum()
        largest = paddle.maximum(x.max(), paddle.to_tensor(i).astype(x.dtype))
        i += 1
    return total, largest, x * total


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_number_that_becomes_a_tensor_is_one(dtype):
    x, n = paddle.to_tensor([1, 2, 3]).astype(dtype), paddle.to_tensor(3)
    for found, wanted in zip(paddle.jit.to_static(accumulated, full_graph=True)(x, n), accumulated(x, n), strict=True):
        equal(found, wanted)


def made_of(n):
    i, s = 0, 0.1
    while i < n:
        i, s = i + 1, s * 2
    half = paddle.ones([2], "float16")
    return (paddle.to_tensor(s), paddle.to_tensor([s, 1.0]), paddle.to_tensor(i), paddle.full([2], s),
            paddle.arange(0, s, 0.25), half * paddle.to_tensor(s), half * i)


def test_a_tensor_of_a_number_is_no_number():
    n = paddle.to_tensor(3)
    for found, wanted in zip(paddle.jit.to_static(made_of, full_graph=True)(n), made_of(n), strict=True):
        equal(found, wanted)


def collected(x, n):
    found, i, s = [], 0, 0.1
    while i < n:
        found.append(s)
        i, s = i + 1, s * 2
    return paddle.to_tensor(found), x * found[0]


def test_numbers_in_a_list_that_grows_are_tensors_of_the_default_dtype():
    x, n = paddle.ones([2]), paddle.to_tensor(3)
    for found, wanted in zip(paddle.jit.to_static(collected, full_graph=True)(x, n), collected(x, n), strict=True):
        equal(found, wanted)


def half_or_int(n):
    s = 0.5
    if n > 2:
        s = int(n)
    return s


def half_or_bool(n):
    s = 0.5
    if n > 0:
        s = n > 2
    return s


def half_or_int32(n):
    return n.astype("int32") if n > 2 else 2.5


def large_or_small_dtype(n):
    s = 2**40
    if n > 2:
        s = n.astype("int32")
    return s


def negative_or_uint8(n):
    s = -1
    if n > 2:
        s = n.astype("uint8")
    return s


def of_a_function(n):
    def found():
        if n > 2:
            return 0.5
        return n

    return found()


def of_nested_branches(n):
    s = 0.5
    if n > 0:
        if n > 2:
            s = n
        else:
            s = 2
    return s


def in_a_list(n):
    s = [0.5, 1.5]
    if n > 2:
        s = [n, n > 4]
    return s[0] + 2.0 * s[1]


def of_turns(n):
    s = 0.5
    while n > 2:
        s = int(n)
        n = n - 1
    return s


def in_a_dict_of_turns(n):
    s = {"v": 0.5}
    while n > 2:
        s["v"] = n
        n = n - 1
    return s["v"]


def of_counted_turns(n):
    s = 1.5
    for i in range(n - 2):
        s = i
    return s


def before_a_break(n):
    s, k = 0.5, 0
    while k < 4:
        k += 1
        if n == k:
            break
        s = int(n * 2)
    return s


CHOSEN = [half_or_int, half_or_bool, half_or_int32, large_or_small_dtype, negative_or_uint8, of_a_function,
          of_nested_branches, in_a_list, of_turns, in_a_dict_of_turns, of_counted_turns, before_a_break]


@pytest.mark.filterwarnings("ignore:.*is float64 after one branch and int64 after the other")
@pytest.mark.parametrize("function", CHOSEN, ids=lambda function: function.__name__)
def test_a_number_keeps_its_value_where_the_other_way_has_a_tensor_that_cannot_hold_it(function):
    def scaled(x, n):
        return x * function(n)

    converted = paddle.jit.to_static(scaled, full_graph=True)
    for dtype in ("float32", "float64"):
        x = paddle.to_tensor([1.0, 2.0, 3.0], dtype=dtype)
        for n in map(paddle.to_tensor, (-1, 0, 1, 2, 3, 5)):
            equal(converted(x, n), scaled(x, n))
