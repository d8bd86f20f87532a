"""What subclasses of Optimizer that were written for Paddle define and call: `_append_optimize_op`, `_add_accumulator`.

    class Half(paddle.optimizer.Optimizer):
        def _create_accumulators(self, block, parameters):
            for parameter in parameters:
                self._add_accumulator("count", parameter, shape=[1])

        def _append_optimize_op(self, block, param_and_grad):
            parameter, gradient = param_and_grad
            parameter.set_value(parameter - self._create_param_lr(param_and_grad) * gradient * 0.5)

The optimizers here are written otherwise (`Optimizer._update`); these methods do the same for one parameter, so that a
subclass of Adam may go around `_append_optimize_op` too, or write it anew with Adam's accumulators and options
(`_moment1_acc_str`, `_beta1`).
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import convert_dtype, float32
from ..ops.array.reshape import reshape
from ..ops.core.trace import current_trace

Pair = tuple[Any, Any]  # a parameter with its gradient


class ForSubclasses:
    """The part of Optimizer that is Paddle's for those who write optimizers of their own."""

    helper: Any = None
    type: str  # the operator of the rule
    _default_dict: dict[str, Any]

    # What Optimizer has
    _name: str | None
    _accumulators: dict[str, dict[str, Any]]
    _groups: Any
    _master: Any
    _new_accumulator: Any
    _options_of: Any
    _rate_of_step: Any
    _state: Any
    _target: Any
    _trained: Any
    _rate_for: Any
    _update_one: Any
    get_lr: Any
    _group_shown: Any = None  # the group whose options a subclass sees

    @property
    def _already_create_accumulater(self) -> set[str]:
        """The names of parameters that a subclass has made accumulators for: it fills this itself."""
        found: set[str] = self.__dict__.setdefault("_made_accumulators", set())
        return found

    @property
    def _has_own_operation(self) -> bool:
        """Whether a subclass says by `_append_optimize_op` what happens to a parameter."""
        return type(self)._append_optimize_op is not ForSubclasses._append_optimize_op

    # To be defined

    def _create_accumulators(self, block: Any, parameters: Any) -> None:
        """Is called before a step of a subclass with the parameters, of a group with its dict: makes what is missing of
        the rule's accumulators; a subclass makes its own here.
        """
        group = parameters if isinstance(parameters, dict) else None
        for parameter in parameters if group is None else self._update_param_group(parameters):
            self._state(self._target(parameter), self._options_of(group))
            self._already_create_accumulater.add(parameter.name)

    def _append_optimize_op(self, block: Any, param_and_grad: Any) -> Any:
        """Updates one parameter by the rule. `param_and_grad`: the pair, or a group's dict with it as params."""
        parameter, gradient = param_and_grad["params"] if isinstance(param_and_grad, dict) else param_and_grad
        self._update_one(parameter, gradient)

    def _finish_update(self, block: Any, parameters_and_grads: Any) -> None:
        """Is called behind a step."""

    def _update_param_group(self, parameters: Any) -> Any:
        """Is given a group's dict by the methods of a subclass, which sees the group's options from then on (`_beta1`);
        gives what is in it as `params`.
        """
        self._group_shown = parameters
        return parameters.get("params")

    # To be called

    def _add_accumulator(self, name: str, param: Any, dtype: Any = None, fill_value: float = 0.0, shape: Any = None,
                         type: Any = None, device: Any = None) -> Any:
        """The accumulator of this name for a parameter, made where there is none yet; it is part of the state."""
        found = self._accumulators[name].get(self._trained(param).name)
        return self._new_accumulator(name, param, fill_value, shape, dtype) if found is None else found

    def _get_accumulator(self, name: str, param: Any) -> Any:
        """The accumulator of this name for a parameter; KeyError where there is none."""
        found = self._accumulators.get(name, {}).get(self._trained(param).name)
        if found is None:
            raise KeyError(f"{self.__class__.__name__} has no accumulator {name!r} for the parameter {param.name!r}. "
                           "_add_accumulator makes it. Those of a rule are made in its first step, or before that by "
                           "_create_accumulators(None, parameters).")
        return found

    _get_accumulator_master = _get_accumulator

    def _create_master_weight(self, param: Any) -> Any:
        """The float32 copy of a 16-bit parameter."""
        return self._master(param)

    @staticmethod
    def _is_dtype_fp16_or_bf16(dtype: Any) -> bool:
        return convert_dtype(dtype).name in ("float16", "bfloat16")

    def _global_learning_rate(self, program: Any = None) -> Any:
        """The learning rate of this step, a tensor without dimensions."""
        rate = self._rate_of_step(float32)
        return reshape(rate, []) if rate.ndim else rate

    def _create_global_learning_rate(self) -> None:
        """Nothing is to be made: each step reads the rate."""

    def _create_param_lr(self, param_and_grad: Any) -> Any:
        """The learning rate of a parameter in this step, a tensor without dimensions."""
        parameter = param_and_grad[0]
        return self._rate_for(parameter, self._global_learning_rate(), self._groups.of(self._trained(parameter)))

    def _set_auxiliary_var(self, key: str, val: Any) -> None:
        self.__dict__.setdefault("_auxiliary_vars", {})[key] = val

    def _get_auxiliary_var(self, key: str) -> Any:
        return self.__dict__.get("_auxiliary_vars", {}).get(key)

    # What calls them

    def _apply_own(self, group: Any, pairs: list[Pair]) -> None:
        """A step of a subclass that defines `_append_optimize_op`."""
        from ..static.building.mode import default_main_program  # the compiler and more: most have no rule of their own

        trace = current_trace()
        program = default_main_program() if trace.computes else trace.main
        block = program.global_block()
        parameters = [parameter for parameter, _ in pairs]
        self._create_accumulators(block, parameters if group is None else {**group, "params": parameters})
        for pair in pairs:
            self._append_optimize_op(block, pair if group is None else {**group, "params": pair})
        self._finish_update(block, pairs if group is None else {**group, "params": pairs})
