"""SGD, Adam, AdamW, Adagrad, Adadelta, RMSprop and LAMB, with OneFlow's arguments and formulas."""

from __future__ import annotations

from typing import Any

from ... import optimizer as rules
from ...ops.array.reshape import reshape
from ...ops.array.where import where
from ...ops.core.trace import current_trace
from ...ops.math import comparison, elementwise, unary
from ...ops.math.statistics import norm
from ...optimizer.options import Options
from .optimizer import OfGroup, Optimizer, ParamGroup


def _not_negative(rule: str, **values: float) -> None:
    for name, value in values.items():
        if not value >= 0.0:
            raise ValueError(f"{rule}({name}): must be at least 0. Received {value}.")


def _fractions(rule: str, betas: Any) -> None:
    for value in betas:
        if not 0.0 <= value < 1.0:
            raise ValueError(f"{rule}(betas): must lie in [0, 1). Received {tuple(betas)}.")


class _GroupRule(OfGroup):
    """The beginning of every rule of a group."""

    def __init__(self, owner: Optimizer, group: ParamGroup):
        self.owner, self.group = owner, group
        make: Any = super().__init__
        make(learning_rate=float(group["lr"]), parameters=group.parameters)
        self.refresh()

    def _option_values(self) -> Options:
        return dict(self._options)

    def powers(self, options: Any) -> dict[str, float]:
        """The bases of its accumulators that are powers."""
        return {}


class _Sgd(_GroupRule, rules.SGD):
    pass


class _Momentum(_GroupRule, rules.Momentum):
    _names = {"velocity": "momentum_buf"}

    def _option_values(self) -> Options:
        return {"momentum": float(self.group["momentum"]), "use_nesterov": bool(self.group["nesterov"]),
                "rescale_grad": 1.0}

    def _regularizer_of(self, parameter: Any, group: Any) -> Any:
        return self.regularization


class _Composed(_GroupRule, rules.Optimizer):
    """A rule in a form that proa has no operator for: written with plain ones."""

    _names: dict[str, str] = {}

    def _slot(self, kind: str, parameter: Any, fill: float = 0.0) -> Any:
        return self._accumulator(kind, parameter, fill)

    def _update_together(self, updates: Any, options: Options) -> None:
        for parameter, gradient, rate, decay in updates:
            if decay:
                gradient = elementwise.add(gradient, elementwise.multiply(parameter, decay))
            self._update(parameter, gradient, reshape(rate, []), options)


class _DampedMomentum(_Composed):
    _names = {"velocity": "momentum_buf"}

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        group, buffer = self.group, self._slot("velocity", parameter)
        held = elementwise.add(elementwise.multiply(buffer, float(group["momentum"])),
                               elementwise.multiply(gradient, 1.0 - float(group["dampening"])))
        current_trace().store(buffer, held)
        step = elementwise.add(gradient, elementwise.multiply(held, float(group["momentum"]))) if group[
            "nesterov"] else held
        step = elementwise.multiply(step, rate)
        change = elementwise.add if group["maximize"] else elementwise.subtract
        current_trace().store(parameter, change(parameter, step))


