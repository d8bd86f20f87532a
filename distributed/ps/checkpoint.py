"""Checkpoints: the state of servers on the disk, each server's part whole or not at all, for any number of servers.

A folder holds numbered checkpoints, and one of these a part of each server: `FOLDER/NUMBER/part-INDEX-of-SERVERS/`. It
is complete when all parts are there. What servers of another number begin with is put together of all parts: a block of
a parameter from those that overlap it, a table from the rows that belong to the server. So they all see one folder.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from ...core import flags
from ...core.files import CorruptFileError
from . import part_files
from .errors import RefusedError
from .rounds import Round
from .sparse_table import SparseTable
from .state import SYNC, ServerState
from .trainers import done

_PART = re.compile(r"part-(\d+)-of-(\d+)")
_ROWS = 1 << 16
_MOST_OWN = 16  # incomplete checkpoints whose parts a server keeps: it may be that it cannot see the others' parts


class Block(NamedTuple):
    """Which part of a parameter a variable is: its rows from `begin` on."""

    parameter: str
    begin: int = 0


FOLDER, EVERY, ALONE = "FLAGS_ps_checkpoint_folder", "FLAGS_ps_checkpoint_every", "FLAGS_ps_restarted_alone"
flags.declare(FOLDER, "", "Where the parameter servers of a Program keep checkpoints, a folder that all of them see, "
              "and from where they go on when they start; empty: nowhere.")
flags.declare(EVERY, 0, "After how many rounds (where nobody waits: used values) a parameter server of a Program makes "
              "a checkpoint; 0: only when a trainer asks for it.")
flags.declare(ALONE, False, "Whether the others of a job go on, and only this parameter server was started again: it "
              "takes its own newest checkpoint rather than the newest of all.")


def holds_checkpoint(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a complete checkpoint."""
    return any(_is_complete(parts) for parts in _parts(os.fspath(folder)).values())


