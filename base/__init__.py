"""`paddle.base`: names by the path under which older code reaches them."""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from ..core.param_attr import ParamAttr
    from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
    from ..device import is_compiled_with_cuda
    from ..static.backward import append_backward, gradients
    from ..static.executor import Executor
    from ..static.program import Program
    from ..utils import unique_name
    from . import dygraph
else:
    __getattr__, __dir__ = attach(__name__)
