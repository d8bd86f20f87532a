"""The command by which a process of its own runs the script of a command line."""

from __future__ import annotations

import argparse
import sys


def script_command(options: argparse.Namespace, api: str) -> list[str]:
    """What runs the script, or module, with its arguments: under `proa run` where it is Python's."""
    if options.module:
        return [sys.executable, "-u", "-m", "proa", "run", "--api", api, "-m", options.training_script,
                *options.arguments]
    if options.training_script.endswith(".py"):
        return [sys.executable, "-u", "-m", "proa", "run", "--api", api, options.training_script, *options.arguments]
    return [options.training_script, *options.arguments]
