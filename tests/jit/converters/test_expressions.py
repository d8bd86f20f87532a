# ruff: noqa: F811, F401 (fixtures are imported by name)
import pytest
from computing_backend import convert_with, outcome_of
from proa.jit.converters import asserts, calls, conditionals, logical, subscripts, supers


def conditional(x):
    return "yes" if x > 1 else ("zero" if x == 0 else "no")


def conditional_shortcut(x):
    return 1 / x if x else "none"


def conditional_binding(x):
    y = (z := 3) if x else (z := 4)
    return y, z


def conditional_in_comprehension(x):
    return [i if i % 2 else -i for i in range(x) if (True if i else False)]


def logic(x):
    seen = []

    def note(v):
        seen.append(v)
        return v
    return (note(x) and note(x > 1) and note("end"), note(0) or note(x) or note(None), not note(x)), seen


def logic_binding(x):
    return (x and (y := x + 1)) and y


def chain(x):
    seen = []

    def note(v):
        seen.append(v)
        return v
    return 0 < note(x) <= note(2) != note(5), 0 < x > 1 in [True, 5], seen


def identity_chain(x):
    return x is not None is not False


def method_calls(x):
    text = "a,b,c".upper().split(",", maxsplit=x)
    return "-".join(text), [*map(str, range(x))], dict(zip("abc", text), extra=x), print("", end="")


def builtin_calls(x):
    largest = max([x, 1], key=abs, default=3) if isinstance(x, int) else 0
    return len("abc"), int("12") + int("11", base=2), float("1.5"), bool(x), list(range(1, x, 2)), largest


def star_calls(x):
    def f(*args, **kwargs):
        return args, kwargs
    return f(*range(x), 1, *[2], a=3, **{"b": 4})


def raising_call(x):
    if x > 1:
        raise ValueError(str(x)) from KeyError(x)
    return x


def asserting(x):
    assert x < 2, f"too large: {x}"
    assert x >= 0
    return x


def formatted(x):
    return f"{len(str(x)):>{abs(x)}} {x!r} {'yes' if x else 'no'}"


def items(x):
    seen = []

    def note(v):
        seen.append(v)
        return v
    held = [[1, 2], [3, 4], {"a": 5}]
    note(held[0])[note(x - 1)] = note(9)
    note(held)[note(x % 3)] += note([7]) if x % 3 < 2 else 1
    held[2][str(x)] = held[2].get(str(x - 1), x)
    return held, seen, note(held[1])[note(-1)]


FUNCTIONS = {
    subscripts: [items],
    conditionals: [conditional, conditional_shortcut, conditional_binding, conditional_in_comprehension, formatted],
    logical: [logic, logic_binding, chain, identity_chain],
    calls: [method_calls, builtin_calls, star_calls, raising_call, formatted],
    asserts: [asserting],
}


@pytest.mark.parametrize("x", [0, 1, 2, 3])
@pytest.mark.parametrize("converter, function", [(c, f) for c, fs in FUNCTIONS.items() for f in fs],
                         ids=lambda v: v.__name__.rpartition(".")[2])
def test_same_result(converter, function, x, convert_with, outcome_of):
    got, expected = (outcome_of(f, x) for f in (convert_with(function, converter), function))
    assert (got[0], said(got[1])) == (expected[0], said(expected[1]))


def said(result):
    """The first line of an error: pytest adds its own to those of the asserts that stand in a test's file."""
    return result.splitlines()[0] if isinstance(result, str) and result else result


class Base:
    def name(self):
        return "base"

    @classmethod
    def kind(cls):
        return [cls.__name__]


class Derived(Base):
    def name(this):
        return "derived " + super().name()

    @classmethod
    def kind(klass):
        return [*super().kind(), "derived"]


def test_super_finds_its_class(convert_with):
    assert convert_with(Derived.name, supers)(Derived()) == "derived base"
    assert convert_with(Derived.kind.__func__, supers)(Derived) == ["Derived", "derived"]


def test_assertion_fails_in_the_users_line(convert_with):
    with pytest.raises(AssertionError) as caught:
        convert_with(asserting, asserts)(5)
    last = caught.traceback[-1]
    assert str(last.path) == __file__ and last.lineno + 1 == asserting.__code__.co_firstlineno + 1
