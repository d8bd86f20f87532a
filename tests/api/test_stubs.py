"""The stubs that type checkers read are those that the packages give now, and a program has the types it should."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.api import stubs

HERE = os.path.join(stubs.ROOT, "tests", "api")
STUBS = stubs.stubs()
#: One in which every type is asserted, and others as people write them.
PROGRAMS = [os.path.join(HERE, "typed_program.py"),
            *sorted(os.path.join(HERE, "typed", name) for name in os.listdir(os.path.join(HERE, "typed"))
                    if name.endswith(".py"))]


@pytest.mark.parametrize("path", sorted(STUBS))
def test_a_stub_is_what_the_package_gives(path):
    with open(os.path.join(stubs.ROOT, path), encoding="utf-8") as file:
        assert file.read() == STUBS[path], "run: python -m tests.api.stubs"


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
def test_strict_programs_are_clean(checker, tmp_path):
    if shutil.which(checker, path=os.path.dirname(sys.executable)) is None:
        pytest.skip(f"{checker} is not installed")
    folder = _linked(tmp_path)
    (folder / "programs").mkdir()
    for program in PROGRAMS:
        shutil.copy(program, folder / "programs")
    (folder / "pyrightconfig.json").write_text('{"include": ["programs"], "typeCheckingMode": "strict"}')
    cache = str(folder / "cache")
    command = {"mypy": ["mypy", "--strict", "--follow-imports=silent", "--cache-dir", cache, "programs"],
               "basedpyright": ["basedpyright", "--level", "error"]}[checker]
    ran = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "MYPYPATH": str(folder)})
    lines = [line for line in ran.stdout.splitlines() if "programs" in line and "error" in line]
    assert not lines and ("Found" in ran.stdout or "Success" in ran.stdout or "0 errors" in ran.stdout), ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS[1:], ids=os.path.basename)
def test_strict_programs_run(program, tmp_path):
    ran = subprocess.run([sys.executable, "-W", "error", program], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
