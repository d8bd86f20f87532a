"""Processes that a script starts on its machine itself, and watches."""

import subprocess
import sys
import time

import pytest
from proa.distributed.utils.launch_utils import TrainerProc, get_cluster, terminate_local_procs, watch_local_trainers


def started(code, rank):
    each = TrainerProc()
    each.proc, each.rank = subprocess.Popen([sys.executable, "-c", code]), rank
    return each


def test_machines_with_a_process_for_each_device():
    addresses = [["10.0.0.1:1", "10.0.0.1:2"], ["10.0.0.2:1", "10.0.0.2:2", "10.0.0.2:3"]]
    cluster, here = get_cluster(["10.0.0.1", "10.0.0.2"], "10.0.0.2", addresses, [0, [1, 2]])
    assert cluster.trainers_endpoints() == ["10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1", "10.0.0.2:2"]
    assert cluster.trainers_nranks() == 4 and (here.rank, here.addr) == (1, "10.0.0.2")
    assert [(each.rank, each.gpus) for each in here.trainers] == [(2, [0]), (3, [1, 2])]
    with pytest.raises(ValueError, match="1 addresses for 2"):
        get_cluster(["10.0.0.1"], "10.0.0.1", [["10.0.0.1:1"]], [0, 1])


def test_all_that_ended_well_are_no_longer_alive():
    procs = [started("pass", rank) for rank in range(2)]
    for each in procs:
        each.proc.wait()
    assert watch_local_trainers(procs, 2) is False


def test_one_that_fails_ends_the_others():
    procs = [started("import time; time.sleep(60)", 0), started("raise SystemExit(3)", 1)]
    try:
        assert watch_local_trainers(procs[:1], 2) is True
        with pytest.raises(SystemExit, match="rank 1 of 2 ended with 3"):
            for _ in range(200):
                watch_local_trainers(procs, 2)
                time.sleep(0.1)
        assert procs[0].proc.poll() is not None
    finally:
        terminate_local_procs(procs)
