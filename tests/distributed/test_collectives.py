"""Collectives between processes that MPI connects."""

import proa as paddle
import pytest
from launching import run
from proa import CUDAPlace
from proa.core.place import parse_place


def test_every_collective_of_two_processes(tmp_path):
    assert "passed 0" in run(tmp_path, "collectives.py").stdout
    assert "passed 1" in (tmp_path / "log" / "workerlog.1").read_text()


def test_fleet_divides_the_batch_among_processes(tmp_path):
    assert "passed 0" in run(tmp_path, "fleet.py").stdout


@pytest.mark.parametrize("program", ["collectives.py", *(pytest.param(one, marks=pytest.mark.slow) for one in (
    "fleet.py", "data_parallel.py norm out.json", "data_parallel.py uneven out.json",
    "data_parallel.py embedding out.json"))])
def test_devices_are_connected_by_an_engine_of_theirs(tmp_path, program):
    run(tmp_path, "on_devices.py", *program.split())


def test_the_device_of_a_process_is_its_launchers(monkeypatch):
    assert parse_place("gpu") == CUDAPlace(0) == parse_place("gpu:0")
    monkeypatch.setenv("PADDLE_LOCAL_RANK", "2")
    assert paddle.distributed.ParallelEnv().local_rank == 0  # of all processes, as scripts use it
    assert parse_place("gpu") == CUDAPlace(2) and parse_place("gpu:1") == CUDAPlace(1)
    monkeypatch.setenv("FLAGS_selected_gpus", "5,6")
    assert parse_place("gpu") == CUDAPlace(5) and paddle.distributed.ParallelEnv().device_id == 5
    monkeypatch.setenv("FLAGS_selected_gpus", "x")
    with pytest.raises(ValueError, match="FLAGS_selected_gpus must be numbers of devices. Received 'x'"):
        parse_place("gpu")


def test_large_sums_are_those_of_the_whole(tmp_path):
    assert "summed 0" in run(tmp_path, "large_sums.py", processes=3).stdout
