# ruff: noqa: F811, F401 (fixtures are imported by name)
import pytest
from computing_backend import convert_with, outcome_of
from proa.jit.converters import control_flow, declarations

COUNTER = 0


def branch(x):
    y = 1
    if x > 0:
        y = x
        z = 2
    else:
        z = 3
    return y, z


def one_sided(x):
    if x > 0:
        y = 1
    return y


def elif_chain(x):
    if x < 0:
        kind = "negative"
    elif x == 0:
        kind = "zero"
    elif x > 2:
        kind = "large"
    else:
        kind = "small"
    return kind


def loops(x):
    total, steps = 0, []
    for i, (a, b) in enumerate(zip(range(x), range(1, 5))):
        total += a * b
        while total > 3:
            total -= 2
            steps.append(i)
    return total, steps


def target_after_loop(x):
    for i in range(x):
        pass
    return i


def attribute_target(x):
    class Box:
        pass
    box, row = Box(), [0, 0]
    for box.value in range(x):
        for row[1] in range(3):
            pass
    return getattr(box, "value", None), row


def reused_name(x):
    if x > 0:
        n = 1
        m = n + 1
    else:
        n = 2
        m = n
    if x > 1:
        n = 3
    else:
        n = 4
    return n, m


def own_names_in_loop(x):
    out = []
    t = "outer"
    for i in range(x):
        if i > 1:
            t = i
        else:
            t = -i
        out.append(t)
    return out


def first_bound_in_an_inner_if(x):
    for i in range(x):
        if i == 0:
            first = "yes"
        if i == 1:
            first += "!"
    return first


def deletes(x):
    y = 1
    if x > 1:
        del y
    if x > 2:
        y = 5
    return y


def handler_names(x):
    e = "before"
    if x > 0:
        try:
            1 / (x - 1)
        except ZeroDivisionError as e:
            message = str(e)
        else:
            message = e
    else:
        message = "none"
    return message


def writes_global(x):
    if x > 0:
        global COUNTER
        COUNTER = COUNTER + x
        local = COUNTER
    else:
        local = COUNTER
    return local > -1


def nested_functions(x):
    factor = 2

    def scale(v):
        if v > 1:
            factor_here = factor
        else:
            factor_here = 1
        return v * factor_here

    if x > 0:
        factor = 3
    return [scale(i) for i in range(x)], (lambda: factor)()


def writes_nonlocal(x):
    count = 0

    def bump():
        nonlocal count
        if x > 1:
            count += 1
        else:
            count -= 1
        return count

    for _ in range(3):
        bump()
    return count


def comprehension_names(x):
    i = "kept"
    if x:
        squares = [i * i for i in range(x)]
    else:
        squares = []
    return i, squares


def walrus(x):
    if (n := x * 2) > 2:
        found = n
    else:
        found = -n
    while (n := n - 1) > 0:
        found += n
    return found, n


def with_and_import(x):
    if x:
        import math as m
        with open(__file__) as handle:
            first = len(handle.readline())
        value = m.floor(first / 1000.0)
    else:
        value = 0
    return value


def match_statement(x):
    match [x, x + 1]:
        case [0, *rest]:
            if rest:
                kind = rest
        case [a, b] if a > 1:
            kind = (a, b)
        case _:
            kind = "other"
    return kind


def star_unpack(x):
    first, *rest = range(x)
    if rest:
        first, *rest = rest
    return first, rest


def generator_inside(x):
    def numbers():
        for i in range(x):
            if i % 2:
                yield i
    if x:
        values = list(numbers())
    else:
        values = None
    return values


def class_inside(x):
    if x > 1:
        class Thing:
            size = x

            def double(self):
                return self.size * 2 if self.size else None
    else:
        Thing = None
    return Thing and Thing().double()


def exception_in_flight(x):
    try:
        1 / 0
    except ZeroDivisionError:
        if x > 1:
            raise
        caught = True
    return caught


FUNCTIONS = [branch, one_sided, elif_chain, loops, target_after_loop, attribute_target, reused_name, own_names_in_loop,
             first_bound_in_an_inner_if, deletes, handler_names, writes_global, nested_functions, writes_nonlocal,
             comprehension_names, walrus, with_and_import, match_statement, star_unpack, generator_inside, class_inside,
             exception_in_flight]


@pytest.mark.parametrize("x", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_result(function, x, convert_with, outcome_of):
    expected, got = outcome_of(function, x), outcome_of(convert_with(function, declarations, control_flow), x)
    assert got == expected


def test_globals_are_written():
    from proa.jit.convert.functions import convert
    before = COUNTER
    convert(writes_global)(4)
    assert COUNTER == before + 4


def test_an_if_becomes_one_call(convert_with):
    from proa.jit.convert.functions import generated_source

    def small(c):
        if c:
            y = 1
        else:
            y = 2
        return y

    text = generated_source(small)
    assert "__proa__.if_stmt(c, if_body, else_body, get_state, set_state, ('y',), 1, ()" in " ".join(text.split())


def test_what_can_never_be_a_tensor_stays_an_if():
    from proa.jit.convert.functions import generated_source

    def small(c):
        if c is Ellipsis or not isinstance(c, int):
            c = 2
        return c

    assert "if_stmt" not in generated_source(small)
