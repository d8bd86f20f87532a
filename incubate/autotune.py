"""`paddle.incubate.autotune`: what Paddle would try out to run faster. It is checked, and changes nothing here."""

from __future__ import annotations

import json
import warnings
from typing import Any

from ..core.lazy import listed

__all__ = ["set_config"]
__dir__ = listed(__name__)

_OF: dict[str, dict[str, type]] = {"kernel": {"enable": bool, "tuning_range": list},
                                   "layout": {"enable": bool},
                                   "dataloader": {"enable": bool, "tuning_steps": int}}


def set_config(config: dict[Any, Any] | str | None = None) -> None:
    """What to tune: 'kernel', 'layout' and 'dataloader', each with 'enable'; or a JSON file that says so; all by None.

    Engines choose their own ways here (docs/speed.md), so that nothing depends on it. What is of a wrong type is
    named in a warning, as in Paddle. Raises FileNotFoundError for a file that is not there, and TypeError for what
    is no dict.

    >>> import proa as paddle
    >>> paddle.incubate.autotune.set_config({"kernel": {"enable": True, "tuning_range": [1, 3]}})
    """
    if isinstance(config, str):
        with open(config, encoding="utf-8") as file:
            config = json.load(file)
    if config is None:
        return
    if not isinstance(config, dict):
        raise TypeError(f"autotune.set_config(config): must be a dict, the path of a JSON file, or None. "
                        f"Received {config!r}.")
    for part, kinds in _OF.items():
        given = config.get(part, {})
        if not isinstance(given, dict):
            raise TypeError(f"autotune.set_config(config): {part!r} must be a dict. Received {given!r}.")
        for name, kind in kinds.items():
            if name in given and not isinstance(given[name], kind):
                warnings.warn(f"autotune.set_config(config): {name!r} of {part!r} must be of type {kind.__name__}. "
                              f"Received {given[name]!r}, which counts for nothing.", stacklevel=2)
