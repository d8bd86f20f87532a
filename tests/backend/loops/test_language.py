"""The language of kernels: every construct does what Python would, and what is not in it says so."""

import inspect

import numpy as np
import pytest
from proa.backend import threads
from proa.backend.loops import exact_kernel, is_ready, kernel, kernel_with, names
from proa.backend.loops.functions import Function
from proa.backend.loops.kernel import Kernel
from proa.backend.loops.names import f32_at, i64_at, in_order, of_order, parallel
from proa.core import flags

pytestmark = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")


@kernel
def row_sums(x, out, rows, columns):
    for r in parallel(rows, columns):
        total = 0.0
        row = x + r * columns
        for c in range(columns):
            total += row[c]
        out[r] = total


@pytest.mark.parametrize("rows,columns", [(0, 5), (1, 1), (3, 0), (7, 33), (1000, 100)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_rows(rows, columns, dtype):
    x = np.random.default_rng(0).normal(size=(rows, columns)).astype(dtype)
    out = np.empty(rows, dtype)
    row_sums(x, out, rows, columns)
    np.testing.assert_allclose(out, x.sum(1), rtol=1e-4, atol=1e-5)


@kernel
def collatz(start, steps, n):
    for i in range(n):
        value = start[i]
        count = 0
        while value != 1:
            if value % 2 == 0:
                value = value // 2
            else:
                value = value * 3 + 1
            count += 1
        steps[i] = count


def test_while_and_if():
    start = np.arange(1, 30, dtype="int64")
    steps = np.empty_like(start)
    collatz(start, steps, start.size)
    assert steps[26] == 111


@kernel
def places(x, place, back, n):
    for i in range(n):
        place[i] = in_order(x[i])
        back[i] = of_order(in_order(x[i]))


@pytest.mark.parametrize("dtype,whole", [("float32", "int32"), ("float64", "int64")])
def test_whole_numbers_in_the_order_of_real_ones(dtype, whole):
    some = np.random.default_rng(0).normal(size=50)
    edges = [-np.nan, -np.inf, -1e30, -1.5, -5e-324, -0.0, 0.0, 5e-324, 1.0, 2.0, np.inf, np.nan]
    x = np.array([*edges, *some], dtype)
    place, back = np.empty(x.size, whole), np.empty_like(x)
    places(x, place, back, x.size)
    np.testing.assert_array_equal(back.view(whole), x.view(whole))
    assert (np.diff(place[np.argsort(some) + len(edges)]) > 0).all() and (np.diff(place[:len(edges)]) >= 0).all()
    assert place[5] < place[6]
    if dtype == "float64":
        assert [names.in_order(v) for v in x.tolist()] == place.tolist()
        assert [names.of_order(v) for v in place.tolist()][5:11] == x.tolist()[5:11]


@kernel
def clipped(x, low, high, out, mask, n):
    for i in range(0, n, 1):
        inside = x[i] >= low and x[i] <= high
        out[i] = min(max(x[i], low), high)
        mask[i] = not inside


def test_numbers_truth_values_and_extremes():
    x = np.array([-2.0, 0.5, 3.0, np.nan], "float32")
    out, mask = np.empty_like(x), np.empty(4, bool)
    clipped(x, -1.0, 1.0, out, mask, 4)
    np.testing.assert_array_equal(out, np.array([-1, 0.5, 1, np.nan], "float32"))
    assert mask.tolist() == [True, False, True, True]


def extremes(x, y, larger, smaller, n):
    for i in range(n):
        larger[i] = max(x[i], y[i])
        smaller[i] = min(x[i], y[i])


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_zeros_and_nans(monkeypatch, dtype, knows):
    """Whether LLVM has instructions for them, or they are put together: NaNs pass, and 0 is larger than -0."""
    from proa.backend.loops import builtins

    if knows and not builtins._KNOWS_EXTREMES:
        pytest.skip("this LLVM ends the process at them")
    monkeypatch.setattr(builtins, "_KNOWS_EXTREMES", knows)
    monkeypatch.setattr(flags, "values", {**flags.values, "FLAGS_kernel_cache_megabytes": 0})
    values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5], dtype)
    x, y = np.repeat(values, 7), np.tile(values, 7)
    larger, smaller = np.empty_like(x), np.empty_like(x)
    kernel(extremes)(x, y, larger, smaller, x.size)
    nan, zeros = np.isnan(x) | np.isnan(y), (x == 0) & (y == 0)
    np.testing.assert_array_equal(np.isnan(larger), nan)
    np.testing.assert_array_equal(larger[~nan], np.maximum(x, y)[~nan])
    np.testing.assert_array_equal(smaller[~nan], np.minimum(x, y)[~nan])
    np.testing.assert_array_equal(np.isnan(smaller), nan)
    both = np.signbit(x) & np.signbit(y), np.signbit(x) | np.signbit(y)
    np.testing.assert_array_equal(np.signbit(larger[zeros]), both[0][zeros])
    np.testing.assert_array_equal(np.signbit(smaller[zeros]), both[1][zeros])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "bool"])
