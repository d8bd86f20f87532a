"""Attributes of a class, not of an object: those that a branch sets which a tensor decides about; objects in them."""

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
def test_what_one_branch_alone_sets_is_no_program(function):
    changed = another(Without)
    converted = paddle.jit.to_static(function, full_graph=True)
    for value in CALLS:
        with pytest.raises((ConversionError, UnboundLocalError), match=r"\.kept`"):
            converted(paddle.full([1], value), changed)
        assert "kept" not in vars(changed)


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [by_another_name, by_a_called_function])
@pytest.mark.parametrize("kind", [Without, WithNone, WithTensor])
def test_it_is_set_by_default_as_it_is_written(function, kind):
    assert results(paddle.jit.to_static(function), kind) == results(function, kind) == [2.5, 2.5, 3.5, 3.5]


@pytest.mark.parametrize("function", [by_another_name, by_a_called_function])
@pytest.mark.parametrize("kind", [WithNone, WithTensor])
def test_one_that_holds_a_tensor_or_none_is_state(function, kind):
    assert results(paddle.jit.to_static(function, full_graph=True), kind) == [2.5, 2.5, 3.5, 3.5]


def test_what_is_inherited_is_there_where_no_branch_sets_it():
    for make in (lambda base: type("Changed", (base,), {"__module__": __name__}), lambda base: base()):
        found = [results_of_heirs(way, make) for way in (lambda f: f, whole)]
        assert found[0] == found[1] == [7.0, 2.5, 2.5, 3.5, 3.5, 7.0]


def whole(function):
    return paddle.jit.to_static(function, full_graph=True)


def results_of_heirs(way, make):
    base = another(WithTensor)
    heir, converted = make(base), way(by_a_called_function)
    return [*(converted(paddle.full([1], value), heir).item() for value in [0.0, *CALLS]), base.kept.item()]


class Holder:
    held = None


class Settings:
    def __init__(self, factor):
        self.factor = factor


def test_an_object_in_a_class_is_read_as_it_is():
    Holder.held = Settings(3.0)
    scaled = whole(lambda x: x * Holder.held.factor)
    assert scaled(paddle.ones([1])).item() == 3.0
    Holder.held.factor = 5.0
    assert scaled(paddle.ones([1])).item() == 5.0
    Holder.held = Settings(7.0)
    assert scaled(paddle.ones([1])).item() == 7.0


def test_a_tensor_is_state_of_an_object_in_a_class():
    Holder.held = Settings(paddle.ones([1]))

    def grow(x):
        Holder.held.factor = Holder.held.factor + x
        return Holder.held.factor

    converted = whole(grow)
    assert [converted(paddle.ones([1])).item() for _ in range(3)] == [2.0, 3.0, 4.0] and Holder.held.factor.item() == 4


def test_a_class_that_is_given_an_object_with_a_tensor_is_no_program():
    def put_one(x):
        Holder.held = Settings(x + 1)
        return Holder.held.factor

    Holder.held = None
    with pytest.raises(ConversionError, match=r"the Settings in `Holder\.held` outlives the call"):
        whole(put_one)(paddle.ones([1]))
    assert Holder.held is None
