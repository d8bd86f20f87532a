"""Does what docs/start.md says, as a newcomer would: pastes its blocks into a shell of their own, one after the other.

    python tests/start/copy_and_paste.py [--python PYTHON] [--keep FOLDER]

A block with a title is saved as a file, a block of bash is run; the repository is copied first, so that nothing is left
in it. Prints what the shell says, and how long each part of the page took.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_BLOCK = re.compile(
    r'^## (?P<part>[^\n]+)$|^```(?:python title="(?P<file>[\w.]+)"|bash)\n(?P<text>.*?)^```',
    re.M | re.S)
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".editable", "__pycache__", "*.egg-info", "site", "build", "tests")


def script(page: str) -> str:
    """The page as one script of bash: files are written where the shell stands, parts are timed."""
    lines = ["set -euo pipefail"]
    for found in _BLOCK.finditer(page):
        if found["part"]:
            lines.append(f'echo "=== $SECONDS {found["part"]}" >&2')
        elif found["file"]:
            lines.append(f"cat > {found['file']} <<'end of the file'\n{found['text']}end of the file")
        else:
            lines.append(found["text"])
    return "\n".join(lines) + "\n"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", default=sys.executable, help="what python3 is")
    options.add_argument("--keep", help="a folder to do it in, which is kept")
    given = options.parse_args()
    folder = given.keep or tempfile.mkdtemp()
    try:
        return paste(os.path.join(folder, "proa"), given.python)
    finally:
        if not given.keep:
            shutil.rmtree(folder)


def paste(checkout: str, python: str) -> int:
    shutil.copytree(ROOT, checkout, ignore=_LEFT_OUT)
    commands = os.path.join(os.path.dirname(checkout), "bin")
    os.makedirs(commands, exist_ok=True)
    with open(os.path.join(commands, "python3"), "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{python}" "$@"\n')
    os.chmod(os.path.join(commands, "python3"), 0o755)
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONPYCACHEPREFIX")}
    with open(os.path.join(ROOT, "docs", "start.md"), encoding="utf-8") as file:
        page = file.read()
    began = time.monotonic()
    path = f"{commands}{os.pathsep}{kept['PATH']}"
    # bash reads from a file: what a shell is fed by a pipe would go to the first command that reads
    pasted = os.path.join(commands, "pasted.sh")
    with open(pasted, "w", encoding="utf-8") as file:
        file.write(script(page))
    status = subprocess.run(["bash", pasted], cwd=checkout, env=kept | {"PATH": path}).returncode
    print(f"\n=== {time.monotonic() - began:.0f} s in all, exit status {status}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
