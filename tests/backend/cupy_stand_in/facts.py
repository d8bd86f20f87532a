"""What `facts.json` says, as signatures that arguments can be bound to."""

from __future__ import annotations

import functools
import inspect
import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

#: What CuPy makes of the letter that it has of `ml_dtypes`, which NumPy does not take for a dtype by itself.
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FACTS: dict[str, Any] = json.loads(Path(__file__).with_name("facts.json").read_text())
_KIND = inspect.Parameter


def dtype_of_letter(letter: str) -> np.dtype:
    """The dtype that a letter of a ufunc's loops stands for."""
    return BFLOAT16 if letter == BFLOAT16.char else np.dtype(letter)


@functools.lru_cache(None)
def signature(where: str, name: str) -> inspect.Signature:
    """The signature of a function of CuPy's; TypeError comes from binding what it does not take."""
    return inspect.Signature([_parameter(text) for text in FACTS[where][name]["parameters"]])


def _parameter(text: str) -> inspect.Parameter:
    kind = _KIND.POSITIONAL_OR_KEYWORD
    for mark, marked in (("**", _KIND.VAR_KEYWORD), ("*", _KIND.VAR_POSITIONAL), ("k:", _KIND.KEYWORD_ONLY),
                         ("/", _KIND.POSITIONAL_ONLY)):
        if text.startswith(mark):
            text, kind = text[len(mark):], marked
            break
    return _KIND(text.rstrip("?"), kind, default=None if text.endswith("?") else _KIND.empty)


def bind(where: str, name: str, args: tuple, kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """The arguments by CuPy's parameters; TypeError, naming the function, for what it does not take."""
    try:
        return signature(where, name).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{where}.{name}{signature(where, name)}: {error}") from None
