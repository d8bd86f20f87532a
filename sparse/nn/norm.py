"""Batch normalization of the entries of sparse tensors."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.sparse.values import check_sparse


class BatchNorm(nn.BatchNorm1D):
    """Batch normalization of the values [nnz, C] of a coo tensor whose last dimension, the channels, is dense.

    In training by the statistics of the entries, in evaluation by running ones. Places without an entry neither count
    nor get one.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 0], [0, 1], [0, 1]], [[1.0], [3.0]], [1, 2, 2, 1])
    >>> paddle.sparse.nn.BatchNorm(1)(x).values().round().tolist()
    [[-1.0], [1.0]]
    """

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NDHWC", use_global_stats: bool | None = None,
                 name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, "NC", use_global_stats, name)
        self._layout = data_format

    def forward(self, input: Any) -> Any:
        """The normalized input, with its places."""
        values = entries(f"nn.{type(self).__name__}", input, self._layout)
        return input.with_values(super().forward(values))

    def extra_repr(self) -> str:
        """The settings."""
        return (f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}, "
                f"data_format={self._layout}")


def entries(what: str, x: Any, data_format: str) -> Any:
    """The values [nnz, C] of a coo tensor with the channels last; an error, naming `what`, of any other."""
    check_sparse(f"{what}(input)", x)
    if data_format not in ("NHWC", "NDHWC"):
        raise ValueError(f"sparse.{what}(data_format): must be 'NHWC' or 'NDHWC', the channels last. "
                         f"Received {data_format!r}.")
    if not x.is_sparse_coo() or len(x.values().shape) != 2:
        raise ValueError(f"sparse.{what}(input): must be a coo tensor with indices of all dimensions but the channels, "
                         f"the last one. Received shape {list(x.shape)}, values of shape {list(x.values().shape)}.")
    return x.values()


class SyncBatchNorm(nn.SyncBatchNorm):
    """As `BatchNorm`, of the batch that all devices share, which here is that of one."""

    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: Any = None,
                 bias_attr: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, name)

    def forward(self, x: Any) -> Any:
        """The normalized input, with its places."""
        values = entries("nn.SyncBatchNorm", x, "NDHWC")
        return x.with_values(super().forward(values))

    @classmethod
    def convert_sync_batchnorm(cls, layer: nn.Layer) -> nn.Layer:
        """`layer` with every batch normalization in it, sparse or dense, replaced by one for several devices.

        >>> import proa as paddle
        >>> net = paddle.nn.Sequential(paddle.sparse.nn.BatchNorm(2), paddle.nn.BatchNorm2D(2))
        >>> [type(one).__module__.split(".")[1] for one in paddle.sparse.nn.SyncBatchNorm.convert_sync_batchnorm(net)]
        ['sparse', 'nn']
        """
        if isinstance(layer, BatchNorm):
            return super().convert_sync_batchnorm(layer)
        if isinstance(layer, (nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D)):
            return nn.SyncBatchNorm.convert_sync_batchnorm(layer)
        for name, sublayer in layer.named_children():
            converted = cls.convert_sync_batchnorm(sublayer)
            if converted is not sublayer:
                layer.add_sublayer(name, converted)
        return layer
