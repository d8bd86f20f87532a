"""Functions that are one operator in PaddlePaddle's files and several here: kthvalue, mode, dist, stft and others."""

from typing import Any

from ...core.dtype import from_number
from ..array.concat_split import concat
from ..array.creation import assign
from ..array.fill import fill_diagonal, fill_diagonal_tensor
from ..array.full import full, full_of_shape
from ..array.gather import index_select
from ..array.reshape import reshape, shape_handle, squeeze
from ..array.slices import slice_
from ..array.sorting import kthvalue, mode
from ..array.take import tril_indices, triu_indices
from ..array.unflatten import as_strided, unfold
from ..core.decomposition import decomposition
from ..linalg.distances import renorm
from ..math.add_n import add_n
from ..math.casting import cast, dtype_of
from ..math.nan_statistics import nanmedian
from ..math.statistics import dist
from ..random.sampling import normal, uniform
from ..signal.fft import fft, rfft
from ..vision.interpolate import resize


@decomposition("kthvalue", "X -> Out, Indices")
def _kthvalue(x: Any, *, k: int = 1, axis: int = -1, keepdim: bool = False) -> tuple:
    return kthvalue(x, k, axis, keepdim)


@decomposition("mode", "X -> Out, Indices")
def _mode(x: Any, *, axis: int = -1, keepdim: bool = False) -> tuple:
    return mode(x, axis, keepdim)


@decomposition("nanmedian", "X -> Out, MedianIndex?&")
def _nanmedian(x: Any, *, axis: Any = (), keepdim: bool = True, mode: str = "avg") -> tuple:
    if mode != "avg":
        raise NotImplementedError(f"nanmedian: mode={mode!r} is not known here, only 'avg'.")
    return nanmedian(x, list(axis) or None, keepdim), None


@decomposition("dist", "X, Y -> Out")
def _dist(x: Any, y: Any, *, p: float = 2.0) -> Any:
    return dist(x, y, p)


@decomposition("renorm", "X -> Out")
def _renorm(x: Any, *, p: float, axis: int, max_norm: float) -> Any:
    return renorm(x, p, axis, max_norm)


@decomposition("stft", "X, Window -> Out")
def _stft(x: Any, window: Any, *, n_fft: int, hop_length: int, normalized: bool, onesided: bool) -> Any:
    """Spectra of the frames of [batch, length], which has been lengthened at its ends before."""
    pieces = unfold(x, 1, n_fft, hop_length) * window
    found = (rfft if onesided else fft)(pieces, norm="ortho" if normalized else "backward")
    return found.transpose([0, 2, 1])


@decomposition("as_strided", "input -> out")
def _as_strided(x: Any, *, dims: Any, stride: Any, offset: int = 0) -> Any:
    return as_strided(x, list(dims), list(stride), offset)


@decomposition("tensor_unfold", "input -> out")
def _unfold(x: Any, *, axis: int, size: int, step: int) -> Any:
    return unfold(x, axis, size, step)


@decomposition("view_shape", "input -> out")
def _view(x: Any, *, dims: Any) -> Any:
    return reshape(x, list(dims))


@decomposition("index_select_strided", "x -> out")
def _one_index(x: Any, *, index: int, axis: int = 0) -> Any:
    return squeeze(index_select(x, full([1], index, "int64"), axis), axis)


@decomposition("fill_diagonal", "X -> Out")
def _fill_diagonal(x: Any, *, value: float = 0.0, offset: int = 0, wrap: bool = False) -> Any:
    return fill_diagonal(x, value, offset, wrap)


