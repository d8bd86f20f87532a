"""`proa run`: a script, a module or a text, with `import paddle` and `import oneflow` answered by proa."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType

import click

_RUN = """usage: proa run [--api VERSION] [--numpy-1-names] SCRIPT [ARGUMENT ...]
       proa run [--api VERSION] [--numpy-1-names] -m MODULE [ARGUMENT ...]
       proa run [--api VERSION] [--numpy-1-names] -c CODE [ARGUMENT ...]
       proa run [--api VERSION] [--numpy-1-names] - [ARGUMENT ...]

Runs a script, a module, a text or what comes by standard input (-) as `python` would, with `import paddle` and
`import oneflow` answered by proa. What follows is the script's own.

  --api VERSION    the Paddle that scripts find: 2.6 (the default); 1.8, whose scripts write Programs; or 2.4, the API
                   of 2.6 with paddle.fluid, as scripts of Paddle 2.0 to 2.4 import it, and with their sums of shape [1]
  --numpy-1-names  give NumPy 2 the names back that it removed (np.product, np.bool8, np.float_, ...)"""


def main(arguments: Sequence[str], command: str = "run") -> int:
    """Runs what stands behind `run`. The first word that is no option of its own begins the rest, as with `python`.

    An error's traceback begins with the script, as if `python` had run it.
    """
    from ..compat import numpy_names
    from ..compat.alias import run_code, run_input, run_module, run_script

    rest, api = list(arguments), "2.6"
    while rest and (rest[0] in ("--numpy-1-names", "--api") or rest[0].startswith("--api=")):
        option, _, value = rest.pop(0).partition("=")
        if option == "--numpy-1-names":
            numpy_names.restore()
        else:
            api = value or (rest.pop(0) if rest else "")
    if api not in ("2.6", "2.4", "1.8"):
        print(f"proa run: --api takes 2.6, 2.4 or 1.8. Received {api!r}.", file=sys.stderr)
        return 2
    if rest and rest[0] in ("-h", "--help"):
        print(_RUN)
        return 0
    if rest and rest[0][:2] in ("-m", "-c") and len(rest[0]) > 2:  # as in `-mpytest`
        rest[:1] = [rest[0][:2], rest[0][2:]]
    _begin_tracebacks_with_the_script()
    runs = {"-m": run_module, "-c": run_code}
    try:
        if len(rest) > 1 and rest[0] in runs:
            runs[rest[0]](rest[1], rest[2:], api)
        elif rest and rest[0] == "-":
            run_input(rest[1:], api)
        elif rest and not rest[0].startswith("-"):
            run_script(rest[0], rest[1:], api)
        else:
            unknown = f"there is no option {rest[0]!r}; " if rest and rest[0] not in ("-m", "-c") else ""
            print(f"proa {command}: {unknown}give a script, -m MODULE, -c CODE or -. `proa run --help` tells more.",
                  file=sys.stderr)
            return 2
    except (FileNotFoundError, ModuleNotFoundError) as error:
        if not str(error).startswith("there is no "):
            raise
        print(f"proa {command}: {error}", file=sys.stderr)
        return 2
    return 0


def _begin_tracebacks_with_the_script() -> None:
    """Until the process ends, what it says of an error leaves out the frames that lead to the script."""
    from ..compat import alias

    shown = sys.excepthook
    starts = {function.__code__ for function in (
        alias.run_script, alias.run_module, alias._run_text)}

    def hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        rest = traceback
        while rest is not None and rest.tb_frame.f_code not in starts:
            rest = rest.tb_next
        if rest is None:
            return shown(kind, error, traceback)
        while rest is not None and (rest.tb_frame.f_code in starts or rest.tb_frame.f_code.co_filename.startswith(
                "<frozen ")):  # Python's own, which loads and runs it
            rest = rest.tb_next
        shown(kind, error.with_traceback(rest), rest)

    sys.excepthook = hook


@click.command("run", short_help="Run a script that imports paddle or oneflow.", add_help_option=False,
               context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: Sequence[str]) -> int:
    """Run an unmodified script whose `import paddle` and `import oneflow` proa answers."""
    return main(arguments)
