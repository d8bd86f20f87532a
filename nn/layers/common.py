"""Linear, Embedding, the dropouts, Flatten, Unflatten, Identity."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...core.param_attr import to_param_attr
from ...ops.array.assign import shape
from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value
from ...ops.array.reshape import flatten, reshape
from ...ops.core.infer import normalize_axis
from ...ops.random.default_initial_values import initial_value
from .. import functional as F
from ..initializer import Initializer
from ..layer import Layer


class Identity(Layer):
    """Gives its input; takes any arguments.

    >>> import proa as paddle
    >>> paddle.nn.Identity()(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Layer):
    """x · W + b: [..., in_features] to [..., out_features].

    The parameters are `weight` [in_features, out_features], XavierUniform at first, and `bias` [out_features], zeros.
    For other first values, names or learning rates give a `paddle.ParamAttr` as `weight_attr` or `bias_attr`; with
    `bias_attr=False` there is no bias. `name` changes nothing. PyTorch's weight is this one transposed.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(4, 3)
    >>> layer(paddle.ones([2, 4])).shape
    [2, 3]
    >>> [(name, value.shape) for name, value in layer.named_parameters()]
    [('weight', [4, 3]), ('bias', [3])]
    """

    __shows_its_name__ = True

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, bias_attr: Any = None,
                 name: str | None = None):
        super().__init__()
        self._in_features, self._out_features, self.name = in_features, out_features, name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """[..., in_features] to [..., out_features]."""
        return F.linear(input, self.weight, self.bias, self.name)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self._in_features}, out_features={self._out_features}, dtype={self._dtype}"


