"""The page docs/start.md, done as it stands, in a new environment."""

import os
import re
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="the page uses bash and curl")
def test_from_nothing_to_a_model_that_answers():
    done = subprocess.run([sys.executable, os.path.join(HERE, "copy_and_paste.py")], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    share = re.search(r"of 1,000 digits that it has not seen, ([\d.]+)% are right", said)
    assert share and float(share[1]) > 92, said
    digit = re.search(r"digit.png is a (\d)", said)
    assert digit and f'"digit":{digit[1]}' in said, said
    assert re.search(rf"\n  {digit[1]}: 0\.\d+", said), said
