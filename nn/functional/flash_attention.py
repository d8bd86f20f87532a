"""`paddle.nn.functional.flash_attention`: scaled dot-product attention by the names of PaddlePaddle's fused kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...ops.array.reshape import transpose
from .attention import attend_with_weights, scaled_dot_product_attention

__all__ = ["flash_attention", "scaled_dot_product_attention", "sdp_kernel"]


def _select_sdp(head_dim: int) -> str:
    """Which of Paddle's kernels attention runs in, 'math' being the one that works everywhere: packages ask for it."""
    return "math"


@contextmanager
def sdp_kernel(enable_math: bool = False, enable_flash: bool = True, enable_mem_efficient: bool = True
               ) -> Iterator[None]:
    """Which of Paddle's kernels attention may run in, of which at least one must be allowed; there is one way here.

    >>> import proa as paddle
    >>> x = paddle.ones([1, 3, 2, 4])
    >>> with paddle.nn.functional.sdp_kernel(enable_math=True):
    ...     paddle.nn.functional.scaled_dot_product_attention(x, x, x).shape
    [1, 3, 2, 4]
    """
    if not (enable_math or enable_flash or enable_mem_efficient):
        raise ValueError("sdp_kernel(enable_math, enable_flash, enable_mem_efficient): one of them must be True.")
    yield


def flash_attention(query: Any, key: Any, value: Any, dropout: float = 0.0, causal: bool = False,
                    return_softmax: bool = False, *, fixed_seed_offset: Any = None, rng_name: str = "",
                    training: bool = True, name: str | None = None) -> tuple[Any, Any]:
    """softmax(query · keyᵀ / sqrt(head_dim)) · value, and the weights where `return_softmax` asks for them, else None.

    Inputs and the result are [batch, length, heads, head_dim], the weights [batch, heads, queries, keys]. With
    `causal` a position sees those up to itself. `fixed_seed_offset` and `rng_name` change nothing: `paddle.seed`
    repeats dropout. Raises ValueError for shapes that do not agree.

    >>> import proa as paddle
    >>> x = paddle.ones([2, 5, 4, 8])
    >>> out, weights = paddle.nn.functional.flash_attention.flash_attention(x, x, x, causal=True)
    >>> out.shape, weights
    ([2, 5, 4, 8], None)
    """
    if not return_softmax:
        return scaled_dot_product_attention(query, key, value, None, dropout, causal, training), None
    q, k, v = (transpose(x, [0, 2, 1, 3]) for x in (query, key, value))
    out, weights = attend_with_weights(q, k, v, None, dropout, training, causal)
    return transpose(out, [0, 2, 1, 3]), weights
