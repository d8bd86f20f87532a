"""Generated trainings tell the same numbers in every way; a fault that is planted is found and made small."""

from collections import Counter

import pytest

from . import running
from .__main__ import found_in
from .writing import written

GROUPS, EACH = 4, 10
SLOW = 200


def found_by(numbers, oracle, counts):
    found = list(filter(None, (found_in(0, number, counts, oracle, 10.0) for number in numbers)))
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("group", range(GROUPS))
def test_trainings(group, oracle):
    counts = Counter()
    found_by(range(group * EACH, (group + 1) * EACH), oracle, counts)
    assert counts["not run"] + counts["large"] < 3, counts


@pytest.mark.slow
@pytest.mark.parametrize("group", range(SLOW // EACH))
def test_more_trainings(group, oracle):
    first = 1_000_000 + group * EACH
    found_by(range(first, first + EACH), oracle, Counter())


def test_a_number_is_a_training():
    assert written(0, 7) == written(0, 7) != written(0, 8)


def test_finds_a_layer_that_is_converted_wrongly(monkeypatch):
    def wrong(net):
        net.register_forward_post_hook(lambda layer, given, found: found * 1.01)
        return net

    monkeypatch.setitem(running.WAYS, "converted", wrong)
    number = min(range(20), key=lambda number: len(written(0, number)))
    found = found_in(0, number, Counter(), seconds=5.0)
    assert found.startswith(f"=== {number}: converted, numbers") and len(found) < len(written(0, number)), found
