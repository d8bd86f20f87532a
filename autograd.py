"""`paddle.autograd`: backward passes and operations with gradients of the user's own."""

from .core.absent import asked_of
from .dygraph.derivatives import hessian, jacobian
from .dygraph.engine import backward, grad
from .dygraph.guards import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .dygraph.py_layer import PyLayer, PyLayerContext, once_differentiable
from .dygraph.saved_hooks import saved_tensors_hooks

__all__ = ["PyLayer", "PyLayerContext", "backward", "enable_grad", "grad", "hessian", "is_grad_enabled", "jacobian",
           "no_grad", "once_differentiable", "saved_tensors_hooks", "set_grad_enabled"]
__getattr__ = asked_of(__name__)
