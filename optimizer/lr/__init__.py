"""Learning-rate schedules: each gives the rate for `last_epoch`, which `step()` counts up."""

from ...core.absent import asked_of
from .cycles import CosineAnnealingWarmRestarts, CyclicLR, LinearLR, OneCycleLR
from .decays import (
    CosineAnnealingDecay,
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    LinearWarmup,
    MultiplicativeDecay,
    MultiStepDecay,
    NaturalExpDecay,
    NoamDecay,
    PiecewiseDecay,
    PolynomialDecay,
    StepDecay,
)
from .plateau import ReduceOnPlateau
from .scheduler import LRScheduler

__all__ = [
    "CosineAnnealingDecay", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialDecay", "InverseTimeDecay",
    "LRScheduler", "LambdaDecay", "LinearLR", "LinearWarmup", "MultiStepDecay", "MultiplicativeDecay",
    "NaturalExpDecay", "NoamDecay", "OneCycleLR", "PiecewiseDecay", "PolynomialDecay", "ReduceOnPlateau", "StepDecay",
]
__getattr__ = asked_of(__name__)