def test_integers_convert_to_floats(dtype):
    x = np.array([0, 1, 100], "int64").astype(dtype)
    out = np.empty(3, "float32")
    Kernel(Function(source="def f(x, out, n):\n    for i in range(n):\n        out[i] = x[i]"))(x, out, 3)
    np.testing.assert_array_equal(out, x.astype("float32"))


@pytest.mark.parametrize("body,word", [
    ("out[0] = [1]", "List"), ("out[0] = unknown(1)", "no function 'unknown'"), ("out[0] = missing", "no value yet"),
    ("out[0] = n.real", "Attribute"), ("for i in out:\n        pass", "range"), ("del n", "Delete"),
    ("k = 0\n    k = out[0]", "begin it with 0.0"), ("out[0] = out - 1", "an array has no arithmetic"),
])
def test_what_is_not_in_the_language_says_so(body, word):
    wrong = Kernel(Function(source=f"def f(out, n):\n    {body}"))
    with pytest.raises(SyntaxError, match=word):
        wrong(np.zeros(1, "float32"), 1)


def test_arrays_are_checked():
    with pytest.raises(TypeError, match="contiguous"):
        row_sums(np.zeros((4, 4), "float32").T, np.zeros(4, "float32"), 4, 4)
    with pytest.raises(TypeError, match="complex64"):
        row_sums(np.zeros((4, 4), "complex64"), np.zeros(4, "float32"), 4, 4)


def test_one_thread_gives_the_same():
    x = np.random.default_rng(0).normal(size=(1000, 64)).astype("float32")
    several, one = np.empty(1000, "float32"), np.empty(1000, "float32")
    row_sums(x, several, 1000, 64)
    count = threads.get_num_threads()
    threads.set_num_threads(1)
    try:
        row_sums(x, one, 1000, 64)
    finally:
        threads.set_num_threads(count)
    np.testing.assert_array_equal(several, one)


@kernel
def sums_of_many(addresses, sizes, out, count):
    for k in parallel(count, 1):
        x = f32_at(addresses[k])
        total = 0.0
        for i in range(i64_at(addresses[count])[k]):
            total += x[i]
        out[k] = total


def test_arrays_by_their_addresses():
    arrays = [np.arange(n, dtype="float32") for n in (3, 10, 1000)]
    sizes, out = np.array([a.size for a in arrays]), np.empty(3, "float32")
    sums_of_many(np.array([a.ctypes.data for a in (*arrays, sizes)]), sizes, out, 3)
    assert out.tolist() == [a.sum() for a in arrays]


@exact_kernel
def rounded_each(a, b, c, out, n):
    for i in range(n):
        product = a[i] * b[i]
        out[i] = product + c[i]


@kernel
def rounded_once(a, b, c, out, n):
    for i in range(n):
        out[i] = a[i] * b[i] + c[i]


def test_an_exact_kernel_rounds_each_product():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 1000)).astype("float32")
    out = np.empty_like(a)
    rounded_each(a, b, c, out, a.size)
    np.testing.assert_array_equal(out, a * b + c)
    rounded_once(a, b, c, out, a.size)
    np.testing.assert_allclose(out, a * b + c, rtol=1e-4, atol=1e-6)


@kernel
def running_product(x, out, n, factor):
    total = 1.0
    for i in range(n):
        total *= x[i]
    out[0] = total * factor


def test_products_in_any_order():
    x = np.random.default_rng(0).uniform(0.9, 1.1, 1001).astype("float32")
    out = np.empty(1, "float32")
    running_product(x, out, x.size, 2.0)
    np.testing.assert_allclose(out[0], 2 * np.prod(x, dtype="float64"), rtol=1e-4)


