"""Options of update rules: how those that a constructor or a group of parameters gives are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..core.errors import AssertedError
from ..ops.array.full import is_value

Options = dict[str, Any]  # by the constructor's names for them
Check = Callable[[str, Any], Any]  # of where an option was given, such as 'Adam(beta1)', and its value


def number(where: str, value: Any) -> float:
    """The value as a float; TypeError where it is neither a number nor a tensor that holds one."""
    if is_value(value) or isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"{where}: must be a number. Received {type(value).__name__}.")


def fraction(where: str, value: Any) -> float:
    """The value as a float; ValueError unless it lies in [0, 1)."""
    if value is None or not 0 <= value < 1:
        raise AssertedError(f"{where}: must lie in [0, 1). Received {value}.")
    return float(value)


def not_negative(where: str, value: Any) -> float:
    """The value as a float; ValueError where it is negative."""
    if value is None or value < 0:
        raise AssertedError(f"{where}: must be at least 0. Received {value}.")
    return float(value)


def flag(where: str, value: Any) -> bool:
    """The value's truth."""
    return bool(value)


def function(where: str, value: Any) -> Any:
    """A function or None; TypeError for anything else."""
    if value is None or callable(value):
        return value
    raise TypeError(f"{where}: must be a function or None. Received {value!r}.")


def checked(checks: dict[str, Check], rule: str, given: Options) -> Options:
    """Those of the options that are among the checks, as these give them."""
    return {name: checks[name](f"{rule}({name})", value) for name, value in given.items() if name in checks}


class _Option:
    """An option of a rule as an attribute: as the group sets it whose parameter is updated, else the optimizer's."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, rule: Any, owner: Any = None) -> Any:
        return self if rule is None else rule._options_of(rule._group_shown)[self.name]

    def __set__(self, rule: Any, value: Any) -> None:
        rule._group_shown = None
        rule.__dict__.setdefault("_options", {})[self.name] = value


def kept_by_paddles_names(rule: Any, options: Iterable[str], kinds: Iterable[str]) -> None:
    """Gives a class of optimizers what subclasses written for Paddle read: its options, and names of accumulators.

    Adam's `_beta1` is its option beta1, and `_moment1_acc_str` is "moment1".
    """
    named = {f"_{kind.strip('_').removesuffix('_acc')}_acc_str": kind for kind in kinds}
    for name, value in {**named, **{f"_{option}": _Option(option) for option in options}}.items():
        if not hasattr(rule, name):
            setattr(rule, name, value)
