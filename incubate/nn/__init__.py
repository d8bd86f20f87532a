"""`paddle.incubate.nn`: layers that do at once what others do one after another; here they are composed of those."""

from . import functional
from .layers import FusedDropoutAdd, FusedLinear

__all__ = ["FusedDropoutAdd", "FusedLinear", "functional"]
