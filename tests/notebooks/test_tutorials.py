"""Tutorials run as notebooks, their pages show their code, and programs of theirs are clean to strict type checkers."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.notebooks import tutorials


def read(name):
    with open(os.path.join(tutorials.FOLDER, name), encoding="utf-8") as file:
        return file.read()


def code_cells(name):
    """The code of a tutorial's cells, read without jupytext."""
    cells = re.split(r"^# %%(.*)\n", read(f"{name}.py"), flags=re.M)[1:]
    return [code.strip("\n") for kind, code in zip(cells[::2], cells[1::2], strict=True) if "markdown" not in kind]


@pytest.mark.parametrize("name", tutorials.names())
def test_page_and_notebook_are_of_this_program(name):
    wanted = code_cells(name)
    assert re.findall(r"```py\n(.*?)\n```", read(f"{name}.md"), re.S) == wanted, \
        f"run: python -m tests.notebooks.tutorials {name}"
    cells = json.loads(read(f"{name}.ipynb"))["cells"]
    assert ["".join(c["source"]) for c in cells if c["cell_type"] == "code"] == wanted
    for picture in re.findall(r"\]\((pictures/[^)]+)\)", read(f"{name}.md")):
        assert os.path.getsize(os.path.join(tutorials.FOLDER, picture)) < 60_000
    assert f"({name}.md)" in read("index.md")


@pytest.mark.slow
@pytest.mark.parametrize("name", tutorials.names())
def test_a_tutorial_runs(name):
    for package in ("jupytext", "nbclient", "ipykernel", "mlxtend", "matplotlib"):
        pytest.importorskip(package)
    if name == "4-serving":
        pytest.importorskip("starlette")
        pytest.importorskip("uvicorn")
    text, _ = tutorials.page(name, tutorials.run(name))  # a cell that raises ends it
    assert tutorials.without_outputs(text) == tutorials.without_outputs(read(f"{name}.md"))
    assert tutorials.ipynb(tutorials.notebook(name)) == read(f"{name}.ipynb")


TYPED = [name for name in tutorials.names() if not {"fluid", "oneflow"} & {*re.findall(r"\w+", read(f"{name}.py"))}]


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_strict_checkers_find_nothing(checker, tmp_path):
    """Packages without types of their own (mlxtend) are taken as they are; all else is strict."""
    pytest.importorskip(checker)
    os.symlink(tutorials.ROOT, tmp_path / "proa")
    programs = [f"tutorial_{name.replace('-', '_')}.py" for name in TYPED]
    for name, program in zip(TYPED, programs, strict=True):
        shutil.copy(os.path.join(tutorials.FOLDER, f"{name}.py"), tmp_path / program)
    others = ["reportMissingTypeStubs", "reportUnknownVariableType", "reportUnknownMemberType",
              "reportUnknownArgumentType", "reportUnknownLambdaType", "reportRedeclaration", "reportUnusedExpression"]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(
        {"include": programs, "typeCheckingMode": "strict", **dict.fromkeys(others, "none")}))
    command = {"mypy": ["mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
                        "--cache-dir", str(tmp_path / "cache"), *programs],
               "basedpyright": ["basedpyright", "--level", "error", "--pythonpath", sys.executable]}[checker]
    ran = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "MYPYPATH": str(tmp_path)})
    lines = [line for line in ran.stdout.splitlines() if "error" in line and "tutorial_" in line]
    assert not lines and re.search("Found|Success|0 errors", ran.stdout), ran.stdout
