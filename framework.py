"""`paddle.framework`: names that Paddle code reaches by this path."""

from .core.dtype import get_default_dtype, set_default_dtype
from .core.flags import get_flags, set_flags
from .core.param_attr import ParamAttr
from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from .core.random import seed
from .dygraph.engine import grad
from .dygraph.guards import no_grad
from .dygraph.tensor import EagerParamBase

__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EagerParamBase", "ParamAttr", "get_default_dtype", "get_flags",
           "grad", "no_grad", "seed", "set_default_dtype", "set_flags"]