class Checkpoints:
    """Where a server keeps checkpoints, and when it makes them.

    index, servers: which server this is, of how many; the rows of tables are divided by them.
    blocks: the variables that are saved, and what they are parts of; without it all variables are, each whole.
    every: a checkpoint after so many rounds, where there are rounds, before trainers are told that the round is over;
        otherwise after so many values that were used. 0: only when a trainer asks for it (`Client.save`).
    seconds: no more often than that.
    keep: how many complete checkpoints stay.
    """

    def __init__(self, folder: str | os.PathLike[str], index: int = 0, servers: int = 1,
                 blocks: Mapping[str, Block] | None = None, every: int = 0, seconds: float = 0.0, keep: int = 2):
        if not 0 <= index < servers or keep < 1 or every < 0:
            raise ValueError(f"Checkpoints(index, servers, keep, every): index from 0 to below servers, keep at least "
                             f"1. Received {index}, {servers}, {keep} and {every}.")
        self.folder, self.index, self.servers = os.path.realpath(folder), index, servers
        self.blocks, self.every, self.seconds, self.keep = blocks, every, seconds, keep
        self._changes = 0
        self._saved = time.monotonic()

    @classmethod
    def of_flags(cls, index: int, servers: int, blocks: Mapping[str, Block]) -> Checkpoints | None:
        """What the flags ask for; None where they name no folder."""
        folder = flags.get_flag(FOLDER)
        return cls(folder, index, servers, blocks, flags.get_flag(EVERY)) if folder else None

    # Making them

    def after_change(self, state: ServerState) -> None:
        """Makes one if it is due."""
        self._changes += 1
        if self.every and self._changes >= self.every and time.monotonic() - self._saved >= self.seconds:
            self._changes = 0
            self.save(state, state.rounds_done if state.mode == SYNC else time.time_ns() // 1000,
                      used=state.work.current)

    def place_of(self, named: str) -> str:
        """The folder that a trainer names, inside this one's. RefusedError for another."""
        place = os.path.realpath(os.path.join(self.folder, named))
        if os.path.commonpath([place, self.folder]) != self.folder:
            raise RefusedError(f"This server saves in {self.folder} and below. Received the folder {named!r}.")
        return place

    def save(self, state: ServerState, number: int, folder: str | None = None,
             used: Future[Any] | None = None) -> None:
        """Writes this server's part of the checkpoint of this number, in the serving thread.

        used: the answer to a call that comes when this is written, and whose value is in it.
        """
        place = folder or self.folder
        mine = os.path.join(place, str(number), _name(self.index, self.servers))
        os.makedirs(os.path.dirname(mine), exist_ok=True)
        part_files.write(mine, lambda writer: self._contents(state, writer, used))
        self._saved = time.monotonic()
        if folder is None:
            self._clean()

    def _contents(self, state: ServerState, writer: part_files.PartWriter,
                  used: Future[Any] | None) -> dict[str, Any]:
        variables = {}
        for name, block in self._blocks(state).items():
            array = np.asarray(state.variables[name])
            variables[name] = {"parameter": block.parameter, "begin": block.begin, **writer.array([array])}
        with state.changed:
            trainers = [] if state.mode == SYNC else [
                {"process": each.process, "finished": each.finished,
                 "done": [number for number, answer in each.answers.items()
                          if answer is used or answer.done() and answer.exception() is None]}
                for each in state.trainers]
        return {"round": state.rounds_done, "mode": state.mode, "variables": variables, "trainers": trainers,
                "tables": {name: _table_contents(table, writer) for name, table in _made_tables(state)}}

    def _blocks(self, state: ServerState) -> Mapping[str, Block]:
        return self.blocks if self.blocks is not None else {name: Block(name) for name in state.variables}

    def _clean(self) -> None:
        """Removes what is older than what is kept."""
        numbers = sorted(_parts(self.folder).items(), reverse=True)
        complete = own = 0
        for number, parts in numbers:
            folder = os.path.join(self.folder, str(number))
            if complete >= self.keep or own >= self.keep + _MOST_OWN:
                part_files.remove(os.path.join(folder, _name(self.index, self.servers)))
                _remove_unfinished(folder, self.index)
            own += (self.index, self.servers) in parts
            complete += _is_complete(parts)

    # Going on from them

    def restore(self, state: ServerState, number: int | None = None, alone: bool = False) -> int | None:
        """Gives variables and tables the values of a checkpoint; its number, None where there is none.

        number: which one; the newest complete one where it is not given.
        alone: only this server was started again, and others and the trainers go on: it takes its own newest part.
        """
        found = _parts(self.folder)
        own = (self.index, self.servers)
        usable = [each for each, parts in found.items() if (own in parts if alone else _is_complete(parts))]
        if number is None:
            if not usable:
                return None
            number = max(usable)
        elif number not in usable:
            raise FileNotFoundError(f"There is no complete checkpoint {number} in {self.folder}. There are "
                                    f"{sorted(usable) or 'none'}.")
        parts = [own] if alone else _set_of_parts(found[number])
        folders = [os.path.join(self.folder, str(number), _name(index, count)) for index, count in parts]
        said = [(folder, part_files.read(folder)) for folder in folders]
        try:
            self._restore(state, said, own)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise CorruptFileError(os.path.join(self.folder, str(number)), part_files.PART, repr(error)) from error
        return number

    def _restore(self, state: ServerState, said: list[tuple[str, dict[str, Any]]], own: tuple[int, int]) -> None:
        pieces: dict[str, list[tuple[int, np.ndarray]]] = {}
        for folder, part in said:
            for each in part["variables"].values():
                pieces.setdefault(each["parameter"], []).append((each["begin"], part_files.array_of(folder, each)))
        for name, block in self._blocks(state).items():
            state.variables[name] = _cut(name, block, np.asarray(state.variables[name]), pieces)
        for name, table in _made_tables(state):
            for folder, part in said:
                _read_table(table, folder, part["tables"][name], *own)
        state.rounds_done = int(said[0][1]["round"])
        state.round = Round(state.rounds_done)
        mine = [part for folder, part in said if os.path.basename(folder) == _name(*own)]
        for trainer, known in zip(state.trainers, mine[0]["trainers"] if mine else (), strict=False):
            trainer.process, trainer.finished = int(known["process"]), int(known["finished"])
            trainer.answers.update({int(number): done(None) for number in known["done"]})


