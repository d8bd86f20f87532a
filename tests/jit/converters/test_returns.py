# ruff: noqa: F811, F401 (fixtures are imported by name)
import gast
import pytest
from computing_backend import convert_with, outcome_of
from proa.jit.converters import returns
from proa.jit.pyct.source import function_source
from proa.jit.pyct.statements import any_contains


def one_branch(x):
    if x > 0:
        return "positive"
    return "other"


def guards(x):
    if x is None:
        return "none"
    if x < 0:
        return "negative"
    if x == 0:
        return "zero"
    y = x * 2
    return y


def falls_off(x):
    if x > 0:
        return 1


def partial(x):
    y = 0
    if x > 0:
        if x > 5:
            return "large"
        y = 1
    y += 10
    return y


def in_loop(x):
    for i in range(10):
        if i == x:
            return i
        for j in range(3):
            if i * j == x * 7:
                return i, j
    return "never"


def in_while(x):
    while True:
        x += 1
        if x > 5:
            return x


def in_with(x):
    import contextlib
    with contextlib.suppress(ZeroDivisionError):
        if x > 2:
            return 1 / (x - 3)
        x = 100
    return x


def in_try(x):
    try:
        if x == 1:
            return "body"
        1 / x
    except ZeroDivisionError:
        return "handler"
    else:
        x += 1
        if x == 4:
            return "else"
    finally:
        x = 1000
    return x


def in_finally(x):
    try:
        return "body"
    finally:
        if x > 1:
            return "finally"


def in_match(x):
    match x:
        case 0:
            return "zero"
        case 1 | 2:
            x = 5
        case _:
            return "other"
    return x


def bare_return(x):
    if x:
        return
    x = 3


def raises(x):
    """A docstring."""
    if x > 2:
        raise ValueError(x)
    elif x == 2:
        return None
    else:
        return x
    return "unreachable"


def in_loop_with_try(x):
    for i in range(5):
        try:
            if i == x:
                return i
            10 // (i - 2)
        except ZeroDivisionError:
            if x > 4:
                return "divided"
        finally:
            x = x + 0
    return "end"


FUNCTIONS = [one_branch, guards, falls_off, partial, in_loop, in_while, in_with, in_try, in_finally, in_match,
             bare_return, raises, in_loop_with_try]


@pytest.mark.parametrize("x", [-1, 0, 1, 2, 3, 7])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_result(function, x, convert_with, outcome_of):
    assert outcome_of(convert_with(function, returns), x) == outcome_of(function, x)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not in_finally], ids=lambda f: f.__name__)
def test_one_return_is_left_at_the_end(function):
    from proa.jit.converters import new_context
    tree = function_source(function).node
    returns.convert(tree, new_context(tree, None, set()))
    assert isinstance(tree.body[-1], gast.Return)
    assert not any_contains(tree.body[:-1], (gast.Return,))


def test_what_needs_nothing_is_left_alone():
    def plain(x):
        y = x + 1
        return y
    from proa.jit.converters import new_context
    tree = function_source(plain).node
    before = gast.dump(tree)
    returns.convert(tree, new_context(tree, None, set()))
    assert gast.dump(tree) == before


def test_many_partial_returns_do_not_explode():
    lines = ["def f(x):", "    y = 0"]
    for i in range(40):
        lines += [f"    if x > {i}:", f"        if x == {i + 100}:", f"            return {i}", f"        y += {i}"]
    tree = gast.parse("\n".join([*lines, "    return y"])).body[0]
    from proa.jit.converters import new_context
    returns.convert(tree, new_context(tree, None, set()))
    assert sum(1 for _ in gast.walk(tree)) < 20000
