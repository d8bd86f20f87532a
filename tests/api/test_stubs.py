"""The stubs that type checkers read are those that the packages give now, and a program has the types it should."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.api import stubs

PROGRAM = os.path.join(stubs.ROOT, "tests", "api", "typed_program.py")


@pytest.mark.parametrize("path", sorted(stubs.stubs()))
def test_a_stub_is_what_the_package_gives(path):
    with open(os.path.join(stubs.ROOT, path), encoding="utf-8") as file:
        assert file.read() == stubs.stubs()[path], "run: python -m tests.api.stubs"


def test_a_name_that_shadows_a_type_of_python_s_is_told_apart():
    text = stubs.package_stub("proa")
    assert "bool: _DType" in text and "from builtins import bool as _bool" in text
    assert "keepdim: _bool = False" in text and "keepdim: bool" not in text


def _linked(folder):
    """The package where checkers look for packages: an editable install shows it to Python alone."""
    os.symlink(stubs.ROOT, folder / "proa")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_a_strict_program_is_clean(checker, tmp_path):
    if shutil.which(checker, path=os.path.dirname(sys.executable)) is None:
        pytest.skip(f"{checker} is not installed")
    folder = _linked(tmp_path)
    shutil.copy(PROGRAM, folder / "program.py")
    (folder / "pyrightconfig.json").write_text('{"include": ["program.py"], "typeCheckingMode": "strict"}')
    cache = str(folder / "cache")
    command = {"mypy": ["mypy", "--strict", "--follow-imports=silent", "--cache-dir", cache, "program.py"],
               "basedpyright": ["basedpyright", "--level", "error"]}[checker]
    ran = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "MYPYPATH": str(folder)})
    lines = [line for line in ran.stdout.splitlines() if "program.py" in line and "error" in line]
    assert not lines and ("Found" in ran.stdout or "Success" in ran.stdout or "0 errors" in ran.stdout), ran.stdout
