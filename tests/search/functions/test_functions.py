"""Generated functions give converted what they give as they are written."""

from collections import Counter

import pytest

from .__main__ import found_in
from .running import Run, difference, plain
from .writing import written

GROUPS, EACH = 10, 6
SLOW = 600


def found_by(numbers, seconds=10.0):
    return list(filter(None, (found_in(0, number, Counter(), seconds, every=False) for number in numbers)))


@pytest.mark.parametrize("group", range(GROUPS))
def test_functions(group):
    found = found_by(range(group * EACH, (group + 1) * EACH))
    assert not found, "\n\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(SLOW // EACH))
def test_more_functions(group):
    first = 1_000_000 + group * EACH
    found = found_by(range(first, first + EACH))
    assert not found, "\n\n".join(found)


def test_a_number_is_a_function():
    assert written(0, 7) == written(0, 7) != written(0, 8)


ONCE_TOO_LARGE = """
import proa as paddle
from search.functions.held import Box
INPUTS, G = [], Box(paddle.ones([3]))

def f(x, y, k, flag):
    G.n += 1
    return x * (1e9 if G.n == 5 else 1.0)
"""


def test_a_call_that_is_left_out_leaves_no_numbers():
    calls, results, _ = plain(ONCE_TOO_LARGE, "functions")
    assert len(calls) == len(results) == 4
    again = Run(ONCE_TOO_LARGE, "functions", lambda f: f, True)
    assert [difference(again.call(*call), result) for call, result in zip(calls, results, strict=True)] == [None] * 4
