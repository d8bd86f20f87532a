"""Attributes of a class, not of an object, that a branch sets which a tensor decides about."""

import proa as paddle
import pytest
from proa.jit.errors import ConversionError

CALLS = [3.0, 0.0, 4.0, -1.0]


class Without:
    pass


class WithNone:
    kept = None


class WithTensor:
    kept = paddle.full([1], 7.0)


def by_another_name(x, kind):
    owner = kind
    if (x < 1).all():
        pass
    else:
        owner.kept = x - 0.5
    return owner.kept


def put(x, kind):
    kind.kept = x - 0.5


def by_a_called_function(x, kind):
    if (x < 1).all():
        pass
    else:
        put(x, kind)
    return kind.kept


def another(kind):
    return type("Changed", (), {"__module__": __name__, **{k: v for k, v in vars(kind).items() if k == "kept"}})


def results(function, kind):
    changed = another(kind)
    return [function(paddle.full([1], value), changed).item() for value in CALLS]


@pytest.mark.parametrize("function", [by_another_name, by_a_called_function])
@pytest.mark.parametrize("kind", [Without, WithNone])
def test_what_one_branch_alone_sets_is_no_program(function, kind):
    changed = another(kind)
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in CALLS:
        with pytest.raises((ConversionError, UnboundLocalError), match=r"\.kept`"):
            converted(paddle.full([1], value), changed)
        assert vars(changed).get("kept") is None


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [by_another_name, by_a_called_function])
@pytest.mark.parametrize("kind", [Without, WithNone, WithTensor])
def test_it_is_set_by_default_as_it_is_written(function, kind):
    assert results(paddle.jit.to_static(function), kind) == results(function, kind) == [2.5, 2.5, 3.5, 3.5]


@pytest.mark.parametrize("function", [by_another_name, by_a_called_function])
def test_one_that_holds_a_tensor_is_state(function):
    assert results(paddle.jit.to_static(function, full_graph=True), WithTensor) == [2.5, 2.5, 3.5, 3.5]
