"""Dicts with keys that a tensor decides about: a key is asked for with a default."""

import copy
import itertools
import warnings
from collections import ChainMap
from types import MappingProxyType

import numpy as np
import proa as paddle
import pytest
from proa.jit.errors import ConversionError

VALUES = ([3.0, 4.0], [-3.0, -4.0])


def with_a_key_or_not(x):
    d = {"a": x}
    if x.sum() > 0:
        d["c", 1] = x * 2
    return d


def asked_with_a_default(x):
    d = with_a_key_or_not(x)
    return d.get(("c", 1), x) + 1 if ("c", 1) not in d else d.get(("c", 1)) * 5


def popped_with_a_default(x):
    d = with_a_key_or_not(x)
    return d.pop(("c", 1), x * 3) + len(d)


def set_where_it_is_not(x):
    d = with_a_key_or_not(x)
    return d.setdefault(("c", 1), x * 7) + len(d) + d["c", 1]


def got_as_none(x):
    found = with_a_key_or_not(x).get(("c", 1))
    return x if found is None else found + 1


@pytest.mark.parametrize("function", [asked_with_a_default, popped_with_a_default, set_where_it_is_not, got_as_none],
                         ids=lambda f: f.__name__)
def test_a_default_stands_where_the_key_does_not(function, tmp_path):
    """In a Program, and in its file."""
    path = str(tmp_path / "model")
    converted = paddle.jit.to_static(function, full_graph=True)
    paddle.jit.save(converted, path, input_spec=[paddle.static.InputSpec([2], "float32")])
    loaded = paddle.jit.load(path)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x).numpy(), function(x).numpy())
        np.testing.assert_array_equal(loaded(x).numpy(), function(x).numpy())


def unpacked(d):
    _, *rest = d
    return rest


def yielded(d):
    def keys():
        yield from d

    return list(keys())


def of_all(*keys):
    return keys


def extended(d):
    found = ["z"]
    found.extend(d)
    return found


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("asked", [unpacked, yielded, extended, lambda d: [*d], lambda d: {*d}, lambda d: of_all(*d),
                                   lambda d: ",".join(d), lambda d: {k: 1 for k in d}, lambda d: {k for k in d},
                                   lambda d: [k + j for k in "ab" for j in d], dict.fromkeys,
                                   lambda d: list(itertools.chain(d, "z")), lambda d: {"z"}.union(d),
                                   tuple, set, frozenset, sorted, list, len, lambda d: max(d),
                                   lambda d: all(map(str, d)), lambda d: any(d), lambda d: d == {"a": 1}])
def test_all_keys_are_those_of_python(asked):
    def function(x):
        d = {"a": 1}
        if x.sum() > 0:
            d["b"] = 2
        return x if asked(d) == asked({"a": 1, "b": 2}) else x * 2

    if asked is not len:
        with pytest.raises(RuntimeError, match="a tensor decides whether the dict has the key 'b'"):
            paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(VALUES[0]))
    converted = paddle.jit.to_static(function)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x).numpy(), function(x).numpy())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, dict, lambda d: {**d}, lambda d: d | {"z": 1}])
def test_a_copy_has_the_key_where_the_dict_has_it(copied):
    def function(x):
        made = copied(with_a_key_or_not(x))
        return made["a"] * len(made) + made.get(("c", 1), x)

    converted = paddle.jit.to_static(function, full_graph=True)
    for value in VALUES:
        x = paddle.to_tensor(value)
        np.testing.assert_array_equal(converted(x).numpy(), function(x).numpy())


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_random_numbers_of_a_run_that_lacks_a_value_are_drawn_once():
    def function(x):
        noise, d, given = paddle.rand([1]), {}, {"c": x * 9}
        if x.sum() > 0:
            d["c"] = x
        given.update(d)
        return given["c"] + noise

    found = []
    for each in (paddle.jit.to_static(function), function):
        paddle.seed(3)
        found.append([each(paddle.to_tensor(value)).tolist() for value in (*VALUES, *VALUES)])
    assert found[0] == found[1]


