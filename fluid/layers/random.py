"""Random values of Programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from ...core.unique_name import generate
from ...ops.array.full import is_value
from ..layer_helper import LayerHelper
from ..mode import face
from .tensor import create_global_var


def kept_seed(helper: LayerHelper, seed: Any) -> tuple[Any, int]:
    """A seed that each run changes, as a variable, and the number that it begins with.

    A number becomes a variable that the startup Program sets; None is one of NumPy's numbers.
    """
    name = helper.layer_type
    if is_value(seed):
        return seed, 0
    if seed is not None and not isinstance(seed, int):
        raise TypeError(f"{name}(seed): must be an int or a variable. Received {type(seed).__name__}.")
    start = int(np.random.randint(-65536, 65536)) if seed is None else seed
    return create_global_var([1], start, "int64", persistable=True, name=generate(f"{name}_seed")), start


@face
def uniform_random(shape: Any, dtype: Any = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0) -> Any:
    """Values spread evenly from min up to max.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.uniform_random([2, 3]).shape
    (2, 3)
    """
    helper = LayerHelper("uniform_random")
    sizes, tensor, parts = helper.sizes(shape)
    return helper.apply("uniform_random", tensor, parts, shape=list(sizes), min=float(min),
                                               max=float(max), seed=seed, dtype=convert_dtype(dtype))


@face
def gaussian_random(shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32") -> Any:
    """Values of the normal distribution."""
    helper = LayerHelper("gaussian_random")
    sizes, tensor, parts = helper.sizes(shape)
    return helper.apply("gaussian_random", tensor, parts, shape=list(sizes), mean=float(mean),
                                                std=float(std), seed=seed, dtype=convert_dtype(dtype))


@face
def uniform_random_batch_size_like(input: Any, shape: Any, dtype: Any = "float32", input_dim_idx: int = 0,
                                   output_dim_idx: int = 0, min: float = -1.0, max: float = 1.0, seed: int = 0) -> Any:
    """As `uniform_random`, with a size that is one of the input's."""
    return LayerHelper("uniform_random_batch_size_like").apply(
        "uniform_random_batch_size_like", input, shape=list(shape), input_dim_idx=input_dim_idx,
        output_dim_idx=output_dim_idx, min=float(min), max=float(max), seed=seed, dtype=convert_dtype(dtype))


@face
def gaussian_random_batch_size_like(input: Any, shape: Any, input_dim_idx: int = 0, output_dim_idx: int = 0,
                                    mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32") -> Any:
    """As `gaussian_random`, with a size that is one of the input's."""
    return LayerHelper("gaussian_random_batch_size_like").apply(
        "gaussian_random_batch_size_like", input, shape=list(shape), input_dim_idx=input_dim_idx,
        output_dim_idx=output_dim_idx, mean=float(mean), std=float(std), seed=seed, dtype=convert_dtype(dtype))


@face
def sampling_id(x: Any, min: float = 0.0, max: float = 1.0, seed: int = 0, dtype: Any = "float32") -> Any:
    """For each row of probabilities the number of a column, drawn by them."""
    return LayerHelper("sampling_id").apply("sampling_id", x, min=min, max=max, seed=seed)


@face
def randint(low: int, high: int | None = None, shape: Any = None, out: Any = None, dtype: Any = None,
            device: str | None = None, stop_gradient: bool = False, seed: int = 0, name: str | None = None) -> Any:
    """Integers from low up to high, without it; from 0 up to `low` where high is None."""
    first, end = (0, low) if high is None else (low, high)
    helper = LayerHelper("randint", name=name)
    sizes, tensor, parts = helper.sizes([1] if shape is None else shape)
    return helper.apply("randint", tensor, parts, out=out, shape=list(sizes), low=first,
                                                   high=end, seed=seed, dtype=convert_dtype(dtype or "int64"))


@face
def randn(shape: Any, out: Any = None, dtype: Any = None, device: str | None = None, stop_gradient: bool = True,
          name: str | None = None) -> Any:
    """Values of the standard normal distribution."""
    helper = LayerHelper("randn", name=name)
    sizes, tensor, parts = helper.sizes(shape)
    return helper.apply("gaussian_random", tensor, parts, out=out, shape=list(sizes),
                                                 mean=0.0, std=1.0, seed=0, dtype=convert_dtype(dtype or "float32"))


@face
def randperm(n: int, out: Any = None, dtype: Any = "int64", device: str | None = None, stop_gradient: bool = True,
             seed: int = 0) -> Any:
    """The integers below n in random order."""
    return LayerHelper("randperm").apply("randperm", out=out, n=n, seed=seed, dtype=convert_dtype(dtype))


__all__ = ["gaussian_random", "gaussian_random_batch_size_like", "randint", "randn", "randperm", "sampling_id",
           "uniform_random", "uniform_random_batch_size_like"]
