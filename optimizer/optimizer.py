"""Optimizer: what every update rule shares: parameters, learning rate, clipping, decay, steps (its state: `state.py`).

An update is an operator like any other, so `step()` on Tensors and `minimize(loss)` in a Program are the same code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.dtype import DType, float32
from ..core.errors import ArgumentError, AssertedError, WrongKindError
from ..ops.array.full import is_value
from ..ops.core.trace import current_trace
from ..ops.math.casting import cast
from ..ops.optim.row_updates import held_values, holds_rows, with_held_values
from ..regularizer import L2Decay
from ..static.ir.name_scopes import scope
from .groups import Groups, check_clip, regularizer
from .lr import LRScheduler
from .options import Check, Options, checked, kept_by_paddles_names
from .state import KeptState, of_rates
from .updates import Update, decayed_gradients, penalized


class Optimizer(KeptState):
    """Base of the optimizers.

    `learning_rate`: a float or an LRScheduler. `parameters`: the parameters, or groups of them; None in a Program means
    all, and is an AttributeError outside of one. `weight_decay`: a coefficient (L2) or a regularizer; one that a
    parameter brings itself comes first.
    `grad_clip`: a nn.ClipGradBy…. `multi_precision`: 16-bit parameters are updated by way of float32 copies, which the
    state holds too.

    A group is a dict of `params` and of what is to be different for these: `learning_rate` (a factor of the
    optimizer's), `weight_decay`, `grad_clip`, and the options that the rule has of its own, such as Adam's `beta1`. The
    first two take the place of those that its parameters bring themselves (see ParamAttr). Each group is clipped by
    itself.
    """

    _checks: dict[str, Check] = {}  # the options that a rule has of its own
    _knows_parameters_at_once = True  # outside of a Program
    _clip_scope = "gradient_clip"  # by which transpilers know what clips

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        kept_by_paddles_names(cls, cls._checks, cls._kinds)

    def __init__(self, learning_rate: Any, parameters: Any = None, weight_decay: Any = None, grad_clip: Any = None,
                 name: str | None = None, multi_precision: bool = False, options: Options | None = None):
        if learning_rate is None:
            raise AssertedError(
                f"{type(self).__name__}(learning_rate): give a number or an LRScheduler. Received None.")
        if not isinstance(learning_rate, (float, int, LRScheduler)) or isinstance(learning_rate, bool):
            raise TypeError(
                "Optimizer(learning_rate): must be a number or an LRScheduler. "
                f"Received {type(learning_rate).__name__}."
            )
        rule = type(self).__name__
        if parameters is None and self._knows_parameters_at_once and current_trace().computes:
            raise AttributeError(
                f"{rule}(parameters): give the parameters to train, such as layer.parameters(). Received None, which "
                "means all of a Program's, where one is built."
            )
        check_clip(rule, grad_clip)
        self._learning_rate = learning_rate
        self._options: Options = checked(self._checks, rule, options or {})
        self._groups = Groups(rule, self._checks, parameters)
        self._keeps_nothing_yet(bool(multi_precision))
        self.regularization = regularizer(weight_decay)
        self._grad_clip = grad_clip
        self._name = name
        self._default_dict = {"weight_decay": self.regularization, "grad_clip": grad_clip, **self._options}

    @property
    def _parameter_list(self) -> list[Any] | None:
        return self._groups.parameters

    @_parameter_list.setter
    def _parameter_list(self, parameters: Any) -> None:
        self._groups = Groups(type(self).__name__, self._checks, parameters)

    @property
    def _param_groups(self) -> list[Any] | None:
        return self._groups.groups or self._groups.parameters

    def _add_param_group(self, param_group: Options) -> None:
        """One more group of parameters, as in the list that the constructor takes."""
        self._groups.add(param_group)

    def _options_of(self, group: Options | None) -> Options:
        """The options of the rule, as a group sets them."""
        options = self._options
        return {name: group.get(name, default) for name, default in options.items()} if group else options

    # The learning rate

    def get_lr(self) -> float:
        """The learning rate of the next step."""
        current_trace().reads_attribute(self, "_learning_rate")
        return float(self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else self._learning_rate)

    def set_lr(self, value: float) -> None:
        """Sets a constant learning rate; RuntimeError where a scheduler decides it."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                "set_lr(value): an LRScheduler decides the learning rate; use set_lr_scheduler, or step it."
            )
        if not isinstance(value, (int, float)):
            raise TypeError(f"set_lr(value): must be a number. Received {type(value).__name__}.")
        with current_trace().at_each_run(lambda: self.set_lr(value)):
            self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Lets a scheduler decide the learning rate from now on."""
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(
                f"set_lr_scheduler(scheduler): must be an LRScheduler. Received {type(scheduler).__name__}."
            )
        with current_trace().at_each_run(lambda: self.set_lr_scheduler(scheduler)):
            self._learning_rate = scheduler

    def _rate_for(self, parameter: Any, rate: Any, group: Options | None) -> Any:
        """The learning rate of one parameter, from that of the step; a factor that is a tensor is the rate itself."""
        factor = self._groups.factor(parameter, group)
        if isinstance(factor, (int, float)):
            return rate if factor == 1.0 else rate * float(factor)
        return factor if is_value(factor) else rate * float(factor)

    def _agreed(self, found: bool) -> bool:
        """Whether a step is to be left out, of what this process has found in its gradients: an optimizer of which
        each process has a part asks all.
        """
        return found

    # A step

    def step(self) -> None:
        """Updates every parameter that has a gradient.

        >>> import proa as paddle
        >>> layer = paddle.nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        >>> layer(paddle.ones([1, 2])).sum().backward(); sgd.step(); sgd.clear_grad()
        """
        if not self._taken_together():
            self._apply(current_trace().gradients(None, self._parameter_list))

    def _taken_together(self) -> bool:
        """Whether the compiled form has taken this step of a rule that it knows; nothing has changed where not.

        A subclass may change anything: its steps are taken by `_apply`.
        """
        form = type(self).__dict__.get("_form_of_step")
        return form is not None and form.takes_step_of(self)

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """In a Program: appends the gradient of `loss` and the updates. On Tensors: as `step`, after `loss.backward()`.

        The Program is the loss's own; what its accumulators begin with goes to `startup_program`, else to the default
        one. Gives the operations that update (of Tensors none) and the parameters with their gradients.
        """
        if not is_value(loss):
            raise WrongKindError(f"{type(self).__name__}.minimize(loss): must be the loss, a Tensor. Received "
                                 f"{type(loss).__name__}.")
        if isinstance(parameters, str) or parameters is not None and not isinstance(parameters, Iterable):
            raise WrongKindError(f"{type(self).__name__}.minimize(parameters): must hold the parameters to update. "
                                 f"Received {type(parameters).__name__}.")
        given = list(parameters or ())
        with current_trace().training(loss, startup_program):
            for each in given:
                if not is_value(each) and (current_trace().computes or not isinstance(each, str)):
                    raise ArgumentError(f"{type(self).__name__}.minimize(parameters): must hold the parameters to "
                                        f"update, in a Program also their names. Received {each!r} among them.")
            pairs = current_trace().gradients(loss, given or self._parameter_list, no_grad_set)
            return self._apply(pairs), pairs

    def backward(self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> list[tuple[Any, Any]]:
        """The parameters with their gradients: the first half of `minimize`. `callbacks`: see `append_backward`."""
        with current_trace().training(loss, startup_program):
            return current_trace().gradients(loss, parameters or self._parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> list[Any]:
        """Clips, decays and updates: the second half of `minimize`, whose operations it gives.

        Parameters without a gradient stay as they are.
        """
        pairs = [(parameter, gradient) for parameter, gradient in params_grads if gradient is not None]
        if not pairs:
            return []
        with current_trace().training(pairs[0][0]):
            return self._apply(pairs)

    def _apply_optimize(self, loss: Any, startup_program: Any, params_grads: Any,
                        param_group_idx: int = 0) -> list[Any]:
        """`apply_gradients`, by the name and with the arguments that code written for Paddle's optimizers uses."""
        return self.apply_gradients(params_grads["params"] if isinstance(params_grads, dict) else params_grads)

    def _apply(self, pairs: list[tuple[Any, Any]]) -> list[Any]:
        """Clips, decays and updates; in a Program it gives the operations behind the clipping."""
        with current_trace().updating():
            shares = [(group, self._clipped(share, group))
                      for group, share in self._groups.shares(self._widened(pairs))]
            block = None if current_trace().computes else current_trace().block
            before = 0 if block is None else len(block.ops)
            rates: dict[Any, Any] = {}  # by dtype: a parameter of float64 takes its steps in float64
            together: dict[Any, tuple[Options, dict[Any, list[Update]]]] = {}  # by options, then by dtype
            rounded: list[tuple[Any, Any]] = []
            for group, share in shares:
                if self._has_own_operation:
                    self._apply_own(group, self._with_penalties(share, group))
                    continue
                options = self._options_of(group)
                alike = together.setdefault(tuple(options.values()), (options, {}))[1]
                for parameter, gradient in share:
                    update = self._update_of(parameter, gradient, rates, group, rounded)
                    if holds_rows(update.gradient) and not update.decay:
                        self._update_rows(update, options)
                    else:
                        alike.setdefault(update.parameter.dtype.name, []).append(update)
            for options, alike in together.values():
                for updates in alike.values():
                    self._update_together(updates, options)
            for parameter, target in rounded:
                current_trace().store(parameter, cast(target, parameter.dtype))
            return [] if block is None else block.ops[before:]

    def _with_penalties(self, share: list[tuple[Any, Any]], group: Options | None) -> list[tuple[Any, Any]]:
        """The gradients with those of their penalties added."""
        decayed = [(parameter, self._decayed(parameter, gradient, parameter, group)) for parameter, gradient in share]
        return [(p, L2Decay(coefficient).added(p, g) if coefficient else g) for p, (g, coefficient) in decayed]

    def _update_one(self, parameter: Any, gradient: Any) -> None:
        """Applies the rule to one parameter, to whose gradient its penalty has been added."""
        group = self._groups.of(parameter)
        rounded: list[tuple[Any, Any]] = []
        update = self._update_of(parameter, gradient, {}, group, rounded, decays=False)
        options = self._options_of(group)
        if holds_rows(update.gradient):
            self._update_rows(update, options)
        else:
            self._update_together([update], options)
        for _, target in rounded:
            current_trace().store(parameter, cast(target, parameter.dtype))

    def _widened(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """The pairs with float32 gradients for 16-bit parameters that are updated by float32 copies."""
        if not self._multi_precision:
            return pairs
        return [(p, with_held_values(g, cast(held_values(g), float32)) if g is not None and p.dtype.itemsize == 2
                 else g) for p, g in pairs]

    def _clip_of(self, group: Options | None) -> Any:
        return group.get("grad_clip", self._grad_clip) if group else self._grad_clip

    def _clipped(self, pairs: list[tuple[Any, Any]], group: Options | None) -> list[tuple[Any, Any]]:
        clip = self._clip_of(group)
        if clip is None:
            return pairs
        with scope(self._clip_scope):
            return clip(pairs)

    def _update_of(self, parameter: Any, gradient: Any, rates: dict[Any, Any], group: Options | None,
                   rounded: list[tuple[Any, Any]], decays: bool = True) -> Update:
        """What to do to a parameter or its float32 copy, which is then noted as to be rounded."""
        target, decay = parameter, 0.0
        if self._multi_precision:
            target = self._target(parameter)
            if target is not parameter:
                rounded.append((parameter, target))
        penalty = self._regularizer_of(parameter, group) if decays else None
        if penalty is not None:
            gradient, decay = penalized(penalty, gradient, target)
        dtype = of_rates(target)
        rate = rates.get(dtype.name)
        if rate is None:
            rate = rates[dtype.name] = self._rate_of_step(dtype)
        return Update(target, gradient, self._rate_for(parameter, rate, group), decay)

    def _rate_of_step(self, dtype: DType) -> Any:
        """The learning rate, one element of this dtype: looked up again by each step."""
        return current_trace().host_value(self.get_lr, dtype, "learning_rate", self._is_scheduled)

    def _is_scheduled(self) -> bool:
        return isinstance(self._learning_rate, LRScheduler)

    def _decayed(self, parameter: Any, gradient: Any, target: Any, group: Options | None) -> tuple[Any, float]:
        """The gradient with the penalty's added; of an L2 penalty only the coefficient, which is left to the rule."""
        penalty = self._regularizer_of(parameter, group)
        return (gradient, 0.0) if penalty is None else penalized(penalty, gradient, target)

    def _regularizer_of(self, parameter: Any, group: Options | None) -> Any:
        if group is not None and not self._groups.has_other_penalty(parameter):
            return self._shared_penalty(group)
        own = getattr(parameter, "regularizer", None)
        return self.regularization if own is None else regularizer(own)

    def _shared_penalty(self, group: Options | None) -> Any:
        """The penalty of those parameters of a group, or in none, that bring none of their own."""
        of_group = None if group is None else group.get("weight_decay")
        return self.regularization if of_group is None else regularizer(of_group)

    def _update_together(self, updates: list[Update], options: Options) -> None:
        """Applies the rule to parameters of one dtype: by one operator, where the rule has one for many."""
        for update, gradient in zip(updates, decayed_gradients(updates), strict=True):
            self._update(update.parameter, gradient, update.rate, options)

    def _update_rows(self, update: Update, options: Options) -> None:
        """Applies the rule where the gradient holds some rows only; a rule that has an operator for that uses it."""
        self._update_together([update], options)

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        """Applies the operator of the rule; `rate` is the parameter's learning rate, one element."""
        raise NotImplementedError

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of the parameters to zeros, or forgets them; a parameter that was frozen keeps its own."""
        for parameter in self._parameter_list or ():
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def __repr__(self) -> str:
        return f"{type(self).__name__}(learning_rate={self._learning_rate!r})"
