"""What the how-to pages say one types, typed: in a folder that has the files which the pages speak of."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = os.path.join(ROOT, "docs", "how-to")
#: What the pages' commands give, in part.
SAID = {
    "several-processes.md": r"loss \d\.\d{4}", "debug-to-static.md": "`halved`.* is a Program",
    "files-from-strangers.md": r"matmul_v2 1.*float32\[1, 3\]",
    "run-scripts.md": r"its --arguments.*1 passed.*\[1\., 1\.\]",
}
NETWORK = """
import sys

import paddle


@paddle.jit.to_static
def halved(x):
    if x.sum() > 0:
        x = x / 2
    return x


halved(paddle.ones([2]))
print("its", *sys.argv[2:])
"""


def blocks(page, language):
    with open(os.path.join(PAGES, page), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.M | re.S)


def test_every_page_with_commands_is_typed():
    assert {page for page in os.listdir(PAGES) if blocks(page, "bash")} == SAID.keys()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="the pages use bash")
@pytest.mark.parametrize("page", SAID)
def test_what_a_page_types(page, tmp_path):
    for name, module in (("proa", " -m proa"), ("python", "")):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "train.py").write_text(NETWORK)
    if page == "several-processes.md":
        pytest.importorskip("mpi4py")
        (tmp_path / "train.py").write_text(blocks(page, "python")[0])
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / "test_one.py"
    test.write_text("import paddle\n\ndef test_one():\n    assert paddle.ones([2]).any()")
    paddle.jit.save(paddle.nn.Linear(2, 3), str(tmp_path / "model"), [paddle.static.InputSpec([None, 2])])
    np.save(tmp_path / "x.npy", np.ones((1, 2), "float32"))
    commands = "".join(line for line in "".join(blocks(page, "bash")).splitlines(True) if not line.startswith("pip "))
    path = os.pathsep.join([os.path.dirname(os.path.dirname(paddle.__file__)), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(["bash", "-ec", commands], capture_output=True, text=True, cwd=tmp_path, env={
        **os.environ, "PATH": f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(SAID[page], ran.stdout + ran.stderr, re.S), ran.stdout + ran.stderr
