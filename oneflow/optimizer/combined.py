"""Several rules in one job, each for variables of its own."""

from __future__ import annotations

from collections.abc import Sequence

from .loss_scale import LossScalePolicy
from .optimizer import Optimizer


class CombinedOptimizer(Optimizer):
    """Updates by several optimizers at once, each of the `variables` that it was given; none may have two.

    How the loss is scaled and which blob is the train step is said here, and not to the optimizers.

    >>> import proa.oneflow as flow
    >>> rate = flow.optimizer.PiecewiseConstantScheduler([], [0.1])
    >>> weights = flow.optimizer.LARS(rate, variables=["dense-weight"])
    >>> biases = flow.optimizer.SGD(rate, variables=["dense-bias"])
    >>> flow.optimizer.CombinedOptimizer([weights, biases]).Variables()
    [['dense-weight'], ['dense-bias']]
    """

    def __init__(self, optimizers: Sequence[Optimizer], loss_scale_factor: float | None = None,
                 train_step_lbn: str | None = None, loss_scale_policy: LossScalePolicy | None = None):
        super().__init__(None, None, None, loss_scale_factor, train_step_lbn, loss_scale_policy)
        for optimizer in optimizers:
            if not isinstance(optimizer, Optimizer) or isinstance(optimizer, CombinedOptimizer):
                raise TypeError("CombinedOptimizer(optimizers): must be optimizers of variables. "
                                f"Received {type(optimizer).__name__}.")
            for what in ("train_step_lbn", "loss_scale_policy"):
                if getattr(optimizer, what) is not None:
                    raise ValueError(f"CombinedOptimizer: {type(optimizer).__name__} has a {what} of its own; give it "
                                     "to CombinedOptimizer.")
        if not optimizers:
            raise ValueError("CombinedOptimizer(optimizers): there is none.")
        self.optimizers = list(optimizers)

    def Variables(self) -> list[list[str]]:  # type: ignore[override]
        """The names of the variables that each of the optimizers updates."""
        return [optimizer.Variables() for optimizer in self.optimizers]

    def parts(self) -> list[Optimizer]:
        """The optimizers."""
        return self.optimizers
