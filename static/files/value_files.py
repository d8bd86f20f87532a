"""How the operators save, save_combine, load and load_combine find values in files: as tensor streams."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import from_number, from_numpy_dtype
from ...ops.program.tensor_files import FORM
from ..format.tensor_stream import StoredTensor, read_combined, read_stream, write_combined


def _write(file: Any, values: Sequence[tuple[np.ndarray, list[list[int]]]]) -> None:
    def stream(array: np.ndarray, lod: list[list[int]]) -> tuple:
        dtype = from_numpy_dtype(array.dtype)
        return array.view(np.uint16) if dtype.name == "bfloat16" else array, dtype.number, lod

    write_combined(file, [stream(*value) for value in values])


def _read(path: str, names: list[str] | None) -> list[np.ndarray]:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{'load' if names is None else 'load_combine'}(file_path): there is no file {path!r}.")
    found = [read_stream(path)] if names is None else list(read_combined(path, names).values())
    return [_plain(path, stored) for stored in found]


def _plain(path: str, stored: StoredTensor) -> np.ndarray:
    if stored.lod:
        raise NotImplementedError(f"load(file_path): {path!r} holds sequences, whose offsets an operator that reads a "
                                  "file cannot give a Program. Read it by fluid.io.load_vars.")
    return stored.array.view(from_number(stored.number).dtype)


FORM.write, FORM.read = _write, _read
