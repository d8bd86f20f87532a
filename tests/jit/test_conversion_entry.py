import functools
import gc
import inspect
import traceback

import pytest
from proa.jit.convert import ignoring
from proa.jit.convert.functions import (
    ConversionError,
    convert,
    generated_source,
    ignore_module,
    not_to_static,
)
from proa.jit.operators import conditionals


class Model:
    def __init__(me, size):
        me.size = size

    def forward(me, x, *, scale=2):
        if x > me.size:
            return me.helper(x) * scale
        return -x

    def helper(me, x):
        return x + 1 if x else 0

    @staticmethod
    def fixed(x):
        return "on" if x else "off"

    @classmethod
    def named(kind, x):
        return kind.__name__ if x else None


def fails(x):
    y = 0
    for i in range(3):
        if i == x:
            y += 1 / (i - i)  # the line that fails
    return y


def recursive(n):
    if n <= 1:
        return 1
    return n * recursive(n - 1)


def counting():
    count = 0

    def up(by=1):
        nonlocal count
        if by > 0:
            count += by
        return count
    return up, lambda: count


def generator(x):
    yield x


def called(x):
    return "deep" if x else "flat"


def caller(x):
    return called(x), functools.partial(called, x)(), sorted([2, 1], key=lambda v: v if x else -v)


@not_to_static
def marked(x):
    return 1 if x else 2


def calls_marked(x):
    return marked(x)


def line_of(text):
    lines, start = inspect.getsourcelines(fails)
    return start + next(i for i, line in enumerate(lines) if text in line)


def test_methods_keep_their_binding():
    model = Model(3)
    forward = convert(model.forward)
    assert forward.__self__ is model and forward(5) == 12 and forward(5, scale=1) == 6 and forward(2) == -2


def test_static_and_class_methods():
    assert convert(Model.__dict__["fixed"]).__func__(1) == "on"
    assert convert(Model.named)(1) == "Model" and convert(Model.named)(0) is None
    assert isinstance(convert(Model.__dict__["named"]), classmethod)


def test_recursion_and_partial():
    assert convert(recursive)(6) == 720
    assert convert(functools.partial(recursive, 4))() == 24


def test_defaults_stay_live():
    def f(x, box=[]):
        if x:
            box.append(x)
        return box
    new = convert(f)
    assert new(1) is f(2) and f(0) == [1, 2]
    f.__defaults__[0].append("seen")
    assert new(0) == [1, 2, "seen"]


def test_nonlocal_cells_are_shared():
    up, count = counting()
    assert convert(up)(2) == 2 and count() == 2 and up() == 3 and convert(up)() == 4 == count()


def test_errors_keep_type_and_line():
    with pytest.raises(ZeroDivisionError) as caught:
        convert(fails)(1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    last = [frame for frame in frames if frame.filename == __file__][-1]
    assert (last.filename, last.lineno, last.name) == (__file__, line_of("the line that fails"), "fails")


def test_the_code_lies_in_the_users_file():
    new = convert(fails)
    assert (new.__code__.co_filename, new.__code__.co_firstlineno) == (__file__, fails.__code__.co_firstlineno)
    assert inspect.getsource(new) == inspect.getsource(fails)


def test_unbound_names_raise_with_the_users_name():
    def f(x):
        if x:
            late = 1
        return late
    with pytest.raises(UnboundLocalError, match="late"):
        convert(f)(0)


def test_calls_are_converted_on_the_way(monkeypatch):
    tests = []
    plain = conditionals.staging.is_symbolic
    monkeypatch.setattr(conditionals.staging, "is_symbolic", lambda v: tests.append(v) or plain(v))
    assert convert(caller)("x") == ("deep", "deep", [1, 2])
    assert tests.count("x") >= 4


def test_marked_functions_are_left_alone(monkeypatch):
    tests = []
    monkeypatch.setattr(conditionals.staging, "is_symbolic", lambda v: tests.append(v) or False)
    assert convert(calls_marked)("x") == 1 and "x" not in tests


def test_ignored_modules_are_left_alone(monkeypatch):
    monkeypatch.setattr(ignoring, "_ignored", set(ignoring._ignored))
    ignore_module([__name__])
    tests = []
    monkeypatch.setattr(conditionals.staging, "is_symbolic", lambda v: tests.append(v) or False)
    assert convert(caller)("y")[0] == "deep" and tests.count("y") == 2  # by the lambda, for two items
    with pytest.raises(TypeError, match="list of modules"):
        ignore_module("numpy")


def test_what_cannot_be_converted_says_why():
    with pytest.raises(ConversionError, match=r'File ".*", line \d+, in generator: generators'):
        convert(generator)
    with pytest.raises(TypeError, match="must be a Python function"):
        convert(3)
    space = {}
    exec("def made(x):\n    return x", space)
    for _ in range(2):
        with pytest.raises(ConversionError, match="no source to read"):
            convert(space["made"])


def test_converted_functions_stay():
    new = convert(called)
    assert convert(new) is new


def test_one_conversion_for_all_functions_of_a_def():
    ups = [counting()[0] for _ in range(3)]
    assert len({id(convert(up).__code__) for up in ups}) == 1


def test_nothing_is_kept_alive():
    from proa.jit.identity_cache import IdentityCache
    cache = IdentityCache()
    thing = compile("1", "x", "eval")
    cache.put(thing, 5)
    assert cache.get(thing) == 5 and len(cache) == 1
    del thing
    gc.collect()
    assert len(cache) == 0


def test_generated_source_can_be_read():
    text = generated_source(Model.forward)
    assert text.startswith("def forward(me, x, *, scale=2):") and "__proa__.if_stmt(__proa__.order(x, '>', " in text
    assert "__proa__.operate(__proa__.converted(me.helper)(x), '*', scale)" in text
    assert generated_source(convert(Model.forward)) == text
