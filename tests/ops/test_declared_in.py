"""A process that finds operators by their types imports the families that declare them."""

import os
import subprocess
import sys

import proa as paddle
from declared_list import text
from proa.ops.core import declared_in
from proa.ops.core.operator import all_operators, find

SCRIPT = """
import sys
from proa.ops.core.operator import find, is_declared
found = [find(type).type for type in sys.argv[1:]]
print(*found, "proa.ops.catalogue" in sys.modules, is_declared("of_no_family"), "proa.ops.catalogue" in sys.modules)
"""


def test_a_process_imports_what_it_needs():
    types = ["roi_align", "beam_search", "conv3d_transpose"]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *types], capture_output=True, text=True)
    assert done.stdout.split() == [*types, "False", "False", "True"], done.stderr


OPENING = """
import sys
import proa as paddle
paddle.inference.create_predictor(paddle.inference.Config(sys.argv[1] + ".pdmodel", sys.argv[1] + ".pdiparams"))
print(*(name in sys.modules for name in ("proa.ops.catalogue", "proa.static.amp", "proa.static.files.persistence")))
"""


def test_opening_a_model_imports_what_it_needs(tmp_path):
    prefix = str(tmp_path / "model")
    paddle.jit.save(paddle.nn.Linear(2, 2), prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    variables = {**os.environ, "FLAGS_keep_plans": "0"}
    done = subprocess.run([sys.executable, "-c", OPENING, prefix], env=variables, capture_output=True, text=True)
    assert done.stdout.split() == ["False"] * 3, done.stderr


def test_the_list_is_that_of_all_operators():
    with open(declared_in.FILE, encoding="utf-8") as file:
        assert file.read() == text(), "the list is not up to date: python -m tests.ops.declared_list"
    own = {operator.type for operator in all_operators() if operator.declared_in.startswith("proa.ops.")}
    assert set(declared_in._modules()) == own


def test_without_the_list_every_family_is_imported(monkeypatch):
    monkeypatch.setattr(declared_in, "_modules", dict)
    assert not declared_in.import_for("conv2d") and find("conv2d").type == "conv2d"
