"""Commands whose errors are told in a line: those that a file or an argument is to blame for."""

from __future__ import annotations

from pickle import PickleError
from typing import IO, Any

import click

_TOLD = (OSError, ValueError, KeyError, TypeError, NotImplementedError, ImportError, RuntimeError, PickleError)


class Failure(click.ClickException):
    """What could not be done, as `proa COMMAND: why`; exit status 1."""

    def __init__(self, path: str, error: BaseException):
        super().__init__(str(error.args[0] if isinstance(error, KeyError) and error.args else error))
        self._path = path

    def show(self, file: IO[Any] | None = None) -> None:
        """Writes it to standard error."""
        click.echo(f"{self._path}: {self.message}", file=file, err=True)


class ToldCommand(click.Command):
    """A command of which `--traceback` shows where an error came from."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs it."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except _TOLD as error:
            if ctx.find_root().params.get("traceback"):
                raise
            raise Failure(ctx.command_path, error) from error
