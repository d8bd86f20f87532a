"""`paddle.distributed.io`: the persistable variables of a Program in files, one each or all in one."""

from __future__ import annotations

import os
from typing import Any

from ..core.absent import asked_of
from ..static.files.inference_model import load_inference_model
from ..static.files.save_vars import is_persistable, load_vars, save_vars

__all__ = ["is_persistable", "load_inference_model_distributed", "load_persistables", "save_persistables"]
__getattr__ = asked_of(__name__)


def save_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> Any:
    """Saves parameters and other persistable variables of a Program in a folder; in one file where that is named."""
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    """Loads what `save_persistables` has saved."""
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_inference_model_distributed(dirname: str, executor: Any, model_filename: str | None = None,
                                     params_filename: str | None = None) -> list[Any]:
    """A Program for inference, the names to feed and the Variables to fetch, of a folder as Paddle 1.x writes it.

    Raises ValueError where the folder is not there.
    """
    if not os.path.isdir(dirname):
        raise ValueError(f"load_inference_model_distributed(dirname): there is no folder {dirname!r}.")
    return load_inference_model(dirname, executor, model_filename=model_filename, params_filename=params_filename)
