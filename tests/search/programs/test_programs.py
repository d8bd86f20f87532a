"""Generated Programs tell the same numbers in every way; a fault that is planted is found and made small."""

from collections import Counter

import pytest

from . import running
from .__main__ import found_in
from .writing import written

GROUPS, EACH = 3, 8
SLOW = 120


def found_by(numbers, oracle, counts):
    found = list(filter(None, (found_in(0, number, counts, oracle, 10.0) for number in numbers)))
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("group", range(GROUPS))
def test_programs(group, oracle):
    counts = Counter()
    found_by(range(group * EACH, (group + 1) * EACH), oracle, counts)
    assert counts["not run"] + counts["large"] < 3, counts


@pytest.mark.slow
@pytest.mark.parametrize("group", range(SLOW // EACH))
def test_more_programs(group, oracle):
    first = 1_000_000 + group * EACH
    found_by(range(first, first + EACH), oracle, Counter())


def test_a_number_is_a_program():
    assert written(0, 7) == written(0, 7) != written(0, 8)


def test_finds_a_clone_that_forgets(monkeypatch):
    """A copy of a Program without its last operator."""

    def forgetful(program):
        copy = program.clone()
        block = copy.global_block()
        if len(block.ops) > 1:
            block._remove_op(len(block.ops) - 1)
        return copy

    monkeypatch.setitem(running.WAYS, "cloned", lambda: running.made_once(forgetful))
    number = min(range(20), key=lambda number: len(written(0, number)))
    found = found_in(0, number, Counter(), seconds=5.0)
    assert found.startswith(f"=== {number}: cloned") and len(found) < len(written(0, number)), found
