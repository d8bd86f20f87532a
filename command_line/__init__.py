"""The command line, `proa COMMAND` or `python -m proa COMMAND`: a module here for each command.

A command's module is light: what it works with is imported when it runs.
"""

from __future__ import annotations

import difflib
import importlib
import io
import sys
from collections.abc import Sequence

import click

from ..version import full_version

#: The modules of this package by the command that they hold.
_MODULES = {"run": "run", "demo": "demo", "info": "info", "inspect": "inspection", "predict": "prediction",
            "bench": "timing", "explain": "explanation", "convert": "conversion", "view": "viewing",
            "snapshot": "snapshot", "sizes": "sizes"}


class _Commands(click.Group):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the listing above."""
        return list(_MODULES)

    def resolve_command(self, ctx: click.Context,
                        args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; for a name that there is not, the error tells the nearest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], _MODULES, 1)
            if not near or near[0] in error.message:  # a later click may tell it itself
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in _MODULES:
            return None
        command: click.Command = importlib.import_module(f".{_MODULES[cmd_name]}", __name__).command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(full_version, prog_name="proa", message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, help="Show where an error came from.")
def group(traceback: bool) -> None:
    """proa: Paddle's API on NumPy and CuPy.

    \b
    Completion of commands and options, in ~/.bashrc:
        eval "$(_PROA_COMPLETE=bash_source proa)"
    and with zsh_source in ~/.zshrc, fish_source in fish.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status: 0, 1 for what cannot be done, 2 for a wrong call."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["run"]:  # a script's errors, signals and exit status are its own
        from .run import main as run

        return run(arguments[1:])
    for stream in (sys.stdout, sys.stderr):  # a console may have fewer characters than names have
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    try:
        result = group.main(arguments, prog_name="proa", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("Stopped.", err=True)
        return 130
    except OSError as error:  # what is printed cannot be written: to a full disk
        if "--traceback" in arguments:
            raise
        click.echo(f"proa: {error}", err=True)
        return 1
