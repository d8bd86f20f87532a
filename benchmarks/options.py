"""The command line."""

import argparse
import os

from . import catalogue, environments, machine
from .turns import QUICK, Pace

SECTIONS = ("workloads", "files", "startup", "programs", "operators", "scaling", "random")
MODES = ("eager", "to_static", "compile", "frozen", "fused", "jit", "program", "sharded")
ASKED = ("fluid", "distributed", "ranks", "inference", "research", "gpu")
"""Measured where they are asked for: they need a Python 3.7, an MPI, ONNX Runtime and rapidocr-paddle, JAX, a GPU."""


def _setting(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=NUMBER, such as batch=16")
    return name, float(value) if "." in value else int(value)


def parser():
    """The parser of `python -m benchmarks`."""
    result = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__,
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = result.add_argument
    add("sections", nargs="*", metavar="SECTION",
        help=f"of {', '.join((*SECTIONS, *ASKED))}, or list; all but {' and '.join(ASKED)} without one")
    add("--quick", action="store_true", help="fewer and shorter rounds, and fewer points of the scaling")
    add("--only", nargs="+", metavar="NAME", help="these workloads, or operators, alone")
    add("--frameworks", nargs="+", choices=list(catalogue.NAMES), default=list(catalogue.NAMES))
    add("--modes", nargs="+", choices=MODES, help="these modes alone")
    add("--size", nargs="+", type=_setting, default=[], metavar="NAME=NUMBER",
        help="sizes of the workloads, such as batch=16; `list` shows the names")
    add("--threads", type=int, default=2)
    add("--rounds", type=int, help="turns of each side")
    add("--seconds", type=float, help="of a turn")
    add("--patience", type=float, default=0.0, metavar="SECONDS",
        help="how long to wait, at most, before a turn while other programs compute")
    add("--proa", metavar="PYTHON", help="a Python that has proa")
    add("--paddle", metavar="PYTHON", help="a Python that has paddlepaddle 2.6.2")
    add("--torch", metavar="PYTHON", help="a Python that has torch 2.13")
    add("--fluid", metavar="PYTHON", help="a Python that has paddlepaddle 1.8.5, for the section fluid")
    add("--jax", metavar="PYTHON", help="a Python that has jax and optax, for the section research")
    add("--onnxruntime", metavar="PYTHON", help="a Python that has onnxruntime, for the section inference")
    add("--packages", metavar="DIR", help="a folder with rapidocr-paddle and what it imports, for the same")
    add("--environments", metavar="DIR", default=environments.DEFAULT, help="where Pythons are made")
    add("--results", metavar="FILE", help="the figures as JSON")
    add("--write", metavar="DOCUMENT", help="a Markdown document whose generated sections are replaced")
    add("--pictures", metavar="DIR", help="where pictures go; by default `pictures` beside DOCUMENT")
    add("--no-limits", action="store_true", help="do not measure the machine's peak")
    add("--verbose", action="store_true", help="show why a side is not available")
    return result


def parse(arguments=None):
    """The options, checked, with `pace` added."""
    options = parser().parse_args(arguments)
    unknown = [name for name in options.sections if name not in (*SECTIONS, *ASKED, "list")]
    if unknown:
        parser().error(f"unknown section {unknown[0]!r}: choose from {', '.join((*SECTIONS, *ASKED))}, list")
    given = {"rounds": options.rounds, "seconds": options.seconds, "threads": options.threads,
             "patience": options.patience}
    settings = {**(QUICK if options.quick else {}), **{name: value for name, value in given.items() if value}}
    options.pace = Pace(**settings)
    options.size = dict(options.size)
    options.load = machine.load()
    if options.write and not options.pictures:
        options.pictures = os.path.join(os.path.dirname(options.write), "pictures")
    return options


def pythons(options):
    """The Python of each framework that was asked for."""
    return {name: environments.python_for(name, getattr(options, name), options.environments)
            for name in options.frameworks}