@decomposition("fill_diagonal_tensor", "X, Y -> Out")
def _fill_diagonal_tensor(x: Any, y: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return fill_diagonal_tensor(x, y, offset, dim1, dim2)


@decomposition("fill_any", "X -> Out")
def _fill_any(x: Any, *, value: float | None = None, value_float: float = 0.0, value_int: int = 0) -> Any:
    number = value if value is not None else value_float if dtype_of(x).is_floating else value_int
    return full_of_shape(shape_handle(x), number, dtype_of(x))


@decomposition("empty", "ShapeTensor?, ShapeTensorList*? -> Out")
def _empty(sizes: Any, size_list: Any, *, shape: Any = (), dtype: int = 5) -> Any:
    given = sizes if sizes is not None else concat(size_list) if size_list else list(shape)
    return full(given, 0, from_number(dtype))


@decomposition("tril_indices", "-> out")
def _tril_indices(*, rows: int, cols: int, offset: int = 0, dtype: int = 3) -> Any:
    return tril_indices(rows, cols, offset, from_number(dtype))


@decomposition("triu_indices", "-> out")
def _triu_indices(*, row: int, col: int, offset: int = 0, dtype: int = 3) -> Any:
    return triu_indices(row, col, offset, from_number(dtype))


@decomposition("uniform_random_inplace", "X -> Out")
def _uniform(x: Any, *, min: float = -1.0, max: float = 1.0, seed: int = 0) -> Any:
    return uniform(shape_handle(x), dtype_of(x), min, max, seed)


@decomposition("gaussian_inplace", "x -> out")
def _gaussian(x: Any, *, mean: float = 0.0, std: float = 1.0) -> Any:
    return cast(normal(mean, std, shape_handle(x)), dtype_of(x))


@decomposition("dropout_nd", "X, Seed? -> Out, Mask?&")
def _dropout_nd(x: Any, seed: Any, *, dropout_prob: float = 0.5, is_test: bool = False,
                dropout_implementation: str = "downgrade_in_infer") -> tuple:
    if not is_test:
        raise NotImplementedError("dropout_nd: a Program that drops along dimensions, as in training, is not taken "
                                  "apart here. Save the model in evaluation mode.")
    return x if dropout_implementation == "upscale_in_train" else x * (1.0 - dropout_prob), None


@decomposition("partial_concat", "X* -> Out")
def _partial_concat(values: list, *, start_index: int = 0, length: int = -1) -> Any:
    return concat(_columns(values, start_index, length), axis=1)


@decomposition("partial_sum", "X* -> Out")
def _partial_sum(values: list, *, start_index: int = 0, length: int = -1) -> Any:
    return add_n(_columns(values, start_index, length))


def _columns(values: list, start: int, length: int) -> list[Any]:
    width = values[0].shape[1]
    start = start + width if start < 0 else start
    return [slice_(value, [1], [start], [width if length < 0 else start + length]) for value in values]


@decomposition("linear_interp", "X, OutSize?, SizeTensor*?, Scale? -> Out")
def _linear_interp(x: Any, size: Any, sizes: Any, scales: Any, *, out_w: int = -1, scale: float = 0.0,
                   align_corners: bool = True, align_mode: int = 1, data_layout: str = "NCHW") -> Any:
    return resize(x, "linear", size, sizes or None, scales, [scale] if scale > 0 else [], [out_w], align_corners,
                  align_mode, data_layout)


def _copied(signature: str, *types: str) -> None:
    """Operators that copy between places, or into another form of the same values."""
    for type in types:
        decomposition(type, signature)(assign)


_copied("X -> Out", "memcpy", "memcpy_d2h", "memcpy_h2d", "get_tensor_from_selected_rows", "merge_selected_rows")
_copied("x -> out", "npu_identity")


@decomposition("modified_huber_loss", "X, Y -> IntermediateVal?&, Out")
def _modified_huber(x: Any, y: Any) -> tuple:
    """Of scores x and labels y of 0 or 1, by z = x · (2 y - 1): -4 z below -1, (1 - z)² below 1, and 0."""
    z = x * (y * 2.0 - 1.0)
    below = cast(z < -1.0, dtype_of(x))
    inside = cast(z < 1.0, dtype_of(x)) - below
    return z, below * z * -4.0 + inside * (1.0 - z) * (1.0 - z)
