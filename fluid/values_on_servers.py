"""Values of a Program that is divided among parameter servers: saved from trainer 0, read again by servers.

A file holds a variable as a whole, whatever parts of it servers have: what one number of servers saved, another reads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import backend
from ..core.files import atomic_group
from ..distributed.ps import engine
from ..static.building.mode import default_main_program
from ..static.files.inference_model import stream_array
from ..static.files.model_files import as_declared
from ..static.files.save_vars import load_vars, save_vars, valid_program
from ..static.format.tensor_stream import read_stream, write_stream
from ..static.run.scope import global_scope


def is_divided(program: Any) -> bool:
    """Whether a Program is one of those that DistributeTranspiler makes for parameter servers."""
    program = default_main_program() if program is None else getattr(program, "_program", program)
    return bool(getattr(program, "_is_distributed", False)) and hasattr(program, "_parameters_on_pservers")


def save_divided(executor: Any, dirname: Any, program: Any, predicate: Callable[[Any], bool], with_state: bool) -> None:
    """Writes a file for each variable that is chosen: those that lie on the trainer; from trainer 0 all others too.

    `with_state`: also what optimizers keep on servers. Raises ValueError without a folder, RefusedError where rows live
    on servers that have no folder of checkpoints.
    """
    if dirname is None:
        raise ValueError("save_persistables(dirname): give a folder: values of several machines go to a file each.")
    program = valid_program("save_persistables", program)
    remote = _remote(program, predicate, with_state and _trains(program))
    elsewhere = {*remote, *program._distributed_tables}
    save_vars(executor, dirname, program, predicate=lambda var: predicate(var) and var.name not in elsewhere)
    if not program._is_chief:
        return
    folder = os.path.normpath(os.fspath(dirname))
    with atomic_group() as group:
        for name, parts in remote.items():
            values = engine.received(program._trainer_id, [(part.endpoint, part.slice.name) for part in parts])
            with group.open(os.path.join(folder, name)) as file:
                write_stream(file, *stream_array(values[0] if len(values) == 1 else np.concatenate(values)))
    if program._distributed_tables and _trains(program):
        engine.client(program._trainer_id, program._endpoints).save(program._endpoints, os.path.basename(folder))


def _trains(program: Any) -> bool:
    return any(op.type == "send" for op in program.global_block().ops)


def _remote(program: Any, predicate: Callable[[Any], bool], with_state: bool) -> dict[str, list[Any]]:
    """What lies on servers alone, by name, each with its parts in order."""
    groups = program._parameters_on_pservers.get_distributed_vars_by_vtypes(("Optimizer", "RemotePrefetch"),
                                                                            groupby=True)
    found = {}
    for name, parts in sorted(groups.items()):
        var = program.global_block().vars.get(name)
        if with_state if parts[0].vtype == "Optimizer" else var is not None and predicate(var):
            cut = {part.block_id: part for part in parts if part.is_slice}
            same = [part for part in parts if part.slice.name == name] or parts
            found[name] = [cut[number] for number in sorted(cut)] or same[:1]
    return found


def load_divided(executor: Any, dirname: Any, program: Any, predicate: Callable[[Any], bool]) -> None:
    """Reads what `save_divided` wrote: on a server the parts that it holds, on a trainer what lies there.

    Raises FileNotFoundError, naming them, for variables without a file, and RuntimeError for other shapes. Nothing is
    changed then.
    """
    program = valid_program("load_persistables", program)
    if dirname is None:
        raise ValueError("load_persistables(dirname): give the folder that save_persistables has written.")
    if not program._is_on_server:
        elsewhere = {*_remote(program, predicate, True), *program._distributed_tables}
        load_vars(executor, dirname, program, predicate=lambda var: predicate(var) and var.name not in elsewhere)
        return
    parts = program._parameters_on_pservers.get_distributed_vars_by_ep(program._ps_endpoint)
    folder = os.path.normpath(os.fspath(dirname))
    missing = sorted({part.origin.name for part in parts
                      if not os.path.isfile(os.path.join(folder, part.origin.name))})
    if missing:
        raise FileNotFoundError(f"load_persistables: the folder {folder!r} has no file for {missing}. A server reads "
                                "what save_persistables of trainer 0 has written.")
    values = {part.slice.name: _part_of(part, folder) for part in parts}
    scope = global_scope()
    for name, value in values.items():
        scope.set_array(name, backend.as_place(value, executor.place))


def _part_of(part: Any, folder: str) -> np.ndarray:
    """The value of a part, out of the file of the whole."""
    path = os.path.join(folder, part.origin.name)
    with open(path, "rb") as file:
        stored = read_stream(file, path)
    array = as_declared(stored.array, stored.number)
    if array.size != math.prod(part.origin.shape):
        raise RuntimeError(f"load_persistables: {part.origin.name!r} has shape {list(part.origin.shape)} in the "
                           f"Program. Received shape {list(array.shape)}, of {path!r}.")
    array = array.reshape(part.origin.shape)
    if part.is_slice:
        begin = part.offset // math.prod(array.shape[1:])
        array = array[begin:begin + part.slice.shape[0]]
    return array.astype(part.origin.dtype.dtype)


def with_endpoints(program: Any, endpoints: Iterable[str]) -> None:
    """Has a Program ask these servers, in the places of those that it was written for.

    Raises ValueError where it was written for another number of them.
    """
    new = list(endpoints)
    for block in program.blocks:
        for op in block.ops:
            for name in ("epmap", "endpoints"):
                old = op.attrs.get(name)
                if old:
                    known = list(dict.fromkeys(old))
                    if len(known) != len(new):
                        raise ValueError(f"load_inference_model(pserver_endpoints): the model was written for "
                                         f"{len(known)} servers. Received {new}.")
                    op.set_attr(name, [new[known.index(each)] for each in old])
