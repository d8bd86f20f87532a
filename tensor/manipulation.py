"""`paddle.tensor.manipulation`: functions that arrange elements, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