def shown_by(show):
    def function(x):
        d = {"a": x}
        shown = show(d)
        if x.sum() > 0:
            d["c"] = x * 2
        return [x * len(key) for key in sorted(shown)]
    return function


def asked_by(ask):
    def function(x):
        d = {"a": x}
        if x.sum() > 0:
            d["c"] = x * 2
        return x * ask(ChainMap(d, {"b": x}))
    return function


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [
    shown_by(lambda d: d.keys()), shown_by(MappingProxyType), asked_by(lambda m: len(list(m))), asked_by(len),
    asked_by(lambda m: 2 if "c" in m else 3), asked_by(lambda m: 2 if m.get("c") is None else 3),
    asked_by(lambda m: len(m.new_child().parents))])
def test_what_shows_such_keys_is_refused(function):
    refused = "whether the dict has the key 'c'|the dict `d` is changed in place"
    with pytest.raises((ConversionError, TypeError), match=refused):
        paddle.jit.to_static(function, full_graph=True)(paddle.to_tensor(VALUES[0]))
    converted = paddle.jit.to_static(function)
    for value in VALUES:
        x = paddle.to_tensor(value)
        for found, wanted in zip(converted(x), function(x), strict=True):
            np.testing.assert_array_equal(found, wanted)


def counted_by_a_number(x):
    seen = {}
    for v in x:
        k = int(v > 0)
        seen[k] = seen.get(k, 0) + 1
    return x * seen.get(1, 0)


def counted_by_a_truth(x):
    return x * len({bool(v > 0) for v in x})


def kept_by_a_number(x):
    kept, i = {}, 0
    while i < x.sum():
        kept[i] = x
        i = i + 1
    return x * len(kept)


def kept_by_a_text(x):
    kept, i = {}, 0
    while i < x.sum():
        kept[f"{i}"] = x
        i = i + 1
    return x * len(kept)


@pytest.mark.parametrize(("function", "says"), [
    (counted_by_a_number, "key of a dict"), (counted_by_a_truth, "in a set"), (kept_by_a_number, "key of a dict"),
    (kept_by_a_text, "text that is made of x, as a key of a dict")])
def test_keys_that_only_the_run_knows_are_refused(function, says):
    x = paddle.to_tensor([1.0, -2.0, 4.0])
    with pytest.raises((TypeError, ConversionError), match=says):
        paddle.jit.to_static(function, full_graph=True)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        assert paddle.jit.to_static(function)(x).tolist() == function(x).tolist()


def test_tensors_are_keys_by_themselves():
    x = paddle.to_tensor([1.0, -2.0])
    assert paddle.jit.to_static(lambda x: {x: 2}[x] * x, full_graph=True)(x).tolist() == [2.0, -4.0]


def among_keys(x):
    y, known = x * 2, {x: 1}
    found = [x in known, y in known, y not in known, x in {x, y}, y in {"a": 1}, x * 1 in {x}, x in frozenset([y])]
    return x * sum(2 ** n for n, there in enumerate(found) if there)


def chosen_among_keys(x):
    z = x if x.sum() > 0 else x * 2
    return x * 2 if z in {x: 1} else x


def a_truth_among_keys(x):
    return x * 2 if bool(x.sum() > 0) in {True: 1} else x


def a_size_among_keys(x):
    return x * 2 if x.shape[0] in {3: 1} else x


def test_a_tensor_is_looked_for_among_keys_by_which_it_is():
    x = paddle.to_tensor([1.0, -2.0])
    converted = paddle.jit.to_static(among_keys, full_graph=True)
    assert converted(x).tolist() == among_keys(x).tolist() == [13.0, -26.0]


@pytest.mark.parametrize(("function", "says"), [
    (chosen_among_keys, "a tensor decides that"), (a_truth_among_keys, "`in` looks for a value in a dict"),
    (a_size_among_keys, "`in` looks for a value in a dict")])
def test_what_only_the_run_knows_is_not_looked_for_among_keys(function, says):
    x = paddle.to_tensor([1.0, -2.0, 4.0])
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=[paddle.static.InputSpec([-1])])
    with pytest.raises(ConversionError, match=says):
        converted(x)
