"""Gradients of tables in several processes are exchanged as rows."""

import pytest
from launching import run


@pytest.mark.parametrize("processes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_rows_are_exchanged_and_training_is_that_of_whole_gradients(tmp_path, processes):
    assert "passed 0" in run(tmp_path, "sparse_gradients.py", processes=processes).stdout
