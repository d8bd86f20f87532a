"""Numbers of the gamma distribution: by loops and one by one, of shapes that are none."""

import numpy as np
import pytest
from proa.backend.random.gamma import gamma
from proa.core.flags import flags_guard
from proa.core.mersenne_twister import Engine
from proa.core.random import words_of_seed_sequence


def drawn(engines, shapes):
    """The numbers, twice, and the words that come next."""
    engine = Engine(words_of_seed_sequence, 7)
    with flags_guard({"FLAGS_cpu_engines": engines, "FLAGS_kernel_after_elements": 0}):
        return [gamma(engine, shapes).tolist(), gamma(engine, shapes).tolist(), engine.ahead(3)[:3].tolist()]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("largest", [0.5, 1.5, 60.0])
def test_loops_give_the_same_bits(largest, dtype):
    shapes = (np.random.default_rng(1).random(500) * largest).astype(dtype)
    assert drawn("loops", shapes) == drawn("", shapes)


def test_shapes_that_are_none_are_no_numbers_and_take_no_words():
    found = drawn("", np.array([np.nan, -1.0, 0.0, 2.0]))
    assert np.isnan(found[0][:2]).all() and found[0][2] == 0
    assert found[0][3:] == drawn("", np.array([2.0]))[0]
