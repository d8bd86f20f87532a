"""Layers whose matrices are divided among processes: with one process each holds the whole matrix.

Their attributes are those that PaddlePaddle's have, since packages derive layers from these.
"""

from __future__ import annotations

from typing import Any

from .....core.dtype import get_default_dtype
from .....nn import Layer
from .....nn import functional as F
from .....nn.initializer import Constant
from ...base.topology import _HYBRID_PARALLEL_GROUP
from . import mp_ops

__all__ = ["ColumnParallelLinear", "ParallelCrossEntropy", "RowParallelLinear", "VocabParallelEmbedding"]


class _PartedLayer(Layer):
    """A layer that knows the group of processes among which it is divided."""

    is_mp = False

    def __init__(self, mp_group: Any, name: str | None):
        super().__init__()
        self.model_parallel_group = _HYBRID_PARALLEL_GROUP.get_model_parallel_group() if mp_group is None else mp_group
        self.world_size, self.rank = self.model_parallel_group.nranks, self.model_parallel_group.rank
        self._name, self._dtype = name, get_default_dtype()

    def _whole_linear(self, in_features: int, out_features: int, weight_attr: Any, has_bias: bool | None,
                      fuse_matmul_bias: bool) -> None:
        self._weight_attr, self.fuse_matmul_bias = weight_attr, fuse_matmul_bias
        self.mp_async_allreduce = self.mp_skip_c_identity = self.mp_fused_linear_param_grad_add = False
        self.weight = self.create_parameter([in_features, out_features], weight_attr, self._dtype)
        self.bias = self.create_parameter([out_features], Constant(0.0), self._dtype, is_bias=True) \
            if has_bias else None
        self.linear = F.linear


class VocabParallelEmbedding(_PartedLayer):
    """A table of vectors whose rows are divided among processes: with one process `nn.Embedding` without padding.

    >>> import proa as paddle
    >>> layer = paddle.distributed.fleet.meta_parallel.VocabParallelEmbedding(8, 3)
    >>> layer(paddle.to_tensor([[1, 2]])).shape
    [1, 2, 3]
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, weight_attr: Any = None, mp_group: Any = None,
                 name: str | None = None):
        super().__init__(mp_group, name)
        self.num_embeddings = self.origin_num_embeddings = num_embeddings
        self.vocab_start_index, self._size = 0, [num_embeddings, embedding_dim]
        self._weight_attr = weight_attr
        self.weight = self.create_parameter(self._size, weight_attr, self._dtype)

    def forward(self, x: Any) -> Any:
        """Class numbers [...] to vectors [..., embedding_dim]."""
        return F.embedding(x, self.weight)


class ColumnParallelLinear(_PartedLayer):
    """A linear layer whose outputs are divided among processes: with one process x · weight + bias.

    There is a bias, of zeros, where `has_bias`. `gather_output` would put the outputs together again.

    >>> import proa as paddle
    >>> layer = paddle.distributed.fleet.meta_parallel.ColumnParallelLinear(4, 6, has_bias=True, gather_output=False)
    >>> layer(paddle.ones([2, 4])).shape, layer.is_mp
    ([2, 6], False)
    """

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, has_bias: bool | None = None,
                 gather_output: bool = True, fuse_matmul_bias: bool = False, mp_group: Any = None,
                 name: str | None = None):
        super().__init__(mp_group, name)
        self.gather_output, self.output_size_per_partition = gather_output, out_features
        self._whole_linear(in_features, out_features, weight_attr, has_bias, fuse_matmul_bias)

    def forward(self, x: Any) -> Any:
        """[..., in_features] to [..., out_features]."""
        return self.linear(x, self.weight, self.bias, name=self._name)


class RowParallelLinear(_PartedLayer):
    """A linear layer whose inputs are divided among processes: with one process x · weight + bias.

    There is a bias, of zeros, where `has_bias`. `input_is_parallel` says that x would be divided already.

    >>> import proa as paddle
    >>> layer = paddle.distributed.fleet.meta_parallel.RowParallelLinear(4, 6, input_is_parallel=True)
    >>> layer(paddle.ones([2, 4])).shape
    [2, 6]
    """

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, has_bias: bool = True,
                 input_is_parallel: bool = False, fuse_matmul_bias: bool = False, mp_group: Any = None,
                 name: str | None = None):
        super().__init__(mp_group, name)
        self.in_features, self.out_features = in_features, out_features
        self.input_is_parallel, self.input_size_per_partition = input_is_parallel, in_features
        self._whole_linear(in_features, out_features, weight_attr, has_bias, fuse_matmul_bias)

    def forward(self, x: Any) -> Any:
        """[..., in_features] to [..., out_features]."""
        return self.linear(x, self.weight, self.bias, name=self._name)


class ParallelCrossEntropy(_PartedLayer):
    """The cross entropy of logits whose classes are divided among processes; nothing is averaged.

    Labels that are `ignore_index` give 0.

    >>> import proa as paddle
    >>> loss = paddle.distributed.fleet.meta_parallel.ParallelCrossEntropy()
    >>> loss(paddle.zeros([2, 4]), paddle.to_tensor([1, 3])).shape
    [2, 1]
    """

    def __init__(self, mp_group: Any = None, name: str | None = None, ignore_index: int = -100):
        super().__init__(mp_group, name)
        self.name, self.ignore_index = name, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        """Logits [..., classes] and class numbers [...] or [..., 1] to [..., 1]."""
        return mp_ops._c_softmax_with_cross_entropy(input, label, self.model_parallel_group,
                                                    ignore_index=self.ignore_index)
