"""A fake of the static package that computes at once, and single converters on trial: fixtures to import by name."""

from __future__ import annotations

import operator
from types import SimpleNamespace

import numpy as np
import pytest
from proa.jit import operators
from proa.jit.converters import OPERATORS, new_context
from proa.jit.operators import program_lists, run_checks, staging
from proa.jit.pyct.loading import bind, compile_function
from proa.jit.pyct.source import function_source


class Symbol:
    """A stand-in for a program's variable: it has a value, but will not let Python branch on it."""

    def __init__(self, value, known=True):
        self.value = np.asarray(value)
        self.known = known

    @property
    def shape(self):
        shape = list(self.value.shape)
        return shape if self.known or not shape else [-1, *shape[1:]]

    @property
    def dtype(self):
        return SimpleNamespace(name=str(self.value.dtype))

    def __bool__(self):
        raise TypeError("a Symbol has no truth value")

    def __getitem__(self, index):
        return Symbol(self.value[bare(index)])

    def detach(self):
        return self

    def logical_and(self, other):
        return Symbol(np.logical_and(self.value, bare(other)))

    def logical_or(self, other):
        return Symbol(np.logical_or(self.value, bare(other)))

    def logical_not(self):
        return Symbol(np.logical_not(self.value))

    def astype(self, dtype):
        return Symbol(self.value.astype(dtype))

    def sum(self):
        return Symbol(self.value.sum())

    def __neg__(self):
        return Symbol(-self.value)

    def __repr__(self):
        return f"Symbol({self.value})"

    __hash__ = object.__hash__


def bare(value):
    return value.value if isinstance(value, Symbol) else value


def _binary(function):
    return lambda a, b: Symbol(function(bare(a), bare(b)))


for _name in "add sub mul truediv floordiv mod pow lt le gt ge eq ne".split():
    setattr(Symbol, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in "add sub mul".split():
    setattr(Symbol, f"__r{_name}__", (lambda f: lambda a, b: Symbol(f(bare(b), bare(a))))(getattr(operator, _name)))


class Backend:
    """Stages at once: a condition runs both functions and picks, a loop traces its body once and then loops."""

    def __init__(self):
        self.log = []
        self.checks = []
        self.shown = []

    def cond(self, test, true_function, false_function):
        self.log.append("cond")
        yes, no = true_function(), false_function()
        assert len(yes) == len(no)
        return [Symbol(bare(y) if test.value else bare(n)) for y, n in zip(yes, no, strict=True)]

    def while_loop(self, test, body, loop_vars):
        self.log.append("while")
        values = [Symbol(bare(v)) for v in loop_vars]
        test(*values)
        assert len(body(*values)) == len(values)
        while bare(test(*values)):
            values = [Symbol(bare(v)) for v in body(*values)]
        return values

    def check(self, test, message, where):
        self.checks.append((bool(test.value), message, where))

    def check_present(self, test, message):
        self.check(test, message, None)

    def show(self, values):
        self.shown.append([bare(v) for v in values])


@pytest.fixture
def backend(monkeypatch):
    """The fake static package, in place of the real one."""
    fake = Backend()
    monkeypatch.setattr(staging, "is_symbolic", lambda v: isinstance(v, Symbol))
    monkeypatch.setattr(staging, "is_tensor", lambda v: isinstance(v, Symbol))
    monkeypatch.setattr(staging, "length", lambda v: v.shape[0] if v.known else Symbol(len(v.value)))
    monkeypatch.setattr(staging, "mark", lambda: len(fake.log))
    monkeypatch.setattr(staging, "undo", lambda mark: fake.log.__delitem__(slice(mark, None)))
    monkeypatch.setattr(staging, "does_more_than_compute", lambda mark: False)
    monkeypatch.setattr(staging, "current_block", lambda: None)
    monkeypatch.setattr(staging, "zeros", lambda shape, dtype: Symbol(np.zeros(shape, dtype.name)))
    monkeypatch.setattr(program_lists, "new_list", lambda items, example: pytest.fail("a list of the program"))
    for module, name in ((staging, "cond"), (staging, "while_loop"), (staging, "show"), (run_checks, "check"),
                         (run_checks, "check_present")):
        monkeypatch.setattr(module, name, getattr(fake, name))
    return fake


@pytest.fixture
def symbol():
    """Makes a symbolic value: `symbol(3)`, or `symbol([1, 2], known=False)` for an unknown first dimension."""
    return Symbol


@pytest.fixture
def plain_value():
    """The value inside a symbol, or of a structure of symbols."""
    def value(v):
        if isinstance(v, (tuple, list)):
            return type(v)(value(x) for x in v)
        return bare(v).tolist() if isinstance(v, Symbol) else v

    return value


@pytest.fixture
def convert_with():
    """Runs a function through the given converters alone."""
    def run(function, *converters):
        source = function_source(function)
        context = new_context(source.node, source.class_name, set(function.__code__.co_freevars))
        tree = source.node
        for converter in converters:
            changed = converter.convert(tree, context)
            tree = tree if changed is None else changed
        code = compile_function(tree, function.__code__, source.class_name, [OPERATORS], context.helpers)
        return bind(code, function, {OPERATORS: operators.namespace(converted=lambda f: f)})

    return run


@pytest.fixture
def outcome_of():
    """What calling a function comes to: its result, or the type and text of what it raises."""
    def call(function, *args, **kwargs):
        try:
            return "returned", function(*args, **kwargs)
        except UnboundLocalError as error:  # Python's words for it change; the name does not
            return UnboundLocalError, str(error).split("'")[1]
        except Exception as error:
            return type(error), str(error)

    return call
