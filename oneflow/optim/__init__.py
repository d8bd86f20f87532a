"""`flow.optim`: update rules over groups of parameters, and schedules of their learning rates."""

from . import lr_scheduler
from .optimizer import Optimizer, ParamGroup
from .rules import LAMB, SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop
