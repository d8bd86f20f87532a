"""GradScaler: losses scaled up before the backward pass, gradients down after it, steps with infinities left out."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from ..core.errors import no_tensor
from ..ops.amp.loss_scaling import check_finite_and_unscale
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value
from ..ops.core.trace import grad_mode
from ..ops.optim.row_updates import held_values, holds_rows, with_held_values


class OptimizerState(Enum):
    """How far a step has come since the last `update`."""

    INIT = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Keeps small gradients of 16-bit computations from vanishing: a factor multiplies the loss and divides gradients.

    Steps of an optimizer whose gradients hold an infinity or NaN are left out. With `use_dynamic_loss_scaling` the
    factor starts at `init_loss_scaling`, grows by `incr_ratio` after `incr_every_n_steps` good steps in a row, and
    shrinks by `decr_ratio` after `decr_every_n_nan_or_inf` bad ones: those in which any optimizer's gradients held
    one. With `enable=False` everything passes as it is.
    Micikevicius et al., Mixed Precision Training, 2018. `paddle.amp.GradScaler`.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024)
    >>> with paddle.amp.auto_cast():
    ...     loss = layer(paddle.ones([4, 2])).mean()
    >>> scaler.scale(loss).backward()
    >>> scaler.step(sgd)
    >>> scaler.update()
    """

    def __init__(self, enable: bool = True, init_loss_scaling: float = 2.0**16, incr_ratio: float = 2.0,
                 decr_ratio: float = 0.5, incr_every_n_steps: int = 2000, decr_every_n_nan_or_inf: int = 1,
                 use_dynamic_loss_scaling: bool = True):
        self._enable = bool(enable)
        self._use_dynamic_loss_scaling = bool(use_dynamic_loss_scaling) and self._enable
        self._incr_count = self._decr_count = 0
        self._found_inf = False  # in the gradients of any optimizer of the step
        self._scale: Any = None
        self._states: dict[int, OptimizerState] = {}
        self._infinite: set[int] = set()  # optimizers some of whose gradients are not finite
        self.set_init_loss_scaling(init_loss_scaling)
        self.set_incr_ratio(incr_ratio)
        self.set_decr_ratio(decr_ratio)
        self.set_incr_every_n_steps(incr_every_n_steps)
        self.set_decr_every_n_nan_or_inf(decr_every_n_nan_or_inf)

    # A step

    def scale(self, var: Any) -> Any:
        """A loss, or a list of losses, times the factor."""
        if not self._enable:
            return var
        if isinstance(var, (list, tuple)):
            return type(var)(self.scale(v) for v in var)
        if not is_value(var):
            raise no_tensor(var)
        wide = var.astype("float32") if var.dtype.itemsize == 2 else var
        return wide * self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the factor, in place: to clip them before `step`.

        RuntimeError when that has been done since the last `update`.
        """
        if not self._enable:
            return
        state = self._state_of(optimizer)
        if state is OptimizerState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state is OptimizerState.STEPPED:
            raise RuntimeError("unscale_() is being called after step(). Call update() once a step.")
        with grad_mode(False):
            found = [_unscaled(together, self._scale) for together in _gradients_by_form(optimizer)]
        if not self._states:
            self._found_inf = False
        if getattr(optimizer, "_agreed", bool)(any(found)):
            self._infinite.add(id(optimizer))
            self._found_inf = True
        self._states[id(optimizer)] = OptimizerState.UNSCALED

    _unscale = unscale_

    def step(self, optimizer: Any) -> None:
        """Updates the parameters by unscaled gradients, unless one of these is infinite or NaN.

        RuntimeError when it has been called since the last `update`.
        """
        if not self._enable:
            optimizer.step()
            return
        if self._state_of(optimizer) is OptimizerState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if self._state_of(optimizer) is OptimizerState.INIT:
            self.unscale_(optimizer)
        if id(optimizer) not in self._infinite:
            optimizer.step()
        self._states[id(optimizer)] = OptimizerState.STEPPED

    def update(self) -> None:
        """Adapts the factor to how the step went; once a step, after `step`."""
        if self._use_dynamic_loss_scaling:
            self._update()
        self._states.clear()
        self._infinite.clear()

    def _update(self) -> None:
        if self._found_inf:
            self._incr_count, self._decr_count = 0, self._decr_count + 1
            if self._decr_count == self._decr_every_n_nan_or_inf:
                self._scale, self._decr_count = self._scale * self._decr_ratio, 0
            return
        self._incr_count, self._decr_count = self._incr_count + 1, 0
        if self._incr_count == self._incr_every_n_steps:
            self._scale, self._incr_count = self._scale * self._incr_ratio, 0

    def minimize(self, optimizer: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """`step` and `update` in one: after `scaled_loss.backward()`; takes what `optimizer.minimize` takes."""
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        if self._state_of(optimizer) is OptimizerState.INIT:
            self.unscale_(optimizer)
        result: tuple[Any, Any] = (None, None)
        if id(optimizer) not in self._infinite:
            result = optimizer.minimize(*args, **kwargs)
        self.update()
        return result

    def _state_of(self, optimizer: Any) -> OptimizerState:
        return self._states.get(id(optimizer), OptimizerState.INIT)

    # What it is set to

    def is_enable(self) -> bool:
        """Whether losses are scaled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Whether the factor is adapted."""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self) -> float:
        """The factor at the start."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Sets the factor."""
        self._init_loss_scaling = float(new_init_loss_scaling)
        self._scale = to_tensor(np.array([self._init_loss_scaling], "float32"))

    def get_incr_ratio(self) -> float:
        """By what the factor grows."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Sets by what the factor grows; ValueError unless it is over 1."""
        if not new_incr_ratio > 1:
            raise ValueError(f"incr_ratio must be over 1. Received {new_incr_ratio}.")
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self) -> float:
        """By what the factor shrinks."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Sets by what the factor shrinks; ValueError unless it is under 1."""
        if not new_decr_ratio < 1:
            raise ValueError(f"decr_ratio must be under 1. Received {new_decr_ratio}.")
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self) -> int:
        """After how many good steps the factor grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Sets after how many good steps the factor grows."""
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self) -> int:
        """After how many bad steps the factor shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Sets after how many bad steps the factor shrinks."""
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    def state_dict(self) -> dict[str, Any]:
        """The factor (`scale`, an array [1]), the settings and the counts; empty when it is not enabled."""
        if not self._enable:
            return {}
        return {"scale": self._scale.numpy(), **{name: getattr(self, f"_{name}") for name in _SAVED}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave, here or in PaddlePaddle; RuntimeError for an empty one.

        ValueError for what is no such state.
        """
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError("load_state_dict(state_dict): it is empty: the GradScaler that it was saved from was "
                               "not enabled.")
        if "scale" not in state_dict:
            raise ValueError("load_state_dict(state_dict): must be the state of a GradScaler, which has the key "
                             f"'scale'. Received the keys {list(state_dict)[:5]}.")
        self.set_init_loss_scaling(float(np.asarray(state_dict["scale"]).reshape(-1)[0]))
        for name in _SAVED:
            if name in state_dict:
                setattr(self, f"_{name}", state_dict[name])


AmpScaler = GradScaler
_SAVED = ("incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf", "incr_count", "decr_count",
          "use_dynamic_loss_scaling")


def _gradients_by_form(optimizer: Any) -> list[list[Any]]:
    """The parameters that have a gradient: those whose gradients hold rows one by one, the others by dtype."""
    found: dict[Any, list[Any]] = {}
    for parameter in optimizer._parameter_list or ():
        gradient = parameter.grad
        if gradient is not None and not parameter.stop_gradient:
            found.setdefault(id(gradient) if holds_rows(gradient) else gradient.dtype, []).append(parameter)
    return list(found.values())


def _unscaled(parameters: list[Any], scale: Any) -> bool:
    """Divides the gradients by the factor; whether one of them has an element that is not finite."""
    gradients = [p.grad for p in parameters]
    if not holds_rows(gradients[0]):
        return bool(check_finite_and_unscale(gradients, scale))
    held = held_values(gradients[0])
    infinite = bool(check_finite_and_unscale([held], scale))
    parameters[0].grad = with_held_values(gradients[0], held)
    return infinite
