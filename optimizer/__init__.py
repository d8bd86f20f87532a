"""Optimizers, a file for each kind of rule, and learning-rate schedules in `lr`."""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from . import adam, adaptive, groups, lamb, lbfgs, line_search, lr, momentum, optimizer, options, sgd, subclassing
    from .adam import Adam, AdamW
    from .adaptive import Adadelta, Adagrad, Adamax, RMSProp
    from .lamb import Lamb
    from .lbfgs import LBFGS
    from .momentum import Momentum
    from .optimizer import Optimizer
    from .sgd import SGD
else:
    __getattr__, __dir__ = attach(__name__)

__all__ = ["LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "Optimizer",
           "RMSProp"]
