"""What an optimizer keeps for its parameters: accumulators, float32 copies of 16-bit parameters, and both as its state.

It knows nothing of steps: rules ask for what they keep when they take one, and it is made where it is not there yet.
"""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import DType, convert_dtype, float32, float64
from ..core.unique_name import generate
from ..ops.array.full import is_value
from ..ops.core.trace import current_trace
from .lr import LRScheduler
from .options import Options
from .subclassing import ForSubclasses

_COUNTER = re.compile(r"_\d+$")
_MASTER = "_fp32_master"
_MASTER_NAME = re.compile(rf"{_MASTER}_\d+$")


def of_rates(parameter: Any) -> DType:
    """The dtype of a parameter's learning rate, and of powers of numbers: float64 for float64, else float32."""
    return float64 if parameter.dtype is float64 else float32


class KeptState(ForSubclasses):
    """The part of Optimizer that holds what updates keep, and gives and takes it as a state."""

    _kinds: tuple[str, ...] = ()  # the accumulators of a rule

    # What Optimizer has
    _parameter_list: Any
    _learning_rate: Any

    def _keeps_nothing_yet(self, multi_precision: bool) -> None:
        self._multi_precision = multi_precision
        self._accumulators: dict[str, dict[str, Any]] = defaultdict(dict)  # by kind, then by parameter name
        self._master_weights: dict[str, Any] = {}  # float32 copies of 16-bit parameters, by the parameters' names
        self._of_master: dict[str, Any] = {}  # the parameters, by the names of their copies
        self._accumulators_holder: dict[str, Any] = {}  # state that waits for its accumulator to be made, by its keys
        self._waiting: dict[tuple[str, str], str] = {}  # these keys, by parameter and kind
        self._waiting_copies: dict[str, Any] = {}  # float32 copies that wait for theirs, by the parameters' names

    # Accumulators

    def _accumulator(self, kind: str, parameter: Any, fill: float = 0.0, shape: Sequence[int] | None = None,
                     dtype: Any = None) -> Any:
        """The accumulator of this kind for a parameter, made when there is none yet."""
        found = self._accumulators[kind].get(self._trained(parameter).name)
        return self._add_accumulator(kind, parameter, dtype, fill, shape) if found is None else found

    def _new_accumulator(self, kind: str, parameter: Any, fill: float, shape: Sequence[int] | None, dtype: Any) -> Any:
        trained = self._trained(parameter).name
        shape = tuple(parameter.shape if shape is None else shape)
        dtype = parameter.dtype if dtype is None else convert_dtype(dtype)
        name = generate("_".join(part for part in (parameter.name, self._name, kind) if part))
        found = self._accumulators[kind][trained] = current_trace().persistent(shape, dtype, fill, name)
        waiting = self._accumulators_holder.pop(self._waiting.pop((trained, kind), name), None)
        if waiting is not None:
            found.set_value(_state_array(waiting, found))
        return found

    def _state(self, parameter: Any, options: Options) -> tuple[Any, ...]:
        """What the rule keeps for a parameter, made where it is not there yet: one of each of its kinds, in order."""
        return tuple(self._accumulator(kind, parameter) for kind in self._kinds)

    def _states_of(self, parameters: list[Any], options: Options) -> list[list[Any]]:
        """`_state` of several parameters: a list of each kind, in order."""
        if not self._of_master:
            names = [parameter.name for parameter in parameters]
            try:
                return [[*map(self._accumulators[kind].__getitem__, names)] for kind in self._kinds]
            except KeyError:  # a parameter's first step
                pass
        return [list(each) for each in zip(*(self._state(p, options) for p in parameters), strict=True)]

    def get_opti_var_name_list(self) -> list[str]:
        """The names of the accumulators that are there."""
        return [value.name for held in self._accumulators.values() for value in held.values()]

    def kept_values(self) -> list[dict[Any, Any]]:
        """The dicts of what it keeps for parameters, which fill in the first step: accumulators, float32 copies."""
        return [self._accumulators, *self._accumulators.values(), self._master_weights, self._of_master,
                self._accumulators_holder, self._waiting, self._waiting_copies]

    def _power(self, kind: str, parameter: Any, base: float) -> Any:
        """The accumulator of a power that each step multiplies by its base."""
        return self._accumulator(kind, parameter, base, (1,), of_rates(parameter))

    # Full-precision copies of 16-bit parameters

    def _trained(self, parameter: Any) -> Any:
        """The parameter of the model that an update is about: itself, or the one that it is a float32 copy of."""
        return self._of_master.get(parameter.name, parameter) if self._of_master else parameter

    def _master(self, parameter: Any) -> Any:
        """The float32 copy of a parameter, made when there is none yet."""
        found = self._master_weights.get(parameter.name)
        if found is None:
            name = generate(f"{parameter.name}{_MASTER}")
            found = current_trace().persistent(tuple(parameter.shape), float32, parameter, name)
            self._master_weights[parameter.name], self._of_master[name] = found, parameter
            waiting = self._waiting_copies.pop(parameter.name, None)
            if waiting is not None:
                found.set_value(_state_array(waiting, found))
        return found

    def _target(self, parameter: Any) -> Any:
        """What an update changes: the parameter, or its float32 copy, which is made when there is none yet."""
        narrow = self._multi_precision and parameter.dtype.itemsize == 2
        return self._create_master_weight(parameter) if narrow else parameter

    # State

    def state_dict(self) -> dict[str, Any]:
        """The accumulators by name, the scheduler's state under 'LR_Scheduler', and, where there are any, the float32
        copies of 16-bit parameters by the parameters' names under 'master_weights'.
        """
        state = {value.name: value for held in self._accumulators.values() for value in held.values()}
        if self._master_weights:
            state["master_weights"] = dict(self._master_weights)
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave, here or in PaddlePaddle.

        Nothing is changed when a shape does not fit (ValueError). What belongs to a parameter that has taken no step
        yet is kept until it does. What belongs to none of the parameters raises KeyError where one of them gets
        nothing, as where the model was built again under other names; else, as where fewer parameters are trained
        now, or by a rule that keeps nothing, it is left out with a warning.
        """
        if not isinstance(state_dict, dict):
            raise TypeError(f"set_state_dict(state_dict): must be a dict. Received {type(state_dict).__name__}.")
        state = {k: v for k, v in state_dict.items() if k not in ("LR_Scheduler", "StructuredToParameterName@@")}
        masters = state.pop("master_weights", {})
        found = {key: self._place_of(key) for key in state}
        places = {place: key for key, place in found.items() if place is not None}
        if len(places) < len(found):
            self._leave_out([key for key, place in found.items() if place is None], {owner for owner, _ in places})
        ready = []
        for (parameter, kind), key in places.items():
            held = self._accumulators[kind].get(parameter)
            if held is not None:
                ready.append((held, _state_array(state[key], held)))
        for name, value in masters.items():
            held = self._master_weights.get(name)
            if held is not None:
                ready.append((held, _state_array(value, held)))
        for held, array in ready:
            held.set_value(array)
        self._waiting = {place: key for place, key in places.items() if place[0] not in self._accumulators[place[1]]}
        self._accumulators_holder = {key: state[key] for key in self._waiting.values()}
        self._waiting_copies = {name: value for name, value in masters.items() if name not in self._master_weights}
        if "LR_Scheduler" in state_dict and isinstance(self._learning_rate, LRScheduler):
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])

    set_dict = set_state_dict

    def _place_of(self, key: str) -> tuple[str, str] | None:
        """The parameter and kind that a key such as 'linear_0.w_0_moment1_0' stands for; None of another's."""
        base = _COUNTER.sub("", key)
        names = None if self._parameter_list is None else {p.name for p in self._parameter_list}
        for kind in self._kinds:
            if base.endswith("_" + kind):
                parameter = self._without_name(base[: -len(kind) - 1])
                if names is None or parameter in names:
                    return parameter, kind
        if self._has_own_operation:  # its kinds are known when the accumulators are made
            owners = [name for name in names or () if base.startswith(f"{name}_")]
            if owners:
                owner = max(owners, key=len)
                return owner, base[len(owner) + 1:].removeprefix(f"{self._name}_")
        return None

    def _leave_out(self, keys: list[str], owners: set[str]) -> None:
        """Says that a state's keys are of no parameter here: an error where a parameter is not among the owners."""
        trained = [p.name for p in self._parameter_list or () if not p.stop_gradient]
        told = f"set_state_dict: {keys[0]!r} belongs to no parameter of this {self.__class__.__name__}"
        if self._kinds and not owners.issuperset(trained):
            raise KeyError(
                f"{told}. Its parameters: {sorted(trained)}; its accumulators: {', '.join(self._kinds)}. A model built "
                f"again has the same names within `with paddle.utils.unique_name.guard():`."
            )
        more = f", nor do {len(keys) - 1} more of the state" if len(keys) > 1 else ""
        warnings.warn(f"{told}{more}: left out.", stacklevel=3)

    def _without_name(self, owner: str) -> str:
        """The parameter's name in that of an accumulator without its kind."""
        if self._name:
            owner = owner.removesuffix(f"_{self._name}")
        return _MASTER_NAME.sub("", owner)


def _state_array(value: Any, holder: Any) -> np.ndarray:
    array = value.numpy() if is_value(value) else np.asarray(value)
    if array.size == 1 and int(np.prod(holder.shape)) == 1:
        array = array.reshape(holder.shape)  # older files hold [1] where newer ones hold []
    if list(array.shape) != list(holder.shape):
        raise ValueError(
            f"set_state_dict: {holder.name!r} has shape {holder.shape}. Received shape {list(array.shape)}."
        )
    return array.astype(holder.dtype.dtype)

