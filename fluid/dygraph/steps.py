"""Layers of dynamic mode over one step, samples or trees: GRUUnit, NCE, TreeConv, SequenceConv, RowConv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...core.param_attr import ParamAttr
from ...nn.initializer import Assign
from ...ops.core.operator import find
from ...ops.core.trace import apply
from ...ops.math.elementwise import scale
from .applied import activated, biased
from .layers import Layer, older

_ACTIVATIONS = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}


class GRUUnit(Layer):
    """A step of a gated recurrent unit; `size` is three times the hidden one's.

    1.5's form: `GRUUnit(name_scope, size, …)`. The unit is the one of Paddle 1.8's GRUUnit: `origin_mode` says nothing.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     step = fluid.dygraph.GRUUnit(12)
    ...     x, h = (fluid.dygraph.to_variable(np.ones([2, n], "float32")) for n in (12, 4))
    ...     [result.shape for result in step(x, h)]
    [[2, 4], [2, 4], [2, 12]]
    """

    @older("size param_attr bias_attr activation gate_activation origin_mode dtype")
    def __init__(self, size: int, param_attr: Any = None, bias_attr: Any = None, activation: str = "tanh",
                 gate_activation: str = "sigmoid", origin_mode: bool = False, dtype: str = "float32"):
        super().__init__()
        for name, value in (("activation", activation), ("gate_activation", gate_activation)):
            if value not in _ACTIVATIONS:
                raise ValueError(f"GRUUnit({name}): must be one of {list(_ACTIVATIONS)}. Received {value!r}.")
        self.activation, self.gate_activation = _ACTIVATIONS[activation], _ACTIVATIONS[gate_activation]
        self._dtype = dtype
        hidden = size // 3
        self.weight = self.create_parameter([hidden, 3 * hidden], param_attr, dtype)
        self.bias = self.create_parameter([1, 3 * hidden], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any, hidden: Any) -> tuple[Any, Any, Any]:
        """The new hidden value, the former one behind the reset gate, and the gates."""
        updated, gate, reset = apply(find("gru_unit"), input, hidden, self.weight, self.bias,
                                     activation=self.activation, gate_activation=self.gate_activation)
        return updated, reset, gate


def _alias_table(chances: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Walker's table of a distribution: what each class is drawn as instead, and how often as itself."""
    kept = np.asarray(chances, "float64") * len(chances)
    alias = np.full(len(kept), -1, "int32")
    small, large = list(np.flatnonzero(kept < 1)), list(np.flatnonzero(kept > 1))
    while small and large:
        low, high = small.pop(0), large.pop(0)
        alias[low] = high
        kept[high] -= 1 - kept[low]
        (small if kept[high] < 1 else large if kept[high] > 1 else []).append(high)
    kept[small + large] = 1
    return alias, kept.astype("float32")


_SAMPLERS = {"uniform": 0, "log_uniform": 1, "custom_dist": 2}


