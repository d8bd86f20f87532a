"""Optimizer: what the update rules of jobs share: variables, learning rate, clipping, loss scaling.

`minimize` notes what is to be done; it is written behind everything that the job's function does (`training.py`), so
that what the function computes of a variable is of its value from before the update.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtype import DType, float32
from ...ops.array.assign import clone
from ...ops.array.where import where
from ...ops.math.casting import cast
from ...ops.math.reduce import any as any_of
from ..job import current, is_tracing
from .grad_clipping import by_global_norm
from .loss_scale import LossScalePolicy, StaticLossScalePolicy
from .schedules import LrScheduler
from .state import slot, written
from .training import Step, Training

Names = Sequence[str] | Callable[[], Sequence[str]] | None
Patterns = Sequence[str] | str | None


def variables_of_current_job() -> list[str]:
    """The names of the variables of the job that is being traced."""
    return list(current("variables of an optimizer").variables)


class Optimizer:
    """Base of the optimizers.

    `lr_scheduler`: the learning rate, as one of the schedules gives it. `loss_scale_factor`: the same as
    `loss_scale_policy=flow.optimizer.loss_scale.static_loss_scale(…)`. `grad_clipping`: a
    `flow.optimizer.grad_clipping.by_global_norm(…)`. `train_step_lbn`: the `logical_blob_name` of a blob that is the
    train step, which somebody else counts then. `variables`: the names of those to update, or a function that gives
    them; by default all of the job. Those with `trainable=False`, and those on which no loss depends, stay as they are.
    """

    def __init__(self, lr_scheduler: LrScheduler | None, grad_clipping: by_global_norm | None = None,
                 variables: Names = variables_of_current_job, loss_scale_factor: float | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None):
        rule = type(self).__name__
        if lr_scheduler is not None and not isinstance(lr_scheduler, LrScheduler):
            raise TypeError(f"{rule}(lr_scheduler): must be a schedule, such as "
                            "flow.optimizer.PiecewiseConstantScheduler([], [0.1]) for a constant learning rate. "
                            f"Received {lr_scheduler!r}.")
        if grad_clipping is not None and not isinstance(grad_clipping, by_global_norm):
            raise TypeError(f"{rule}(grad_clipping): must be flow.optimizer.grad_clipping.by_global_norm(…). "
                            f"Received {grad_clipping!r}.")
        if loss_scale_policy is not None and not isinstance(loss_scale_policy, LossScalePolicy):
            raise TypeError(f"{rule}(loss_scale_policy): must be flow.optimizer.loss_scale.static_loss_scale(…) or "
                            f"dynamic_loss_scale(…). Received {loss_scale_policy!r}.")
        if loss_scale_factor is not None and loss_scale_policy is not None:
            raise ValueError(f"{rule}(loss_scale_factor, loss_scale_policy): both scale the loss; give one of them.")
        self.lr_scheduler, self.grad_clipping, self.variables = lr_scheduler, grad_clipping, variables
        self.train_step_lbn = train_step_lbn
        self._last: list[str] | None = None
        self.loss_scale_policy = (loss_scale_policy if loss_scale_factor is None
                                  else StaticLossScalePolicy(loss_scale_factor))

    def Variables(self) -> list[str]:
        """The names of the variables that it updates in the job that is being traced; elsewhere, in the last one."""
        given = variables_of_current_job if self.variables is None else self.variables
        if not callable(given):
            return list(given)
        if is_tracing() or self._last is None:
            self._last = list(given())
        return list(self._last)

    def minimize(self, loss: Any) -> None:
        """Lets the job train: each call computes the gradients of `loss`, a blob or several, and updates the variables.

        The mean of a loss's elements is what is minimized, and of several losses the sum. A job is trained by one
        optimizer; see `CombinedOptimizer` for several rules.

        Raises RuntimeError outside of a train job and the second time in one; ValueError where the loss is not a blob
        of this job or depends on no variable that is to be updated, and where there is no such variable.

        >>> import numpy as np
        >>> import proa.oneflow as flow, proa.oneflow.typing as tp
        >>> flow.clear_default_session()
        >>> @flow.global_function(type="train")
        ... def fit(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        ...     w = flow.get_variable("w", (1,), initializer=lambda shape, dtype: np.zeros(shape))
        ...     constant = flow.optimizer.PiecewiseConstantScheduler([], [0.5])
        ...     flow.optimizer.SGD(constant, momentum=0).minimize((w - x) * (w - x))
        ...     return w
        >>> [fit(np.ones(4, np.float32)).tolist() for _ in range(2)]
        [[0.0], [1.0]]
        """
        job = current(f"{type(self).__name__}.minimize(loss)")
        losses = list(loss) if isinstance(loss, (list, tuple)) else [loss]
        Training.of(job, "minimize").minimize(self, losses)

    def parts(self) -> list[Optimizer]:
        """The rules, each with variables of its own."""
        return [self]

    def update(self, pairs: list[tuple[Any, Any]], step: Step) -> None:
        """Appends the updates of variables by their gradients."""
        assert self.lr_scheduler is not None
        rate = step.rate(self.lr_scheduler)
        if self.grad_clipping is not None:
            pairs = self.grad_clipping.clipped(pairs)
        rates: dict[DType, Any] = {float32: rate}
        updates = []
        for variable, gradient in pairs:
            dtype = variable.dtype
            if dtype not in rates:
                rates[dtype] = cast(rate, dtype)
            make = self._update if self._kept(variable, step) is None else self._update_rows
            updates.append(make(variable, gradient, rates[dtype], step))
        for append in updates:  # one behind the other: plans make one loop of those that are alike
            append()

    def _kept(self, variable: Any, step: Step) -> list[Any] | None:
        """What stays as it is in rows without a gradient; None where nothing does.

        So it is with variables that `function_config.indexed_slices_optimizer_conf` names, if nothing else has changed
        their gradients.
        """
        kinds = self._kinds()
        if (kinds is None or variable.name not in step.by_rows or self.grad_clipping is not None
                or variable.regularizer is not None):
            return None
        return [variable, *(slot(variable, kind) for kind in kinds)]

    def _kinds(self) -> tuple[str, ...] | None:
        """What the rule keeps of a variable, if it may be told to leave rows without a gradient alone."""
        return None

    def _update_rows(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        kept = self._kept(variable, step) or []
        before = [clone(value) for value in kept]
        flat = gradient.reshape([gradient.shape[0], -1])
        moved = any_of(flat != 0.0, axis=1).reshape([-1] + [1] * (len(gradient.shape) - 1))
        moved = moved.expand_as(gradient)
        append = self._update(variable, gradient, rate, step)

        def append_and_keep() -> None:
            append()
            for value, old in zip(kept, before, strict=True):
                written(value, where, moved, value, old)

        return append_and_keep

    def _update(self, variable: Any, gradient: Any, rate: Any, step: Step) -> Callable[[], Any]:
        """Appends what the update of a variable needs, and gives what appends the update, `done` where that is all.

        `rate` is one element of the variable's dtype.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items()
                             if value is not None and name != "variables" and not name.startswith("_"))
        return f"{type(self).__name__}({settings})"


