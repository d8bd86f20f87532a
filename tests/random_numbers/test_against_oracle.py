"""The numbers after `paddle.seed` are PaddlePaddle's, bit by bit, by whichever engine."""

import hashlib
import json
import pathlib

import numpy as np
import proa as paddle
import pytest
import sequences
from proa.core.flags import flags_guard

WANTED = json.loads(pathlib.Path(__file__).with_name("oracle_numbers.json").read_text())
ENGINES = {"numpy": "", "loops": "loops"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sequences.SEQUENCES)
def test_numbers(name, engine):
    with flags_guard({"FLAGS_cpu_engines": ENGINES[engine], "FLAGS_kernel_after_elements": 0}):
        first, *others = sequences.SEEDS
        found = sequences.drawn(paddle, name, first)
        for place, (own, wanted) in enumerate(zip(found, WANTED[name][str(first)], strict=True)):
            assert own == wanted, f"{name}: the Tensor drawn as number {place}"
        for seed in others:
            digest = hashlib.sha256(repr(sequences.drawn(paddle, name, seed)).encode()).hexdigest()
            assert digest == WANTED[name][str(seed)], f"after seed({seed})"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sequences.CLOSE)
def test_numbers_that_round(name, engine):
    with flags_guard({"FLAGS_cpu_engines": ENGINES[engine], "FLAGS_kernel_after_elements": 0}):
        found = sequences.arrays_of(paddle, name, sequences.SEEDS[0])
        for place, (own, (dtype, wanted)) in enumerate(zip(found, WANTED[name], strict=True)):
            assert own.dtype.name == dtype
            tolerance = 1e-5 if dtype == "float32" else 1e-12
            np.testing.assert_allclose(own, wanted, tolerance, tolerance, err_msg=f"{name}: the array number {place}")
