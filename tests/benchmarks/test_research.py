"""Research programs: modes of a framework give equal values, and what is told of them."""

import importlib

import proa
import pytest

from benchmarks import catalogue, options, research
from benchmarks.workloads import values

SMALL = {"batch": 2, "length": 3, "width": 4, "points": 5, "depth": 2, "tasks": 2, "shots": 3, "inner": 2, "steps": 2,
         "graphs": 2, "rounds": 1, "batches": 2, "beams": 2, "words": 7, "ticks": 5}


@pytest.mark.parametrize("name", [workload.name for workload in catalogue.RESEARCH_PROGRAMS if not workload.size])
def test_both_modes_agree(name):
    workload = catalogue.ALL[name]
    size, found = workload.sizes(SMALL), []
    for mode in workload.modes["proa"]:
        step = workload.module_object().in_paddle(proa, mode, size)
        step()
        found.append(values.number(getattr(step, "check", step)()))
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_jax_has_the_programs_that_say_so():
    for workload in catalogue.RESEARCH_PROGRAMS:
        module = importlib.import_module(f"benchmarks.workloads.{workload.module}")
        assert bool(workload.modes["jax"]) == hasattr(module, "in_jax")


def test_ratios_are_to_the_fastest_eager_peer():
    def record(seconds):
        return {"median": seconds, "low": seconds, "high": seconds, "least": seconds, "processor": 2 * seconds,
                "result": 1.0, "version": "1"}

    sides = {"proa/eager": record(3e-3), "proa/to_static": record(2e-3), "paddle/eager": record(10e-3),
             "torch/eager": record(5e-3), "torch/compile": record(1e-3), "jax/eager": record(1.0),
             "jax/jit": {"unavailable": "no"}}
    figures = {"limits": {}, "workloads": {"pinn": {"size": {}, "sides": sides, "limit": None}}}
    text = research.report(figures, options.parse(["research"]))
    assert "training step | PyTorch eager | 0.60 | 0.60 | 0.40 | 0.40 | 3.00 | 2.00 |" in text
    assert "| geometric mean |  | 0.60 | 0.60 | 0.40 | 0.40 | 3.00 | 2.00 |" in text
    assert "JAX `jit`: not available: no" in text
