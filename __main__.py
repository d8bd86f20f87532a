"""The command line: `python -m proa run SCRIPT`, `demo`, `info`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="proa", description="proa: Paddle's API on NumPy and CuPy.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run an unmodified script with `import paddle` answered by proa")
    run.add_argument("-m", dest="module", metavar="MODULE", help="run a module instead of a file")
    run.add_argument("script", nargs=argparse.REMAINDER, help="the script and its own arguments")
    demo = commands.add_parser("demo", help="train, export, reload and fine-tune LeNet on handwritten digits")
    demo.add_argument("--output", default="proa-demo", help="the folder for the files and the picture (%(default)s)")
    demo.add_argument("--epochs", type=int, default=10, help="passes over the training digits (%(default)s)")
    demo.add_argument("--seed", type=int, default=2024, help="of the weights and the shuffling (%(default)s)")
    commands.add_parser("info", help="versions, devices and what is in use")
    return parser


def _run(options: argparse.Namespace) -> int:
    from .compat.alias import run_module, run_script

    if options.module is not None:
        run_module(options.module, options.script)
    elif options.script:
        run_script(options.script[0], options.script[1:])
    else:
        print("proa run: give a script, or -m MODULE", file=sys.stderr)
        return 2
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    options = _parser().parse_args(arguments)
    if options.command == "run":
        return _run(options)
    if options.command == "info":
        from .compat.info import describe

        print(describe())
        return 0
    from .demo import main as demo_main

    return demo_main(options.output, options.epochs, options.seed)


if __name__ == "__main__":
    sys.exit(main())
