"""Fleets of collectives: 1.8's, 2.x's with Programs, and 1.8's DataParallel: as one process with the whole batches."""

import pytest
from launching import run


@pytest.mark.slow
def test_dynamic_mode_of_1_8(tmp_path):
    run(tmp_path, "static/dygraph_1_8.py")


@pytest.mark.slow
def test_fleet_of_1_8(tmp_path):
    run(tmp_path, "static/fleet_1_8.py", tmp_path)


@pytest.mark.slow
def test_fleet_of_2_x(tmp_path):
    run(tmp_path, "static/fleet_2.py")


@pytest.mark.slow
def test_training_goes_on_in_another_number_of_processes(tmp_path):
    for epoch, processes in enumerate((2, 1, 4)):
        done = run(tmp_path, "static/resumed.py", tmp_path / "checkpoints", processes=processes)
        assert f"epoch {epoch}" in done.stdout


def test_converted_functions(tmp_path):
    run(tmp_path, "static/converted.py")
