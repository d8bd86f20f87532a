"""Programs of 1.8 in several processes, modes nccl2 and collective: as one process with the whole batches."""

import pytest
from launching import run


def as_one_process(tmp_path, processes, steps):
    assert "equal" in run(tmp_path, "static/nccl2.py", steps, processes=processes).stdout


def test_as_one_process(tmp_path):
    as_one_process(tmp_path, 2, 4)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 4])
def test_as_one_process_over_50_steps(tmp_path, processes):
    as_one_process(tmp_path, processes, 50)
