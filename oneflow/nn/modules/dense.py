"""Linear, Identity, Flatten, Embedding, Bilinear forms of similarity, and Dropout."""

from __future__ import annotations

import math
from typing import Any

from ...functions import creation
from .. import functional as F
from .. import init
from ..module import Module, Parameter


def uniform_by_fan_in(bias: Any, weight: Any) -> None:
    """Fills a bias evenly from ±1 / √(fan in of its weight)."""
    bound = 1 / math.sqrt(init._calculate_fan_in_and_fan_out(weight)[0])
    init.uniform_(bias, -bound, bound)


class Identity(Module):
    """Gives what it is given, whatever arguments it was made with."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """x @ weight.T + bias: weight is [features out, features in].

    >>> import proa.oneflow as flow
    >>> flow.nn.Linear(3, 2)(flow.ones(4, 3)).shape
    oneflow.Size([4, 2])
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(creation.empty(out_features, in_features, dtype=dtype, device=device))
        self.bias = Parameter(creation.empty(out_features, dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            uniform_by_fan_in(self.bias, self.weight)

    def forward(self, x: Any) -> Any:
        """[..., features in] gives [..., features out]."""
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Its sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Flatten(Module):
    """The dimensions from the first to the last given as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """[N, C, H, W] gives [N, C * H * W]."""
        from ...functions.arrays import flatten

        return flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Its settings."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Embedding(Module):
    """A table whose rows are looked up by their numbers."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Any = None, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.scale_grad_by_freq = max_norm, scale_grad_by_freq
        if _weight is None:
            self.weight = Parameter(creation.empty(num_embeddings, embedding_dim, dtype=dtype, device=device))
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise ValueError(f"Embedding(_weight): must have the shape {(num_embeddings, embedding_dim)}. "
                                 f"Received {tuple(_weight.shape)}.")
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Fills the table anew, from the standard normal distribution; the row of `padding_idx` with zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            array = self.weight.numpy()
            array[self.padding_idx] = 0
            self.weight.set_value(array)

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """One with a given table, which is not trained unless `freeze` is False."""
        made = cls(embeddings.shape[0], embeddings.shape[1], padding_idx, _weight=embeddings)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, indices: Any) -> Any:
        """Numbers [...] give rows [..., size]."""
        return F.embedding(indices, self.weight, self.padding_idx, self.max_norm,
                           scale_grad_by_freq=self.scale_grad_by_freq)

    def extra_repr(self) -> str:
        """Its sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class Dropout(Module):
    """In training elements are set to 0 with probability p, the others divided by 1 - p.

    `inplace` has no meaning, as in OneFlow.
    """

    _function: Any = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False, generator: Any = None):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}(p): must lie in [0, 1]. Received {p}.")
        self.p, self.inplace, self.generator = p, inplace, generator

    def forward(self, x: Any, addend: Any = None) -> Any:
        """x, some of it 0; with `addend` added."""
        return F.dropout(x, self.p, self.training, self.generator, addend=addend)

    def extra_repr(self) -> str:
        """Its settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """As Dropout, of whole channels [N, C, L]."""

    def forward(self, x: Any) -> Any:  # type: ignore[override]
        """x, some channels of it 0."""
        return F.dropout1d(x, self.p, self.training)


class Dropout2d(Dropout1d):
    """As Dropout, of whole channels [N, C, H, W]."""


class Dropout3d(Dropout1d):
    """As Dropout, of whole channels [N, C, D, H, W]."""


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dimension."""

    def __init__(self, dim: int = 1, eps: float = 1e-8):
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """The cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        """The distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
