"""`paddle.framework.io`: saving and loading by the path under which older code reaches them."""

from ..dygraph.tensor import EagerParamBase
from ..jit.state_file import load, save
from ..static.program import Program, Variable

__all__ = ["EagerParamBase", "Program", "Variable", "load", "save"]