class NCE(Layer):
    """The noise-contrastive cost of labels, of which a few are drawn besides.

    As in Paddle 1.8 there is a bias only where `bias_attr` is given. 1.5's form: `NCE(name_scope, num_total_classes,
    sample_weight, param_attr, …)`.
    """

    @older("num_total_classes sample_weight param_attr bias_attr num_neg_samples sampler custom_dist seed is_sparse",
           dim=lambda given, input, *others: int(input.shape[1]))
    def __init__(self, num_total_classes: int, dim: int, sample_weight: Any = None, param_attr: Any = None,
                 bias_attr: Any = None, num_neg_samples: int | None = None, sampler: str = "uniform",
                 custom_dist: Sequence[float] | None = None, seed: int = 0, is_sparse: bool = False,
                 dtype: str = "float32"):
        super().__init__()
        if sampler not in _SAMPLERS:
            raise ValueError(f"NCE(sampler): must be one of {list(_SAMPLERS)}. Received {sampler!r}.")
        self._dtype = dtype
        self._num_neg_samples = 10 if num_neg_samples is None else int(num_neg_samples)
        self._attrs = {"num_total_classes": int(num_total_classes), "num_neg_samples": self._num_neg_samples,
                       "seed": seed, "sampler": _SAMPLERS[sampler], "is_sparse": is_sparse,
                       "remote_prefetch": is_sparse}
        self._tables: list[str] = []
        if sampler == "custom_dist":
            if custom_dist is None:
                raise ValueError("NCE(custom_dist): must be given with sampler='custom_dist'.")
            alias, kept = _alias_table(custom_dist)
            for name, array in (("_probabilities", np.asarray(custom_dist, "float32")), ("_alias", alias),
                                ("_alias_probabilities", kept)):
                table = self.create_parameter(array.shape, ParamAttr(initializer=Assign(array), trainable=False),
                                              array.dtype)
                self.__dict__[name] = table  # no part of the state, as in Paddle
                self._tables.append(name)
        self.weight = self.create_parameter([num_total_classes, dim], param_attr, dtype)
        self.bias = self.create_parameter([num_total_classes, 1], bias_attr, dtype, is_bias=True) if bias_attr else None

    def forward(self, input: Any, label: Any, sample_weight: Any = None) -> Any:
        """The cost [N, 1] of inputs [N, dim] and labels [N, …]."""
        tables = [self.__dict__[name] for name in self._tables] or [None] * 3
        cost = apply(find("nce"), input, label, sample_weight, self.weight, self.bias, *tables, **self._attrs)[0]
        return scale(cost, 1.0 / (self._num_neg_samples + 1))


class TreeConv(Layer):
    """A convolution over the nodes of trees and what lies below them, `max_depth` deep.

    Mou et al., Convolutional Neural Networks over Tree Structures, 2016. 1.5's form: `TreeConv(name_scope,
    output_size, …)`. As in Paddle 1.8 there is a bias only where `bias_attr` is given.
    """

    @older("output_size num_filters max_depth act param_attr bias_attr name",
           feature_size=lambda given, nodes, edges: int(nodes.shape[2]))
    def __init__(self, feature_size: int, output_size: int, num_filters: int = 1, max_depth: int = 2,
                 act: str | None = "tanh", param_attr: Any = None, bias_attr: Any = None, name: str | None = None,
                 dtype: str = "float32"):
        super().__init__()
        self._act, self._max_depth, self._dtype = act, max_depth, dtype
        self.bias = self.create_parameter([num_filters], bias_attr, dtype, is_bias=True) if bias_attr else None
        self.weight = self.create_parameter([feature_size, 3, output_size, num_filters], param_attr, dtype)

    def forward(self, nodes_vector: Any, edge_set: Any) -> Any:
        """[N, nodes, output_size, num_filters] of nodes [N, nodes, feature_size] and edges [N, edges, 2]."""
        result = apply(find("tree_conv"), nodes_vector, edge_set, self.weight, max_depth=self._max_depth)
        return activated(biased(result, self.bias, 3), self._act)


def _refused(name: str, way_out: str) -> NoReturn:
    raise RuntimeError(f"{name} is a layer over LoD, which values of dynamic mode have not. {way_out}")


class SequenceConv(Layer):
    """Raises RuntimeError, as in Paddle: rows that are divided into sequences are a Program's."""

    def __init__(self, name_scope: str, num_filters: int, filter_size: int = 3, filter_stride: int = 1,
                 padding: Any = None, bias_attr: Any = None, param_attr: Any = None, act: str | None = None):
        _refused("SequenceConv", "Use fluid.layers.sequence_conv in a Program.")


class RowConv(Layer):
    """Raises RuntimeError, as in Paddle: rows that are divided into sequences are a Program's."""

    def __init__(self, name_scope: str, future_context_size: int, param_attr: Any = None, act: str | None = None):
        _refused("RowConv", "Use fluid.layers.row_conv in a Program.")


__all__ = ["GRUUnit", "NCE", "RowConv", "SequenceConv", "TreeConv"]
