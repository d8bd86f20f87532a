"""Does what docs/start.md says, as a newcomer would: pastes its blocks into a shell of their own, one after the other.

    python tests/start/copy_and_paste.py [--python PYTHON] [--wheel WHEEL] [--keep FOLDER]

A block with a title is saved as a file, a block of bash is run; the repository is copied first, so that nothing is left
in it. With a wheel there is no repository: the shell stands in an empty folder, and the wheel is what is installed.
Prints what the shell says, how long each part of the page took, and what processor time it took in all.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_BLOCK = re.compile(
    r'^## (?P<part>[^\n]+)$|^```(?:python title="(?P<file>[\w.]+)"|bash)\n(?P<text>.*?)^```',
    re.M | re.S)
_FROM_A_CHECKOUT = '-e ".[demo,serve]"'
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
    options.add_argument("--wheel", help="what is installed, instead of the repository")
    options.add_argument("--keep", help="a folder to do it in, which is kept")
    given = options.parse_args()
    folder = given.keep or tempfile.mkdtemp()
    try:
        return paste(os.path.join(folder, "proa"), given.python, given.wheel and os.path.abspath(given.wheel))
    finally:
        if not given.keep:
            shutil.rmtree(folder)


def paste(place: str, python: str, wheel: str | None) -> int:
    with open(os.path.join(ROOT, "docs", "start.md"), encoding="utf-8") as file:
        page = file.read()
    if wheel:
        os.makedirs(place)
        assert page.count(_FROM_A_CHECKOUT) == 1, f"the page does not install by {_FROM_A_CHECKOUT}"
        page = page.replace(_FROM_A_CHECKOUT, f'"{wheel}[demo,serve]"')
    else:
        shutil.copytree(ROOT, place, ignore=_LEFT_OUT)
    commands = os.path.join(os.path.dirname(place), "bin")
    os.makedirs(commands, exist_ok=True)
    with open(os.path.join(commands, "python3"), "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{python}" "$@"\n')
    os.chmod(os.path.join(commands, "python3"), 0o755)
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONPYCACHEPREFIX")}
    began = time.monotonic()
    path = f"{commands}{os.pathsep}{kept['PATH']}"
    # bash reads from a file: what a shell is fed by a pipe would go to the first command that reads
    pasted = os.path.join(commands, "pasted.sh")
    with open(pasted, "w", encoding="utf-8") as file:
        file.write(script(page))
    status = subprocess.run(["bash", pasted], cwd=place, env=kept | {"PATH": path}).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n=== {time.monotonic() - began:.0f} s in all, {used.ru_utime + used.ru_stime:.0f} s of processor time, "
          f"exit status {status}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
