"""`paddle._C_ops`: the functions below Paddle's Python code, which packages call too, arguments by place.

`_C_ops.matmul(x, y, False, True)` is `paddle.matmul(x, y, transpose_y=True)`, gradients included. A name that ends in
`_` is the form in place. Places are passed over. A type of operator that has no function here is called as Paddle 2.0
to 2.3 did, with the names of attributes (`_legacy_C_ops`). What is neither raises AttributeError: the public functions
have it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .core.place import Place
from .ops.core.hints import without_hints
from .ops.core.operator import find, is_declared
from .ops.core.trace import apply

_root: Any = sys.modules[__name__.rpartition(".")[0]]

# Public functions that take the same arguments in the same order, but for places, by where they are.
_SAME = {
    "": """
        abs acos acosh add add_n addmm allclose angle as_complex as_real as_strided asin asinh atan atan2 atanh
        bernoulli bincount bitwise_and bitwise_not bitwise_or bitwise_xor bmm broadcast_tensors cast ceil cholesky
        clip complex concat conj cos cosh crop cross cummax cummin cumprod diag diag_embed diagonal digamma dist
        divide dot empty empty_like equal equal_all erf erfinv exp expand expm1 eye flatten flip floor floor_divide
        fmax fmin full full_like gather gather_nd greater_equal greater_than heaviside histogram i0 i0e i1 i1e imag
        increment index_add index_put index_sample index_select inverse is_empty isclose isfinite isinf isnan kron
        kthvalue lerp less_equal less_than lgamma linspace log log10 log1p log2 logical_and logical_not logical_or
        logical_xor logit logspace masked_select matmul maximum meshgrid minimum mode multinomial multiplex multiply
        mv nextafter nonzero not_equal numel ones ones_like poisson polygamma pow put_along_axis randint randperm real
        reciprocal remainder renorm repeat_interleave reshape roll round rsqrt scale scatter scatter_nd_add
        searchsorted shape shard_index sign sin sinh sqrt square squeeze stack stanh strided_slice subtract
        take_along_axis tan tanh tile topk trace transpose tril tril_indices triu triu_indices trunc unbind unsqueeze
        unstack where zeros zeros_like""",
    "nn.functional": """
        affine_grid bilinear celu channel_shuffle elu fold gather_tree gelu grid_sample gumbel_softmax hardshrink
        hardsigmoid hardswish hardtanh label_smooth leaky_relu log_loss log_softmax maxout nll_loss one_hot
        pixel_shuffle pixel_unshuffle relu relu6 selu sigmoid silu softmax softplus softshrink softsign swish
        temporal_shift thresholded_relu""",
    "linalg": "cholesky_solve det eigh eigvals lstsq matrix_power multi_dot qr slogdet solve svd triangular_solve eig",
    "signal": "frame overlap_add",
}
_OWNERS = {name: owner for owner, names in _SAME.items() for name in names.split()}
_RENAMED = {"logsigmoid": "log_sigmoid", "tanh_shrink": "tanhshrink"}  # of nn.functional


def _applied(type: str, slots: int, attributes: str) -> Callable[..., Any]:
    """The operator of a type: so many inputs, then these attributes; a name in brackets is passed over."""
    names = attributes.split()

    def called(*arguments: Any) -> Any:
        if len(arguments) > slots + len(names):
            raise TypeError(f"_C_ops: {type} takes {slots} inputs and the attributes {attributes}. Received "
                            f"{len(arguments)} arguments.")
        given = dict(zip(names, arguments[slots:], strict=False))
        return apply(find(type), *arguments[:slots], **{k: v for k, v in given.items() if not k.startswith("(")})

    return called


def _first(function: Callable[..., Any]) -> Callable[..., Any]:
    """The first of a function's results."""
    return lambda *arguments: function(*arguments)[0]


def _over(name: str) -> Callable[..., Any]:
    """A reduction, whose axes are all where none is given."""
    def called(x: Any, axis: Any = (), keepdim: bool = False, reduce_all: bool = False) -> Any:
        return getattr(_root, name)(x, None if reduce_all or _is_none(axis) else axis, keepdim=keepdim)

    return called


