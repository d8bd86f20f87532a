"""`.pdiparams.info` files: what a saved layer called its parameters and buffers, and which of them were trained.

A protocol-2 pickle of a dict from the name in the Program to `structured_name`, `stop_gradient` and, for parameters,
`trainable`.
"""

from __future__ import annotations

import io
import os
from typing import Any

from ...core.files import CorruptFileError
from ...core.safe_pickle import dump_state, load_state

_KINDS = {"structured_name": str, "stop_gradient": bool, "trainable": bool}


def params_info_bytes(info: dict[str, dict[str, Any]]) -> bytes:
    """The contents of the file.

    >>> from proa.static.format.params_info import params_info_bytes
    >>> len(params_info_bytes({"w_0": {"structured_name": "weight", "stop_gradient": False, "trainable": True}})) > 0
    True
    """
    file = io.BytesIO()
    dump_state(info, file, protocol=2)
    return file.getvalue()


def read_params_info(source: str | os.PathLike[str] | Any, name: str | None = None) -> dict[str, dict[str, Any]]:
    """The dict in the file; CorruptFileError when it is of another form, UnsafePickleError when it asks for code."""
    called = name or (os.fspath(source) if isinstance(source, (str, os.PathLike)) else "<bytes>")
    info = load_state(source, called)
    if not isinstance(info, dict):
        raise CorruptFileError(called, "byte 0", f"a dict should stand here, not {type(info).__name__}")
    for variable, entry in info.items():
        sound = isinstance(variable, str) and isinstance(entry, dict) and all(
            isinstance(entry.get(key, kind()), kind) for key, kind in _KINDS.items())
        if not sound:
            raise CorruptFileError(called, f"variable {variable!r}", "its entry is not of the form that is written")
    return info
