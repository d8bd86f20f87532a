"""What files have in the place of operators of ours alone: see `own_codec.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core import dtype as dt
from ...ops.array.assign import shape as sizes_of
from ...ops.array.concat_split import concat, stack, unstack
from ...ops.array.creation import eye, full_like
from ...ops.array.expand import expand_as_op, expand_op
from ...ops.array.full import constant, full
from ...ops.array.gather import index_add_op
from ...ops.array.reshape import reshape, unsqueeze
from ...ops.array.slices import END, slice_
from ...ops.array.take_along_axis import put_along_axis, take_along_axis
from ...ops.array.where import where_op
from ...ops.core.decomposition import Decomposition
from ...ops.core.operator import find
from ...ops.core.signature import parse_signature
from ...ops.core.trace import apply, current_trace
from ...ops.linalg.solving import determinant_op
from ...ops.math.casting import cast, dtype_of
from ...ops.math.comparison import equal, greater_than, less_than, logical_and, not_equal
from ...ops.math.cumulative import cumprod_op
from ...ops.math.elementwise import maximum, minimum
from ...ops.math.reduce import sum as total
from ...ops.math.unary import log
from ...ops.nn.norm import norm_grad_in_parts

FORMS: dict[str, Decomposition] = {}
_INFINITY = float("inf")


def _form(type: str, signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what a file has for an operator."""
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        inputs, outputs = parse_signature(signature)
        FORMS[type] = Decomposition(type, inputs, outputs, function, frozenset(find(type).attributes))
        return function

    return declare


def _gradient(kind: str, of: str, like: Any, inputs: dict[str, Any], **attrs: Any) -> Any:
    """Appends PaddlePaddle's operator of the gradient of an operator, for its input `of`, which has the shape `like`.

    An attribute that is not given is what the operator has where a user gives none.
    """
    return _gradients(kind, {of: like}, inputs, **attrs)[0]


def _gradients(kind: str, likes: dict[str, Any], inputs: dict[str, Any], **attrs: Any) -> list[Any]:
    """As `_gradient`, for several inputs, by what has their shapes."""
    block = current_trace().block
    stops = all(v.stop_gradient for v in inputs.values() if v is not None)
    made = [block.new_var(None, tuple(like.shape), like.dtype, stop_gradient=stops) for like in likes.values()]
    defaults = {name: p.default for name, p in find(kind).attributes.items() if p.default is not p.empty}
    block.append(f"{kind}_grad", {slot: [v.name] for slot, v in inputs.items() if v is not None},
                 {f"{of}@GRAD": [out.name] for of, out in zip(likes, made, strict=True)}, {**defaults, **attrs})
    return made


def _zeros(shape: Sequence[int], beside: Any) -> Any:
    """Zeros that stand for a value of which the shape alone is read; of as many samples as `beside` has, if need be."""
    if -1 in list(shape)[1:]:
        raise NotImplementedError("a size is not known")
    sizes = list(shape)
    if sizes and sizes[0] == -1:
        sizes[0] = slice_(sizes_of(beside), [0], [0], [1])
    return full(sizes, 0.0, beside.dtype)


# shapes

