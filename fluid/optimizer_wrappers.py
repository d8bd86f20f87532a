"""What stands around an optimizer of Paddle 1.x: averages of parameters, lookahead, recomputation."""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.dtype import float32, int32
from ..incubate.optimizer.recompute import RecomputeOptimizer as BaseRecomputeOptimizer
from ..ops.array.where import where
from ..ops.core.trace import current_trace
from ..ops.math.comparison import equal
from ..ops.math.elementwise import remainder
from ..optimizer.model_average import ModelAverage as BaseModelAverage
from ..static.building.averages import ExponentialMovingAverage as BaseExponentialMovingAverage
from .mode import face
from .optimizer_base import FluidOptimizer, Pairs


class ExponentialMovingAverage(BaseExponentialMovingAverage):
    """Averages of the parameters w of the default Program: `average = decay · average + (1 − decay) · w`.

    They are updated by what `update()` appends behind the optimizer's `minimize`.
    """

    update = face(BaseExponentialMovingAverage.update)


class ModelAverage(BaseModelAverage):
    """Averages of the parameters of the default main Program over a window of steps: made behind `minimize`."""

    @face
    def __init__(self, average_window_rate: float, min_average_window: int = 10000, max_average_window: int = 10000,
                 regularization: Any = None, name: str | None = None):
        super().__init__(average_window_rate, None, min_average_window, max_average_window, name)


class LookaheadOptimizer:
    """slow ← slow + alpha · (fast − slow) and fast ← slow, each `k` steps of the inner optimizer, which moves fast.

    The parameters are the fast weights; the slow ones begin as they do. ValueError for alpha outside [0, 1] and k < 1.

    Zhang et al., Lookahead Optimizer: k steps forward, 1 step back, 2019.
    """

    type = "lookahead"

    def __init__(self, inner_optimizer: FluidOptimizer, alpha: float = 0.5, k: int = 5):
        if not 0 <= alpha <= 1:
            raise ValueError(f"LookaheadOptimizer(alpha): must lie in [0, 1]. Received {alpha}.")
        if not isinstance(k, int) or k < 1:
            raise ValueError(f"LookaheadOptimizer(k): must be an integer of at least 1. Received {k!r}.")
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k

    @face
    def minimize(self, loss: Any, startup_program: Any = None) -> tuple[list[Any], Pairs]:
        """As the inner optimizer's, with the slow weights' step behind it."""
        operations, pairs = self.inner_optimizer.minimize(loss, startup_program)
        with current_trace().training(loss, startup_program):
            trace = current_trace()
            with trace.updating():
                slows = [trace.persistent(tuple(fast.shape), fast.dtype, fast, f"{fast.name}@SLOW")
                         for fast, _ in pairs]
                k = trace.persistent((1,), int32, self.k, "lookahead_k")
                alpha = trace.persistent((1,), float32, self.alpha, "lookahead_alpha")
                step = trace.persistent((1,), int32, 0, "lookahead_step")
                trace.store(step, step + 1)
                moves = equal(remainder(step, k), 0)
                for (fast, _), slow in zip(pairs, slows, strict=True):
                    behind = where(moves, slow + (fast - slow) * alpha, slow)
                    trace.store(fast, where(moves, behind, fast))
                    trace.store(slow, behind)
        return operations, pairs


class RecomputeOptimizer(BaseRecomputeOptimizer):
    """As the optimizer that it is given; what lies between `_set_checkpoints` is computed again for the gradients."""

    def load(self, stat_dict: Any) -> NoReturn:
        """Not here, as in Paddle: NotImplementedError."""
        raise NotImplementedError("RecomputeOptimizer.load: load the optimizer that it was given.")


class DGCMomentumOptimizer:
    """Not here: NotImplementedError. Gradients are compressed for a network of GPUs."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError("fluid.optimizer.DGCMomentumOptimizer compresses gradients on their way between "
                                  "GPUs, which is not here. Use fluid.optimizer.Momentum.")


class PipelineOptimizer:
    """Not here: NotImplementedError. Parts of a Program work at several devices, one behind the other."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError("fluid.optimizer.PipelineOptimizer divides a Program among devices, which is not "
                                  "here. Minimize with the optimizer itself.")
