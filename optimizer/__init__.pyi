"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.optimizer`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import adam as adam, adaptive as adaptive, groups as groups, lamb as lamb, lbfgs as lbfgs, line_search as line_search, lr as lr, momentum as momentum, optimizer as optimizer, options as options, sgd as sgd, subclassing as subclassing
from proa.optimizer.adam import Adam as Adam, AdamW as AdamW
from proa.optimizer.adaptive import Adadelta as Adadelta, Adagrad as Adagrad, Adamax as Adamax, RMSProp as RMSProp
from proa.optimizer.lamb import Lamb as Lamb
from proa.optimizer.lbfgs import LBFGS as LBFGS
from proa.optimizer.momentum import Momentum as Momentum
from proa.optimizer.optimizer import Optimizer as Optimizer
from proa.optimizer.sgd import SGD as SGD

