"""`paddle.tensor.attribute`: shapes, ranks and kinds of tensors, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
