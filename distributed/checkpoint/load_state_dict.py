"""load_state_dict: any number of processes read what several have written into a folder."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from ...core.dtype import bfloat16, from_numpy_dtype
from ...core.files import CorruptFileError, MissingFileError
from ...core.safe_pickle import load_state
from ..collectives import barrier
from ..groups import Group, group_of
from .metadata import LocalTensorIndex, LocalTensorMetadata, read_metadata
from .states import flat_state

_METADATA = re.compile(r"(\d+)\.metadata")
_Pieces = list[tuple[LocalTensorMetadata, str]]  # with the files that hold them


def load_state_dict(state_dict: dict[str, Any], path: str, process_group: Group | None = None,
                    coordinator_rank: int = 0) -> None:
    """Gives the Tensors of `state_dict` the values that a checkpoint in the folder `path` has under their keys.

    Each process reads what its own Tensors need, and no other: their number need not be that of those that wrote. It
    reads what PaddlePaddle 2.6.2 writes, too, also values in pieces. Nothing in a file is run, and nothing is changed
    where something is missing: MissingFileError for a folder without a checkpoint, KeyError for a key, ValueError for a
    shape, CorruptFileError, UnsafePickleError. `coordinator_rank` changes nothing.
    `paddle.distributed.load_state_dict`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> dist.save_state_dict({"w": paddle.to_tensor([1.0, 2.0])}, folder)
    >>> state = {"w": paddle.zeros([2])}
    >>> dist.load_state_dict(state, folder)
    >>> state["w"].tolist()
    [1.0, 2.0]
    """
    members = group_of("load_state_dict", process_group)
    targets = flat_state("load_state_dict", state_dict)
    pieces = _pieces(path)
    missing = sorted(set(targets) - set(pieces))
    if missing:
        raise KeyError(f"load_state_dict(state_dict): {path!r} has no value for {missing[:8]}. It has "
                       f"{sorted(pieces)[:8]}{', …' if len(pieces) > 8 else ''}.")
    names = dict.fromkeys(name for key in targets for _, name in pieces[key])
    files = {name: _arrays(path, name) for name in names}
    ready = [(target, _assembled(path, key, target, pieces[key], files)) for key, target in targets.items()]
    for target, array in ready:
        target.set_value(array)
    barrier(members)


def _pieces(path: str) -> dict[str, _Pieces]:
    """The pieces of each value; of a key that several states have, those of the last."""
    matches = [_METADATA.fullmatch(name) for name in os.listdir(path)] if os.path.isdir(path) else []
    numbers = sorted(int(match.group(1)) for match in matches if match)
    if not numbers:
        raise MissingFileError(f"load_state_dict(path): {path!r} holds no checkpoint: no N.metadata, which is written "
                               f"when all else is. Give the folder that save_state_dict was given.")
    found: dict[str, _Pieces] = {}
    for number in numbers:
        name = os.path.join(path, f"{number}.metadata")
        metadata = read_metadata(name)
        for key, parts in metadata.state_dict_metadata.items():
            try:
                found[key] = [(part, metadata.storage_metadata[LocalTensorIndex(key, part.global_offset)])
                              for part in parts]
            except KeyError as error:
                raise CorruptFileError(name, key, "a piece of this value lies in no file") from error
    return found


def _arrays(path: str, name: str) -> dict[str, Any]:
    place = os.path.join(path, name)
    if not os.path.isfile(place):
        raise MissingFileError(f"load_state_dict(path): {place!r} is missing, a part of the checkpoint in {path!r}.")
    found = load_state(place)
    if not isinstance(found, dict):
        raise CorruptFileError(place, 0, "it holds no state dict")
    return found


def _assembled(path: str, key: str, target: Any, pieces: _Pieces, files: dict[str, dict[str, Any]]) -> np.ndarray:
    """The whole of a value, of the target's shape and dtype."""
    whole = tuple(max((part.global_offset[axis] + part.local_shape[axis] for part, _ in pieces), default=0)
                  for axis in range(len(pieces[0][0].local_shape))) if pieces else (0,)
    if list(whole) != list(target.shape):
        raise ValueError(f"load_state_dict(state_dict): {key!r} has shape {list(whole)} in the checkpoint. Received "
                         f"shape {list(target.shape)}.")
    arrays = [(part, _piece(key, part, os.path.join(path, name), files[name].get(key))) for part, name in pieces]
    result = np.empty(whole, arrays[0][1].dtype)
    filled = np.zeros(whole, bool)
    for part, array in arrays:
        place = tuple(slice(begin, begin + size) for begin, size in
                      zip(part.global_offset, part.local_shape, strict=True))
        result[place], filled[place] = array, True
    if not filled.all():
        raise CorruptFileError(path, key, "pieces of this value are missing")
    if from_numpy_dtype(result.dtype).is_floating != target.dtype.is_floating:
        raise ValueError(f"load_state_dict(state_dict): {key!r} has dtype {result.dtype} in the checkpoint. Received "
                         f"dtype {target.dtype.name}.")
    return result.astype(target.dtype.dtype, copy=False)


def _piece(key: str, part: LocalTensorMetadata, name: str, array: Any) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.shape != part.local_shape:
        raise CorruptFileError(name, key, f"it is no piece of shape {list(part.local_shape)}")
    return array.view(bfloat16.dtype) if array.dtype == np.uint16 else array
