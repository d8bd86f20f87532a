"""Random values whose size is a batch's, as Paddle 1.x writes them: uniform_random_batch_size_like; sampling_id."""


from collections.abc import Sequence

from ...core import dtype as dt
from ...core.dtype import DType
from ..core.facts import free
from ..core.operator import Ints, Longs, operator
from ..core.spec import Spec
from ..random.sampling import _gaussian, _uniform


def _sizes(sizes: Sequence[int], shape: Sequence[int], input_dim: int, output_dim: int) -> tuple[int, ...]:
    result = list(shape)
    if not 0 <= input_dim < len(sizes) or not 0 <= output_dim < len(result):
        raise ValueError(f"batch_size_like(input, shape, input_dim_idx, output_dim_idx): must be dimensions of both. "
                         f"Received input.shape={list(sizes)}, shape={list(shape)}, {input_dim} and {output_dim}.")
    result[output_dim] = sizes[input_dim]
    return tuple(result)


def _infer(x, *, shape=(), input_dim_idx=0, output_dim_idx=0, dtype=dt.float32, **_):
    return Spec(_sizes(x.shape, shape, input_dim_idx, output_dim_idx), dtype)


def _uniform_like(xp, x, *, shape: Ints = (), min: float = -1.0, max: float = 1.0, seed: int = 0,
                  input_dim_idx: int = 0, output_dim_idx: int = 0, dtype: DType = dt.float32):
    sizes = _sizes(x.shape, shape, input_dim_idx, output_dim_idx)
    return _uniform(xp, shape=Longs(sizes), dtype=dtype, min=min, max=max, seed=seed)


def _gaussian_like(xp, x, *, shape: Ints = (), mean: float = 0.0, std: float = 1.0, seed: int = 0,
                   input_dim_idx: int = 0, output_dim_idx: int = 0, dtype: DType = dt.float32):
    sizes = _sizes(x.shape, shape, input_dim_idx, output_dim_idx)
    return _gaussian(xp, shape=Longs(sizes), dtype=dtype, mean=mean, std=std, seed=seed)


uniform_random_batch_size_like_op = operator(
    "uniform_random_batch_size_like", "Input -> Out", kernel=_uniform_like, infer=_infer, effects="random", lod="drop")
gaussian_random_batch_size_like_op = operator(
    "gaussian_random_batch_size_like", "Input -> Out", kernel=_gaussian_like, infer=_infer, effects="random",
    lod="drop")
def _zeros_like(xp, x, *, dtype: DType = dt.float32):
    return xp.zeros(x.shape, dtype.dtype)


fill_zeros_like2_op = operator(
    "fill_zeros_like2", "X -> Out", kernel=_zeros_like,
    infer=lambda x, *, dtype=dt.float32: Spec(x.shape, dtype), cost=free)


def _sampling_id(xp, x, *, min: float = 0.0, max: float = 1.0, seed: int = 0):
    drawn = _uniform(xp, shape=Longs((x.shape[0], 1)), dtype=dt.convert_dtype(x.dtype), min=min, max=max, seed=seed)
    below = (xp.cumsum(x, axis=1) <= drawn).sum(axis=1)
    return xp.minimum(below, x.shape[1] - 1).astype("int64")


sampling_id_op = operator("sampling_id", "X -> Out", kernel=_sampling_id, effects="random",
                          infer=lambda x, **_: Spec(x.shape[:1], dt.int64))

