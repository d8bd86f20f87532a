# ruff: noqa: F811, F401 (fixtures are imported by name)
"""Functions as people write them, staged: each comes to what it comes to in Python, for every value tried."""

import contextlib

import pytest
from computing_backend import backend, plain_value, symbol
from proa.jit.convert.functions import convert

VALUES = [-3, -1, 0, 1, 2, 5, 12]
CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def several_returns(x):
    if x > 10:
        return x * 2
    if x > 1:
        if x > 4:
            return x + 100
        x = x - 1
    elif x < -2:
        x = x * x
        return x
    return x + 1


@case
def leaving_a_loop(x):
    i = 0
    s = 0
    while i < x:
        if i == 2:
            i += 1
            continue
        s = s + i
        i += 1
        if s > 20:
            break
    else:
        s = s + 1000
    return s, i


@case
def halving(x):
    n = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        n += 1
    return n


@case
def nested_ranges(x):
    s = 0
    i = -1
    for i in range(x):
        for j in range(i):
            s = s + j
    for k in range(x, 0, -2):
        s += k
    return s, i


@case
def returning_from_a_loop(x):
    i = 0
    for i in range(x):
        if i * i > 10:
            return i * 100
    return -1


@case
def returning_from_inner_loops(x):
    i = 0
    j = 0
    while i < x:
        j = 0
        while j < i:
            if i * j > 6:
                return i * 10 + j
            j += 1
        i += 1
    return -i


@case
def endless(x):
    n = 0
    while True:
        x = x + 3
        n = n + 1
        if x > 20:
            return x, n


@case
def plain_loop_with_a_symbolic_break(x):
    s = 0
    for v in [1, 2, 3, 4]:
        if v > x:
            break
        if v == x - 3:
            continue
        s += v
    return s


@case
def logic(x):
    a = x > 0 and x < 5
    b = x < 0 or x > 10
    if -2 < x <= 2 and not (x == 0):
        return 1
    if a or b:
        return 2
    return 3 if not a and x == 0 else 4


@case
def inner_function_that_counts(x):
    count = 0

    def add(k):
        nonlocal count
        count = count + k

    if x > 0:
        add(x)
        if x > 3:
            add(1)
    while count < 10:
        add(2)
    return count


@case
def both_branches_of_a_with(x):
    with contextlib.nullcontext():
        if x > 0:
            return x
        return -x


@case
def a_branch_changes_what_the_other_reads(x):
    t = x
    if x > 1:
        t = t + 1
        r = t * 2
    else:
        r = t
    return r


@case
def deleting(x):
    t = 1
    if x > 1:
        del t
        y = 2
    else:
        y = 3
    return y


@case
def closure_in_a_loop(x):
    s = 0
    for i in range(x):
        h = i * 2
        double = lambda v: v + h
        s = s + double(1)
    return s


@case
def breaking_out_of_try(x):
    s = 0
    for i in range(x):
        try:
            if i == 3:
                break
            s += i
        finally:
            s += 1
    return s


@case
def matching(x):
    for mode in ("a", "b", "c"):
        match mode:
            case "a":
                x = x + 1
            case "b":
                if x > 3:
                    return x * 7
            case _:
                x = x * 2
    return x


@case
def list_behind_a_return(x):
    if x > 3:
        return x
    found = []
    for i in range(3):
        x = x * 2
        found.append(x)
    return found[0] + found[2]


@case
def list_that_both_branches_fill(x):
    found = []
    alias = found
    if x > 0:
        found.append(x)
    else:
        found.append(-x)
        found.append(1)
        found.pop()
    return alias[0], len(alias)


@case
def dict_in_a_branch_and_a_loop(x):
    held = {"sum": 0, "turns": [0, "unit"]}
    same = held
    if x > 1:
        held["sum"] = x
    for i in range(x):
        held["sum"] = held["sum"] + i
        held["turns"][0] += 1
    return same["sum"], held["turns"][0], held["turns"][1]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_staged_like_plain(function, value, backend, symbol, plain_value):
    converted = convert(function)
    assert converted(value) == function(value)
    staged = plain_value(converted(symbol(value)))
    assert staged == function(value)
    assert backend.log


def test_enumerate_and_zip_of_unknown_length(backend, symbol, plain_value):
    def weighted(rows, weights):
        total = 0
        for i, row in enumerate(rows, 1):
            total = total + row * i
        for row, weight in zip(rows, weights, strict=False):
            total = total + row * weight
        return total

    rows, weights = [1, 2, 3], [10, 20]
    staged = convert(weighted)(symbol(rows, known=False), symbol(weights, known=False))
    assert plain_value(staged) == weighted(rows, weights)
    with pytest.raises(TypeError, match="zip.. of a list"):
        convert(weighted)(symbol(rows, known=False), [str(weight) for weight in weights])


def fills_a_list_of_another(x, held):
    if x > 0:
        held.found.append(x)


def grows_a_list(x):
    found = []

    def note(value):
        found.append(value)

    while x > 0:
        note(x)
        x = x - 1
    return found


def test_changes_that_cannot_be_staged_are_told(backend, symbol):
    class Held:
        def __init__(self):
            self.found = []

    with pytest.raises(TypeError, match=r"the list `held.found` is changed in place"):
        convert(fills_a_list_of_another)(symbol(1), Held())
    with pytest.raises(TypeError, match=r"the list `found` is changed in place"):
        convert(grows_a_list)(symbol(1))
