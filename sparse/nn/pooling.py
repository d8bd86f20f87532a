"""Maximum pooling of sparse tensors as a layer."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer
from . import functional as F


class MaxPool3D(Layer):
    """`sparse.nn.functional.max_pool3d` of a coo tensor [N, D, H, W, C]; `return_mask` must be False.

    >>> import proa as paddle
    >>> x = paddle.ones([1, 2, 2, 2, 1]).to_sparse_coo(4)
    >>> paddle.sparse.nn.MaxPool3D(2)(x).shape
    [1, 1, 1, 1, 1]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
                 ceil_mode: bool = False, data_format: str = "NDHWC", name: str | None = None):
        super().__init__()
        if return_mask:
            raise NotImplementedError("sparse.nn.MaxPool3D(return_mask=True): there is no mask of sparse maxima; leave "
                                      "it False.")
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.data_format = ceil_mode, data_format

    def forward(self, x: Any) -> Any:
        """The maxima."""
        return F.max_pool3d(x, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"
