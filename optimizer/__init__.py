"""Optimizers, a file for each kind of rule, and learning-rate schedules in `lr`."""

from . import lr
from .adam import Adam, AdamW
from .adaptive import Adadelta, Adagrad, Adamax, RMSProp
from .lamb import Lamb
from .lbfgs import LBFGS
from .momentum import Momentum
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "Optimizer",
           "RMSProp", "lr"]
