"""The numbers after `paddle.seed` are PaddlePaddle's, bit by bit, by whichever engine."""

import hashlib
import json
import pathlib

import proa as paddle
import pytest
from fixture_cases import module_at
from proa.core.flags import flags_guard

HERE = pathlib.Path(__file__).parent
sequences = module_at(HERE / "sequences.py")
WANTED = json.loads((HERE / "oracle_numbers.json").read_text())
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
