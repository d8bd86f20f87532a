"""Nothing but Linux has is asked for at import or in training: what other systems lack is taken away."""

import os
import subprocess
import sys

import pytest
from proa.distributed.launch import shared_folder

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "elsewhere.py")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_every_module_is_imported_and_a_network_trains(platform, tmp_path):
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, PROGRAM, platform, str(tmp_path)], capture_output=True, text=True,
                         env=variables)
    assert ran.returncode == 0 and "0 modules failed" in ran.stdout, ran.stdout[-4000:] + ran.stderr[-4000:]


def test_a_launcher_where_there_is_none_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(NotImplementedError, match=r"launch and spawn start processes by Open MPI.*WSL"):
        shared_folder.SharedFolder()
