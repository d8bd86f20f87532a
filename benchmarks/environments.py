"""The Python that has each framework: the one named, the one made before, or a new virtual environment."""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFAULT = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "proa-benchmarks")
INSTALL = {
    "paddle": ("paddlepaddle==2.6.2", "numpy<2", "setuptools<81"),
    "torch": ("torch==2.13.0", "numpy<2"),  # where pip is not told of builds for CPUs, one for GPUs: name --torch then
    "proa": ("--editable", f"{ROOT}[fast,mpi,onnx]"),
    "onnxruntime": ("onnxruntime",),
    "jax": ("jax", "optax"),
}


def python_for(framework, given, folder):
    """A Python that imports the framework; makes a virtual environment under `folder` where there is none.

    For proa and ONNX Runtime the Python that runs this is taken if it has them.
    """
    if given:
        return _checked(framework, os.path.abspath(os.path.expanduser(given)))
    if framework in ("proa", "onnxruntime") and _imports(sys.executable, framework):
        return sys.executable
    home = os.path.join(folder, framework)
    python = os.path.join(home, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
    if not (os.path.exists(python) and _imports(python, framework)):
        _make(framework, home, python)
    return _checked(framework, python)


def _make(framework, home, python):
    base = sys.executable if framework == "proa" else shutil.which("python3.11")
    if base is None:
        raise SystemExit(f"{framework} is measured in Python 3.11, and there is no python3.11 on the path. "
                         f"Install one, or name a Python that has {framework}: --{framework} PYTHON")
    print(f"Making an environment for {framework} in {home}", file=sys.stderr)
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([base, "-m", "venv", home], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *INSTALL[framework]], check=True)


def _imports(python, framework):
    command = [python, "-c", f"import {framework}"]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def _checked(framework, python):
    if not os.path.exists(python) or not _imports(python, framework):
        raise SystemExit(f"--{framework} {python}: this Python does not import {framework}.")
    return python
