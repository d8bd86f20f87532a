"""Generated functions give converted what they give as they are written."""

from collections import Counter

import pytest
from proa.core.flags import flags_guard

from .__main__ import found_in
from .writing import written

GROUPS, EACH = 10, 6
SLOW = 600


@pytest.fixture(autouse=True)
def _as_the_command_runs():
    with flags_guard({"FLAGS_cpu_engines": "", "FLAGS_kernel_cache_megabytes": 0}):
        yield


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
