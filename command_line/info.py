"""`proa info`: what this installation is made of."""

from __future__ import annotations

import click


@click.command("info")
def command() -> None:
    """Show versions, devices, and which engines compute."""
    from ..compat.info import describe

    click.echo(describe())
