"""Readers of 1.x beside a live PaddlePaddle 1.8.5: set PROA_FLUID_ORACLE_PYTHON to its Python."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest

PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures" / "fluid"

pytestmark = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(script, *arguments):
    done = subprocess.run([PYTHON, str(script), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("name", ["readers", "metrics"])
def test_the_fixtures_say_what_1_8_5_says(name):
    kept = (FIXTURES / f"{name}.json").read_text()
    try:
        there(FIXTURES / f"make_{name}.py")
        assert json.loads((FIXTURES / f"{name}.json").read_text()) == json.loads(kept)
    finally:
        (FIXTURES / f"{name}.json").write_text(kept)


def test_a_program_with_a_reader_runs_there(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        reader = fluid.layers.py_reader(2, [[-1, 3], [-1, 1]], ["float32", "int64"], lod_levels=[0, 1], name="train")
        x, words = fluid.layers.read_file(reader)
        y = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5)))
        (tmp_path / "main").write_bytes(main.serialized())
        (tmp_path / "startup").write_bytes(startup.serialized())
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        reader.decorate_tensor_provider(lambda: iter([[
            np.full((2, 3), 2, "float32"),
            fluid.create_lod_tensor(np.arange(3).reshape(3, 1), [[1, 2]], fluid.CPUPlace())]]))
        reader.start()
        here = exe.run(main, fetch_list=[y, words], return_numpy=False)
        reader.reset()
    answer = json.loads(there(HERE / "fluid_reader_there.py", tmp_path, y.name, words.name))
    assert [[np.array(value).tolist(), value.lod()] for value in here] == answer