def _is_none(axis: Any) -> bool:
    return isinstance(axis, (list, tuple)) and not axis


def _sum(x: Any, axis: Any = (), dtype: Any = None, keepdim: bool = False) -> Any:
    return _root.sum(x, None if _is_none(axis) else axis, dtype, keepdim)


def _extreme(name: str) -> Callable[..., Any]:
    def called(x: Any, axis: Any, keepdims: bool = False, flatten: bool = False, dtype: Any = "int64") -> Any:
        return getattr(_root, name)(x, None if flatten else axis, keepdims, dtype)

    return called


def _argsort(x: Any, axis: int = -1, descending: bool = False) -> tuple[Any, Any]:
    places = _root.argsort(x, axis, descending)
    return _root.take_along_axis(x, places, axis), places


def _cumsum(x: Any, axis: Any = -1, flatten: bool = False, exclusive: bool = False, reverse: bool = False) -> Any:
    attributes = {"axis": int(axis), "flatten": flatten, "exclusive": exclusive, "reverse": reverse}
    return apply(find("cumsum"), x, **attributes)


def _slice(x: Any, axes: Any, starts: Any, ends: Any, infer_flags: Any = (), decrease_axis: Any = ()) -> Any:
    taken = _root.slice(x, axes, starts, ends)
    return _root.squeeze(taken, list(decrease_axis)) if decrease_axis else taken


def _distribute_fpn_proposals(rois: Any, counts: Any, *rest: Any) -> tuple:
    divided = _applied("distribute_fpn_proposals", 3, "min_level max_level refer_level refer_scale pixel_offset")
    return divided(rois, counts, [], *rest)[:3]


def _batch_norm(x: Any, mean: Any, variance: Any, scale: Any, bias: Any, is_test: bool, momentum: float, epsilon: float,
                data_layout: str, use_global_stats: bool, trainable_statistics: bool) -> tuple:
    results = apply(find("batch_norm"), x, scale, bias, mean, variance, None, is_test=is_test, momentum=momentum,
                    epsilon=epsilon, data_layout=data_layout, use_global_stats=use_global_stats,
                    trainable_statistics=trainable_statistics)
    return (*results, None)


def _adam(type: str, attributes: str) -> Callable[..., Any]:
    """adam_ and adamw_: a parameter is updated, or its float32 copy, and then rounded into it."""
    names = attributes.split()

    def called(param: Any, grad: Any, rate: Any, m: Any, v: Any, power1: Any, power2: Any, master: Any = None,
               skip: Any = None, *rest: Any) -> Any:
        if skip is not None and bool(skip):
            return param, m, v, power1, power2, master
        given = {k: v for k, v in zip(names, rest, strict=False) if not k.startswith("(")}
        others = rate, m, v, power1, power2
        return _updated(type, param, grad, master, others, given, lambda p, g, rest: (p, g, *rest))

    return called


def _sgd(param: Any, rate: Any, grad: Any, master: Any = None, multi_precision: bool = False) -> Any:
    return _updated("sgd", param, grad, master, (rate,), {}, lambda p, g, rest: (p, *rest, g))


def _momentum(param: Any, grad: Any, velocity: Any, rate: Any, master: Any = None, *rest: Any) -> Any:
    names = ("mu", "use_nesterov", "regularization_method", "regularization_coeff", "(multi_precision)", "rescale_grad")
    given = {k: v for k, v in zip(names, rest, strict=False) if not k.startswith("(")}
    return _updated("momentum", param, grad, master, (velocity, rate), given, lambda p, g, rest: (p, g, *rest))


def _updated(type: str, param: Any, grad: Any, master: Any, others: tuple, attributes: dict[str, Any],
             inputs: Callable[..., tuple]) -> Any:
    with _root.no_grad():
        target = param if master is None else master
        gradient = grad if grad.dtype is target.dtype else grad.astype(target.dtype)
        apply(find(type), *inputs(target, gradient, others), **attributes)
        if master is not None:
            param.set_value(master.astype(param.dtype))
    return (param, *others, master)