class SGD(Optimizer):
    """w ← w − lr · g; with momentum v ← μ·v + (1 − dampening)·g, w ← w − lr · v, or with Nesterov's form g + μ·v.

    `weight_decay` is added to the gradient (L2). `maximize` counts with momentum alone, as in OneFlow.
    """

    def __init__(self, params: Any, lr: float = 0.001, momentum: float = 0.0, dampening: float = 0.0,
                 weight_decay: float = 0.0, nesterov: bool = False, maximize: bool = False, fused: bool = False,
                 contiguous_params: bool = False):
        _not_negative("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize, "fused": fused})

    def _rule(self, group: ParamGroup) -> Any:
        if not group["momentum"]:
            return _Sgd(self, group)
        return (_DampedMomentum if group["dampening"] or group["maximize"] else _Momentum)(self, group)


_MOMENTS = {"moment1": "exp_avg", "moment2": "exp_avg_sq"}


class _OfBetas:
    group: Any
    _names = _MOMENTS

    def _option_values(self) -> Options:
        beta1, beta2 = map(float, self.group["betas"])
        return {"beta1": beta1, "beta2": beta2, "epsilon": float(self.group["eps"])}

    def powers(self, options: Any) -> dict[str, float]:
        """The bases of its accumulators that are powers."""
        return {"beta1_pow_acc": float(options["betas"][0]), "beta2_pow_acc": float(options["betas"][1])}


class _Adam(_OfBetas, _GroupRule, rules.Adam):
    def _option_values(self) -> Options:
        return {**super()._option_values(), "lazy_mode": False}


class _AdamW(_OfBetas, _GroupRule, rules.AdamW):
    _decays_apart = True

    def _option_values(self) -> Options:
        return {**super()._option_values(), "lazy_mode": False, "weight_decay": float(self.group["weight_decay"]),
                "lr_ratio": None, "apply_decay_param_fun": None}


class _ComposedAdam(_Composed):
    """Adam with the largest second moment seen (amsgrad), or without correction for the moments' zero start."""

    _names = {**_MOMENTS, "moment2_max": "max_exp_avg_sq"}
    powers = _OfBetas.powers

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        m, root = self._moments(parameter, gradient)
        self._apply_step(parameter, elementwise.divide(m, elementwise.add(root, float(self.group["eps"]))), rate)

    def _moments(self, parameter: Any, gradient: Any) -> tuple[Any, Any]:
        """The first moment, and the root of the second, corrected where the group wants that."""
        group, trace = self.group, current_trace()
        beta1, beta2 = map(float, group["betas"])
        first, second = self._slot("moment1", parameter), self._slot("moment2", parameter)
        m = elementwise.add(elementwise.multiply(first, beta1), elementwise.multiply(gradient, 1.0 - beta1))
        v = elementwise.add(elementwise.multiply(second, beta2),
                            elementwise.multiply(unary.square(gradient), 1.0 - beta2))
        trace.store(first, m)
        trace.store(second, v)
        if group["amsgrad"]:
            largest = self._slot("moment2_max", parameter)
            v = elementwise.maximum(largest, v)
            trace.store(largest, v)
        root = unary.sqrt(v)
        if not group["do_bias_correction"]:
            return m, root
        power1 = self._power("beta1_pow_acc", parameter, beta1)
        power2 = self._power("beta2_pow_acc", parameter, beta2)
        m = elementwise.divide(m, reshape(elementwise.scale(power1, -1.0, 1.0), []))
        root = elementwise.divide(root, unary.sqrt(reshape(elementwise.scale(power2, -1.0, 1.0), [])))
        trace.store(power1, elementwise.scale(power1, beta1))
        trace.store(power2, elementwise.scale(power2, beta2))
        return m, root

    def _apply_step(self, parameter: Any, step: Any, rate: Any) -> None:
        decay = float(self.group["weight_decay"])
        if self._decays_apart and decay:
            step = elementwise.add(step, elementwise.multiply(parameter, decay))
        current_trace().store(parameter, elementwise.subtract(parameter, elementwise.multiply(step, rate)))


class _ComposedAdamW(_ComposedAdam):
    _decays_apart = True


class Adam(Optimizer):
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − lr · m̂ / (√v̂ + ε) (Kingma and Ba, 2015).

    `weight_decay` is added to the gradient (L2). `amsgrad` takes the largest v seen. Without `do_bias_correction` m
    and v are not corrected for their zero start.
    """

    _forms: tuple[Any, Any] = (_Adam, _ComposedAdam)

    def __init__(self, params: Any, lr: float = 0.001, betas: Any = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, do_bias_correction: bool = True, fused: bool = False,
                 contiguous_params: bool = False):
        _not_negative(type(self).__name__, lr=lr, eps=eps, weight_decay=weight_decay)
        _fractions(type(self).__name__, betas)
        super().__init__(params, {"lr": lr, "eps": eps, "betas": tuple(betas), "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "do_bias_correction": do_bias_correction, "fused": fused})

    def _rule(self, group: ParamGroup) -> Any:
        plain, composed = self._forms
        return (composed if group["amsgrad"] or not group["do_bias_correction"] else plain)(self, group)


class AdamW(Adam):
    """Adam with the decay w ← w − lr · weight_decay · w apart from the gradient (Loshchilov and Hutter, 2019)."""

    _forms = (_AdamW, _ComposedAdamW)


class _Lamb(_ComposedAdam):
    """The length of the step is measured without the decay, as in OneFlow: `proa.optimizer.Lamb` measures it with."""

    @property
    def _decays_apart(self) -> bool:  # type: ignore[override]
        return bool(self.group["adam_w_mode"])

    def _update(self, parameter: Any, gradient: Any, rate: Any, options: Options) -> None:
        m, root = self._moments(parameter, gradient)
        step = elementwise.divide(m, elementwise.add(root, float(self.group["eps"])))
        lengths = [norm(value) for value in (parameter, step)]
        known = comparison.logical_and(*(comparison.greater_than(length, 0.0) for length in lengths))
        one = elementwise.scale(lengths[0], 0.0, 1.0)
        ratio = where(known, elementwise.divide(lengths[0], where(known, lengths[1], one)), one)
        self._apply_step(parameter, step, elementwise.multiply(rate, ratio))


class LAMB(Optimizer):
    """s = m̂ / (√v̂ + ε); w ← w − lr · ‖w‖ / ‖s‖ · (s + λw), after You et al., 2020; λ: `weight_decay`.

    Without `adam_w_mode` the decay is added to the gradient.
    """

    def __init__(self, params: Any, lr: float = 0.001, betas: Any = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, adam_w_mode: bool = True, do_bias_correction: bool = True,
                 amsgrad: bool = False, contiguous_params: bool = False):
        if amsgrad:
            raise ValueError("LAMB(amsgrad): does not keep the largest second moment. Leave it out.")
        _not_negative("LAMB", lr=lr, eps=eps, weight_decay=weight_decay)
        _fractions("LAMB", betas)
        super().__init__(params, {"lr": lr, "eps": eps, "betas": tuple(betas), "weight_decay": weight_decay,
                                  "adam_w_mode": adam_w_mode, "do_bias_correction": do_bias_correction,
                                  "amsgrad": False})

    def _rule(self, group: ParamGroup) -> Any:
        return _Lamb(self, group)


class _Adagrad(_GroupRule, rules.Adagrad):
    _names = {"moment": "sum"}

    def get_lr(self) -> float:
        """The learning rate of the next step, which decays with the count of steps."""
        return super().get_lr() / (1.0 + self.owner.steps * float(self.group["lr_decay"]))

    def _option_values(self) -> Options:
        return {"epsilon": float(self.group["eps"]),
                "initial_accumulator_value": float(self.group["initial_accumulator_value"])}


class Adagrad(Optimizer):
    """s ← s + g²; w ← w − lr / (1 + steps · lr_decay) · g / (√s + ε) (Duchi et al., 2011)."""

    def __init__(self, params: Any, lr: float = 0.001, lr_decay: float = 0.0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0.0, eps: float = 1e-10, contiguous_params: bool = False):
        _not_negative("Adagrad", lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps,
                      initial_accumulator_value=initial_accumulator_value)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "eps": eps})

    def _rule(self, group: ParamGroup) -> Any:
        return _Adagrad(self, group)


class _Adadelta(_GroupRule, rules.Adadelta):
    _names = {"_avg_squared_grad": "square_avgs", "_avg_squared_update": "acc_deltas"}

    def _option_values(self) -> Options:
        return {"epsilon": float(self.group["eps"]), "rho": float(self.group["rho"])}

    def get_lr(self) -> float:
        """The learning rate of the next step; negative where the loss is to grow."""
        return -super().get_lr() if self.group["maximize"] else super().get_lr()


class Adadelta(Optimizer):
    """Δ = √((E[Δ²]+ε) / (E[g²]+ε)) · g; w ← w − lr · Δ, with running means E (Zeiler, 2012)."""

    def __init__(self, params: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 maximize: bool = False, contiguous_params: bool = False):
        _not_negative("Adadelta", lr=lr, eps=eps, weight_decay=weight_decay)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Adadelta(rho): must lie in [0, 1]. Received {rho}.")
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize})

    def _rule(self, group: ParamGroup) -> Any:
        return _Adadelta(self, group)


class _RmsProp(_GroupRule, rules.RMSProp):
    _names = {"mean_square": "square_avg", "mean_grad": "grad_avg"}

    def _option_values(self) -> Options:
        return {"rho": float(self.group["alpha"]), "epsilon": float(self.group["eps"]), "momentum": 0.0,
                "centered": bool(self.group["centered"])}


class RMSprop(Optimizer):
    """r ← αr + (1−α)g²; w ← w − lr · g / √(r + ε). With `centered`, r has the squared mean of g taken off."""

    def __init__(self, params: Any, lr: float = 0.001, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
                 momentum: float = 0.0, centered: bool = False, contiguous_params: bool = False):
        if momentum:
            raise ValueError(f"RMSprop(momentum): must be 0, as in OneFlow. Received {momentum}.")
        _not_negative("RMSprop", lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay,
                                  "centered": centered})

    def _rule(self, group: ParamGroup) -> Any:
        return _RmsProp(self, group)
