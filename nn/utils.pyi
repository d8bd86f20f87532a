"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.nn.utils`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.dygraph.tensor import Tensor as Tensor
from proa.nn.clip_grad import clip_grad_norm_ as clip_grad_norm_, clip_grad_value_ as clip_grad_value_
from proa.nn.reparameterization import remove_weight_norm as remove_weight_norm, spectral_norm as spectral_norm, weight_norm as weight_norm

def parameters_to_vector(parameters: Iterable[Any], name: str | None = None) -> Tensor: ...
def vector_to_parameters(vec: Any, parameters: Iterable[Any], name: str | None = None) -> None: ...
