"""Runs a script as `python SCRIPT` would, with `import paddle` answered by proa."""

from __future__ import annotations

import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

from .alias import install


def run_script(path: str, arguments: list[str]) -> None:
    """Runs a file as `__main__`, with its folder first on the path and `sys.argv` its own."""
    install("paddle")
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    main = ModuleType("__main__")
    loader = SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __loader__=loader, __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = main
    exec(loader.get_code("__main__"), main.__dict__)  # type: ignore[arg-type]  # noqa: S102 - the user asked for it


def run_module(name: str, arguments: list[str]) -> None:
    """Runs a module as `python -m NAME` would."""
    install("paddle")
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)
