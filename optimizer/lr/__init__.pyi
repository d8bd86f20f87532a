"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.optimizer.lr`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.optimizer.lr.cycles import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts, CyclicLR as CyclicLR, LinearLR as LinearLR, OneCycleLR as OneCycleLR
from proa.optimizer.lr.decays import CosineAnnealingDecay as CosineAnnealingDecay, ExponentialDecay as ExponentialDecay, InverseTimeDecay as InverseTimeDecay, LambdaDecay as LambdaDecay, LinearWarmup as LinearWarmup, MultiStepDecay as MultiStepDecay, MultiplicativeDecay as MultiplicativeDecay, NaturalExpDecay as NaturalExpDecay, NoamDecay as NoamDecay, PiecewiseDecay as PiecewiseDecay, PolynomialDecay as PolynomialDecay, StepDecay as StepDecay
from proa.optimizer.lr.plateau import ReduceOnPlateau as ReduceOnPlateau
from proa.optimizer.lr.scheduler import LRScheduler as LRScheduler

