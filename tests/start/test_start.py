"""The page docs/start.md, done in a new environment with a wheel, as somebody does who has no checkout."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from package_files import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="the page uses bash and curl")
def test_from_nothing_to_a_model_that_answers(tmp_path):
    source = tmp_path / "source"  # what is built leaves nothing in the checkout
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(
        ".*", "tests", "docs", "build", "__pycache__", "*.egg-info"))
    built = subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir",
                            str(tmp_path), str(source)], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("proa-*.whl")
    done = subprocess.run([sys.executable, os.path.join(HERE, "copy_and_paste.py"), "--wheel", str(wheel)],
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    share = re.search(r"of 1,000 digits that it has not seen, ([\d.]+)% are right", said)
    assert share and float(share[1]) > 92, said
    digit = re.search(r"digit.png is a (\d)", said)
    assert digit and f'"digit":{digit[1]}' in said, said
    assert re.search(rf"\n  {digit[1]}: 0\.\d+", said), said