class _ZeroRow(Initializer):
    """Another initializer's values with one row of zeros."""

    def __init__(self, inner: Any, row: int):
        self.inner, self.row = inner, row

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A table of this shape and dtype."""
        kept = np.ones((shape[0], 1))
        kept[self.row] = 0.0
        return self.inner(shape, dtype) * to_tensor(kept, dtype) + 0.0  # no zeros below zero


class Embedding(Layer):
    """Rows of a table [num_embeddings, embedding_dim] by integer index: [...] to [..., embedding_dim].

    The row `padding_idx` is zero and stays it; a negative one counts from the end. With `sparse=True` the gradient
    holds only the rows that were looked up, for which SGD and Adam (`lazy_mode=True`) leave the others alone. The
    parameter is `weight`; `weight_attr` is its `paddle.ParamAttr`. Raises ValueError for sizes below 1.

    >>> import proa as paddle
    >>> table = paddle.nn.Embedding(10, 4, padding_idx=0)
    >>> words = table(paddle.to_tensor([[1, 2, 0]]))
    >>> words.shape, words[0, 2].tolist()
    ([1, 3, 4], [0.0, 0.0, 0.0, 0.0])
    """

    __shows_its_name__ = True

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, sparse: bool = False,
                 weight_attr: Any = None, name: str | None = None):
        super().__init__()
        self._name = name
        if num_embeddings <= 0 or embedding_dim <= 0:
            raise ValueError(f"Embedding: sizes must be above 0. Received {num_embeddings} and {embedding_dim}.")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding(padding_idx): must lie in [{-num_embeddings}, {num_embeddings}). "
                             f"Received {padding_idx}.")
        self._num_embeddings, self._embedding_dim, self._sparse = num_embeddings, embedding_dim, sparse
        self._padding_idx, self._weight_attr = padding_idx, weight_attr
        self._size = [num_embeddings, embedding_dim]  # packages that copy the layer read it
        attr = to_param_attr(weight_attr)
        if attr is not None and padding_idx is not None:
            attr = copy.copy(attr)
            attr.initializer = _ZeroRow(attr.initializer or initial_value(False), padding_idx % num_embeddings)
        self.weight = self.create_parameter([num_embeddings, embedding_dim], attr)

    def forward(self, x: Any) -> Any:
        """Integers [...] to [..., embedding_dim]."""
        return F.embedding(x, self.weight, self._padding_idx, self._sparse, self._name)

    def extra_repr(self) -> str:
        """The sizes and the settings."""
        padding = "" if self._padding_idx is None else f", padding_idx={self._padding_idx}"
        return f"{self._num_embeddings}, {self._embedding_dim}{padding}, sparse={self._sparse}"


class Dropout(Layer):
    """In training, zeros elements with probability p and scales the others by 1 / (1 - p) (mode 'upscale_in_train').

    Srivastava et al., Dropout, 2014. `axis`: the dimensions along which elements fall independently.

    >>> import proa as paddle
    >>> drop = paddle.nn.Dropout(0.5)
    >>> x = paddle.ones([2, 3])
    >>> drop(x).shape
    [2, 3]
    >>> drop.eval()
    >>> bool((drop(x) == x).all())
    True
    """

    __shows_its_name__ = True

    def __init__(self, p: float = 0.5, axis: Any = None, mode: str = "upscale_in_train", name: str | None = None):
        super().__init__()
        self.name = name
        self.p, self.axis, self.mode = p, axis, mode

    def forward(self, input: Any) -> Any:
        """The input with elements fallen out."""
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}"


class Dropout2D(Layer):
    """Dropout of whole channels of [N, C, H, W].

    >>> import proa as paddle
    >>> drop = paddle.nn.Dropout2D(0.5)
    >>> x = paddle.ones([1, 2, 2, 2])
    >>> drop(x).shape
    [1, 2, 2, 2]
    >>> drop.eval()
    >>> bool((drop(x) == x).all())
    True
    """

    __shows_its_name__ = True

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        self.name = name
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """The input with channels fallen out."""
        return F.dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, data_format={self.data_format}"


class Dropout3D(Layer):
    """Dropout of whole channels of [N, C, D, H, W].

    >>> import proa as paddle
    >>> drop = paddle.nn.Dropout3D(0.5)
    >>> x = paddle.ones([1, 2, 1, 2, 2])
    >>> drop(x).shape
    [1, 2, 1, 2, 2]
    >>> drop.eval()
    >>> bool((drop(x) == x).all())
    True
    """

    __shows_its_name__ = True

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None):
        super().__init__()
        self.name = name
        self.p, self.data_format = p, data_format

    def forward(self, input: Any) -> Any:
        """The input with channels fallen out."""
        return F.dropout3d(input, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, data_format={self.data_format}"


class AlphaDropout(Layer):
    """Dropout that keeps mean and variance of what SELU gives (`nn.functional.alpha_dropout`).

    >>> import proa as paddle
    >>> drop = paddle.nn.AlphaDropout(0.5)
    >>> x = paddle.ones([2, 3])
    >>> drop(x).shape
    [2, 3]
    >>> drop.eval()
    >>> bool((drop(x) == x).all())
    True
    """

    __shows_its_name__ = True

    def __init__(self, p: float = 0.5, name: str | None = None):
        super().__init__()
        self.name = name
        self.p = p

    def forward(self, input: Any) -> Any:
        """The input with elements set to SELU's limit, and rescaled."""
        return F.alpha_dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The setting."""
        return f"p={self.p}"


class Flatten(Layer):
    """The dimensions from `start_axis` to `stop_axis` as one.

    >>> import proa as paddle
    >>> paddle.nn.Flatten()(paddle.ones([2, 3, 4])).shape
    [2, 12]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        """The input with fewer dimensions."""
        return flatten(input, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """The dimension `axis` as several, of sizes `shape`; one of them may be -1.

    >>> import proa as paddle
    >>> paddle.nn.Unflatten(1, [2, 3])(paddle.ones([4, 6])).shape
    [4, 2, 3]
    """

    __shows_its_name__ = True

    def __init__(self, axis: int, shape: Any, name: str | None = None):
        super().__init__()
        self._name = name
        if isinstance(shape, np.ndarray) or is_value(shape):
            shape = shape.tolist()
        if not isinstance(axis, int) or not isinstance(shape, (list, tuple)):
            raise TypeError(f"Unflatten(axis, shape): an int, and a list of ints. Received {axis!r} and {shape!r}.")
        self.axis, self.shape = axis, shape

    def forward(self, input: Any) -> Any:
        """The input with more dimensions."""
        sizes = list(input.shape)
        axis = normalize_axis("Unflatten(axis, shape)", self.axis, len(sizes))
        after = [shape(input)[n] if sizes[n] < 0 else sizes[n] for n in range(axis + 1, len(sizes))]
        return reshape(input, [*[0] * axis, *self.shape, *after])

    def extra_repr(self) -> str:
        """The settings."""
        return f"axis={self.axis}, shape={self.shape}"