def _name(index: int, servers: int) -> str:
    return f"part-{index}-of-{servers}"


def _parts(folder: str) -> dict[int, set[tuple[int, int]]]:
    """The parts that are there, by the numbers of checkpoints."""
    found: dict[int, set[tuple[int, int]]] = {}
    for name in _listed(folder):
        if name.isdecimal():
            matches = map(_PART.fullmatch, _listed(os.path.join(folder, name)))
            found[int(name)] = {(int(match[1]), int(match[2])) for match in matches if match}
    return found


def _is_complete(parts: set[tuple[int, int]]) -> bool:
    return bool(_set_of_parts(parts))


def _set_of_parts(parts: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """All the parts of so many servers as have written them all; none where nobody has."""
    for count in sorted({count for _, count in parts}, reverse=True):
        wanted = [(index, count) for index in range(count)]
        if parts.issuperset(wanted):
            return wanted
    return []


def _remove_unfinished(folder: str, index: int) -> None:
    for name in _listed(folder):
        if name.startswith(f"part-{index}-of-") and name.endswith(".tmp"):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    if not _listed(folder):
        try:
            os.rmdir(folder)
        except OSError:  # another server has just removed it, or writes into it again
            return


def _listed(folder: str) -> list[str]:
    """What is in a folder; nothing in one that is not there, or that another server has just removed."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _cut(name: str, block: Block, now: np.ndarray, pieces: Mapping[str, list[tuple[int, np.ndarray]]]) -> np.ndarray:
    """The value of a block, from the pieces of its parameter that there are."""
    found = pieces.get(block.parameter, [])
    for begin, piece in found:
        if begin == block.begin and piece.shape == now.shape and piece.dtype == now.dtype:
            return np.array(piece)
    new = np.empty_like(now)
    end, filled = block.begin + (now.shape[0] if now.ndim else 1), 0
    for begin, piece in found:
        if piece.dtype != now.dtype or piece.shape[1:] != now.shape[1:] or not now.ndim:
            continue
        low, high = max(begin, block.begin), min(begin + len(piece), end)
        if low < high:
            new[low - block.begin:high - block.begin] = piece[low - begin:high - begin]
            filled += high - low
    if not now.ndim or filled != len(now):
        raise ValueError(f"The checkpoint lacks {name!r}, the rows {block.begin} to {end - 1} of {block.parameter!r}, "
                         f"{now.dtype.name} {list(now.shape)}. It has of it: "
                         f"{[(begin, list(piece.shape)) for begin, piece in found] or 'nothing'}.")
    return new


# Tables

def _made_tables(state: ServerState) -> list[tuple[str, SparseTable]]:
    """The tables that hold rows themselves: others show variables."""
    return [(name, table) for name, table in state.tables.items() if isinstance(table, SparseTable)]


def _table_contents(table: SparseTable, writer: part_files.PartWriter) -> dict[str, Any]:
    with table.lock:
        def pieces(name: str) -> Iterator[np.ndarray]:
            for begin in range(0, max(len(table), 1), _ROWS):
                yield table.part(name, begin, begin + _ROWS)

        return {"width": table.width, "seed": table.seed,
                "powers": {name: writer.array([power]) for name, power in table.powers.items()},
                "values": {name: writer.array(pieces(name)) for name in table.names()}}


def _read_table(table: SparseTable, folder: str, said: dict[str, Any], index: int, servers: int) -> None:
    if (said["width"], said["seed"]) != (table.width, table.seed) or set(said["values"]) != set(table.names()):
        raise ValueError(f"A table of the checkpoint {folder} has rows of {said['width']}, made by the seed "
                         f"{said['seed']}, and of each {sorted(said['values'])}; the server's has {table.width}, "
                         f"{table.seed} and {sorted(table.names())}.")
    values = {name: part_files.array_of(folder, each) for name, each in said["values"].items()}
    for begin in range(0, len(values["ids"]), _ROWS):
        part = {name: array[begin:begin + _ROWS] for name, array in values.items()}
        mine = part["ids"] % servers == index
        table.put({name: array[mine] for name, array in part.items()})
    for name, each in said["powers"].items():
        table.powers[name] = np.array(part_files.array_of(folder, each))
