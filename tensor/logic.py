"""`paddle.tensor.logic`: comparisons and logic, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
