"""`paddle.tensor.creation`: functions that make tensors, by the path under which packages reach them."""

from ..static.building.data import create_global_var as create_global_var
from . import __getattr__ as __getattr__
from . import create_tensor as create_tensor
from . import fill_constant as fill_constant