def _gaussian(shape: Any, mean: float, std: float, seed: int, dtype: Any, place: Any = None) -> Any:
    drawn = {"shape": list(shape), "mean": float(mean), "std": float(std), "seed": seed, "dtype": dtype}
    return apply(find("gaussian_random"), None, None, **drawn)


def _size(size: Any) -> Any:
    """How many rows a result has, a number or a list of one; 0 says nothing."""
    if isinstance(size, (list, tuple)):
        size = size[0] if size else None
    return None if size is None or (isinstance(size, int) and size <= 0) else size


def _set(target: Any, value: Any) -> Any:
    return target._rebind(value)


def _functional(name: str) -> Any:
    return getattr(_root.nn.functional, name)


def _fill_diagonal(x: Any, value: float = 0.0, offset: int = 0, wrap: bool = False) -> Any:
    return x.clone().fill_diagonal_(value, offset, wrap)


def _fill_diagonal_tensor(x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return x.fill_diagonal_tensor(y, offset, dim1, dim2)


def _rule(type: str, order: str, attributes: str) -> Callable[..., Any]:
    """The update of a rule whose arguments stand in this order, then the float32 copy, then the attributes.

    `order` names the operator's inputs, of which LearningRate, Param and Grad are not given back.
    """
    slots, names = order.split(), attributes.split()

    def called(*arguments: Any) -> Any:
        given = dict(zip(slots, arguments, strict=False))
        rest = arguments[len(slots):]
        master = rest[0] if rest else None
        values = {k: v for k, v in zip(names, rest[1:], strict=False) if not k.startswith("(")}
        others = [given[slot.name] for slot in find(type).inputs if slot.name not in ("Param", "Grad")]
        is_param = [slot.name for slot in find(type).inputs]

        def inputs(p: Any, g: Any, rest: tuple) -> tuple:
            left = iter(rest)
            return tuple(p if name == "Param" else g if name == "Grad" else next(left) for name in is_param)

        return _updated(type, given["Param"], given["Grad"], master, tuple(others), values, inputs)

    return called


_CONV = "strides paddings padding_algorithm dilations groups data_format"
_CONV_3D = "strides paddings padding_algorithm groups dilations data_format"
_CONV_BACK = "strides paddings output_padding output_size padding_algorithm groups dilations data_format"
_POOL = "ksize strides paddings ceil_mode exclusive data_format pooling_type global_pooling adaptive padding_algorithm"
_ADAM = "beta1 beta2 epsilon lazy_mode (min_rows) (multi_precision) (use_global_beta_pow)"
_ADAMW = "beta1 beta2 epsilon lr_ratio coeff with_decay lazy_mode (min_rows) (multi_precision) (use_global_beta_pow)"
def _rnn(x: Any, states: Any, weights: Any, lengths: Any, dropout_state: Any, *rest: Any) -> tuple[Any, ...]:
    """A recurrent network: its result, what was dropped, the last states.

    Called as Paddle 2.0 to 2.3 did, with the number of states and then names of attributes and their values, it gives
    what was dropped, what is kept for gradients, its result, the last states.
    """
    older = len(rest) > 1 and isinstance(rest[1], str)
    names, values = (rest[1::2], rest[2::2]) if older else (_OF_RNN, rest)
    attributes = without_hints(find("rnn"), dict(zip(names, values, strict=False)), "_C_ops.rnn")
    out, state, reserve, dropped = apply(find("rnn"), x, states, weights, lengths, **attributes)
    return (dropped, reserve, out, state) if older else (out, dropped, state)


_OF_RNN = ("dropout_prob", "is_bidirec", "input_size", "hidden_size", "num_layers", "mode", "seed", "is_test")
_DIFFERENT: dict[str, Callable[..., Any]] = {
    **{name: _over(name) for name in ("all", "any", "amax", "amin", "max", "min", "mean", "prod", "logsumexp")},
    "sum": _sum, "argmax": _extreme("argmax"), "argmin": _extreme("argmin"), "argsort": _argsort, "cumsum": _cumsum,
    "assign": lambda x: _root.assign(x),
    "split": lambda x, sections, axis: _root.split(x, list(sections), axis),
    "split_with_num": lambda x, num, axis: _root.split(x, num, axis),
    "expand_as": lambda x, y, target_shape=(): _root.expand(x, y.shape if y is not None else list(target_shape)),
    "slice": _slice, "reverse": lambda x, axis: _root.flip(x, axis),
    "arange": lambda start, end, step, dtype, place=None: _root.arange(start, end, step, dtype),
    "gaussian": _gaussian,
    "uniform": lambda shape, dtype, low, high, seed, place=None: _root.uniform(shape, dtype, low, high, seed),
    "einsum": lambda x, equation: (_root.einsum(equation, *x), [], []),
    "p_norm": _applied("p_norm", 1, "porder axis epsilon keepdim asvector"),
    "frobenius_norm": _applied("frobenius_norm", 1, "dim keep_dim reduce_all"),
    "squared_l2_norm": _applied("squared_l2_norm", 1, ""),
    "embedding": lambda x, weight, padding_idx=-1, sparse=False: apply(
        find("lookup_table_v2"), x, weight, padding_idx=padding_idx, is_sparse=sparse),
    "layer_norm": _first(_applied("layer_norm", 3, "epsilon begin_norm_axis")),
    "group_norm": _first(_applied("group_norm", 3, "epsilon groups data_layout")),
    "instance_norm": _first(_applied("instance_norm", 3, "epsilon")), "batch_norm": _batch_norm,
    "conv2d": _applied("conv2d", 2, _CONV), "conv3d": _applied("conv3d", 2, _CONV_3D),
    "depthwise_conv2d": _applied("depthwise_conv2d", 2, _CONV_3D),
    "conv2d_transpose": lambda x, filter, *rest: _applied("conv2d_transpose", 3, _CONV_BACK)(x, filter, None, *rest),
    "pool2d": _applied("pool2d", 1, _POOL), "pool3d": _applied("pool3d", 1, _POOL),
    "dropout": _applied("dropout", 2, "dropout_prob is_test dropout_implementation seed fix_seed"),
    "prelu": lambda x, alpha, data_format="NCHW", mode="all": _functional("prelu")(x, alpha, data_format),
    "mish": lambda x, threshold=20.0: _functional("mish")(x),
    "pad": _applied("pad", 1, "paddings pad_value"),
    "pad3d": lambda x, *rest: _applied("pad3d", 2, "paddings mode value data_format")(x, None, *rest),
    "norm": lambda x, axis, epsilon, is_test=False: _applied("norm", 1, "axis epsilon")(x, axis, epsilon)[::-1],
    "cross_entropy_with_softmax": _applied(
        "softmax_with_cross_entropy", 2, "soft_label use_softmax numeric_stable_mode ignore_index axis"),
    "bce_loss": _applied("bce_loss", 2, ""), "kldiv_loss": _applied("kldiv_loss", 2, "reduction"),
    "huber_loss": _first(_applied("huber_loss", 2, "delta")),
    "nll_loss": _applied("nll_loss", 3, "ignore_index reduction"),
    "sigmoid_cross_entropy_with_logits": _applied("sigmoid_cross_entropy_with_logits", 3, "normalize ignore_index"),
    "accuracy": _applied("accuracy", 3, ""),
    "unique": _applied("unique", 1, "return_index return_inverse return_counts axis dtype"),
    "full_": lambda output, shape, value, dtype=None, place=None: _set(output, _root.full(shape, value, output.dtype)),
    "assign_out_": lambda x, output: _set(output, _root.assign(x)),
    "uniform_inplace_": lambda x, low, high, seed=0, *_: x.uniform_(low, high, seed),
    "gaussian_inplace_": lambda x, mean=0.0, std=1.0, seed=0: _set(
        x, _gaussian(x.shape, mean, std, seed, x.dtype)),
    "clip_by_norm": _applied("clip_by_norm", 1, "max_norm"), "elementwise_pow": lambda x, y: _root.pow(x, y),
    "eigvalsh": _applied("eigvalsh", 1, "UPLO is_test"), "mean_all": lambda x: _root.mean(x),
    "logcumsumexp": lambda x, axis=-1, flatten=False, exclusive=False, reverse=False: _applied(
        "logcumsumexp", 1, "axis flatten exclusive reverse")(
            x, *(n if isinstance(n, bool) else int(n) for n in (axis, flatten, exclusive, reverse))),
    "lu": _applied("lu", 1, "pivots"), "lu_unpack": _applied("lu_unpack", 2, "unpack_ludata unpack_pivots"),
    "matrix_rank": lambda x, tol, use_default_tol=True, hermitian=False: _applied(
        "matrix_rank", 2, "tol use_default_tol hermitian")(x, None, tol, use_default_tol, hermitian),
    "fft_c2c": _applied("fft_c2c", 1, "axes normalization forward"),
    "fft_r2c": _applied("fft_r2c", 1, "axes normalization forward onesided"),
    "fft_c2r": _applied("fft_c2r", 1, "axes normalization forward last_dim_size"),
    "fill": lambda x, value: _root.full_like(x, value), "fill_diagonal": _fill_diagonal,
    "fill_diagonal_tensor": _fill_diagonal_tensor,
    "full_int_array": lambda value, dtype=None, place=None: _root.to_tensor(list(value), dtype or "int64"),
    "full_with_tensor": lambda shape, value, dtype=None: _root.full(shape, value, dtype),
    "repeat_interleave_with_tensor_index": lambda x, repeats, axis: _root.repeat_interleave(x, repeats, axis),
    "view_shape": lambda x, shape: _root.view(x, list(shape)), "view_dtype": lambda x, dtype: _root.view(x, dtype),
    "tensor_unfold": lambda x, axis, size, step: _root.unfold(x, axis, size, step),
    "unfold": _applied("unfold", 1, "kernel_sizes strides paddings dilations"),
    "linear": lambda x, weight, bias=None: _functional("linear")(x, weight, bias),
    "unique_consecutive": _applied("unique_consecutive", 1, "return_inverse return_counts axis dtype"),
    "conv3d_transpose": _applied("conv3d_transpose", 2, _CONV_BACK),
    "max_pool2d_with_index": _applied("max_pool2d_with_index", 1, "ksize strides paddings global_pooling adaptive"),
    "max_pool3d_with_index": _applied("max_pool3d_with_index", 1, "ksize strides paddings global_pooling adaptive"),
    "unpool": lambda x, places, *rest: _applied("unpool", 2, "unpooling_type ksize strides paddings output_size "
                                                "data_format")(x, places, "max", *rest),
    "rrelu": _first(_applied("rrelu", 1, "lower upper is_test")),
    "spectral_norm": _applied("spectral_norm", 3, "dim power_iters eps"),
    "deformable_conv": lambda x, offset, filter, mask=None, stride=1, padding=0, dilation=1, deformable_groups=1,
    groups=1, step=1: _root.vision.ops.deform_conv2d(
        x, offset, filter, None, stride, padding, dilation, deformable_groups, groups, mask),
    "segment_pool": _first(_applied("segment_pool", 2, "pooltype")),
    "send_u_recv": lambda x, src, dst, op="SUM", size=None: _root.geometric.send_u_recv(
        x, src, dst, op.lower(), _size(size)),
    "send_ue_recv": lambda x, y, src, dst, message="ADD", op="SUM", size=None: _root.geometric.send_ue_recv(
        x, y, src, dst, message.lower(), op.lower(), _size(size)),
    "send_uv": lambda x, y, src, dst, message="ADD": _root.geometric.send_uv(x, y, src, dst, message.lower()),
    "nms": lambda boxes, threshold: _root.vision.ops.nms(boxes, threshold),
    "roi_align": lambda x, boxes, count=None, *rest: _applied(
        "roi_align", 4, "pooled_height pooled_width spatial_scale sampling_ratio aligned")(x, boxes, count, [], *rest),
    "roi_pool": lambda x, boxes, count=None, *rest: _first(_applied(
        "roi_pool", 4, "pooled_height pooled_width spatial_scale"))(x, boxes, count, [], *rest),
    "psroi_pool": lambda x, boxes, count, *rest: _applied(
        "psroi_pool", 4, "pooled_height pooled_width output_channels spatial_scale")(x, boxes, count, [], *rest),
    "yolo_box": _applied("yolo_box", 2, "anchors class_num conf_thresh downsample_ratio clip_bbox scale_x_y iou_aware "
                         "iou_aware_factor"),
    "matrix_nms": lambda boxes, scores, *rest: _applied(
        "matrix_nms", 2, "score_threshold nms_top_k keep_top_k post_threshold use_gaussian gaussian_sigma "
        "background_label normalized")(boxes, scores, *rest)[:3],
    "box_coder": _applied("box_coder", 3, "code_type box_normalized axis variance"),
    "distribute_fpn_proposals": _distribute_fpn_proposals,
    "prior_box": _applied("prior_box", 2, "min_sizes max_sizes aspect_ratios variances flip clip step_w step_h offset "
                          "min_max_aspect_ratios_order"),
    "multiclass_nms3": _applied("multiclass_nms3", 3, "score_threshold nms_top_k keep_top_k nms_threshold normalized "
                                "nms_eta background_label"),
    "rnn": _rnn,
    "viterbi_decode": _applied("viterbi_decode", 3, "include_bos_eos_tag"),
    "warpctc": lambda x, label, lengths=None, labels=None, blank=0, norm_by_times=False: _applied(
        "warpctc", 6, "blank norm_by_times")(x, label, lengths, labels, [], [], blank, norm_by_times)[0],
    "warprnnt": _first(_applied("warprnnt", 4, "blank fastemit_lambda")),
    "rmsprop_": _rule("rmsprop", "Param MeanSquare Grad Moment LearningRate MeanGrad",
                      "epsilon decay momentum centered"),
    "adagrad_": _rule("adagrad", "Param Grad Moment LearningRate", "epsilon"),
    "adamax_": _rule("adamax", "Param Grad LearningRate Moment InfNorm Beta1Pow", "beta1 beta2 epsilon"),
    "adadelta_": _rule("adadelta", "Param Grad AvgSquaredGrad AvgSquaredUpdate LearningRate", "rho epsilon"),
    "sgd_": _sgd, "momentum_": _momentum, "adam_": _adam("adam", _ADAM), "adamw_": _adam("adamw", _ADAMW),
    "check_finite_and_unscale_": _applied("check_finite_and_unscale", 2, ""),
    "update_loss_scaling_": _applied(
        "update_loss_scaling", 5, "incr_every_n_steps decr_every_n_nan_or_inf incr_ratio decr_ratio stop_update"),
}


def __getattr__(name: str) -> Any:
    found = _found(name)
    if found is None and name.endswith("_") and not name.startswith("_"):
        plain = _found(name[:-1])
        found = None if plain is None else functools.partial(_in_place, plain)
    if found is None and not name.startswith("__") and is_declared(name):
        found = getattr(_root._legacy_C_ops, name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}. Call the public function that does the "
                             "same, or an operator by its type: _legacy_C_ops.")
    return found


def _found(name: str) -> Callable[..., Any] | None:
    if name in _DIFFERENT:
        return _DIFFERENT[name]
    if name in _RENAMED:
        return functools.partial(_without_places, _functional(_RENAMED[name]))
    owner = _OWNERS.get(name)
    if owner is None:
        return None
    return functools.partial(_without_places, getattr(functools.reduce(getattr, owner.split("."), _root)
                                                      if owner else _root, name))


def _without_places(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*(argument for argument in arguments if not isinstance(argument, Place)))


def _in_place(function: Callable[..., Any], x: Any, *arguments: Any) -> Any:
    return x._rebind(function(x, *arguments))
