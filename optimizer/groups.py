"""Groups of parameters: which parameters an optimizer updates, and what each group sets for its own."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable
from numbers import Real
from types import FunctionType, MethodType
from typing import Any

from ..ops.array.full import is_value
from ..regularizer import L2Decay, WeightDecayRegularizer
from .lr import LRScheduler
from .options import Check, Options, checked

Pairs = list[tuple[Any, Any]]
SHARED = ("params", "learning_rate", "weight_decay", "grad_clip")  # what a group of any rule may hold


class Groups:
    """The parameters of an optimizer, one after the other, and the groups that they were given in, if any.

    A group is a dict as the optimizer was given it, with checked options; `options` says which a rule has of its own.
    """

    def __init__(self, rule: str, options: dict[str, Check], parameters: Any):
        self.rule, self.options = rule, options
        self.parameters: list[Any] | None = None
        self.groups: list[Options] = []
        self.index: dict[str, int] = {}  # of a parameter's group, by its name
        self.before: dict[str, tuple[Any, Any]] = {}  # a parameter's own factor and penalty when its group was made
        if parameters is not None:
            self.parameters = []
            for item in _items(rule, parameters):
                if isinstance(item, dict):
                    self.add(item)
                else:
                    self.parameters.append(_parameter(rule, item))
            _check_names(rule, self.parameters)

    def add(self, group: Options) -> None:
        """One more group."""
        if "params" not in group:
            raise ValueError(f"{self.rule}(parameters): a group needs 'params', the parameters in it. Received a dict "
                             f"of {sorted(group)}.")
        given = group["params"]
        members = [given] if is_value(given) else [_parameter(self.rule, p) for p in _items(self.rule, given)]
        for parameter in members:
            if parameter.name in self.index:
                raise ValueError(f"{self.rule}(parameters): {parameter.name!r} is in more than one group.")
            self.index[parameter.name] = len(self.groups)
            self.before[parameter.name] = _own_factor(parameter), getattr(parameter, "regularizer", None)
        self.groups.append({**group, "params": members, **self._checked(group)})
        self.parameters = [*(self.parameters or ()), *members]

    def _checked(self, group: Options) -> Options:
        found = checked(self.options, self.rule, group)
        for name in group:
            if name not in self.options and name not in SHARED:
                self._warn_of_unknown(name)
        if isinstance(group.get("learning_rate"), LRScheduler):
            raise TypeError(f"{self.rule}(parameters): a group's learning_rate is a factor of the optimizer's. "
                            "Give the scheduler to the optimizer, and a number to the group.")
        if "weight_decay" in group and "weight_decay" not in self.options:
            found["weight_decay"] = regularizer(group["weight_decay"])
        check_clip(self.rule, group.get("grad_clip"))
        return found

    def _warn_of_unknown(self, name: str) -> None:
        known = [*SHARED[1:], *(option for option in self.options if option not in SHARED)]
        similar = {"lr": ["learning_rate"]}.get(name) or difflib.get_close_matches(name, known, 1)
        meant = f" Did you mean {similar[0]!r}?" if similar else ""
        warnings.warn(f"{self.rule}(parameters): {name!r} of a group changes nothing. A group may set "
                      f"{', '.join(known)}.{meant}", stacklevel=6)

    def of(self, parameter: Any) -> Options | None:
        """The group of a parameter; None where it is in none."""
        if not self.groups:
            return None
        index = self.index.get(parameter.name)
        return None if index is None else self.groups[index]

    def factor(self, parameter: Any, group: Options | None) -> Any:
        """What a parameter's learning rate is multiplied by: its own factor where it is in no group, or where that was
        set after the group was made; else its group's.
        """
        own = _own_factor(parameter)
        if group is None or _is_other(own, self.before[parameter.name][0]):
            return own
        return group.get("learning_rate", 1.0)

    def has_other_penalty(self, parameter: Any) -> bool:
        """Whether a parameter in a group brings another regularizer than when the group was made."""
        return getattr(parameter, "regularizer", None) is not self.before[parameter.name][1]

    def shares(self, pairs: Pairs) -> list[tuple[Options | None, Pairs]]:
        """The groups with their pairs of parameters and gradients."""
        if not self.groups:
            return [(None, pairs)]
        found: dict[int, Pairs] = {}
        for pair in pairs:
            found.setdefault(self.index.get(pair[0].name, -1), []).append(pair)
        return [(None if index < 0 else self.groups[index], share) for index, share in sorted(found.items())]


def _check_names(rule: str, parameters: list[Any]) -> None:
    """Refuses two parameters of one name: what an optimizer keeps for each, it keeps by name."""
    by_name: dict[str, Any] = {}
    for parameter in parameters:
        other = by_name.setdefault(parameter.name, parameter)
        if other is not parameter:
            raise ValueError(f"{rule}(parameters): two parameters, of shapes {other.shape} and {parameter.shape}, have "
                             f"the name {parameter.name!r}, and would share momentum and saved state. Give each a "
                             "ParamAttr with a name of its own, or with none.")


def _own_factor(parameter: Any) -> Any:
    return getattr(parameter, "optimize_attr", {}).get("learning_rate", 1.0)


def _is_other(factor: Any, before: Any) -> bool:
    return factor is not before and (is_value(factor) or is_value(before) or factor != before)


def _items(rule: str, parameters: Any) -> Iterable[Any]:
    """The items of what was given for parameters; TypeError that names what to give where they have no order."""
    if isinstance(parameters, dict):
        raise TypeError(f"{rule}(parameters): must be a list; groups are a list of dicts, [{{'params': …}}]. Received "
                        "a dict.")
    if isinstance(parameters, set):
        raise TypeError(f"{rule}(parameters): must be in an order that repeats, such as a list. Received a set.")
    if is_value(parameters) or not isinstance(parameters, Iterable):
        got = type(parameters).__name__
        call = " Call its parameters()." if hasattr(parameters, "parameters") else " Put it into a list."
        raise TypeError(f"{rule}(parameters): must be a list of parameters, such as layer.parameters(). Received "
                        f"{got}.{call}")
    return parameters


def _parameter(rule: str, item: Any) -> Any:
    if is_value(item):
        return item
    hint = " named_parameters() gives names too; parameters() does not." if isinstance(item, (str, tuple)) else ""
    raise TypeError(f"{rule}(parameters): must hold parameters. Received {type(item).__name__}.{hint}")


def regularizer(value: Any) -> Any:
    """A regularizer, of a number an L2 penalty's, or None."""
    if value is None or isinstance(value, WeightDecayRegularizer):
        return value
    if isinstance(value, Real):
        return L2Decay(float(value))
    raise TypeError(f"weight_decay must be a number or a regularizer. Received {type(value).__name__}.")


_NO_CLIPS = type, FunctionType, MethodType, WeightDecayRegularizer  # which may be called


def check_clip(rule: str, clip: Any) -> None:
    """TypeError unless it clips or is None. A function would be given pairs, and is none that clips one gradient."""
    if clip is not None and (not callable(clip) or isinstance(clip, _NO_CLIPS)):
        raise TypeError(f"{rule}(grad_clip): must be one of nn.ClipGradBy*. Received {clip!r}.")
