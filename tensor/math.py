"""`paddle.tensor.math`: arithmetic, sums and products, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
