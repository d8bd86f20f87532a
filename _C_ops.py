"""`paddle._C_ops`: the functions below Paddle's Python code, which packages call too, arguments by place.

`_C_ops.matmul(x, y, False, True)` is `paddle.matmul(x, y, transpose_y=True)`, gradients included. A name that ends in
`_` is the form in place. Places are passed over. What is not here raises AttributeError: the public functions have it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .core.place import Place
from .ops.core.operator import find
from .ops.core.trace import apply

_root: Any = sys.modules[__name__.rpartition(".")[0]]

# Public functions that take the same arguments in the same order, but for places, by where they are.
_SAME = {
    "": """
        abs acos acosh add add_n addmm allclose angle as_complex as_real asin asinh atan atan2 atanh bernoulli bincount
        bitwise_and bitwise_not bitwise_or bitwise_xor bmm broadcast_tensors cast ceil cholesky clip complex concat conj
        cos cosh cross cumprod diag diag_embed diagonal digamma dist divide dot empty empty_like equal equal_all erf
        erfinv exp expand expm1 eye flatten flip floor floor_divide fmax fmin full full_like gather gather_nd
        greater_equal greater_than heaviside histogram i0 i0e i1 i1e imag increment index_add index_put index_sample
        index_select inverse is_empty isclose isfinite isinf isnan kron kthvalue less_equal less_than lerp lgamma
        linspace log log10 log1p log2 logical_and logical_not logical_or logical_xor logit masked_select matmul maximum
        meshgrid minimum mode multinomial multiplex multiply mv nextafter nonzero not_equal numel ones ones_like poisson
        polygamma pow put_along_axis randint randperm real reciprocal remainder renorm repeat_interleave reshape roll
        round rsqrt scale scatter scatter_nd_add searchsorted shape sign sin sinh sqrt square squeeze stack stanh
        strided_slice subtract take_along_axis tan tanh tile topk trace transpose tril tril_indices triu triu_indices
        trunc unbind unsqueeze unstack where zeros zeros_like""",
    "nn.functional": """
        bilinear celu channel_shuffle elu fold gather_tree gelu grid_sample gumbel_softmax hardshrink hardsigmoid
        hardswish hardtanh label_smooth leaky_relu log_loss log_softmax maxout nll_loss one_hot pixel_shuffle
        pixel_unshuffle relu relu6 selu sigmoid silu softmax softplus softshrink softsign swish temporal_shift
        thresholded_relu""",
    "linalg": "cholesky_solve det eigh eigvals lstsq matrix_power multi_dot qr slogdet solve svd triangular_solve",
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


def _set(target: Any, value: Any) -> Any:
    return target._rebind(value)


def _functional(name: str) -> Any:
    return getattr(_root.nn.functional, name)


_CONV = "strides paddings padding_algorithm dilations groups data_format"
_CONV_3D = "strides paddings padding_algorithm groups dilations data_format"
_CONV_BACK = "strides paddings output_padding output_size padding_algorithm groups dilations data_format"
_POOL = "ksize strides paddings ceil_mode exclusive data_format pooling_type global_pooling adaptive padding_algorithm"
_ADAM = "beta1 beta2 epsilon lazy_mode (min_rows) (multi_precision) (use_global_beta_pow)"
_ADAMW = "beta1 beta2 epsilon lr_ratio coeff with_decay lazy_mode (min_rows) (multi_precision) (use_global_beta_pow)"
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
