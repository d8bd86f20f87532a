"""Collectives between processes that MPI connects."""

from launching import run


def test_every_collective_of_two_processes(tmp_path):
    assert "passed 0" in run(tmp_path, "collectives.py").stdout
    assert "passed 1" in (tmp_path / "log" / "workerlog.1").read_text()


def test_fleet_divides_the_batch_among_processes(tmp_path):
    assert "passed 0" in run(tmp_path, "fleet.py").stdout
