"""`extend_with_decoupled_weight_decay`: optimizers that let parameters decay beside their gradients, as AdamW does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ops.core.trace import current_trace
from ...mode import face
from ...optimizer_base import FluidOptimizer, Pairs

__all__ = ["extend_with_decoupled_weight_decay"]


class DecoupledWeightDecay(FluidOptimizer):
    """What the optimizers do besides: parameter ← parameter · (1 − coeff), ahead of the update."""

    _coeff: Any
    _decays: Callable[[str], bool] | None
    _params_name: set[str]

    @face
    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], Pairs]:
        """As the optimizer's own, behind the decay of the parameters that have a gradient."""
        with current_trace().training(loss, startup_program):
            pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
            self._decay([parameter for parameter, gradient in pairs if gradient is not None])
            return self.apply_optimize(loss, startup_program, pairs), pairs

    def _decay(self, parameters: list[Any]) -> None:
        trace = current_trace()
        if isinstance(self._coeff, float) and self._coeff == 0.0:
            return
        wanted = [p for p in parameters if self._decays is None or self._decays(p.name)]
        self._params_name.update(p.name for p in wanted)
        with trace.updating():
            for parameter, share in [(p, p * self._coeff) for p in wanted]:
                trace.store(parameter, parameter - share)

    def __str__(self) -> str:
        return f"Weight Decay, params: {','.join(sorted(self._params_name))}"


def extend_with_decoupled_weight_decay(base_optimizer: type[FluidOptimizer]) -> type[FluidOptimizer]:
    """A class of optimizers as `base_optimizer`, with the arguments `weight_decay` and `apply_decay_param_fun` ahead.

    Each step multiplies the parameters by 1 − weight_decay, a number or a variable [1], ahead of the update: those for
    whose name `apply_decay_param_fun` gives True, all without it. Other arguments are the optimizer's, by keyword.
    Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019. TypeError for what is no class of optimizers.

    >>> import proa.fluid as fluid
    >>> AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
    ...     optimizer = AdamW(weight_decay=0.01, learning_rate=0.1)
    ...     _ = optimizer.minimize(loss)
    ...     print(optimizer)
    Weight Decay, params: fc_0.b_0,fc_0.w_0
    """
    if not (isinstance(base_optimizer, type) and issubclass(base_optimizer, FluidOptimizer)):
        raise TypeError("extend_with_decoupled_weight_decay(base_optimizer): must be a class of fluid.optimizer. "
                        f"Received {base_optimizer!r}.")

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecay, base_optimizer):  # type: ignore[misc, valid-type]
        """The optimizer, with decay."""

        def __init__(self, weight_decay: Any, apply_decay_param_fun: Callable[[str], bool] | None = None,
                     **kwargs: Any):
            super().__init__(**kwargs)
            self._coeff, self._decays, self._params_name = weight_decay, apply_decay_param_fun, set()

    return OptimizerWithDecoupledWeightDecay
