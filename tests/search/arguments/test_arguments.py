"""Functions with random arguments give the same in every way."""

from collections import Counter

import pytest

from . import running
from .__main__ import found_in
from .drawing import FUNCTIONS
from .writing import EACH, written

GROUPS, NUMBERS = 2, 12
SLOW = 20


def found_by(numbers, oracle):
    counts = Counter()
    found = list(filter(None, (found_in(0, number, counts, oracle, 10.0) for number in numbers)))
    assert not found, "\n\n".join(found)
    return counts


@pytest.mark.parametrize("group", range(GROUPS))
def test_arguments(group, oracle):
    counts = found_by(range(group * NUMBERS, (group + 1) * NUMBERS), oracle)
    assert counts["not run"] + counts["large"] < 3, counts


@pytest.mark.slow
@pytest.mark.parametrize("group", range(SLOW))
def test_more_arguments(group, oracle):
    first = 1_000_000 + group * NUMBERS
    found_by(range(first, first + NUMBERS), oracle)


def test_a_number_is_calls_of_functions():
    assert written(0, 7) == written(0, 7) != written(0, 8)
    assert written(0, 7).count("tell(record, converted") == EACH and len(FUNCTIONS) > 80


def test_finds_a_function_that_is_loaded_wrongly(monkeypatch):
    monkeypatch.setitem(running.WAYS, "loaded", lambda call: lambda *given: call(*[
        x * 1.01 if x.dtype.is_floating else x for x in given]))
    found = found_in(0, 3, Counter(), seconds=5.0)
    assert found.startswith("=== 3: loaded, numbers") and len(found) < len(written(0, 3)), found
