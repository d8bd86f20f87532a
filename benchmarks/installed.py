"""What a framework occupies on the disk: its distribution, and all that it needs for speed on a CPU."""

import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOTS = {"paddle": ["paddlepaddle"], "torch": ["torch", "numpy"]}  # torch converts arrays only where NumPy is
FOR_SPEED = "fast"  # proa's extra
SKIPPED = {"tests", "docs", "benchmarks", "examples", "__pycache__", "build", "dist"}
PACKAGED = (".py", ".pyi", ".proto", ".txt", ".so", ".pyd")

WALK = r"""
import importlib.metadata as metadata, json, os, re, sys
from pip._vendor.packaging.requirements import Requirement
sizes, waiting = {}, json.loads(sys.argv[1])
while waiting:
    wanted = Requirement(waiting.pop())
    name = re.sub(r"[-_.]+", "-", wanted.name).lower()
    if name in sizes or wanted.marker and not wanted.marker.evaluate({"extra": ""}):
        continue
    try:
        found = metadata.distribution(wanted.name)
    except metadata.PackageNotFoundError:
        continue
    paths = [os.path.realpath(found.locate_file(file)) for file in found.files or ()]
    sizes[name] = sum(os.path.getsize(path) for path in set(paths) if os.path.isfile(path))
    waiting += found.requires or []
print(json.dumps(sizes))
"""

BYTECODE = r"""
import json, marshal, sys
total = 0
for path in json.load(sys.stdin):
    with open(path, "rb") as file:
        total += 16 + len(marshal.dumps(compile(file.read(), path, "exec", dont_inherit=True)))
print(total)
"""


def size(framework, python):
    """Bytes of each distribution that the framework needs for speed on a CPU, in this Python."""
    roots = ROOTS.get(framework) or _requirements()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", WALK, json.dumps(roots)], cwd=folder, capture_output=True, text=True,
                              check=True)
    found = json.loads(done.stdout)
    return {"proa": _checkout(python), **found} if framework == "proa" else found


def _requirements():
    """What pyproject.toml names for the base and for speed on a CPU."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    lists = re.findall(rf"^(?:dependencies|{FOR_SPEED}) = \[(.*?)\]$", text, re.M | re.S)
    return re.findall(r'"([^"]+)"', " ".join(lists))


def _checkout(python):
    """Bytes of the package's own files and of their bytecode, as an installation holds them."""
    total, modules = 0, []
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if name not in SKIPPED and not name.startswith(".")
                    and not name.endswith(".egg-info")]
        paths = [os.path.join(folder, name) for name in files if name.endswith(PACKAGED)]
        modules += [path for path in paths if path.endswith(".py")]
        total += sum(map(os.path.getsize, paths))
    done = subprocess.run([python, "-c", BYTECODE], input=json.dumps(modules), capture_output=True, text=True,
                          check=True)
    return total + int(done.stdout)
