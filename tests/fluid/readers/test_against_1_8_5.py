"""What readers, feeders and datasets give, against what PaddlePaddle 1.8.5 gave for the same code."""

import json
import sys
from pathlib import Path

import proa as paddle
import proa.fluid as fluid
import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures" / "fluid"
sys.path.insert(0, str(FIXTURES))

import reader_cases  # noqa: E402 - behind the path

THERE = json.loads((FIXTURES / "readers.json").read_text())


@pytest.mark.parametrize("name", reader_cases.CASES)
def test_gives_what_1_8_5_gives(name):
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()):
        found = reader_cases.CASES[name](fluid, paddle)
    assert json.loads(json.dumps(found)) == THERE[name]
