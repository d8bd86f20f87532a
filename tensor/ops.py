"""`paddle.tensor.ops`: functions of single elements, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
