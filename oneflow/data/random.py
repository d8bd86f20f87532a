"""`flow.data.decode_random`: numbers in place of data, drawn anew in each call of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import to_dtype
from ..initializers import random_uniform_initializer
from ..job.current import current


def decode_random(shape: Sequence[int], dtype: Any, batch_size: int = 1, initializer: Any = None, tick: Any = None,
                  name: str | None = None) -> Any:
    """A blob of shape `(batch_size, *shape)` that an initializer draws in each call: by default from 0 to 1.

    RuntimeError outside of a global function.

    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def images() -> tp.Numpy:
    ...     return flow.data.decode_random((3, 8, 8), flow.float, batch_size=2)
    >>> images().shape, bool((images() != images()).any())
    ((2, 3, 8, 8), True)
    """
    current("data.decode_random(…)")
    drawing = random_uniform_initializer() if initializer is None else initializer
    return drawing((batch_size, *shape), to_dtype("data.decode_random(dtype)", dtype))
