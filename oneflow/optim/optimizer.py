"""Optimizer: groups of parameters with options that users may change, each updated by one of proa's rules.

A rule's formula, its state and what a step costs are those of `proa.optimizer`; here are OneFlow's names for them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core.dtype import float32, float64
from ...ops.array.full import is_value
from ...ops.core.trace import grad_mode, state
from ...optimizer import Optimizer as Rule
from ...optimizer.options import Options
from ...regularizer import L2Decay
from ..charge import flowing
from ..nn.module import zero_gradient
from ..nn.utils.clip_grad import clip_grad_norm_


class ParamGroup(dict):
    """A group: its options by name, and its parameters as `group["params"]` and `group.parameters`."""

    @property
    def parameters(self) -> list[Any]:
        """The parameters."""
        return self["params"]

    @property
    def options(self) -> dict[str, Any]:
        """What is no parameter."""
        return {name: value for name, value in self.items() if name != "params"}


class OfGroup:
    """What makes a rule of proa's the rule of a group: rate, penalty and options are looked up at each step."""

    group: Any
    owner: Any
    _options: Options
    _names: dict[str, str] = {}  # OneFlow's names of accumulators, by those of the rule

    def get_lr(self) -> float:
        """The learning rate of the next step."""
        return float(self.group["lr"]) * float(self.group.get("lr_scale", 1.0))

    def _option_values(self) -> Options:
        raise NotImplementedError

    def refresh(self: Any) -> None:
        """Takes over what the group says."""
        self._options = self._option_values()
        decay = self.group.get("weight_decay", 0.0)
        self.regularization = L2Decay(float(decay)) if decay and not self._decays_apart else None

    _decays_apart = False

    def restore(self: Any, kind: str, parameter: Any, array: np.ndarray) -> None:
        """Gives an accumulator of a parameter its value."""
        dtype = float32 if parameter.dtype.itemsize == 2 else parameter.dtype
        held = self._accumulator(kind, parameter, 0.0, array.shape, dtype)
        held.set_value(array.astype(held.dtype.dtype))

    def _power(self: Any, kind: str, parameter: Any, base: float) -> Any:
        """The power of a base for the next step: it counts the optimizer's steps."""
        return self._accumulator(kind, parameter, base ** (self.owner.steps + 1), (1,),
                                 float64 if parameter.dtype is float64 else float32)


