"""Paddle 2.1's guide to saving and loading, block by block and as written, where its text lies beside the checkout.

The text is its authors' and is not part of this repository; `tests/jit/test_save_load.py` covers the same ways in our
own words. A block that begins with imports begins a script; the blocks behind it go on with it.
"""

import glob
import os
import re
import subprocess
import sys
import textwrap

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXTS = glob.glob(os.path.join(os.path.dirname(ROOT), "shared", "seeds", "002_*.txt"))

# The guide speaks here of the `image` of its training loop, which is not a name of the script.
DEFINED_BEFORE = {"input_spec=[image]": "image = next(iter(loader()))[0]\n"}


def code_blocks(text):
    lines = text.split("\n")
    blocks, number = [], 0
    while number < len(lines):
        if re.match(r"\.\. code-block:: python", lines[number].strip()):
            number += 1
            block = []
            while number < len(lines) and (not lines[number].strip() or lines[number].startswith("    ")):
                block.append(lines[number])
                number += 1
            blocks.append(textwrap.dedent("\n".join(block)).strip() + "\n")
        else:
            number += 1
    return blocks


def scripts(blocks):
    joined = []
    for block in blocks:
        for marker, definition in DEFINED_BEFORE.items():
            block = definition + block if marker in block else block
        if re.match(r"(?:#.*\n)*import ", block) or not joined:
            joined.append(block)
        else:
            joined[-1] += block
    return joined


@pytest.mark.skipif(not TEXTS, reason="the guide's text is not beside this checkout")
def test_every_block_of_the_guide_runs_as_written(tmp_path):
    with open(TEXTS[0], encoding="utf-8") as file:
        blocks = code_blocks(file.read())
    assert len(blocks) == 27
    for number, script in enumerate(scripts(blocks)):
        path = tmp_path / f"guide_{number}.py"
        path.write_text(script, encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "proa", "run", str(path)], cwd=tmp_path, capture_output=True,
                              text=True, timeout=300)
        assert done.returncode == 0, f"script {number}:\n{script}\n{done.stderr}"
    assert sorted(os.listdir(tmp_path / "example.model")) == [
        "linear.another_forward.pdiparams", "linear.another_forward.pdmodel", "linear.pdiparams",
        "linear.pdiparams.info", "linear.pdmodel"]
    assert (tmp_path / "fine-tune.model" / "linear.pdmodel").exists()
    assert (tmp_path / "func" / "model.pdmodel").exists()
    assert (tmp_path / "infer_model.pdiparams").exists()
