"""proa: Paddle's API on NumPy and CuPy. `import proa as paddle`."""

from .dygraph import eager as _eager
from .dygraph.tensor import Tensor, Parameter
from .dygraph.engine import grad
from .dygraph.guards import no_grad
from .ops.creation import *
