"""Training without a loop of one's own: Model, its callbacks, and what a network costs."""

from ..core.absent import asked_of
from . import callbacks
from .flops import flops
from .model import Model
from .summary import summary

__all__ = ["Model", "flops", "summary"]
__getattr__ = asked_of(__name__)
