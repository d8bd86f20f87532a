"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.autograd`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.dygraph.derivatives import hessian as hessian, jacobian as jacobian
from proa.dygraph.guards import enable_grad as enable_grad, is_grad_enabled as is_grad_enabled, no_grad as no_grad, set_grad_enabled as set_grad_enabled
from proa.dygraph.py_layer import PyLayer as PyLayer, PyLayerContext as PyLayerContext, once_differentiable as once_differentiable
from proa.dygraph.saved_hooks import saved_tensors_hooks as saved_tensors_hooks
from proa.dygraph.tensor import Tensor as Tensor

def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False) -> None: ...
def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True, allow_unused: bool = False, no_grad_vars: Any = None) -> list[Tensor]: ...