@_form("expand_to_shape", "X, Like? -> Out")
def _expanded(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is None:
        return apply(expand_op, x, None, None, shape=list(shape))
    return apply(expand_as_op, x, like, target_shape=list(like.shape))


@_form("sum_to_shape", "X, Like? -> Out")
def _summed(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is not None:
        return _gradient("elementwise_add", "X", like, {"X": like, "Y": x, "Out@GRAD": x})
    extra = len(x.shape) - len(shape)
    over = [n for n in range(len(x.shape)) if n < extra or shape[n - extra] == 1 != x.shape[n]]
    summed = total(x, over, keepdim=True) if over else x
    return reshape(summed, list(shape))


@_form("reshape_to_shape", "X, Like? -> Out")
def _reshaped(x: Any, like: Any, *, shape: Sequence[int] = ()) -> Any:
    if like is None:
        return reshape(x, list(shape))
    return reshape(x, list(like.shape) if tuple(like.shape).count(-1) == 1 else sizes_of(like))


# activations

@_form("slope_between", "G, X -> Out")
def _slope(g: Any, x: Any, *, low: float = -_INFINITY, high: float = _INFINITY, inside: float = 1.0,
           outside: float = 0.0) -> Any:
    above = greater_than(x, full_like(x, low)) if high == _INFINITY or low > -_INFINITY else None
    below = less_than(x, full_like(x, high)) if high < _INFINITY else None
    within = above if below is None else below if above is None else logical_and(above, below)
    return apply(where_op, within, g * inside, g * outside)


@_form("where_inside", "G, X, Min?, Max? -> Out")
def _inside(g: Any, x: Any, least: Any, most: Any, **attrs: Any) -> Any:
    return _gradient("clip", "X", x, {"X": x, "Min": least, "Max": most, "Out@GRAD": g}, **attrs)


@_form("softmax_grad", "Out, G -> Result")
def _softmax(out: Any, g: Any, *, axis: int = -1) -> Any:
    return _gradient("softmax", "X", out, {"Out": out, "Out@GRAD": g}, axis=axis)


@_form("log_softmax_grad", "Out, G -> Result")
def _log_softmax(out: Any, g: Any, *, axis: int = -1) -> Any:
    return _gradient("log_softmax", "X", out, {"Out": out, "Out@GRAD": g}, axis=axis)


@_form("gelu_grad", "G, X -> Out")
def _gelu(g: Any, x: Any, *, approximate: bool = False) -> Any:
    return _gradient("gelu", "X", x, {"X": x, "Out@GRAD": g}, approximate=approximate)


@_form("maxout_grad", "X, Out, G -> Result")
def _maxout(x: Any, out: Any, g: Any, **attrs: Any) -> Any:
    return _gradient("maxout", "X", x, {"X": x, "Out": out, "Out@GRAD": g}, **attrs)


# convolution, pooling, normalization

def _windows(kind: str, x: Any) -> str:
    return kind + ("3d" if len(x.shape) == 5 else "2d")


def _convolution(of: str, like: Any, x: Any, weight: Any, g: Any, attrs: dict[str, Any]) -> Any:
    """The gradient of a convolution; what is not said of strides, paddings and dilations is."""
    count = len(g.shape) - 2
    said = {name: list(attrs.get(name) or [number] * count)
            for name, number in (("strides", 1), ("paddings", 0), ("dilations", 1))}
    return _gradient(_windows("conv", g), of, like, {"Input": x, "Filter": weight, "Output@GRAD": g},
                     **{**attrs, **said})


@_form("conv_input_grad", "G, Filter, Like? -> Output")
def _conv_input(g: Any, weight: Any, like: Any, *, size: Sequence[int] = (), groups: int = 1,
                data_format: str = "NCHW", **attrs: Any) -> Any:
    if like is None:
        channels = weight.shape[1] * groups
        last = data_format[-1] == "C"
        like = _zeros([g.shape[0], *size, channels] if last else [g.shape[0], channels, *size], g)
    return _convolution("Input", like, like, weight, g, {"groups": groups, "data_format": data_format, **attrs})


@_form("conv_filter_grad", "Input, G -> Output")
def _conv_filter(x: Any, g: Any, *, kernel: Sequence[int], groups: int = 1, data_format: str = "NCHW",
                 **attrs: Any) -> Any:
    at = -1 if data_format[-1] == "C" else 1
    weight = _zeros([g.shape[at], x.shape[at] // groups, *kernel], g)
    return _convolution("Filter", weight, x, weight, g, {"groups": groups, "data_format": data_format, **attrs})


@_form("pool_grad", "X, Out, G -> Result")
def _pool(x: Any, out: Any, g: Any, **attrs: Any) -> Any:
    return _gradient(_windows("pool", x), "X", x, {"X": x, "Out": out, "Out@GRAD": g}, **attrs)


def _statistics(mean: Any, spread: Any, attrs: dict[str, Any]) -> tuple[Any, Any]:
    """Those of a batch as `batch_norm` was given them: in evaluation PaddlePaddle does not hand them on."""
    block = current_trace().block
    source = next((op for op in block.ops if op.type == "batch_norm" and op.output("SavedMean") == [mean.name]), None)
    if source is None or not source.attrs.get("is_test"):
        return mean, spread
    attrs["inverted"] = False
    return block.var(source.input("Mean")[0]), block.var(source.input("Variance")[0])


@_form("norm_grad", "X, Scale?, Mean, Spread, G -> DX, DScale, DBias")
def _norm(x: Any, scale: Any, mean: Any, spread: Any, g: Any, *, kind: str, constant: bool = False,
          **attrs: Any) -> Any:
    if kind == "batch" and not constant:
        raise NotImplementedError("of one sample it is something else")
    if len([size for size in x.shape if size < 0]) > 1:
        raise NotImplementedError("several sizes are not known")
    dx, d_scale, d_bias = norm_grad_in_parts(x, scale, *_statistics(mean, spread, attrs), g, kind=kind,
                                             constant=constant, **attrs)
    return dx, d_scale, d_bias


# parts

@_form("place_slice", "X, Like?, StartsTensor?, StartsTensorList*?, EndsTensor?, EndsTensorList*?, StridesTensor?, "
                      "StridesTensorList*? -> Out")
def _placed(x: Any, like: Any, *tensors: Any, shape: Sequence[int] = (), axes: Sequence[int], starts: Sequence[int],
            ends: Sequence[int], strides: Sequence[int] = (), infer_flags: Sequence[int] = (),
            decrease_axis: Sequence[int] = ()) -> Any:
    if any(tensors):
        raise NotImplementedError("ranges are given as tensors")
    like = _zeros(shape, x) if like is None else like
    attrs: dict[str, Any] = {"axes": list(axes), "starts": list(starts), "ends": list(ends),
                             "infer_flags": list(infer_flags) or [1] * len(axes), "decrease_axis": list(decrease_axis)}
    if any(stride != 1 for stride in strides):
        return _gradient("strided_slice", "Input", like, {"Input": like, "Out@GRAD": x}, strides=list(strides), **attrs)
    return _gradient("slice", "Input", like, {"Input": like, "Out@GRAD": x}, **attrs)


@_form("exclusive_cumprod", "X -> Out")
def _products_before(x: Any, *, axis: int) -> Any:
    first = full_like(slice_(x, [axis], [0], [1]), 1.0)
    return concat([first, slice_(apply(cumprod_op, x, dim=axis), [axis], [0], [-1])], axis=axis)


@_form("lookup_table_backward", "Ids, OutGrad -> WGrad")
def _looked_up(ids: Any, g: Any, *, shape: Sequence[int], padding_idx: int = -1, **_: Any) -> Any:
    table = _zeros(shape, g)
    return _gradient("lookup_table_v2", "W", table, {"W": table, "Ids": ids, "Out@GRAD": g}, padding_idx=padding_idx)


@_form("place_diagonal", "X, Like? -> Out")
def _diagonal(x: Any, like: Any, *, shape: Sequence[int] = (), offset: int = 0, axis1: int = 0,
              axis2: int = 1) -> Any:
    like = _zeros(shape, x) if like is None else like
    rows, columns = like.shape[axis1], like.shape[axis2]
    if -1 in (rows, columns):
        raise NotImplementedError("how long the diagonal is is not known")
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    if x.shape[-1] != length:  # one number for all of it, of `trace`
        x = apply(expand_op, x, None, None, shape=[*[-1] * (len(x.shape) - 1), length])
    return _gradient("diagonal", "Input", like, {"Input": like, "Out@GRAD": x}, offset=offset, axis1=axis1,
                     axis2=axis2)


@_form("unpad", "G -> XGrad")
def _unpadded(g: Any, *, paddings: Sequence[int]) -> Any:
    return _within(g, {n: (paddings[2 * n], paddings[2 * n + 1]) for n in range(len(g.shape))})


@_form("unpad3d", "G, Paddings? -> XGrad")
def _unpadded_volumes(g: Any, fed: Any, *, paddings: Sequence[int] = (), mode: str = "constant",
                      data_format: str = "NCDHW") -> Any:
    if fed is not None or mode != "constant":
        raise NotImplementedError("paddings are given as a tensor, or repeat what is inside")
    last = data_format.index("W")
    return _within(g, {last - n: (paddings[2 * n], paddings[2 * n + 1]) for n in range(3)})


def _within(g: Any, widths: dict[int, tuple[int, int]]) -> Any:
    """g without so many of the first and last along dimensions."""
    return slice_(g, list(widths), [before for before, _ in widths.values()],
                  [-after if after else END for _, after in widths.values()])


@_form("shift_along", "X -> Out")
def _shifted(x: Any, *, axis: int, distance: int) -> Any:
    ends = ([0], [-distance]) if distance > 0 else ([-distance], [END])
    gone = ([-distance], [END]) if distance > 0 else ([0], [-distance])
    kept, zeros = slice_(x, [axis], *ends), full_like(slice_(x, [axis], *gone), 0.0)
    return concat([zeros, kept] if distance > 0 else [kept, zeros], axis=axis)


@_form("linear_recurrence", "A, X -> Out")
def _recurrence(a: Any, x: Any, *, axis: int, reverse: bool = False) -> Any:
    """By doubling: after n turns an element has what 2^n before it give, and the factor that leads further back."""
    size, way = x.shape[axis], -1 if reverse else 1
    if size < 0:
        raise NotImplementedError("how many turns is not known")
    factor, distance = _shifted(x, axis=axis, distance=-1) if reverse and size > 1 else x, 1
    while distance < size:
        a = a + factor * _shifted(a, axis=axis, distance=way * distance)
        factor = factor * _shifted(factor, axis=axis, distance=way * distance)
        distance *= 2
    return a


@_form("index_add_along", "X, Index, Updates, Axis? -> Out")
def _added_along(x: Any, index: Any, updates: Any, fed: Any, *, axis: int = 0) -> Any:
    if fed is not None or len(index.shape) != 1:
        raise NotImplementedError("the axis is given as a tensor, or the places are not in a line")
    return apply(index_add_op, x, index, updates, axis=axis)


@_form("fold_tiles", "X, RepeatTimes?, repeat_times_tensor*? -> Out")
def _folded(g: Any, fed: Any, parts: Any, *, repeat_times: Sequence[int] = (), rank: int) -> Any:
    if fed is not None or parts or list(g.shape).count(-1) > 1:
        raise NotImplementedError("how often is given as a tensor, or several sizes are not known")
    times = [*[1] * (len(g.shape) - len(repeat_times)), *repeat_times]
    pairs = [n for size, count in zip(g.shape, times, strict=True) for n in (count, size // count if size > 0 else -1)]
    folded = total(reshape(g, pairs), list(range(0, len(pairs), 2)))
    return reshape(folded, list(folded.shape)[len(g.shape) - rank:])


@_form("interp_grad", "G, Like?, Scale? -> XGrad")
def _resized(g: Any, like: Any, fed: Any, *, size: Sequence[int] = (), data_layout: str = "NCHW",
             interp_method: str = "bilinear", **attrs: Any) -> Any:
    last = data_layout[-1] == "C"
    outer = list(g.shape)[1:-1] if last else list(g.shape)[2:]
    if fed is not None or -1 in outer:
        raise NotImplementedError("sizes are given as a tensor")
    if like is None:
        like = _zeros([g.shape[0], *size, g.shape[-1]] if last else [g.shape[0], g.shape[1], *size], g)
    sizes = dict(zip(("out_w", "out_h", "out_d"), reversed(outer), strict=False))
    return _gradient(f"{interp_method}_interp_v2", "X", like, {"X": like, "Out@GRAD": g}, data_layout=data_layout,
                     interp_method=interp_method, **sizes, **attrs)


# positions: of maxima, of samples, of boxes

@_form("take_positions", "X, Mask -> Out")
def _taken_at(x: Any, mask: Any) -> Any:
    _check_each_channel(mask, x)
    taken = take_along_axis(reshape(x, [0, 0, -1]), reshape(mask, [0, 0, -1]), 2)
    return reshape(taken, [0, 0, *list(mask.shape)[2:]])


@_form("put_positions", "G, Mask, Like? -> Out")
def _put_at(g: Any, mask: Any, like: Any, *, size: Sequence[int] = ()) -> Any:
    _check_each_channel(mask, g)
    sizes = list(size) if like is None else list(like.shape)[2:]
    into = _zeros([g.shape[0], g.shape[1], -1 if -1 in sizes else math.prod(sizes)], g)
    placed = put_along_axis(into, reshape(mask, [0, 0, -1]), reshape(g, [0, 0, -1]), 2, "add")
    return reshape(placed, [0, 0, *sizes])


def _check_each_channel(mask: Any, x: Any) -> None:
    if mask.shape[1] != x.shape[1] or list(mask.shape).count(-1) > 1:
        raise NotImplementedError("channels have the same positions, or sizes are not known")


@_form("spread_at_places", "G, X, Down, Along -> Out")
def _spread(g: Any, x: Any, down: Any, along: Any) -> Any:
    return _at_places(g, x, down, along)[0]


@_form("slopes_at_places", "G, X, Down, Along -> DownGrad, AlongGrad")
def _slopes_of_places(g: Any, x: Any, down: Any, along: Any) -> tuple[Any, Any]:
    grid = _at_places(g, x, down, along)[1]
    across, downwards = unstack(grid, -1, 2)
    return downwards * (2.0 / x.shape[2]), across * (2.0 / x.shape[3])


def _at_places(g: Any, x: Any, down: Any, along: Any) -> list[Any]:
    """The gradients of `grid_sample`, whose grid goes from -1 to 1 between the images' edges."""
    if len(down.shape) != 3 or -1 in list(x.shape)[2:]:
        raise NotImplementedError("the size of the images is not known, or places do not lie in a grid")
    grid = stack([along * (2.0 / x.shape[3]) + (1.0 / x.shape[3] - 1.0),
                  down * (2.0 / x.shape[2]) + (1.0 / x.shape[2] - 1.0)], -1)
    return _gradients("grid_sampler", {"X": x, "Grid": grid}, {"X": x, "Grid": grid, "Output@GRAD": g},
                      mode="bilinear", padding_mode="zeros", align_corners=False)


@_form("affine_grid_grad", "G -> ThetaGrad")
def _affine(g: Any, *, align_corners: bool = True) -> Any:
    rank = g.shape[-1]
    if -1 in list(g.shape):
        raise NotImplementedError("sizes are not known")
    return _gradient("affine_grid", "Theta", _zeros([g.shape[0], rank, rank + 1], g), {"Output@GRAD": g},
                     align_corners=align_corners, output_shape=[g.shape[0], 1, *list(g.shape)[1:-1]])


@_form("roi_align_back", "G, ROIs, RoisNum, Like? -> Out")
def _aligned(g: Any, boxes: Any, counts: Any, like: Any, *, size: Sequence[int] = (), **attrs: Any) -> Any:
    like = _zeros(size, g) if like is None else like
    return _gradient("roi_align", "X", like, {"X": like, "ROIs": boxes, "RoisNum": counts, "Out@GRAD": g},
                     pooled_height=g.shape[2], pooled_width=g.shape[3], **attrs)


@_form("roi_put", "G, Argmax, RoisNum, Like? -> Out")
def _pooled_from(g: Any, positions: Any, counts: Any, like: Any, *, size: Sequence[int] = ()) -> Any:
    like, boxes = _zeros(size, g) if like is None else like, _zeros([g.shape[0], 4], g)  # which are not read
    return _gradient("roi_pool", "X", like, {"X": like, "ROIs": boxes, "RoisNum": counts, "Argmax": positions,
                                             "Out@GRAD": g}, pooled_height=g.shape[2], pooled_width=g.shape[3])


@_form("mode_positions", "X -> Out")
def _most_frequent(x: Any, *, axis: int = -1) -> Any:
    if not x.shape:
        raise NotImplementedError("there is no dimension")
    block = current_trace().block
    shape = tuple(1 if n == axis % len(x.shape) else size for n, size in enumerate(x.shape))
    values, places = (block.new_var(None, shape, dtype, stop_gradient=True) for dtype in (x.dtype, dt.int64))
    block.append("mode", {"X": [x.name]}, {"Out": [values.name], "Indices": [places.name]},
                 {"axis": axis, "keepdim": True})
    return places


@_form("multiplex_grad", "X, Ids -> Out*")
def _to_sources(g: Any, ids: Any, *, count: int) -> list[Any]:
    chosen = reshape(ids, [-1, *[1] * (len(g.shape) - 1)])
    return [g * cast(equal(chosen, full_like(chosen, n)), g.dtype) for n in range(count)]


@_form("temporal_shift_back", "G -> Out")
def _shifted_back(g: Any, **attrs: Any) -> Any:
    return _gradient("temporal_shift", "X", g, {"Out@GRAD": g}, **attrs)


@_form("cofactors", "X -> Out")
def _cofactors(x: Any) -> Any:
    found = apply(determinant_op, x)
    return _gradient("determinant", "Input", x, {"Input": x, "Out": found, "Out@GRAD": full_like(found, 1.0)})


# matrices, spectra

@_form("over_gaps", "X, W -> Out")
def _over_gaps(x: Any, w: Any) -> Any:
    if dtype_of(x).is_complex or x.shape[-1] < 0:
        raise NotImplementedError("complex numbers are not compared, or the size of the matrices is not known")
    zero, one = full_like(x, 0.0), full_like(x, 1.0)
    apart = equal(eye(x.shape[-1], dtype=x.dtype), full([x.shape[-1]] * 2, 0.0, x.dtype))
    divided = logical_and(not_equal(x, zero), apart)
    gaps = apply(where_op, divided, one * (unsqueeze(w, -2) - unsqueeze(w, -1)), one)
    return apply(where_op, divided, x / gaps, zero)


@_form("scale_paired", "X, Whole? -> Out")
def _scaled_pairs(x: Any, whole: Any, *, axis: int, size: int, factor: float) -> Any:
    size, count = size if whole is None else whole.shape[axis], x.shape[axis]
    if -1 in (size, count):
        raise NotImplementedError("how long the spectrum is is not known")
    weights = [1.0, *[factor] * (count - 1)]
    if size % 2 == 0:
        weights[size // 2:] = [1.0] * (count - size // 2)
    shape = [count, *[1] * (len(x.shape) - 1 - axis % len(x.shape))]
    return x * cast(reshape(constant(np.array(weights, "float32")), shape), x.dtype)


# losses

@_form("warpctc_backward", "Logits, WarpCTCGrad, Label, LogitsLength, LabelLength, LossGrad -> LogitsGrad")
def _ctc(logits: Any, slope: Any, label: Any, steps: Any, lengths: Any, g: Any, *, blank: int = 0) -> Any:
    return _gradient("warpctc", "Logits", logits, {"Logits": logits, "WarpCTCGrad": slope, "LogitsLength": steps,
                                                   "Loss@GRAD": g}, blank=blank)


@_form("nll_loss_backward", "G, Label, Total, Weight?, Like? -> XGrad")
def _likelihood(g: Any, label: Any, counted: Any, weight: Any, like: Any, *, shape: Sequence[int] = (),
                **attrs: Any) -> Any:
    like = _zeros(shape, g) if like is None else like
    return _gradient("nll_loss", "X", like, {"X": like, "Label": label, "Weight": weight, "Total_weight": counted,
                                             "Out@GRAD": g}, **attrs)


@_form("sigmoid_cross_entropy_with_logits_grad", "X, Label, G -> Out")
def _logits(x: Any, label: Any, g: Any, *, ignore_index: int = -100) -> Any:
    return _gradient("sigmoid_cross_entropy_with_logits", "X", x, {"X": x, "Label": label, "Out@GRAD": g},
                     ignore_index=ignore_index)


@_form("cross_entropy_backward", "Logits, Softmax, Label, LossGrad -> LogitsGrad")
def _cross_entropy(logits: Any, softmax: Any, label: Any, g: Any, **attrs: Any) -> Any:
    return _gradient("softmax_with_cross_entropy", "Logits", logits,
                     {"Softmax": softmax, "Label": label, "Loss@GRAD": g}, **attrs)


@_form("bce_slope", "X, Label -> Out")
def _bce(x: Any, label: Any) -> Any:
    spread = x * (x * -1.0 + 1.0)
    return (x - label) / maximum(spread, full_like(spread, 1e-12))


@_form("huber_slope", "Residual, G -> Out")
def _huber(residual: Any, g: Any, *, delta: float = 1.0) -> Any:
    return g * minimum(maximum(residual, full_like(residual, -delta)), full_like(residual, delta))


@_form("log_positive", "X -> Out")
def _log_positive(x: Any) -> Any:
    one = full_like(x, 1.0)
    return log(apply(where_op, equal(x, full_like(x, 0.0)), one, x))


@_form("divide_or_zero", "X, Y -> Out")
def _divided(x: Any, y: Any) -> Any:
    zero = full_like(y, 0.0)
    safe = apply(where_op, equal(y, zero), full_like(y, 1.0), y)
    return x / safe * cast(not_equal(y, zero), x.dtype)
