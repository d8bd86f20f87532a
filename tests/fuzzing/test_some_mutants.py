"""Some hundred mutants in a process of their own: none ends it, and each error tells something."""

import argparse

import pytest

from . import mutations
from .__main__ import is_fault, search

np = pytest.importorskip("numpy")
pytest.importorskip("resource")


@pytest.mark.parametrize(("kind", "first", "count"), [("bytes", 0, 400), ("meaning", 60, 150)])
def test_mutants_are_refused_or_harmless(kind, first, count):
    """The numbers leave out endless loops, which are no fault of a reader's (57, 307)."""
    options = argparse.Namespace(kind=kind, first=first, count=count, processes=1, megabytes=4096, seconds=60)
    counts, faults = search(options)
    assert faults == [] and sum(counts.values()) == count
    assert counts["ran"] > count // 20 and counts["CorruptFileError"] > 0


def test_a_mutant_is_made_of_its_number():
    content = bytes(range(200))
    one, other = (mutations.of_bytes(content, np.random.default_rng([7, 1])) for _ in range(2))
    assert one == other != content


def test_what_ends_a_process_is_a_fault():
    assert is_fault("killed by signal 11") and is_fault("hang") and is_fault("unexpected NameError x")
    assert not is_fault("ran") and not is_fault("ValueError")
