"""`proa sizes`: what the installation takes on the disk, and what of it can be given back."""

from __future__ import annotations

import os
import sys

import click

from .told import ToldCommand

_WIDTH = 20


@click.command("sizes", short_help="Show what the installation takes on the disk.", cls=ToldCommand)
@click.option("--free", is_flag=True, help="Give back what is not needed to run.")
@click.option("--advice", is_flag=True, help="Say what would make it smaller, and at what price.")
def command(free: bool, advice: bool) -> None:
    """Show what proa and the packages that it uses take on the disk, in MB.

    Wheels of libraries hold copies of them instead of links, symbol tables for debuggers, and packages' tests. --free
    puts links in place of copies and removes the rest, in llvmlite, NumPy and oneDNN. `pip install --force-reinstall`
    brings it back.
    """
    from ..bundling import space

    if not space.distributions():
        raise ValueError(f"proa is not installed in this Python ({sys.prefix}), but imported from a folder: there is "
                         "no list of its files. `pip install` it.")
    whole = could = 0
    for name in space.distributions():
        size, found = space.size(name), list(space.savings(name))
        whole += size
        could += sum(one.bytes for one in found)
        click.echo(f"{name:<{_WIDTH}}{size / 1e6:>8.1f}")
        for how in dict.fromkeys(one.how for one in found):
            alike = [one for one in found if one.how == how]
            places = ", ".join(os.path.basename(one.path) for one in alike)
            where = f"{len(alike)} folders" if os.path.isdir(alike[0].path) else places
            click.echo(f"{'':<{_WIDTH}}{-sum(one.bytes for one in alike) / 1e6:>8.1f}  {how}: {where}")
        for one in found if free else ():
            one.make()
    click.echo(f"{'in all':<{_WIDTH}}{whole / 1e6:>8.1f}")
    if could:
        click.echo(f"{'given back' if free else '--free gives back':<{_WIDTH}}{could / 1e6:>8.1f}")
    for way in space.ways() if advice else ():
        click.echo(f"{way.command}\n{'':<{_WIDTH}}{-way.bytes / 1e6:>8.1f}  {way.price}")
