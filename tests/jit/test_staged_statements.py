# ruff: noqa: F811, F841, F401 (fixtures are imported by name)
import re

import pytest
from computing_backend import backend, plain_value, symbol
from proa.jit.convert.functions import ConversionError, convert

OUTSIDE = 5


def both_branches(x):
    y, kind = 0, "same"
    if x > 2:
        y = x * 2
        z = 1
    else:
        y = x - 1
        z = 2
    return y, z, kind


def early_return(x):
    if x > 10:
        return x
    y = x + 1
    if y > 5:
        y = y * 2
        if y > 14:
            return y - 14
    return y


def expression(x):
    return (x if x > 0 else -1 * x) + (1 if 0 < x < 5 and not x > 3 else 2)


def while_loop(x):
    total, turns = x * 0, 0
    while total < x:
        total = total + 3
        turns += 1
    return total, turns


def range_loop(n):
    total = n * 0
    for i in range(n):
        if i == 2:
            continue
        total = total + i
        if total > 12:
            break
    return total


def tensor_loop(rows):
    total = 0
    for row in rows:
        total = total + row
    return total


def plain_loop_symbolic_break(x):
    for step in (1, 2, 3, 4):
        x = x + step
        if x > 5:
            break
    return x


def endless(x):
    while True:
        x = x + 4
        if x > 9:
            break
    return x


def nested(x):
    out = x * 0
    for i in range(x):
        j = x * 0
        while j < i:
            if (i + j) % 2 == 0:
                out = out + j
            j = j + 1
    return out


def structures(x):
    pair, table = (x, [1, 2]), {"k": x, "none": None}
    if x > 1:
        pair, table = (x * 2, [1, 3]), {"k": x + 1, "none": None}
    return [pair[0], pair[1][0], pair[1][1], table["k"], table["none"]]


def inner_function(x):
    def step(v):
        if v > 2:
            return v - 1
        return v + 1
    return step(step(x))


@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 7, 11])
@pytest.mark.parametrize("function", [both_branches, early_return, expression, while_loop, range_loop, endless,
                                      plain_loop_symbolic_break, nested, structures, inner_function],
                         ids=lambda f: f.__name__)
def test_staged_like_plain(function, value, backend, symbol, plain_value):
    assert plain_value(convert(function)(symbol(value))) == function(value)
    assert backend.log


@pytest.mark.parametrize("known", [True, False])
def test_loop_over_a_tensor(known, backend, symbol, plain_value):
    assert plain_value(convert(tensor_loop)(symbol([1, 2, 4], known=known))) == 7
    assert backend.log == ([] if known else ["while"])


def test_equal_python_values_stay_python(backend, symbol):
    y, z, kind = convert(both_branches)(symbol(5))
    assert kind == "same" and type(kind) is str

    def same(x):
        if x > 1:
            n, y = 3, x
        else:
            n, y = 3, -1 * x
        return n, y
    assert convert(same)(symbol(2))[0] == 3 and type(convert(same)(symbol(2))[0]) is int


def test_attributes_are_state(backend, symbol, plain_value):
    class Box:
        value = 1
    box = Box()

    def f(x):
        if x > 1:
            box.value = box.value + 10
        else:
            box.value = box.value + 20
        return box.value
    assert plain_value(convert(f)(symbol(5))) == 11
    box.value = 1
    assert plain_value(convert(f)(symbol(0))) == 21


def test_globals_are_state(backend, symbol, plain_value):
    def f(x):
        global OUTSIDE
        if x > 1:
            OUTSIDE = OUTSIDE + 1
        else:
            OUTSIDE = OUTSIDE - 1
        return OUTSIDE
    global OUTSIDE
    OUTSIDE = 5
    assert plain_value(convert(f)(symbol(3))) == 6


def test_a_name_of_one_branch_is_checked_where_it_is_used(backend, symbol, plain_value):
    def unused(x):
        if x > 1:
            y = 2
        return x

    def used(x):
        if x > 1:
            y = 2
        return y
    convert(unused)(symbol(3))
    for value in (3, 1):
        assert plain_value(convert(used)(symbol(value))) == (2 if value == 3 else 0)  # nobody may look at the 0
        passed, message, _ = backend.checks.pop()
        assert passed == (value == 3)
        assert re.search(r"only one branch of this `if` gives `y` a value.*Assign it before", message)


def test_a_name_first_bound_in_a_loop(backend, symbol, plain_value):
    def f(n):
        for i in range(n):
            last = i
        return last
    assert plain_value(convert(f)(symbol(3))) == 2 and backend.checks.pop()[0]
    convert(f)(symbol(0))
    passed, message, _ = backend.checks.pop()
    assert not passed
    assert re.search(r"line \d+, in f: `last` gets its first value inside.*before the loop", message)


def test_types_that_differ(backend, symbol):
    def branches(x):
        if x > 1:
            mode = "large"
        else:
            mode = "small"
        return mode

    def loop(x):
        seen = {"a": 1}
        while x > 1:
            seen = [x]
            x = x - 1
        return seen
    with pytest.raises(TypeError, match=r"line \d+, in branches: .*`mode` is str \('large'\).*str \('small'\)"):
        convert(branches)(symbol(3))
    with pytest.raises(TypeError, match="`seen` is dict of 1 before a turn and list of 1"):
        convert(loop)(symbol(3))


def test_raise_under_a_tensor(backend, symbol):
    def f(x):
        if x < 0:
            x = x + 1
            raise ValueError("negative")
        return x
    with pytest.raises(ConversionError, match="raises an exception.*Use `assert`"):
        convert(f)(symbol(3))
    with pytest.raises(ValueError, match="negative"):
        convert(f)(-1)


def test_assert_and_print(backend, symbol):
    def f(x):
        assert x > 2, f"small: {1 + 1}"
        print("x is", x)
        return x
    convert(f)(symbol(1))
    (passed, message, where), = backend.checks
    assert not passed and message == "small: 2" and ", in f" in where
    assert backend.shown == [["x is", 1]]


def test_builtins(backend, symbol, plain_value):
    def f(rows, x):
        return len(rows), int(x), float(x), bool(x), [i for i in range(3)]
    assert plain_value(list(convert(f)(symbol([[1, 2], [3, 4]]), symbol(2.5)))) == [2, 2, 2.5, True, [0, 1, 2]]


def test_a_range_of_tensors_cannot_be_listed(backend, symbol):
    def f(n):
        return {i for i in range(n)}
    with pytest.raises(TypeError, match="Loop over"):
        convert(f)(symbol(3))


def test_what_is_left_to_python_says_so(backend, symbol):
    def f(x):
        for i in range(3):
            try:
                i = i + 1
            finally:
                if x > i:
                    break
        return i
    with pytest.raises(ConversionError, match="from within `finally`"):
        convert(f)(symbol(2))
