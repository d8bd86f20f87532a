"""The command line: `python -m proa run SCRIPT`, `demo`, `info`, `snapshot`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .version import full_version


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="proa", description="proa: Paddle's API on NumPy and CuPy.")
    parser.add_argument("--version", action="version", version=f"proa {full_version}")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="run an unmodified script with `import paddle`, `import oneflow` answered by proa",
                        add_help=False)
    demo = commands.add_parser("demo", help="train, export, reload and fine-tune LeNet on handwritten digits")
    demo.add_argument("--output", default="proa-demo", help="the folder for the files and the picture (%(default)s)")
    demo.add_argument("--epochs", type=int, default=10, help="passes over the training digits (%(default)s)")
    demo.add_argument("--seed", type=int, default=2024, help="of the weights and the shuffling (%(default)s)")
    commands.add_parser("info", help="versions, devices and what is in use")
    commands.add_parser("snapshot", help="OneFlow's snapshots: what is in one, and .pdparams files of them and back",
                        add_help=False)
    return parser


_RUN = """usage: proa run [--api VERSION] [--numpy-1-names] SCRIPT [ARGUMENT ...]
       proa run [--api VERSION] [--numpy-1-names] -m MODULE [ARGUMENT ...]
       proa run [--api VERSION] [--numpy-1-names] -c CODE [ARGUMENT ...]

Runs a script, a module or a text as `python` would, with `import paddle` and `import oneflow` answered by proa. What
follows the script, the module or the text is its own.

  --api VERSION    the Paddle that scripts find: 2.6 (the default), or 1.8, whose scripts write Programs
  --numpy-1-names  give NumPy 2 the names back that it removed (np.product, np.bool8, np.float_, ...)"""


def _run(arguments: Sequence[str]) -> int:
    """Runs what stands behind `run`. The first word that is no option of its own begins the rest, as with `python`."""
    from .compat import numpy_names
    from .compat.alias import run_code, run_module, run_script

    rest, api = list(arguments), "2.6"
    while rest and (rest[0] in ("--numpy-1-names", "--api") or rest[0].startswith("--api=")):
        option, _, value = rest.pop(0).partition("=")
        if option == "--numpy-1-names":
            numpy_names.restore()
        else:
            api = value or (rest.pop(0) if rest else "")
    if api not in ("2.6", "1.8"):
        print(f"proa run: --api takes 2.6 or 1.8. Received {api!r}.", file=sys.stderr)
        return 2
    if rest and rest[0] in ("-h", "--help"):
        print(_RUN)
        return 0
    if rest and rest[0][:2] in ("-m", "-c") and len(rest[0]) > 2:  # as in `-mpytest`
        rest[:1] = [rest[0][:2], rest[0][2:]]
    runs = {"-m": run_module, "-c": run_code}
    try:
        if len(rest) > 1 and rest[0] in runs:
            runs[rest[0]](rest[1], rest[2:], api)
        elif rest and not rest[0].startswith("-"):
            run_script(rest[0], rest[1:], api)
        else:
            print("proa run: give a script, -m MODULE or -c CODE. `proa run --help` tells more.", file=sys.stderr)
            return 2
    except (FileNotFoundError, ModuleNotFoundError) as error:
        if not str(error).startswith("there is no "):
            raise
        print(f"proa run: {error}", file=sys.stderr)
        return 2
    return 0


def _snapshot(arguments: Sequence[str]) -> int:
    """Runs what stands behind `snapshot`."""
    from .oneflow.snapshot import command

    parser = argparse.ArgumentParser(prog="proa snapshot", description="OneFlow's snapshots and Paddle's state dicts.")
    command.add_arguments(parser)
    return command.main(parser.parse_args(arguments))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] == "run":
        return _run(arguments[1:])
    if arguments and arguments[0] == "snapshot":
        return _snapshot(arguments[1:])
    options = _parser().parse_args(arguments)
    if options.command == "info":
        from .compat.info import describe

        print(describe())
        return 0
    from .demo import main as demo_main

    return demo_main(options.output, options.epochs, options.seed)


if __name__ == "__main__":
    sys.exit(main())
