"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow.optim`."""

from . import lr_scheduler
from .optimizer import Optimizer, ParamGroup
from .rules import LAMB, SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop

__all__ = ['Adadelta', 'Adagrad', 'Adam', 'AdamW', 'LAMB', 'Optimizer', 'ParamGroup', 'RMSprop', 'SGD', 'lr_scheduler']
