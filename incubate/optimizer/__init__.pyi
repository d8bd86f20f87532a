"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.incubate.optimizer`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import functional as functional
from proa.incubate.optimizer.lars_momentum import LarsMomentumOptimizer as LarsMomentumOptimizer
from proa.incubate.optimizer.recompute import RecomputeOptimizer as RecomputeOptimizer
from proa.optimizer.gradient_merge import GradientMergeOptimizer as GradientMergeOptimizer
from proa.optimizer.lbfgs import LBFGS as LBFGS
from proa.optimizer.lookahead import LookAhead as LookAhead
from proa.optimizer.model_average import ModelAverage as ModelAverage

