"""The optimizer of a job by `func_config.train.primary_lr(…)` and `func_config.train.model_update_conf(dict(…))`.

OneFlow's first versions said it so, with `flow.losses.add_loss(loss)` in the function. Names are those of its
configuration's messages, defaults theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import warmup as warmups
from .adam import LAMB, Adam, AdamW, LazyAdam
from .grad_clipping import by_global_norm
from .optimizer import Optimizer
from .rmsprop import RMSProp
from .schedules import (
    CosineScheduler,
    ExponentialScheduler,
    InverseTimeScheduler,
    LinearCosineScheduler,
    LrScheduler,
    NaturalExpScheduler,
    PiecewiseConstantScheduler,
    PiecewiseScalingScheduler,
    PolynomialScheduler,
)
from .sgd import LARS, SGD, SGDW

_WHERE = "func_config.train.model_update_conf"
_RULES = {  # by name: the fields with their defaults
    "naive_conf": {},
    "momentum_conf": {"beta": 0.9},
    "rmsprop_conf": {"decay_rate": 0.99, "epsilon": 1e-8, "centered": False},
    "lars_conf": {"momentum_beta": 0.9, "epsilon": 1e-9, "lars_coefficient": 0.0001},
    "adam_conf": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "do_bias_correction": False},
    "lazy_adam_conf": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
    "lamb_conf": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
}
_BATCHES = {"decay_batches": "steps"}
_SCHEDULES: dict[str, tuple[type[LrScheduler], dict[str, str]]] = {  # by name: the class, and its names of fields
    "exponential_conf": (ExponentialScheduler, _BATCHES | {"decay_rate": "decay_rate", "staircase": "staircase"}),
    "inverse_time_conf": (InverseTimeScheduler, _BATCHES | {"decay_rate": "decay_rate", "staircase": "staircase"}),
    "natural_exp_conf": (NaturalExpScheduler, _BATCHES | {"decay_rate": "decay_rate", "staircase": "staircase"}),
    "piecewise_constant_conf": (PiecewiseConstantScheduler, {"boundaries": "boundaries", "values": "values"}),
    "piecewise_scaling_conf": (PiecewiseScalingScheduler, {"boundaries": "boundaries", "scales": "scale"}),
    "polynomial_conf": (PolynomialScheduler, _BATCHES | {
        "end_learning_rate": "end_learning_rate", "power": "power", "cycle": "cycle"}),
    "cosine_conf": (CosineScheduler, _BATCHES | {"alpha": "alpha"}),
    "linear_cosine_conf": (LinearCosineScheduler, _BATCHES | {
        "num_periods": "num_periods", "alpha": "alpha", "beta": "beta"}),
}
_WARMUPS = {
    "constant_conf": (warmups.constant, {"warmup_batches": "steps", "multiplier": "multiplier"}),
    "linear_conf": (warmups.linear, {"warmup_batches": "steps", "start_multiplier": "start_multiplier"}),
}
_PARTS = ("learning_rate_decay", "warmup_conf", "clip_conf", "weight_decay_conf")


def configured_optimizer(settings: Mapping[str, Any]) -> Optimizer | None:
    """The optimizer that a job's configuration describes; None where it says nothing of training.

    Raises ValueError for what no optimizer is described by.
    """
    conf, rate = settings.get("train.model_update_conf"), settings.get("train.primary_lr")
    if conf is None and rate is None:
        return None
    if conf is None or rate is None:
        raise ValueError("func_config.train: a learning rate, primary_lr(…), and a rule, model_update_conf(dict(…)), "
                         f"belong together. Received primary_lr {rate!r}, model_update_conf {conf!r}.")
    if settings.get("train.secondary_lr", rate) != rate:
        raise ValueError("func_config.train.secondary_lr: all variables have one learning rate, primary_lr. For a "
                         "second one use flow.optimizer.CombinedOptimizer.")
    for name in ("weight_l1", "weight_l2", "bias_weight_decay"):
        if settings.get(f"train.{name}"):
            raise ValueError(f"func_config.train.{name}: variables have their own regularizers: "
                             "get_variable(regularizer=flow.regularizers.l2(…)).")
    conf = _fields(_WHERE, conf, (*_RULES, *_PARTS))
    rules = [name for name in _RULES if name in conf]
    if len(rules) != 1:
        raise ValueError(f"{_WHERE}: must have one rule of {', '.join(_RULES)}. Received {rules or 'none'}.")
    kind = rules[0]
    rule = {**_RULES[kind], **_fields(f"{_WHERE}: {kind}", conf[kind], _RULES[kind])}
    common: dict[str, Any] = {"loss_scale_factor": settings.get("train.loss_scale_factor")}
    if conf.get("clip_conf"):
        clip = _fields(f"{_WHERE}: clip_conf", conf["clip_conf"], ("clip_by_global_norm",))["clip_by_global_norm"]
        common["grad_clipping"] = by_global_norm(**_fields(f"{_WHERE}: clip_by_global_norm", clip, ("clip_norm",)))
    return _rule(kind, rule, _schedule(float(rate), conf), _weight_decay(conf.get("weight_decay_conf")), common)


def _rule(kind: str, rule: dict[str, Any], schedule: LrScheduler, decay: dict[str, Any],
          common: dict[str, Any]) -> Optimizer:
    if kind in ("naive_conf", "momentum_conf"):
        momentum = rule.get("beta", 0.0)
        made = SGDW if decay else SGD
        return made(schedule, momentum=momentum, **decay, **common)
    if kind == "adam_conf":
        return (AdamW if decay else Adam)(schedule, **rule, **decay, **common)
    if kind == "lars_conf":
        return LARS(schedule, **rule, **decay, **common)
    if kind == "lamb_conf":
        return LAMB(schedule, **rule, **decay, **common)
    if decay:
        raise ValueError(f"{_WHERE}: {kind} knows no weight_decay_conf.")
    return (RMSProp if kind == "rmsprop_conf" else LazyAdam)(schedule, **rule, **common)


def _schedule(rate: float, conf: Mapping[str, Any]) -> LrScheduler:
    warmup = None
    if conf.get("warmup_conf"):
        made, fields = _choice("warmup_conf", conf["warmup_conf"], _WARMUPS)
        warmup = made(**fields)
    if not conf.get("learning_rate_decay"):
        return PiecewiseConstantScheduler([], [rate], warmup=warmup)
    made, fields = _choice("learning_rate_decay", conf["learning_rate_decay"], _SCHEDULES)
    if made is PiecewiseScalingScheduler:  # the first scale is that before the first boundary
        first, *scales = fields["scale"]
        return made(rate * first, fields["boundaries"], [scale / first for scale in scales], warmup=warmup)
    return made(**({} if made is PiecewiseConstantScheduler else {"base_lr": rate}), **fields, warmup=warmup)


def _choice(what: str, given: Any, known: Mapping[str, tuple[Any, dict[str, str]]]) -> tuple[Any, dict[str, Any]]:
    """What one of several messages stands for: a class, and its arguments."""
    fields = _fields(f"{_WHERE}: {what}", given, known)
    if len(fields) != 1:
        raise ValueError(f"{_WHERE}: {what} must have one of {', '.join(known)}. Received {list(fields)}.")
    kind, values = next(iter(fields.items()))
    made, names = known[kind]
    values = _fields(f"{_WHERE}: {kind}", values, names)
    return made, {names[name]: value for name, value in values.items()}


def _weight_decay(given: Any) -> dict[str, Any]:
    if not given:
        return {}
    conf = _fields(f"{_WHERE}: weight_decay_conf", given, ("weight_decay_rate", "includes", "excludes"))
    made: dict[str, Any] = {"weight_decay": conf.get("weight_decay_rate")}
    for name in ("includes", "excludes"):
        if name in conf:
            made[f"weight_decay_{name}"] = _fields(f"{_WHERE}: {name}", conf[name], ("pattern",)).get("pattern", [])
    return made


def _fields(what: str, given: Any, known: Any) -> dict[str, Any]:
    """A message's fields; ValueError for one that it does not have, TypeError for what is no dict."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what}: must be a dict. Received {given!r}.")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"{what}: knows {', '.join(known) or 'no fields'}. Received {', '.join(map(repr, unknown))}.")
    return dict(given)
