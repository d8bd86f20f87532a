"""`paddle.tensor.search`: sorting, finding and choosing, by the path under which packages reach them."""

from . import __getattr__ as __getattr__
