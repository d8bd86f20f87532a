"""What becomes of the LoD of an operator's first input, against what PaddlePaddle 2.6.2 did on the calls of records.

The answers (`fixtures/operators/lods.json`, written by `make_lods.py` beside it) are of Programs whose first input had
the LoD [[0, 1, rows]]. An operator whose results shared it in some calls and not in others is not among them.
PaddlePaddle 1.8.5, whose scripts are the ones with LoD, is followed where it says otherwise.
"""

import json
from pathlib import Path

import pytest
from proa.ops.core.facts import LODS
from proa.ops.core.operator import all_operators, find, is_declared

ANSWERS = {type: word for word, types in json.loads(
    (Path(__file__).parents[1] / "fixtures" / "operators" / "lods.json").read_text()).items() for type in types.split()}


IN_1_8 = {"gather": "drop", "scatter": "drop",  # other rows; of the first as many as there are places
          "abs": "share", "conv2d": "share", "conv3d": "share",
          "depthwise_conv2d": "share"}


@pytest.mark.parametrize("type", sorted(ANSWERS))
def test_the_lod_is_treated_as_in_paddle(type):
    assert _of_the_first_input(find(type)) == IN_1_8.get(type, ANSWERS[type])


def test_each_answer_is_of_an_operator():
    assert len(ANSWERS) > 250 and set(ANSWERS.values()) == {*LODS} - {"rows", "joined"}
    assert all(map(is_declared, ANSWERS)) and {op.lod for op in all_operators() if isinstance(op.lod, str)} == set(LODS)


def _of_the_first_input(op):
    """The word for what becomes of the first input's LoD, of a rule that decides by that of others.

    The reductions of the calls were of the first dimension, or of all.
    """
    if op.lod == "rows":
        return "drop"
    if isinstance(op.lod, str):
        return op.lod
    return "first" if op.lod(([1], *[[] for _ in op.inputs[1:]]), {}) else "drop"
