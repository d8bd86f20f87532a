"""Some hundred mutants in a process of their own: none ends it, and each error tells something."""

import argparse
import json
import os

import pytest

from . import mutations
from .__main__ import is_fault, search
from .formats import FIXTURES

np = pytest.importorskip("numpy")
pytest.importorskip("resource")


def options(kind, first, count, **others):
    return argparse.Namespace(**{"kind": kind, "first": first, "count": count, "processes": 1, "megabytes": 4096,
                                 "seconds": 60, "kept": None, **others})


def checked(kind, first, count):
    found = search(options(kind, first, count))
    counts = found.results()
    assert found.faults == [] and sum(counts.values()) == count
    assert counts["ran"] > count // 100 and counts["CorruptFileError"] > count // 20


@pytest.mark.parametrize(("kind", "first", "count"), [("bytes", 0, 400), ("meaning", 0, 300)])
def test_mutants_are_refused_or_harmless(kind, first, count):
    checked(kind, first, count)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "first", "count"), [
    ("bytes", 1000, 8000), ("meaning", 1000, 2500), ("operators", 1000, 1500)])
def test_more_mutants_are_refused_or_harmless(kind, first, count):
    checked(kind, first, count)


def test_a_search_goes_on_where_it_was_stopped(tmp_path):
    kept = str(tmp_path / "kept.json")
    first = search(options("bytes", 0, 30, kept=kept)).counts
    both = search(options("bytes", 0, 60, kept=kept)).counts
    assert sum(first.values()) == 30 and sum(both.values()) == 60
    assert both == search(options("bytes", 0, 60)).counts


def test_a_mutant_is_made_of_its_number():
    content = bytes(range(200))
    one, other = (mutations.of_bytes(content, np.random.default_rng([7, 1])) for _ in range(2))
    assert one == other != content
    with open(os.path.join(FIXTURES, "static", "pir", "flow.json"), "rb") as file:
        content = file.read()
    made = [mutations.of_meaning(content, np.random.default_rng([n // 2, 2])) for n in range(40)]
    assert made[::2] == made[1::2] and len(set(made)) > 15 and all(json.loads(mutant) for mutant in made)


def test_what_ends_a_process_is_a_fault():
    assert is_fault("killed by signal 11") and is_fault("hang") and is_fault("unexpected NameError x")
    assert not is_fault("ran") and not is_fault("ValueError")