class WithWeightDecay(Optimizer):
    """Base of the rules that let variables shrink beside their update, by rate · `weight_decay` of themselves.

    `weight_decay_includes`, `weight_decay_excludes`: regular expressions; those whose names one of them is found in
    shrink, or do not. Only one of both can be given.
    """

    def __init__(self, lr_scheduler: LrScheduler, weight_decay: float | None, includes: Patterns, excludes: Patterns,
                 **settings: Any):
        super().__init__(lr_scheduler, **settings)
        rule = type(self).__name__
        if includes is not None and excludes is not None:
            raise ValueError(f"{rule}(weight_decay_includes, weight_decay_excludes): only one of both can be given.")
        self.weight_decay = weight_decay
        self.weight_decay_includes = _listed(rule, "weight_decay_includes", includes)
        self.weight_decay_excludes = _listed(rule, "weight_decay_excludes", excludes)

    def decay_of(self, variable: Any) -> float:
        """The part of a variable that goes, times the rate."""
        if not self.weight_decay:
            return 0.0
        patterns, decays = self.weight_decay_includes, True
        if self.weight_decay_excludes is not None:
            patterns, decays = self.weight_decay_excludes, False
        if patterns is not None:
            decays = any(re.search(pattern, variable.name) for pattern in patterns) == decays
        return float(self.weight_decay) if decays else 0.0


def _listed(rule: str, what: str, patterns: Patterns) -> list[str] | None:
    if patterns is None:
        return None
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    for pattern in listed:
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValueError(f"{rule}({what}): {pattern!r} is not a regular expression: {error}.") from None
    return listed
