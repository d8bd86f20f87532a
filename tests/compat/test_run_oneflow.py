"""`import oneflow` in scripts that are run is `proa.oneflow`."""

import subprocess
import sys

_SCRIPT = """
import oneflow as flow
import oneflow.typing as tp
import oneflow.compatible.single_client as older
import oneflow.compatible.single_client.typing as older_typing
from oneflow.compatible import single_client
from oneflow.compatible.single_client import typing
import paddle, proa.oneflow
assert flow is older is single_client is proa.oneflow, flow
assert tp is older_typing is typing is proa.oneflow.typing
assert paddle.__version__ == "2.6.2" and flow.__version__ == "0.6.0"
try:
    import oneflow.serving
except ModuleNotFoundError as error:
    print(error)
import subprocess, sys
code = "import oneflow; print('child:', oneflow.__name__)"
sys.stdout.flush()
subprocess.run([sys.executable, "-c", code], check=True)
"""


def test_import_oneflow_gives_the_face(tmp_path):
    done = subprocess.run([sys.executable, "-m", "proa", "run", "-c", _SCRIPT], capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "oneflow.serving is not supported" in done.stdout
    assert "child: proa.oneflow" in done.stdout, done.stdout
