"""A process that finds operators by their types imports the families that an earlier one found them in."""

import os
import subprocess
import sys

import proa as paddle
import pytest
from proa.backend.loops import cache
from proa.core.flags import flags_guard
from proa.ops.core import declared_in
from proa.ops.core.operator import all_operators, find

SCRIPT = """
import sys
from proa.ops.core.operator import find, is_declared
found = [find(type).type for type in sys.argv[1:]]
print(*found, "proa.ops.catalogue" in sys.modules, is_declared("of_no_family"), "proa.ops.catalogue" in sys.modules)
"""


def told(folder, *types):
    variables = {**os.environ, "FLAGS_kernel_cache_dir": str(folder), "FLAGS_keep_plans": "1",
                 "FLAGS_kernel_cache_megabytes": "100"}
    done = subprocess.run([sys.executable, "-c", SCRIPT, *types], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_later_process_imports_what_it_needs(tmp_path):
    types = ["roi_align", "beam_search", "conv3d_transpose"]
    assert told(tmp_path, *types) == [*types, "True", "False", "True"]
    assert told(tmp_path, *types) == [*types, "False", "False", "True"]


OPENING = """
import sys
import proa as paddle
paddle.inference.create_predictor(paddle.inference.Config(sys.argv[1] + ".pdmodel", sys.argv[1] + ".pdiparams"))
print(*(name in sys.modules for name in ("proa.ops.catalogue", "proa.static.amp", "proa.static.files.persistence")))
"""


def test_opening_a_model_imports_what_it_needs(tmp_path):
    prefix = str(tmp_path / "model")
    paddle.jit.save(paddle.nn.Linear(2, 2), prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    told(tmp_path, "matmul_v2")
    variables = {**os.environ, "FLAGS_kernel_cache_dir": str(tmp_path), "FLAGS_keep_plans": "1"}
    done = subprocess.run([sys.executable, "-c", OPENING, prefix], env=variables, capture_output=True, text=True)
    assert done.stdout.split() == ["False"] * 3, done.stderr


@pytest.fixture
def folder(tmp_path):
    with flags_guard({"FLAGS_kernel_cache_dir": str(tmp_path), "FLAGS_keep_plans": True}):
        yield tmp_path


def test_every_operator_is_where_the_hint_says(folder):
    declared_in.keep({operator.type: operator.declared_in for operator in all_operators()})
    kept = declared_in._kept(str(cache.folder()))
    own = [operator for operator in all_operators() if operator.declared_in.startswith("proa.ops.")]
    assert set(kept) == {operator.type for operator in own}


def test_a_hint_that_leads_nowhere_is_no_harm(folder, monkeypatch):
    monkeypatch.setattr(declared_in, "_kept", lambda folder: {"conv2d": "nowhere.at_all", "relu": "math.clip"})
    assert not declared_in.import_for("conv2d") and declared_in.import_for("relu")
    assert not declared_in.import_for("of_no_family") and find("conv2d").type == "conv2d"
    with flags_guard({"FLAGS_keep_plans": False}):
        assert not declared_in.import_for("relu")
