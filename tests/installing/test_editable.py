"""An editable install is visible to type checkers, not to Python alone."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from package_files import ROOT

PROGRAM = ROOT / "tests" / "api" / "typed_program.py"
CHECKS = {"mypy": ["mypy", "--strict", "--follow-imports=silent", "--python-executable", "PYTHON", "program.py"],
          "basedpyright": ["basedpyright", "--level", "error", "--pythonpath", "PYTHON"]}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment in which the checkout is installed for editing."""
    folder = tmp_path_factory.mktemp("editable")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    made = str(folder / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", made, "install", "--quiet", "--no-deps", "-e", str(ROOT)],
                   check=True, capture_output=True)
    packages = subprocess.run([made, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              capture_output=True, text=True).stdout.strip()
    with open(os.path.join(packages, "what_it_needs.pth"), "w", encoding="utf-8") as file:
        file.write(os.path.dirname(os.path.dirname(np.__file__)) + "\n")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("checker", list(CHECKS))
def test_checkers_see_an_editable_install(checker, python, tmp_path):
    if shutil.which(checker, path=os.path.dirname(sys.executable)) is None:
        pytest.skip(f"{checker} is not installed")
    shutil.copy(PROGRAM, tmp_path / "program.py")
    (tmp_path / "pyrightconfig.json").write_text('{"include": ["program.py"], "typeCheckingMode": "strict"}')
    command = [python if word == "PYTHON" else word for word in CHECKS[checker]]
    unlinked = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    ran = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, env=unlinked)
    assert "Success" in ran.stdout or "0 errors" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.slow
def test_links_do_not_lead_in_circles(python):
    links = [path for path in (ROOT / ".editable" / "proa-stubs").iterdir()]
    assert {"__init__.pyi", "nn", "py.typed"} <= {path.name for path in links}
    assert not {"setup.py", "tests", ".editable"} & {path.name for path in links}
    assert all(path.is_symlink() and path.exists() and not path.samefile(ROOT) for path in links)


@pytest.mark.slow
def test_python_itself_runs_the_checkout(python, tmp_path):
    told = subprocess.run([python, "-c", "import importlib.util as u; print(u.find_spec('proa').origin)"], cwd=tmp_path,
                          capture_output=True, text=True, check=True).stdout.strip()
    assert os.path.samefile(told, ROOT / "__init__.py") and ".editable" not in told
