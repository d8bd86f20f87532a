"""The command `python -m proa snapshot`: what a snapshot holds; from a snapshot to a `.pdparams` file and back."""

from __future__ import annotations

import argparse
import os
import sys

from ...framework.io import load, save
from .reading import list_variables
from .state_dict import describe, read_table, snapshot_of_state_dict, state_dict_of_snapshot

_TABLE = ("a text file, a line a value: the variable's name in the snapshot, the key in the state dict and, where they "
          "are needed, dtype, shape (512x784) and the word transpose")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    actions = parser.add_subparsers(dest="action", required=True)
    listed = actions.add_parser("list", help="the variables of a snapshot, as the beginning of a table of names")
    listed.add_argument("folder", help="the snapshot")
    to = actions.add_parser("to-params", help="write the values of a snapshot as a .pdparams file")
    to.add_argument("folder", help="the snapshot")
    to.add_argument("file", help="the .pdparams file that is written")
    to.add_argument("--names", required=True, metavar="TABLE", help=_TABLE)
    to.add_argument("--like", metavar="FILE", help="a .pdparams file of the model: shapes and dtypes are as there")
    back = actions.add_parser("from-params", help="write the values of a .pdparams file as a snapshot")
    back.add_argument("file", help="the .pdparams file")
    back.add_argument("folder", help="the snapshot that is written; there is nothing in it, or no such folder")
    back.add_argument("--names", required=True, metavar="TABLE", help=_TABLE)
    back.add_argument("--meta", action="store_true", help="write shapes and dtypes beside the values, as OneFlow's "
                      "checkpoint.save does")


def main(options: argparse.Namespace) -> int:
    """Does what the arguments say; the exit status. What is wrong with the files is said without a traceback."""
    actions = {"list": _list, "to-params": _to_params, "from-params": _from_params}
    try:
        actions[options.action](options)
    except (OSError, ValueError, KeyError, TypeError) as error:
        said = error.args[0] if isinstance(error, KeyError) else error
        print(f"proa snapshot {options.action}: {said}", file=sys.stderr)
        return 1
    return 0


def _list(options: argparse.Namespace) -> None:
    for line in describe(options.folder):
        print(line)


def _to_params(options: argparse.Namespace) -> None:
    table = read_table(options.names)
    state = state_dict_of_snapshot(options.folder, table, _state_dict(options.like) if options.like else None)
    save(state, options.file)
    _tell(len(state), options.file, set(list_variables(options.folder)) - set(table), options.folder)


def _from_params(options: argparse.Namespace) -> None:
    table, state = read_table(options.names), _state_dict(options.file)
    snapshot_of_state_dict(state, options.folder, table, options.meta)
    _tell(len(table), options.folder, set(state) - {entry.key for entry in table.values()}, options.file)


def _state_dict(path: str) -> dict:
    state = load(path)
    if not isinstance(state, dict):
        raise TypeError(f"{path} holds no state dict but a {type(state).__name__}.")
    return state


def _tell(count: int, place: str, left_out: set[str], source: str) -> None:
    print(f"{count} values were written to {os.fspath(place)}.")
    if left_out:
        print(f"Of {source} these are not in the table: {', '.join(sorted(left_out))}.")
