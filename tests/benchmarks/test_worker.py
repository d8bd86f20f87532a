"""A worker holds a workload ready, times it, and says why it cannot."""

import sys
import time

import pytest

from benchmarks import quiet
from benchmarks.process import Unavailable, Worker
from benchmarks.turns import Pace, measure, summarise

PACE = Pace(rounds=2, seconds=0.01, least=2, pause=0.0, threads=1)
SIZE = {"batch": 2, "width": 4, "depth": 1}


def test_sides_take_turns_and_agree():
    sides = [("proa", "eager"), ("proa", "to_static")]
    found = measure("mlp", SIZE, sides, {"proa": sys.executable}, PACE)
    eager, static = (found[side] for side in sides)
    assert eager["result"] == pytest.approx(static["result"], rel=1e-5)
    for record in found.values():
        assert record["steps"] >= 4 and record["low"] <= record["median"] <= record["high"]
        assert record["memory"]["peak"] >= record["memory"]["after_import"] > 0


def test_a_side_that_cannot_says_why():
    found = measure("mlp", {**SIZE, "width": -1}, [("proa", "eager")], {"proa": sys.executable}, PACE)
    reason = found["proa", "eager"]["unavailable"]
    assert reason == "ValueError: a parameter of shape [784, -1] has no first value: its sizes must be positive."


def test_a_worker_that_dies_is_told_with_its_last_words():
    with Worker(sys.executable, 1) as worker:
        worker.send("prepare", framework="no_such_framework", workload="mlp", mode="eager", size=SIZE, threads=1)
        with pytest.raises(Unavailable, match="no_such_framework"):
            worker.receive()
        worker._process.kill()
        worker._process.wait()
        with pytest.raises(Unavailable, match="the process ended"):
            worker.ask("memory")


def test_an_operator_is_a_workload_of_its_own():
    with Worker(sys.executable, 1) as worker:
        for name in ("add", "matmul"):
            ready = worker.ask("prepare", framework="proa", workload="operator", mode=name,
                               size={"elements": 100}, threads=1, warm=0.001)
            assert ready["result"] > 0
            assert len(worker.ask("run", seconds=0.0, least=3)["times"]) == 3


def test_summary_of_one_time_has_no_spread():
    assert summarise([2.0]) == {"median": 2.0, "low": 2.0, "high": 2.0, "least": 2.0, "steps": 1}


def test_a_pause_ends_with_patience():
    begin = time.monotonic()
    quiet.pause(0.01, 0.05)
    assert 0.01 <= time.monotonic() - begin < 5


def test_first_steps_of_a_program_are_timed():
    with Worker(sys.executable, 1) as worker:
        found = worker.ask("first_steps", framework="proa", program="mlp", threads=1)
    assert [sorted(step) for step in found["steps"]] == [["processor", "result", "wall"]] * 2
    assert all(step["wall"] > 0 and step["result"] > 0 for step in found["steps"])
