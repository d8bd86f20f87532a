"""Each converter alone: the function it gives does what the one it was given does."""

import pytest
import written_expressions
import written_jumps
import written_names
from outcomes import assert_same
from plain_operators import OPERATORS as PLAIN
from proa.jit.converters import (
    EXPRESSIONS,
    OPERATORS,
    STATEMENTS,
    annotated,
    breaks,
    control_flow,
    convert_tree,
    loop_else,
    new_context,
)
from proa.jit.pyct.loading import bind, compile_function
from proa.jit.pyct.source import function_source

CASES = [*written_jumps.CASES, *written_names.CASES, *written_expressions.CASES]
NAMES = [function.__name__ for function, _ in CASES]


def loaded(function, convert):
    """The function with its tree changed by `convert(tree, context)`."""
    source, code = function_source(function), function.__code__
    context = new_context(source.node, source.class_name, {*code.co_freevars, *code.co_names})
    tree = convert(source.node, context) or source.node
    new = compile_function(tree, code, source.class_name, [OPERATORS], context.helpers)
    return bind(new, function, {OPERATORS: PLAIN})


@pytest.mark.parametrize(("function", "argument_sets"), CASES, ids=NAMES)
def test_nothing_converted(function, argument_sets):
    assert_same(loaded(function, lambda tree, _: tree), function, argument_sets)


#: What a converter relies on: annotations and `else` of loops gone; `control_flow` reads the flag that `breaks` keeps.
NEEDS = {breaks: [annotated, loop_else, breaks, control_flow], control_flow: [annotated, control_flow]}
CHAINS = [NEEDS.get(converter, [converter]) for converter in (*STATEMENTS, *EXPRESSIONS)]


@pytest.mark.parametrize("chain", CHAINS, ids=[c.__name__.rpartition(".")[2] for c in (*STATEMENTS, *EXPRESSIONS)])
def test_one_converter(chain):
    def convert(tree, context):
        for converter in chain:
            tree = converter.convert(tree, context) or tree
        return tree

    for function, argument_sets in CASES:
        assert_same(loaded(function, convert), function, argument_sets)


@pytest.mark.parametrize(("function", "argument_sets"), CASES, ids=NAMES)
def test_all_converters(function, argument_sets):
    assert_same(loaded(function, convert_tree), function, argument_sets)
