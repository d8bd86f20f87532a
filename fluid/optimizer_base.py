"""What the optimizers of Paddle 1.x do otherwise: learning rates as variables, clippers of parameters, what they give.

`FluidOptimizer` stands before a rule of `proa.optimizer` among the bases of a class.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import optimizer as rules
from ..core.dtype import DType, float32
from ..core.unique_name import generate
from ..dygraph import superseded
from ..ops.array.full import is_value
from ..ops.core.trace import current_trace
from ..ops.math.casting import cast
from ..optimizer.options import Options
from ..static.building.mode import name_scope
from .clip import append_gradient_clip_ops, error_clip_callback
from .dygraph.learning_rate_scheduler import LearningRateDecay
from .mode import face

Pairs = list[tuple[Any, Any]]


class FluidOptimizer(rules.Optimizer):
    """Base of the optimizers of 1.x.

    `learning_rate`: a number, which a Program holds as the persistable variable `learning_rate_0`; a Variable, as the
    schedules of `fluid.layers` give; under `dygraph.guard` a `LearningRateDecay`. `parameter_list`: the parameters,
    which code that computes at once must give. `regularization`, `grad_clip`: what is added to gradients, and what
    clips them before that. `options`: those of the rule.
    """

    _knows_parameters_at_once = False  # those of 1.x are made before the Program as well
    _clip_scope = "gradient_clip_@CLIP"

    def __init__(self, learning_rate: Any, parameter_list: Any = None, regularization: Any = None,
                 grad_clip: Any = None, name: str | None = None, **options: Any):
        if not (isinstance(learning_rate, (int, float)) or is_value(learning_rate) or callable(learning_rate)):
            raise TypeError(f"{type(self).__name__}(learning_rate): must be a number, a Variable, or a "
                            f"LearningRateDecay. Received {type(learning_rate).__name__}.")
        names = None if parameter_list is None else list(parameter_list)
        self._names = [item for item in names or () if isinstance(item, str)]
        rules.Optimizer.__init__(self, 0.0, None if self._names else names, regularization, grad_clip, name,
                                 options=options)  # in place of the rule's constructor, whose arguments are others
        self._learning_rate = learning_rate
        self._learning_rate_map: dict[Any, Any] = {}  # by Program and dtype
        self._to_update: list[Any] = []  # the parameters of the updates that are being appended to a Program
        self._rate_of_this_step: float | None = None
        self._last_rate: float | None = None

    # The learning rate

    def get_lr(self) -> float:
        """The learning rate of this step, a number; TypeError where it is a Variable of a Program."""
        rate: Any = self._learning_rate
        if isinstance(rate, (int, float)):
            return float(rate)
        if not callable(rate):
            raise TypeError(f"{type(self).__name__}: the learning rate is the Variable {rate.name!r}. Fetch it.")
        if isinstance(rate, rules.lr.LRScheduler):
            return super().get_lr()
        if self._rate_of_this_step is None:
            self._rate_of_this_step = self._last_rate = _number(rate())
        return self._rate_of_this_step

    def current_step_lr(self) -> float | np.float32:
        """The learning rate of the last step, or, before the first, of that; where it is no Variable."""
        rate: Any = self._learning_rate
        if not callable(rate) or isinstance(rate, rules.lr.LRScheduler):
            return self.get_lr()
        if self._last_rate is not None:
            return np.float32(self._last_rate)  # as it was used: printed, 0.1 is no 0.10000000149011612
        found = rate.step() if getattr(rate, "counts_steps", False) else rate()
        return np.float32(_number(found)) if is_value(found) else float(found)

    def _rate_of_step(self, dtype: DType) -> Any:
        self._make_states()
        rate: Any = self._learning_rate
        if callable(rate):
            return super()._rate_of_step(dtype)
        if is_value(rate):
            return rate if rate.dtype is dtype else cast(rate, dtype)
        trace = current_trace()
        key = None if trace.computes else trace.main, dtype
        if key not in self._learning_rate_map:
            self._learning_rate_map[key] = trace.persistent((1,), dtype, float(rate), generate("learning_rate"))
        return self._learning_rate_map[key]

    def _make_states(self) -> None:
        """What a Program's updates keep stands in it before the learning rate: list_vars has 1.8.5's order."""
        for parameter in self._to_update:
            self._state(self._target(parameter) if self._multi_precision else parameter, self._options_of(None))

    def _global_learning_rate(self, program: Any = None) -> Any:
        """The variable of the learning rate in a Program, once `minimize` has made it, None before; or a Tensor."""
        rate: Any = self._learning_rate
        if is_value(rate):
            return rate
        if current_trace().computes:
            return self._rate_of_step(float32)
        return next((v for (main, _), v in self._learning_rate_map.items() if program in (None, main)), None)

    def _create_param_lr(self, param_and_grad: Any) -> Any:
        """The learning rate of a parameter, one element: what a subclass updates it by."""
        parameter = param_and_grad[0]
        return self._rate_for(parameter, self._rate_of_step(float32), self._groups.of(self._trained(parameter)))

    # A step

    @face
    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], Pairs]:
        """Appends the gradient of `loss` and the updates to its Program; under `dygraph.guard`, updates.

        Gives the operations that update, and the parameters with their gradients.
        """
        with current_trace().training(loss, startup_program):
            pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
            return self.apply_optimize(loss, startup_program, pairs), pairs

    @face
    def backward(self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> Pairs:
        """The parameters with their gradients; under `dygraph.guard` those that `loss.backward()` has left."""
        callbacks = [error_clip_callback] if callbacks is None else [*callbacks, error_clip_callback]
        wanted = parameter_list or self._names or self._parameter_list
        with current_trace().training(loss, startup_program):
            self._check_parameters(wanted)
            return current_trace().gradients(loss, wanted, no_grad_set, callbacks)

    def _check_parameters(self, wanted: Any) -> None:
        if wanted is None and current_trace().computes and current_trace().trained() is None:
            raise AttributeError(f"{type(self).__name__}(parameter_list): must be given where operators compute at "
                                 "once: parameter_list=model.parameters().")

    @face
    def apply_gradients(self, params_grads: Pairs) -> list[Any]:
        """Clips, decays and updates: the second half of `minimize`. Gives the operations."""
        return self.apply_optimize(params_grads[0][0], None, params_grads) if params_grads else []

    @face
    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Pairs) -> list[Any]:
        """As `apply_gradients`, what the accumulators begin with going to `startup_program`."""
        with current_trace().training(loss, startup_program):
            block = None if current_trace().computes else current_trace().block
            before = 0 if block is None else len(block.ops)
            in_order = params_grads if block is None else sorted(params_grads, key=lambda pair: str(pair[0].name))
            self._to_update = [] if block is None or self._has_own_operation else [p for p, _ in in_order]
            self._apply(in_order)  # by name, as Programs of 1.8.5 are written
            self._to_update = []
            if block is None:  # as in 1.x, where a GAN's second loss has its gradient behind the first one's step
                superseded.allow(parameter for parameter, _ in in_order)
            if block is None and callable(self._learning_rate):
                self.get_lr()  # a step counts, though no parameter has a gradient
            self._rate_of_this_step = None
            return [] if block is None else block.ops[before:]

    def _clipped(self, pairs: Pairs, group: Options | None) -> Pairs:
        if self._grad_clip is not None:
            return super()._clipped(pairs, group)
        with name_scope(self._clip_scope):
            return append_gradient_clip_ops(pairs)

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Forgets the gradients of all parameters."""
        for parameter in self._parameter_list or ():
            parameter.clear_gradient()

    clear_gradients = clear_grad

    # State

    def state_dict(self) -> dict[str, Any]:
        """The accumulators by name, a `LearningRateDecay`'s state as `LR_Scheduler`, and its step as `global_step`."""
        state = super().state_dict()
        if isinstance(self._learning_rate, LearningRateDecay):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
            if not self._learning_rate.by_epochs:
                state["global_step"] = np.array([self._learning_rate.step_num], "int32")
        return state

    def _leave_out(self, keys: list[str], owners: set[str]) -> None:
        """As in 1.x, a state of other parameters is an error behind the first step alone; before it, a warning."""
        try:
            super()._leave_out(keys, owners)
        except KeyError as error:
            if any(self._accumulators.values()):
                raise
            warnings.warn(f"{error.args[0]} Their accumulators begin anew.", stacklevel=4)

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        state = dict(state_dict)
        step = state.pop("global_step", None)
        rate: Any = self._learning_rate
        if isinstance(rate, LearningRateDecay):
            if "LR_Scheduler" in state:
                rate.set_dict(state["LR_Scheduler"])
            if step is not None and not rate.by_epochs:
                rate.step_num = int(np.asarray(step).reshape(-1)[0])
        self.set_state_dict(state)


def _number(value: Any) -> float:
    return float(value.numpy().reshape(-1)[0]) if is_value(value) else float(value)
