"""ExponentialMovingAverage: averages of a Program's parameters, to be used in their place for evaluation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import backend
from ...core.dtype import float32, int64
from ...core.unique_name import generate
from ...ops.array.full import full
from ...ops.core.trace import current_trace
from ...ops.math.casting import cast
from ...ops.math.elementwise import minimum
from ..run.scope import Scope, global_scope


class ExponentialMovingAverage:
    """For each parameter w of the default main Program, `average = decay * average + (1 - decay) * w`.

    The means and variances of batch normalization are parameters, too; those of `ParamAttr(do_model_average=False)` are
    left out.

    The averages begin as zeros, for which `apply` corrects: it divides by `1 - decay ** updates`. `thres_steps`, a
    Variable that counts steps, makes the decay grow with it: `min(decay, (1 + steps) / (10 + steps))`; the product of
    the decays is what corrects then. After "Adam" (Kingma and Ba, 2015), section 7.2.

    >>> import numpy, proa as paddle
    >>> from proa import static
    >>> main, startup, scope = static.Program(), static.Program(), static.Scope()
    >>> with static.program_guard(main, startup):
    ...     loss = static.nn.fc(static.data("x", [None, 2]), 1).mean()
    ...     paddle.optimizer.SGD(0.1).minimize(loss)  # doctest: +ELLIPSIS
    ...     average = static.ExponentialMovingAverage(0.9)
    ...     average.update()
    (...
    >>> exe = static.Executor()
    >>> with static.scope_guard(scope):
    ...     _ = exe.run(startup), exe.run(main, feed={"x": numpy.ones((1, 2), "float32")})
    ...     with average.apply(exe):
    ...         pass  # evaluate
    """

    def __init__(self, decay: float = 0.999, thres_steps: Any = None, name: str | None = None):
        if not 0.0 <= decay < 1.0:
            raise ValueError(f"ExponentialMovingAverage(decay): must be in [0, 1). Received {decay!r}.")
        if current_trace().averaged() is None:
            raise RuntimeError("ExponentialMovingAverage is of a Program's parameters: call paddle.enable_static() "
                               "before. In eager mode use paddle.incubate.ModelAverage.")
        self._decay, self._thres_steps = decay, thres_steps
        self._prefix = name or ""
        self._averages: dict[str, str] = {}
        self._kept: dict[str, str] = {}  # names of what tells how much of the zeros is left in the averages
        self._replaced: dict[str, Any] = {}

    def update(self) -> None:
        """Appends the update of the averages to the default main Program: call it behind the optimizer's `minimize`."""
        trace = current_trace()
        with trace.updating():
            decay = self._current_decay()
            rate = trace.persistent((1,), float32, self._decay, self._own_name("scheduled_ema_decay_rate"))
            trace.store(rate, decay)
            self._count_step(decay)
            for parameter in trace.averaged() or []:
                average = trace.persistent(parameter.shape, parameter.dtype, 0.0,
                                           generate(f"{self._prefix}{parameter.name}_ema"))
                factor = cast(decay, parameter.dtype)
                trace.store(average, average * factor + parameter * (1.0 - factor))
                self._averages[parameter.name] = average.name

    def _own_name(self, name: str) -> str:
        """PaddlePaddle's name of what files hold beside the averages, or one with a number where that is taken."""
        taken = current_trace().main.global_block().has_var(name)
        return generate(f"{self._prefix}{name}") if taken else name

    def _count_step(self, decay: Any) -> None:
        """Counts the updates, as files of PaddlePaddle do; where decays change, their product is kept as well."""
        trace = current_trace()
        count = trace.persistent((1,), int64, 0, self._own_name("@EMA_STEP_COUNTER@"))
        trace.store(count, count + 1)
        self._kept["count"] = count.name
        if self._thres_steps is not None:
            left = trace.persistent((1,), float32, 1.0, generate(f"{self._prefix}ema_left"))
            trace.store(left, left * decay)
            self._kept["product"] = left.name

    def _share(self, scope: Scope) -> float:
        """How much of the averages the parameters are, the rest being the zeros that they began with."""
        kept = {what: backend.to_numpy(self._array(scope, name)) for what, name in self._kept.items()}
        if not kept:
            raise RuntimeError("ExponentialMovingAverage.apply(): call update() while building the Program; run that.")
        return 1.0 - float(kept["product"][0] if "product" in kept else self._kept_decay() ** int(kept["count"][0]))

    def _kept_decay(self) -> float:
        """The decay as updates have it: float32, of which `1 - decay` is another number than of what was asked for."""
        return float(np.float32(self._decay))

    def _current_decay(self) -> Any:
        decay = full([1], self._decay, "float32")
        if self._thres_steps is None:
            return decay
        steps = cast(self._thres_steps, "float32")
        return minimum(decay, (steps + 1.0) / (steps + 10.0))

    @contextlib.contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Within the block the parameters in the global scope are the averages; after it, unless `need_restore` is
        False, what they were. RuntimeError before `update` was appended or its Program has run.
        """
        scope = global_scope()
        share = self._share(scope)
        for name, average in self._averages.items():
            array, current = self._array(scope, average), self._array(scope, name)
            self._replaced[name] = current
            scope.set_array(name, (array / share).astype(array.dtype) if share > 0 else array.copy())
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Puts the parameters back that `apply(need_restore=False)` replaced."""
        scope = global_scope()
        for name, array in self._replaced.items():
            scope.set_array(name, array)
        self._replaced.clear()

    @staticmethod
    def _array(scope: Scope, name: str) -> Any:
        array = scope.array(name)
        if array is None:
            raise RuntimeError(f"ExponentialMovingAverage: {name!r} has no value. Run the startup Program first.")
        return array
