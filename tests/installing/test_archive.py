"""The package in an archive that Python imports from, as `python -m zipapp` makes them."""

import os
import subprocess
import sys
import zipfile

import pytest
from package_files import ROOT, package_files

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.slow
def test_it_trains_converts_and_saves_from_there(tmp_path):
    archive = tmp_path / "program.pyz"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for path in package_files():
            made.write(path, f"proa/{path.relative_to(ROOT).as_posix()}")
        made.write(os.path.join(HERE, "program.py"), "__main__.py")
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    kept["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    for _ in range(2):  # what the first has left in the cache serves the second
        ran = subprocess.run([sys.executable, "-W", "error", str(archive), str(tmp_path)],
                             capture_output=True, text=True, cwd=tmp_path, env=kept)
        assert ran.returncode == 0, ran.stderr
        assert "saved and loaded equal" in ran.stdout
    assert any((tmp_path / "cache").rglob("*.code"))
