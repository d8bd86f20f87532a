"""`proa demo`: the demonstration."""

from __future__ import annotations

import click

from .told import ToldCommand


@click.command("demo", cls=ToldCommand)
@click.option("--output", default="proa-demo", show_default=True, help="The folder for the files and the picture.")
@click.option("--epochs", default=10, show_default=True, type=click.IntRange(1),
              help="Passes over the training digits.")
@click.option("--seed", default=2024, show_default=True, type=click.IntRange(0, 2**32 - 1),
              help="Of the weights and the shuffling.")
def command(output: str, epochs: int, seed: int) -> int:
    """Train, export, reload and fine-tune LeNet on handwritten digits."""
    from ..demo import main

    return main(output, epochs, seed)