def test_numbers_and_their_count_are_looked_at():
    x = np.ones(3, "float32")
    code = running_product.typed("f32*", "f32*", "i64", "real")
    assert code(1, x, x, 3, 1) is None and code(1, x, x, np.int64(3), np.float32(1)) is None
    for wrong in ((1, x, x, 3), (1, x, x, 3, 1.0, 2), (1, x, x, 3.0, 1.0), (1, x, x, 3, "1"), ("1", x, x, 3, 1.0)):
        with pytest.raises(TypeError):
            code(*wrong)
    with pytest.raises(OverflowError):
        code(1, x, x, 1 << 64, 1.0)


def each_of_pairs(x, y, out, n, *, joined):
    for i in parallel(n, 1):
        out[i] = joined(x[i], y[i])


def test_a_kernel_with_chosen_functions():
    x, y, out = np.float32([1, 5, np.nan]), np.float32([2, 3, 0]), np.empty(3, "float32")
    larger, smaller = kernel_with(each_of_pairs, joined=max), kernel_with(each_of_pairs, joined=min)
    larger(x, y, out, 3)
    np.testing.assert_array_equal(out, [2, 5, np.nan])
    smaller(x, y, out, 3)
    np.testing.assert_array_equal(out, [1, 3, np.nan])
    assert larger.function.content() != smaller.function.content()  # which machine code is kept by


def with_a_name_in_text(x, out, n, *, of):
    """The largest of pairs, by `of`."""
    for i in parallel(n, 1):
        out[i] = of(x[i], 0.0)  # of itself and 0


def test_a_choice_replaces_names_only():
    source = kernel_with(with_a_name_in_text, of=max).function.source
    assert "by `of`" in source and "max(x[i], 0.0)" in source and "def with_a_name_in_text(x, out, n):" in source


@pytest.mark.parametrize("chosen", [{}, {"off": max}, {"of": max, "more": min}])
def test_every_function_that_is_left_open_is_chosen(chosen):
    with pytest.raises(TypeError, match=r"must choose \['of'\]"):
        kernel_with(with_a_name_in_text, **chosen)


def test_a_variable_that_is_named_as_a_function_brings_none_of_its_source():
    reads = Function(source="def reads(x, out):\n    cosh = x[0]\n    out[0] = cosh\n")
    calls = Function(source="def calls(x, out):\n    out[0] = cosh(x[0])\n")
    assert "\ncosh " not in reads.content()
    assert "\ncosh " in calls.content()


def test_machine_code_is_found_by_what_it_is_made_of_without_reading_source(monkeypatch):
    def fails(*_):
        raise AssertionError("source was read")

    monkeypatch.setattr(inspect, "getsource", fails)
    made = [Function(each_of_pairs, chosen={"joined": name}).content() for name in ("tanh", "tanh", "cosh")]
    assert made[0] == made[1] != made[2]
    assert "\ncosh " in made[2] and "\nexp_f32 " in made[2] and "\ncosh " not in made[0]  # with all that is called


def test_bits_as_numbers_that_are_not_negative():
    numbers = [0, 1, 3, 2**24 + 1, 2**63 - 1, 2**63, 2**63 + 2**39, 2**64 - 2**39, 2**64 - 1]
    x = np.array(numbers, "uint64")
    floats, doubles, shifted, parts = (np.empty(x.size, kind) for kind in ("float32", "float64", "int64", "int64"))
    Kernel(Function(source="""def bits(x, floats, doubles, shifted, parts, n):
    for i in range(n):
        floats[i] = f32_of_unsigned(x[i])
        doubles[i] = f64_of_unsigned(x[i])
        shifted[i] = unsigned_shift(x[i], 29)
        parts[i] = unsigned_quotient(x[i], 10)
"""))(x.view("int64"), floats, doubles, shifted, parts, x.size)
    assert (floats == x.astype("float32")).all() and (doubles == x.astype("float64")).all()
    assert shifted.tolist() == [n >> 29 for n in numbers] and parts.tolist() == [n // 10 for n in numbers]
    assert [names.f32_of_unsigned(n) for n in numbers] == floats.tolist()
    assert [names.f64_of_unsigned(n - 2**64) for n in numbers] == doubles.tolist()
    assert [(names.unsigned_shift(n, 29), names.unsigned_quotient(n - 2**64, 10)) for n in numbers] == [
        (n >> 29, n // 10) for n in numbers]
