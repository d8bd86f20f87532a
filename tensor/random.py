"""`paddle.tensor.random`: random tensors, by the path under which packages reach them."""

from ..ops.random.sampling import gaussian as gaussian
from ..ops.random.sampling import gaussian_ as gaussian_
from . import __getattr__ as __getattr__
