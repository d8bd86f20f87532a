"""Networks that differ between processes are found and said, in all of them."""

import pytest
from launching import run


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_networks_that_differ_are_found_and_said(tmp_path, processes):
    assert "passed 0" in run(tmp_path, "agreement.py", processes=processes).stdout
