"""Programs of the 1.x era, whole: trained beside 1.8.5 from equal values, saved, loaded in a new process, inferred."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import proa
import proa.fluid as fluid
import program_runs
import pytest

ROOT = Path(__file__).parent
ANSWERS = json.loads((ROOT.parent / "fixtures" / "fluid" / "programs.json").read_text())
INFER = """
import importlib, json, sys
folder, *paths = sys.argv[1:]
sys.path[:0] = paths
import proa.fluid as fluid
import program_runs
print(json.dumps({name: program_runs.inferred(fluid, importlib.import_module(name), f"{folder}/{name}")
                  for name in program_runs.NAMES}))
"""


@pytest.fixture(scope="module")
def paths():
    sys.path.insert(0, str(ROOT / "programs"))
    yield
    sys.path.remove(str(ROOT / "programs"))


@pytest.fixture(scope="module")
def trained(paths, tmp_path_factory):
    """What each program gives, and the folder in which what it infers with is saved."""
    folder = tmp_path_factory.mktemp("programs")
    found = {}
    for name in program_runs.NAMES:
        found[name] = program_runs.trained(fluid, importlib.import_module(name), str(folder / name))
    return found, folder


@pytest.fixture(scope="module")
def elsewhere(trained):
    """What a new process infers with the saved programs."""
    roots = [str(Path(proa.__file__).parent.parent), str(ROOT), str(ROOT / "programs")]
    ended = subprocess.run([sys.executable, "-c", INFER, str(trained[1]), *roots], capture_output=True, text=True,
                           check=True)
    return json.loads(ended.stdout)


def alike(got, expected):
    assert [(v["shape"], v["lod"]) for v in got] == [(v["shape"], v["lod"]) for v in expected]
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one["values"], other["values"], rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("name", program_runs.NAMES)
def test_losses_and_names_are_those_of_1_8(trained, name):
    got, expected = trained[0][name], ANSWERS[name]
    assert got["parameters"] == expected["parameters"]
    np.testing.assert_allclose(got["losses"], expected["losses"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", program_runs.NAMES)
def test_a_new_process_infers_what_1_8_infers(elsewhere, name):
    alike(elsewhere[name], ANSWERS[name]["inferred"])


def test_a_clone_for_evaluation_has_the_penalty_on_gradients():
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 3])
        x.stop_gradient = False
        score = fluid.layers.fc(x, 1, param_attr=fluid.initializer.Constant(2.0))
        (slope,) = fluid.gradients(score, x)
        loss = fluid.layers.mean(fluid.layers.square(slope)) + fluid.layers.mean(score)
        before = main.clone(for_test=True)
        fluid.optimizer.SGD(0.1).minimize(loss)
        behind = main.clone(for_test=True)
        exe.run(startup)
        feed = {"x": np.ones((2, 3), "float32")}
        for program in (before, behind, main):
            assert exe.run(program, feed=feed, fetch_list=[loss.name])[0].tolist() == [10.0]
    assert [op.type for op in before.global_block().ops] == [op.type for op in behind.global_block().ops]
    assert not any(op.type == "sgd" for op in behind.global_block().ops)
