# ruff: noqa: F811, F401 (fixtures are imported by name)
import pytest
from computing_backend import convert_with, outcome_of
from proa.jit.converters import breaks, control_flow, logical, loop_else, returns


def simple_break(n):
    seen = []
    for i in range(n):
        if i == 3:
            break
        seen.append(i)
    return seen


def simple_continue(n):
    seen = []
    for i in range(n):
        if i % 2:
            continue
        seen.append(i)
    return seen


def both(n):
    seen = []
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        elif i == 5:
            break
        seen.append(i)
    return seen, i


def nested(n):
    seen = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            seen.append((i, j))
        else:
            seen.append("whole")
        if i == 4:
            break
    else:
        seen.append("end")
    return seen


def while_else(n):
    while n > 0:
        n -= 2
        if n == 1:
            break
    else:
        return "else", n
    return "break", n


def break_in_with_and_try(n):
    import contextlib
    seen = []
    for i in range(10):
        with contextlib.nullcontext():
            if i == 1:
                continue
            seen.append("with")
        try:
            if i == n:
                break
            1 / (i - 2)
        except ZeroDivisionError:
            seen.append("zero")
            continue
        else:
            seen.append("else")
        finally:
            seen.append("finally")
        seen.append(i)
    return seen


def break_in_finally(n):
    seen = []
    for i in range(n):
        try:
            seen.append(i)
            1 / 0
        finally:
            break
    return seen


def break_does_not_fetch_the_next(n):
    numbers = iter(range(10))
    for i in numbers:
        if i == n:
            break
    return list(numbers)


def head_is_not_tested_after_break(n):
    tests = []
    while tests.append(1) or True:
        if len(tests) >= n:
            break
    return tests



def break_in_match(n):
    seen = []
    for i in range(6):
        match i:
            case 1:
                continue
            case _ if i == n:
                break
        seen.append(i)
    return seen


def partial_jump(n):
    seen = []
    for i in range(8):
        if i > 2:
            if i == n:
                break
            elif i == 4:
                continue
            seen.append("more")
        seen.append(i)
    return seen


def else_with_break_for_the_outer(n):
    seen = []
    for i in range(5):
        for j in range(3):
            if j == n:
                break
            seen.append(j)
        else:
            break
        seen.append(i)
    return seen


FUNCTIONS = [simple_break, simple_continue, both, nested, while_else, break_in_with_and_try, break_in_finally,
             break_does_not_fetch_the_next, head_is_not_tested_after_break, break_in_match, partial_jump,
             else_with_break_for_the_outer]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_result(function, n, convert_with, outcome_of):
    converted = convert_with(function, loop_else, returns, breaks, control_flow, logical)
    assert outcome_of(converted, n) == outcome_of(function, n)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("function", [nested, while_else, else_with_break_for_the_outer], ids=lambda f: f.__name__)
def test_loop_else_alone(function, n, convert_with, outcome_of):
    assert outcome_of(convert_with(function, loop_else), n) == outcome_of(function, n)
