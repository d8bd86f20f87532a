"""Servers and trainers are killed at random moments: a few times here; `python soaking.py 100 15` does it oftener."""

import pytest

pytest.importorskip("grpc")

from soaking import soaked


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_kills_change_nothing(mode, tmp_path):
    made = soaked(mode, tmp_path / mode, seed=4, kills=8)
    assert set(made.done) == {"server", "trainer"} and made.in_a_round
