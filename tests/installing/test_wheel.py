"""What the built distributions hold, and that they work where there is no checkout."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from package_files import ROOT, package_files

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_BUILT_FROM = shutil.ignore_patterns(".*", "tests", "docs", "benchmarks", "examples", "build", "dist", "site",
                                        "__pycache__", "*.egg-info", "log", "profiler_log", "*-output", "proa-demo")


def _run(*command, cwd, **environment):
    variables = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment}
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Two wheels of plain Python, each built of a copy of the checkout."""
    made = []
    for name in ("first", "second"):
        folder = tmp_path_factory.mktemp(name)
        shutil.copytree(ROOT, folder / "source", ignore=NOT_BUILT_FROM)
        _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "made", "./source",
             cwd=folder, PROA_NATIVE="0")
        made += (folder / "made").glob("proa-*.whl")
    return made


@pytest.mark.slow
def test_a_wheel_holds_the_package_and_nothing_else(wheels):
    with zipfile.ZipFile(wheels[0]) as wheel:
        held = {name.removeprefix("proa/") for name in wheel.namelist() if name.startswith("proa/")}
        rest = {name.partition("/")[2] for name in wheel.namelist() if not name.startswith("proa/")}
        told = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    modules = {path.relative_to(ROOT).as_posix() for path in package_files()}
    stubs = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.pyi")
             if not path.relative_to(ROOT).parts[0].startswith((".", "build"))}
    descriptions = {"static/format/framework.proto", "distributed/ps/messages.proto", "ops/core/declared_in.txt",
                    "py.typed"}
    assert wheels[0].name.endswith("-py3-none-any.whl")
    assert held == modules | stubs | descriptions
    assert rest == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "licenses/LICENSE"}
    assert re.search(r"^Requires-Python: >=3\.10$", told, re.M)
    assert "# proa\n" in told and "Description-Content-Type: text/markdown" in told


@pytest.mark.slow
def test_the_same_sources_give_the_same_wheel(wheels):
    first, second = (wheel.read_bytes() for wheel in wheels)
    assert first == second


@pytest.mark.slow
def test_an_installed_wheel_runs_a_program(wheels, tmp_path):
    _run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", "packages", str(wheels[0]),
         cwd=tmp_path)
    shutil.copy(os.path.join(HERE, "program.py"), tmp_path)
    packages = str(tmp_path / "packages")
    said = _run(sys.executable, "-W", "error", "program.py", str(tmp_path), cwd=tmp_path, PYTHONPATH=packages)
    assert "saved and loaded equal" in said
    where = _run(sys.executable, "-c", "import proa; print(proa.__file__)", cwd=tmp_path, PYTHONPATH=packages)
    assert where.startswith(packages)
    assert "generated loops" in _run(sys.executable, "-m", "proa", "info", cwd=tmp_path, PYTHONPATH=packages)
