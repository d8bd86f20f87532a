"""`proa snapshot`: what a OneFlow snapshot holds; from a snapshot to a `.pdparams` file and back."""

from __future__ import annotations

from typing import Any

import click

from .conversion import check_written
from .told import ToldCommand

_TABLE = ("A text file, a line a value: the variable's name in the snapshot, the key in the state dict and, where they "
          "are needed, dtype, shape (512x784) and the word transpose.")


@click.group("snapshot", short_help="OneFlow's snapshots, from and to .pdparams.")
def command() -> None:
    """List OneFlow's snapshots, make .pdparams files of them, and back."""


@command.command("list", short_help="Show the variables of a snapshot.", cls=ToldCommand)
@click.argument("folder")
def list_values(folder: str) -> None:
    """Show the variables of a snapshot, as the beginning of a table of names."""
    from ..oneflow.snapshot.state_dict import describe

    for line in describe(folder):
        click.echo(line)


@command.command("to-params", short_help="Make a .pdparams file of a snapshot.", cls=ToldCommand)
@click.argument("folder")
@click.argument("file")
@click.option("--names", required=True, metavar="TABLE", help=_TABLE)
@click.option("--like", metavar="FILE", help="A .pdparams file of the model: shapes and dtypes are as there.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
def to_params(folder: str, file: str, names: str, like: str | None, force: bool) -> None:
    """Write the values of a snapshot as a .pdparams file."""
    from ..framework.io import save
    from ..oneflow.snapshot.reading import list_variables
    from ..oneflow.snapshot.state_dict import read_table, state_dict_of_snapshot

    table = read_table(names)
    check_written([file], [names, *([like] if like else ())], force, "FILE")
    state = state_dict_of_snapshot(folder, table, _state_dict(like) if like else None)
    save(state, file)
    _tell(len(state), file, set(list_variables(folder)) - set(table), folder)


@command.command("from-params", short_help="Make a snapshot of a .pdparams file.", cls=ToldCommand)
@click.argument("file")
@click.argument("folder")
@click.option("--names", required=True, metavar="TABLE", help=_TABLE)
@click.option("--meta", is_flag=True, help="Write shapes and dtypes beside the values, as OneFlow's checkpoint.save.")
def from_params(file: str, folder: str, names: str, meta: bool) -> None:
    """Write the values of a .pdparams file as a snapshot, into a folder that is empty or not there."""
    from ..oneflow.snapshot.state_dict import read_table, snapshot_of_state_dict

    table, state = read_table(names), _state_dict(file)
    snapshot_of_state_dict(state, folder, table, meta)
    _tell(len(table), folder, set(state) - {entry.key for entry in table.values()}, file)


def _state_dict(path: str) -> dict[str, Any]:
    from ..framework.io import load

    state = load(path)
    if not isinstance(state, dict):
        raise TypeError(f"{path} holds no state dict but a {type(state).__name__}.")
    return state


def _tell(count: int, place: str, left_out: set[str], source: str) -> None:
    click.echo(f"{count} values were written to {place}.")
    if left_out:
        click.echo(f"Of {source} these are not in the table: {', '.join(sorted(left_out))}.")
