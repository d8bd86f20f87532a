"""`paddle.tensor.creation`: functions that make tensors, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
from . import create_tensor as create_tensor
from . import fill_constant as fill_constant
