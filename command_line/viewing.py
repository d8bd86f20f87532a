"""`proa view`: a model as a drawing, by netron."""

from __future__ import annotations

import errno
import os

import click

from .models import model_file, no_model
from .told import ToldCommand

_PACKAGE = __name__.partition(".")[0]


@click.command("view", cls=ToldCommand)
@click.argument("file", type=click.Path())
@click.option("--port", type=click.IntRange(1, 65535), help="Where the page is served, on this machine alone.")
@click.option("--no-browser", is_flag=True, help="Say where the page is, and open nothing.")
def command(file: str, port: int | None, no_browser: bool) -> None:
    """Show a model in the browser, until Ctrl-C."""
    shown = model_file(file) or file
    if not os.path.isfile(shown):
        raise no_model(file)
    try:
        import netron
    except ImportError as error:
        raise ImportError(f"drawings are made by the package netron: pip install '{_PACKAGE}[view]'.") from error
    try:
        netron.start(shown, address=("localhost", port) if port else None, browse=not no_browser)
    except OSError as error:
        if port is None or error.errno != errno.EADDRINUSE:
            raise
        raise OSError(f"--port {port}: something is served there. Without --port a free one is found.") from error
    netron.wait()
