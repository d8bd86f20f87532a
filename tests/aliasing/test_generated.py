"""Random programs about shared memory give in every way what copying everything gives; planted faults are found."""

import pytest
from generated import WAYS, found_in, ways_of, written
from proa.backend import aliasing
from proa.backend.kernels import optim
from proa.core.flags import flags_guard
from proa.dygraph import value, views
from proa.ops.optim import rules
from proa.static.compiler import emit
from proa.static.compiler.passes import elementwise

GROUPS, EACH = 20, 50


@pytest.fixture(autouse=True)
def _nothing_is_kept_on_disk():
    with flags_guard({"FLAGS_kernel_cache_megabytes": 0}):
        yield


@pytest.mark.parametrize("group", range(GROUPS))
def test_programs(group):
    found = found_in(range(group * EACH, (group + 1) * EACH), ways_of)
    assert not found, "\n\n".join(found)


def test_a_number_is_a_program():
    assert str(written(7)) == str(written(7)) != str(written(8))


def first_found(way, count=100):
    return next((lines for n in range(count) for lines in found_in([n], lambda _: [way])), "")


@pytest.mark.parametrize("way", WAYS)
def test_an_update_that_never_asks_is_found(monkeypatch, way):
    monkeypatch.setattr(optim, "to_write", list)
    monkeypatch.setattr(aliasing, "to_write", list)
    small = first_found(way)
    assert "step" in small
    assert len(small.splitlines()) < 14


def test_views_that_updates_forget_are_found(monkeypatch):
    monkeypatch.setattr(value, "show_change", lambda tensor: None)
    assert "view" in first_found("eager")


def test_views_of_views_that_updates_forget_are_found(monkeypatch):
    monkeypatch.setattr(views, "show_change", lambda tensor: None)
    assert first_found("eager")


def test_a_plan_that_gives_its_inputs_out_is_found(monkeypatch):
    monkeypatch.setattr(emit, "own", lambda value: value)
    assert first_found("Program", 300)


def test_fusion_that_moves_updates_is_found(monkeypatch):
    monkeypatch.setattr(elementwise, "written_inputs", lambda op: [])
    with flags_guard({"FLAGS_verify_passes": False}):
        assert first_found("Program")


def test_a_rule_that_writes_without_asking_is_found(monkeypatch):
    monkeypatch.setattr(rules, "changing", lambda x: x.view())
    with flags_guard({"FLAGS_cpu_engines": ""}):
        assert "step" in first_found("eager")
