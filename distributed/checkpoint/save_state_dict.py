"""save_state_dict: several processes write a state into one folder, each a part of it."""

from __future__ import annotations

import math
import os
import re
from typing import Any

from ...core.safe_pickle import dump_state
from ...jit.files.plain_state import plain_state
from ..collectives import all_gather_object, barrier
from ..groups import Group, group_of
from .metadata import LocalTensorIndex, LocalTensorMetadata, Metadata, write_metadata
from .states import flat_state

_FILE = re.compile(r"(?:\d+_)?(\d+)\.(?:distcp|metadata)")


def save_state_dict(state_dict: dict[str, Any], path: str, process_group: Group | None = None,
                    coordinator_rank: int = 0) -> None:
    """Writes the Tensors of `state_dict` into the folder `path`, which all processes of the group reach.

    Every process calls it. What several have under one key counts as equal, and one of them writes it; what one has
    alone, such as its part of a divided optimizer's state (`optimizer.local_state_dict()`), it writes itself. A folder
    may hold several states: the last one counts, and none is changed. The process `coordinator_rank` of the group
    writes what lies where when all else is written. Raises TypeError for what is no Tensor, ValueError where shapes
    differ between processes. `paddle.distributed.save_state_dict`.

    >>> import tempfile, proa as paddle
    >>> folder, w = tempfile.mkdtemp(), paddle.ones([2])
    >>> paddle.distributed.save_state_dict({"w": w}, folder)
    >>> target = {"w": paddle.zeros([2])}
    >>> paddle.distributed.load_state_dict(target, folder)
    >>> target["w"].tolist()
    [1.0, 1.0]
    """
    members = group_of("save_state_dict", process_group)
    own = flat_state("save_state_dict", state_dict)
    os.makedirs(path, exist_ok=True)
    told: list[Any] = []
    all_gather_object(told, [_next_number(path), {
        key: [list(value.shape), value.dtype.name] for key, value in own.items()}], members)
    number = max(one[0] for one in told)
    forms = [one[1] for one in told]
    writers = _writers(forms)
    mine = {key: value for key, value in own.items() if writers[key] == members.rank}
    if mine:
        dump_state(plain_state(mine), os.path.join(path, _file(members.rank, number)))
    barrier(members)
    if members.rank == coordinator_rank:
        shapes = {key: tuple(forms[rank][key][0]) for key, rank in writers.items()}
        write_metadata(Metadata(
            {key: [LocalTensorMetadata((0,) * len(shape), shape)] for key, shape in shapes.items()},
            {LocalTensorIndex(key, (0,) * len(shapes[key])): _file(rank, number) for key, rank in writers.items()}),
            os.path.join(path, f"{number}.metadata"))
    barrier(members)


def _file(rank: int, number: int) -> str:
    return f"{rank}_{number}.distcp"


def _next_number(path: str) -> int:
    """The number of the next state in a folder."""
    found = [_FILE.fullmatch(name) for name in os.listdir(path)]
    return max((int(match.group(1)) for match in found if match), default=-1) + 1


def _writers(forms: list[dict[str, Any]]) -> dict[str, int]:
    """Which process writes which value: of those that have it, the one that has least to write so far."""
    found: dict[str, int] = {}
    load = [0] * len(forms)
    keys = dict.fromkeys(key for form in forms for key in form)
    for key in keys:
        having = [rank for rank, form in enumerate(forms) if key in form]
        first = forms[having[0]][key]
        other = next((rank for rank in having if forms[rank][key] != first), None)
        if other is not None:
            raise ValueError(f"save_state_dict(state_dict): {key!r} is of shape and dtype {first} in process "
                             f"{having[0]}, and of {forms[other][key]} in process {other}.")
        found[key] = min(having, key=load.__getitem__)
        load[found[key]] += math.prod(first[0])
    return found