class Optimizer:
    """Base of the optimizers: `params` are parameters, or groups of them as dicts with options of their own.

    >>> import proa.oneflow as flow
    >>> layer = flow.nn.Linear(2, 1)
    >>> rule = flow.optim.SGD(layer.parameters(), lr=0.1)
    >>> layer(flow.ones(1, 2)).sum().backward(); rule.step(); rule.zero_grad()
    >>> rule.param_groups[0]["lr"]
    0.1
    """

    def __init__(self, parameters: Any, options: dict[str, Any]):
        self.param_groups: list[ParamGroup] = []
        self._default_options = options
        self._rules: list[Any] = []
        self.steps = 0
        if is_value(parameters) or isinstance(parameters, (dict, set)) or not isinstance(parameters, Iterable):
            raise TypeError(f"{type(self).__name__}(params): must be parameters in an order that repeats, such as "
                            f"module.parameters(), or a list of dicts. Received {type(parameters).__name__}.")
        given = list(parameters)
        if not given:
            raise ValueError(f"{type(self).__name__}(params): there are none.")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def _rule(self, group: ParamGroup) -> Any:
        """The rule of proa's that updates a group."""
        raise NotImplementedError(f"{type(self).__name__} must define step(), or _rule(group).")

    @property
    def _state(self) -> dict[Any, Any]:
        return {"step": self.steps}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """One more group."""
        name = type(self).__name__
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(f"{name}.add_param_group(param_group): must be a dict with 'params'. Received "
                            f"{param_group!r}.")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(f"{name}: parameters must be in an order that repeats, such as a list. Received a set.")
        params = [params] if is_value(params) else list(params)
        held = {id(p) for group in self.param_groups for p in group.parameters}
        for p in params:
            if not is_value(p):
                raise TypeError(f"{name}: must hold parameters. Received {type(p).__name__}.")
            if not p.is_leaf:
                raise ValueError(f"{name}: {p.name!r} is computed, and no leaf. Give what it was computed from.")
            if id(p) in held:
                raise ValueError(f"{name}: some parameters appear in more than one group.")
        group = ParamGroup({**self._default_options, **param_group, "params": params})
        self.param_groups.append(group)
        if type(self)._rule is not Optimizer._rule:
            self._rules.append(self._rule(group))

    @flowing
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient. `closure` computes the loss and its gradients before, again."""
        loss = None
        if closure is not None:
            with grad_mode(True):
                loss = closure()
        for rule in self._rules:
            rule.refresh()
            rule.step()
        if state.trace.computes:
            self.steps += 1
        return loss

    def zero_grad(self, set_to_none: bool = False) -> None:
        """Sets the gradients of all parameters to zeros, or forgets them."""
        for group in self.param_groups:
            for parameter in group.parameters:
                zero_gradient(parameter, set_to_none)

    def clip_grad(self, error_if_nonfinite: bool = False) -> None:
        """Clips the gradients of groups that have a `clip_grad_max_norm`, each by the norm of all of its own."""
        for group in self.param_groups:
            if "clip_grad_max_norm" in group:
                clip_grad_norm_(group.parameters, group["clip_grad_max_norm"], group.get("clip_grad_norm_type", 2.0),
                                error_if_nonfinite)

    # State

    def state_dict(self) -> dict[str, Any]:
        """The state of each parameter by its number, the count of steps under "step", and the groups' options."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            numbers.update({id(p): len(numbers) + n for n, p in enumerate(group.parameters)})
            groups.append({**group.options, "params": [numbers[id(p)] for p in group.parameters]})
        found: dict[Any, Any] = {"step": self.steps}
        for group, rule in zip(self.param_groups, self._rules, strict=True):
            for p in group.parameters:
                kinds = {**rule._names, **{kind: kind for kind in rule.powers(group)}}
                found[numbers[id(p)]] = {name: rule._accumulators[kind][p.name].detach()
                                         for kind, name in kinds.items()
                                         if p.name in rule._accumulators.get(kind, {})}
        return {"state": found, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave, here or in OneFlow. Nothing is changed when a shape does not fit."""
        groups, given = state_dict["param_groups"], state_dict["state"]
        name = type(self).__name__
        if [len(g["params"]) for g in groups] != [len(g.parameters) for g in self.param_groups]:
            raise ValueError(f"{name}.load_state_dict: must have as many groups and parameters as the optimizer. "
                             f"Received groups of {[len(g['params']) for g in groups]}, it has groups of "
                             f"{[len(g.parameters) for g in self.param_groups]}.")
        steps = int(given.get("step", 0))
        values = []
        for saved, group, rule in zip(groups, self.param_groups, self._rules, strict=True):
            for number, p in zip(saved["params"], group.parameters, strict=True):
                own = given.get(number, {})
                for kind, known in rule._names.items():
                    if known in own:
                        array = _array(own[known])
                        if list(array.shape) != list(p.shape):
                            raise ValueError(f"{name}.load_state_dict: {known!r} of parameter {number} has shape "
                                             f"{list(array.shape)}. The parameter has {list(p.shape)}.")
                        values.append((rule, p, kind, array))
                if own:
                    values += [(rule, p, kind, _array(own[kind]) if kind in own else np.full((1,), base ** (steps + 1)))
                               for kind, base in rule.powers(saved.get("_options", saved)).items()]
        for saved, group in zip(groups, self.param_groups, strict=True):
            options = saved.get("_options", saved)
            group.update({k: copy.deepcopy(v) for k, v in options.items() if k not in ("params", "_options")})
        self.steps = steps
        for rule, p, kind, array in values:
            rule.restore(kind, p, array)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for n, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {n}")
            lines += [f"    {key}: {group.options[key]}" for key in sorted(group.options)]
        return "\n".join([*lines, ")"])


def _array(value: Any) -> np.ndarray:
    return value.numpy() if is_value(value) else np.asarray(value)


__all__ = ["OfGroup", "Optimizer", "ParamGroup", "Rule"]
