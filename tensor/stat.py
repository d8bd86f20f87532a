"""`paddle.tensor.stat`: means, deviations, medians, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
