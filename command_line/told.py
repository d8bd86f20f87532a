"""Commands whose errors are told in a line: those that a file or an argument is to blame for."""

from __future__ import annotations

from pickle import PickleError
from typing import IO, Any

import click

_TOLD = (OSError, ValueError, KeyError, TypeError, NotImplementedError, ImportError, RuntimeError, PickleError)


def _in_words(error: BaseException) -> str:
    """What an error says, to somebody who does not know which class it is of."""
    if isinstance(error, OSError) and error.strerror:  # without its number
        return error.strerror + (f": {error.filename!r}" if error.filename else "")
    if isinstance(error, MemoryError):  # which may say nothing at all
        return f"there is not enough memory. {error}".rstrip()
    if not isinstance(error, _TOLD):  # of a library that reads files: its text may need the name
        return f"{type(error).__name__}: {error} (`proa --traceback …` shows where)"
    return str(error.args[0] if isinstance(error, KeyError) and error.args else error)


def _one_line(text: str) -> str:
    """A text without its line breaks, and without the operation of a compiled Program in which an error came."""
    return " ".join(line.strip() for line in text.partition("\n  in the operation ")[0].splitlines() if line.strip())


class Failure(click.ClickException):
    """What could not be done, as `proa COMMAND: why`; exit status 1."""

    def __init__(self, path: str, error: BaseException):
        super().__init__(_one_line(_in_words(error)))
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
        except Exception as error:
            if ctx.find_root().params.get("traceback"):
                raise
            raise Failure(ctx.command_path, error) from error
