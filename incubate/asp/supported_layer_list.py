"""Which layers' weights are pruned to n zeros in every m, and how."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from ...nn.layer.layers import Layer, snake_case
from .utils import CheckMethod, MaskAlgo, check_sparsity, create_mask

_logger = logging.getLogger(__name__)


def _default_pruning(weight_nparray: np.ndarray, m: int, n: int, func_name: MaskAlgo,
                     param_name: str) -> tuple[np.ndarray, np.ndarray]:
    """The weight with zeros, and the mask of them.

    Zeros lie along the dimension that a product adds over: the first of [in, out], the second of a convolution's four.
    Where it has less than m the weight stays as it is, and a log says so.
    """
    along = {2: 0, 4: 1}.get(weight_nparray.ndim)
    if along is not None and weight_nparray.shape[along] < m:
        _logger.warning("%s of shape %s is not pruned: dimension %d has less than %d.", param_name,
                        weight_nparray.shape, along, m)
        return weight_nparray.copy(), np.ones_like(weight_nparray)
    mask = create_mask(weight_nparray.T, func_name=func_name, n=n, m=m).T
    pruned = weight_nparray * mask
    checked = CheckMethod.get_checking_method(func_name)
    if not check_sparsity(pruned.T, n=n, m=m, func_name=checked):
        raise AssertionError(f"prune_model(n={n}, m={m}): {param_name} has not {n} zeros in every {m} under a mask of "
                             f"{func_name.name}.")
    return pruned, mask


supported_layers_and_prune_func_map: dict[str, Callable[..., Any]] = {}


def add_supported_layer(layer: str | Layer | type[Layer], pruning_func: Callable[..., Any] | None = None) -> None:
    """Has weights be pruned whose names begin with the layer's: a name, a Layer or a class of Layers.

    `pruning_func(weight, m, n, func_name, param_name)` takes an array and gives the pruned one and its mask; without
    one, what prunes fully connected layers does.

    >>> from proa.incubate import asp
    >>> asp.add_supported_layer("adapter")
    >>> "adapter" in asp.supported_layer_list.supported_layers_and_prune_func_map
    True
    """
    if isinstance(layer, str):
        name = layer
    elif isinstance(layer, Layer):
        name = snake_case(type(layer).__name__)
    elif isinstance(layer, type) and issubclass(layer, Layer):
        name = snake_case(layer.__name__)
    else:
        raise TypeError(f"add_supported_layer(layer): must be a name, a Layer or a class of Layers. Received "
                        f"{type(layer).__name__}.")
    supported_layers_and_prune_func_map[name] = pruning_func or _default_pruning


for _name in ("fc", "linear", "conv2d"):
    add_supported_layer(_name)
