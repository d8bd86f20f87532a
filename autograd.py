"""`paddle.autograd`: backward passes and operations with gradients of the user's own."""

from .dygraph.derivatives import hessian, jacobian
from .dygraph.engine import backward, grad
from .dygraph.guards import no_grad
from .dygraph.py_layer import PyLayer, PyLayerContext
from .dygraph.saved_hooks import saved_tensors_hooks

__all__ = ["PyLayer", "PyLayerContext", "backward", "grad", "hessian", "jacobian", "no_grad",
           "saved_tensors_hooks"]
