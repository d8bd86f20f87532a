"""A program with its Python in a folder, made by PyInstaller by the hook that the package ships."""

import os
import shutil
import subprocess

import pytest

#: A Python in which a wheel of this package and PyInstaller are installed; an editable install cannot be bundled.
PYTHON = os.environ.get("PROA_BUNDLE_PYTHON", "")
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.py")


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="PROA_BUNDLE_PYTHON names no Python")
def test_a_bundle_trains_saves_and_loads(tmp_path):
    shutil.copy(PROGRAM, tmp_path)
    command = [PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--add-data", "program.py:.",
               "program.py"]
    subprocess.run(command, cwd=tmp_path, check=True)
    bundle = tmp_path / "dist" / "program"
    size = sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(bundle) for name in names)
    print(f"the bundle takes {size / 1e6:.0f} MB")
    elsewhere = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONWARNINGS": "error"}
    ran = subprocess.run([str(bundle / "program"), str(tmp_path)], cwd=tmp_path, env=elsewhere, capture_output=True,
                         text=True)
    assert ran.returncode == 0 and "saved and loaded equal" in ran.stdout, ran.stdout + ran.stderr
    assert "FallbackWarning" not in ran.stderr, ran.stderr
