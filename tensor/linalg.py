"""`paddle.tensor.linalg`: products, norms and decompositions, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
