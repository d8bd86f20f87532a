"""jieba's paddle mode, unmodified: a bidirectional GRU and a CRF of Paddle 1.x with their parameters."""

import importlib.util
import json
import subprocess
import sys

import pytest
from fluid_calls import FOLDER


@pytest.mark.skipif(importlib.util.find_spec("jieba") is None, reason="jieba is not installed")
def test_words_and_tags():
    done = subprocess.run([sys.executable, "-m", "proa", "run", str(FOLDER / "jieba_words.py")], capture_output=True,
                          text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((FOLDER / "jieba_words.json").read_text())
