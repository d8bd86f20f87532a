"""`.pdiparams.info` files: what a saved layer called its parameters and buffers, and which of them were trained.

A protocol-2 pickle of a dict from the name in the Program to `structured_name`, `stop_gradient` and, for parameters,
`trainable`, as PaddlePaddle writes it. proa adds what differs from the default: `learning_rate`, `need_clip` and
`regularizer` (its name and coefficient) of a parameter, `persistable` of a buffer, `structured_names` where there are
several.
"""

from __future__ import annotations

import io
import os
from typing import Any

from ...core.byte_reader import source_name
from ...core.files import CorruptFileError
from ...core.safe_pickle import dump_state, load_state

_KINDS: dict[str, type] = {
    "structured_name": str, "stop_gradient": bool, "trainable": bool, "persistable": bool, "need_clip": bool,
    "learning_rate": float, "structured_names": list, "regularizer": list,
}


def dump_params_info(info: dict[str, dict[str, Any]]) -> bytes:
    """The contents of the file.

    >>> from proa.static.format.params_info import dump_params_info
    >>> len(dump_params_info({"w_0": {"structured_name": "weight", "stop_gradient": False, "trainable": True}})) > 0
    True
    """
    file = io.BytesIO()
    dump_state(info, file, protocol=2)
    return file.getvalue()


def read_params_info(source: str | os.PathLike[str] | Any, name: str | None = None) -> dict[str, dict[str, Any]]:
    """The dict in the file; CorruptFileError when it is of another form, UnsafePickleError when it asks for code."""
    called = name or source_name(source)
    info = load_state(source)
    if not isinstance(info, dict):
        raise CorruptFileError(called, 0, f"a dict should stand here, not {type(info).__name__}")
    for variable, entry in info.items():
        sound = isinstance(variable, str) and isinstance(entry, dict) and all(
            isinstance(entry.get(key, kind()), kind) for key, kind in _KINDS.items()) and _lists_are_sound(entry)
        if not sound:
            raise CorruptFileError(called, f"variable {variable!r}", "its entry is not of the form that is written")
    return info


def _lists_are_sound(entry: dict[str, Any]) -> bool:
    names, regularizer = entry.get("structured_names", []), entry.get("regularizer", ["", 0.0])
    return all(isinstance(name, str) for name in names) and list(map(type, regularizer)) == [str, float]
