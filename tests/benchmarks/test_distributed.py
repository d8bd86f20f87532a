"""The section of several ranks: they step together, and what they took is put beside DDP and one process."""

import sys

import pytest

from benchmarks import distributed, many_ranks, options
from benchmarks.crew import Crew
from benchmarks.process import Unavailable
from benchmarks.turns import Pace

SIZE = {"batch": 8, "width": 4, "depth": 1}
PACE = Pace(rounds=2, seconds=0.01, least=2, pause=0.0)


def record(median, processor, result=1.0):
    return {"median": median, "low": median * 0.9, "high": median * 1.1, "least": median, "result": result,
            "version": "1", "processor": processor}


FIGURES = {
    "ranks": 2,
    "workloads": {"mlp-ranks": {"size": {}, "sides": {
        "proa/eager/1/2": record(3e-3, 5e-3), "proa/eager/2/1": record(4e-3, 6e-3),
        "torch/eager/1/2": record(6e-3, 9e-3), "torch/eager/2/1": record(8e-3, 9e-3)}},
        "lenet-norm-ranks": {"size": {}, "sides": {"torch/eager/2/1": {"unavailable": "only GPUs\nat all"}}}},
    "collectives": {"1048576": {"proa/eager/2/1": record(2e-4, 4e-4, None),
                                "torch/eager/2/1": record(1e-3, 8e-4, None)}}}


def test_report_has_ratios_to_ddp_and_efficiency():
    text = distributed.report(FIGURES, options.parse(["distributed", "--only", "mlp-ranks"]))
    assert "`python -m benchmarks distributed --only mlp-ranks`" in text
    assert "| 4.00 ± 0.40 ms |" in text
    assert "| MLP 784-200-200-10, Adam | eager | 0.50 | 0.67 | 0.75 | 0.75 |" in text
    assert "| 1 MB | 200 ± 20.0 µs | 1.00 ± 0.10 ms | 0.20 | 400 µs | 800 µs |" in text
    assert "DDP, 2 × 1: not available: only GPUs" in text and "at all" not in text


def test_ranks_step_together_and_compute_what_one_process_does():
    pytest.importorskip("mpi4py")
    sides = [("proa", "eager", 1, 2), ("proa", "eager", 2, 1)]
    wanted = options.parse(["distributed"])
    wanted.pace = PACE
    found = distributed.compare("mlp", SIZE, sides, {"proa": sys.executable}, wanted)
    alone, ranks = found["proa/eager/1/2"], found["proa/eager/2/1"]
    assert ranks["result"] == pytest.approx(alone["result"], rel=1e-5)
    assert alone["steps"] >= 4 and ranks["steps"] >= 4 and ranks["processor"] > 0


def test_a_rank_that_cannot_says_why():
    with Crew("proa", sys.executable, 1, 1) as crew:
        crew.send("prepare", framework="proa", workload="mlp", mode="eager", size={**SIZE, "width": -1}, threads=1)
        with pytest.raises(Unavailable, match="sizes must be positive"):
            crew.receive()


def test_a_model_is_fitted_to_messages_and_carried_far():
    sums = {f"{ranks}/{count}": record(1e-5 + count * 1e-9, ranks * (2e-5 + count * 2e-9), None)
            for ranks in (2, 4) for count in (1 << 10, 1 << 16, 1 << 22)}
    steps = {f"{width}/{ranks}": {**record(1e-3, 1e-3 * ranks), "counts": {"calls": 9, "messages": 2, "bytes": 10 ** 6}}
             for width in many_ranks.WIDTHS for ranks in many_ranks.RANKS}
    figures = {"sums": sums, "steps": steps}
    assert many_ranks.fitted(figures, 2, "median") == pytest.approx((1e-5, 1e-9))
    assert many_ranks.fitted(figures, 4, "processor") == pytest.approx((2e-5, 2e-9))
    text = many_ranks.report(figures, options.parse(["ranks"]))
    assert "| 5.82 M | 2 | 1.00 ± 0.10 ms | 1.00 ms | 3.04 ms | 1.00 | 2.00 | 9.00 |" in text
    step, exchange = many_ranks.predicted(4e6, 10, 0.1, 2, (1e-5, 1e-9))
    assert exchange == pytest.approx(2e-5 + 4e-3) and step > 0.1
    far, near = (many_ranks.predicted(4e9, 10, 0.1, ranks, (1e-5, 1e-9))[0] for ranks in (1000, 2))
    assert far > near
