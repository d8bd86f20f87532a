"""Optimizers of jobs: update rules, learning rates that follow the train step, warmup, clipping, loss scaling."""

from . import grad_clipping, loss_scale, warmup
from .adam import LAMB, Adam, AdamW, LazyAdam
from .combined import CombinedOptimizer
from .rmsprop import RMSProp
from .schedules import (
    CosineScheduler,
    CustomScheduler,
    ExponentialScheduler,
    InverseTimeScheduler,
    LinearCosineScheduler,
    NaturalExpScheduler,
    PiecewiseConstantScheduler,
    PiecewiseScalingScheduler,
    PolynomialSchduler,
    PolynomialScheduler,
)
from .sgd import LARS, SGD, SGDW

__all__ = ["Adam", "AdamW", "CombinedOptimizer", "CosineScheduler", "CustomScheduler", "ExponentialScheduler",
           "InverseTimeScheduler", "LAMB", "LARS", "LazyAdam", "LinearCosineScheduler", "NaturalExpScheduler",
           "PiecewiseConstantScheduler", "PiecewiseScalingScheduler", "PolynomialSchduler", "PolynomialScheduler",
           "RMSProp", "SGD", "SGDW", "grad_clipping", "loss_scale", "warmup"]
