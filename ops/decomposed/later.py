"""Operators that PaddlePaddle has since version 3 and that are several here: swiglu, median, fused norms and more."""

from typing import Any

from ..array.concat_split import split
from ..array.gradient_shapes import sum_to
from ..array.reshape import shape_handle, transpose
from ..array.sorting import kthvalue
from ..array.where import masked_fill, where
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..linalg.lu import lu_unpack
from ..linalg.matrix_product import matmul
from ..linalg.qr_svd import svd
from ..linalg.triangular import triangular_solve
from ..math.casting import cast, dtype_of
from ..math.elementwise import add, divide, floor_divide, multiply, pow, scale
from ..math.numbers import conj
from ..math.reduce import mean
from ..math.statistics import median
from ..math.unary import abs as magnitude
from ..math.unary import rsqrt, square, trunc
from ..nn.activation import sigmoid
from ..nn.attention import attention_op
from ..nn.norm import layer_norm_op


@decomposition("baddbmm", "input, x, y -> out")
def _baddbmm(base: Any, x: Any, y: Any, *, beta: float = 1.0, alpha: float = 1.0) -> Any:
    return add(scale(base, beta), scale(matmul(x, y), alpha))


@decomposition("copysign", "x, y -> out")
def _copysign(x: Any, y: Any) -> Any:
    size = magnitude(x)
    return where(y < 0, scale(size, -1.0), size)


def _power_of_2(y: Any) -> Any:
    return pow(y.full_like(2), y)


@decomposition("bitwise_left_shift", "x, y -> out")
def _left_shift(x: Any, y: Any) -> Any:
    return multiply(x, _power_of_2(y))


@decomposition("bitwise_right_shift", "x, y -> out")
def _right_shift(x: Any, y: Any, *, is_arithmetic: bool = True) -> Any:
    if not is_arithmetic and dtype_of(x).name != "uint8":
        raise NotImplementedError("bitwise_right_shift: of numbers with a sign only the arithmetic shift is known.")
    return floor_divide(x, _power_of_2(y))


@decomposition("trunc_divide", "x, y -> out")
def _trunc_divide(x: Any, y: Any) -> Any:
    if dtype_of(x).is_floating:
        return trunc(divide(x, y))
    return cast(trunc(divide(cast(x, "float64"), cast(y, "float64"))), dtype_of(x))


@decomposition("lu_solve", "b, lu, pivots -> out")
def _lu_solve(b: Any, lu: Any, pivots: Any, *, trans: str = "N") -> Any:
    """The solution of A x = b, or of A's transpose or adjoint, where lu and pivots are what A was taken apart into."""
    order, lower, upper = lu_unpack(lu, pivots)
    if trans == "N":
        return triangular_solve(upper, triangular_solve(lower, matmul(order, b, transpose_x=True), upper=False))
    if trans == "C" and dtype_of(lu).is_complex:
        lower, upper = conj(lower), conj(upper)
    half = triangular_solve(upper, b, transpose=True)
    return matmul(order, triangular_solve(lower, half, upper=False, transpose=True))


@decomposition("masked_fill", "x, mask, value -> out")
def _masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return masked_fill(x, mask, value)


@decomposition("median", "x -> out, medianindex?")
def _median(x: Any, *, axis: Any = (), keepdim: bool = False, mode: str = "avg") -> tuple:
    """The mean of the two in the middle, or (mode "min") the smaller one of them."""
    axes = list(axis)
    if mode == "avg":
        return median(x, axes[0] if len(axes) == 1 else axes or None, keepdim), None
    if len(axes) != 1 or x.shape[axes[0]] < 1:
        raise NotImplementedError("median: with mode='min' it takes one axis here, of a known size.")
    return kthvalue(x, (x.shape[axes[0]] + 1) // 2, axes[0], keepdim)


@decomposition("reduce_as", "x, target -> out")
def _reduce_as(x: Any, target: Any) -> Any:
    return sum_to(x, shape_handle(target))


@decomposition("svdvals", "x -> s")
def _svdvals(x: Any) -> Any:
    return svd(x)[1]


@decomposition("swiglu", "x, y? -> out")
def _swiglu(x: Any, y: Any) -> Any:
    if y is None:
        x, y = split(x, 2, axis=-1)
    return multiply(multiply(x, sigmoid(x)), y)


def _with_residual(what: str, x: Any, bias: Any, residual: Any, alpha: float, quant_scale: float) -> Any:
    if quant_scale > 0:
        raise NotImplementedError(f"{what}: it gives whole numbers by a scale of {quant_scale}, which is not known "
                                  "here. Save the model before it is quantized.")
    x = x if bias is None else add(x, bias)
    return x if residual is None else add(x, residual if alpha == 1.0 else scale(residual, alpha))


@decomposition("fused_bias_residual_layernorm",
               "x, bias?, residual?, norm_weight?, norm_bias? -> out, residual_out?, mean?, variance?")
def _residual_layer_norm(x: Any, bias: Any, residual: Any, weight: Any, shift: Any, *, epsilon: float = 1e-5,
                         residual_alpha: float = 1.0, begin_norm_axis: int = 1, quant_scale: float = -1.0) -> tuple:
    total = _with_residual("fused_bias_residual_layernorm", x, bias, residual, residual_alpha, quant_scale)
    if weight is None:
        return total, total, None, None
    out, middle, variance = apply(layer_norm_op, total, weight, shift, epsilon=epsilon, begin_norm_axis=begin_norm_axis)
    return out, None if residual is None else total, middle, variance


@decomposition("rms_norm", "x, bias?, residual?, norm_weight, norm_bias? -> out, residual_out?, inv_var?")
def _rms_norm(x: Any, bias: Any, residual: Any, weight: Any, shift: Any, *, epsilon: float = 1e-6,
              begin_norm_axis: int = 1, quant_scale: float = -1.0) -> tuple:
    """x over the root of the mean of its squares from a dimension on (Zhang and Sennrich, 2019)."""
    total = _with_residual("rms_norm", x, bias, residual, 1.0, quant_scale)
    axes = list(range(begin_norm_axis, len(x.shape)))
    inverse = rsqrt(scale(mean(square(total), axes, keepdim=True), 1.0, epsilon))
    out = multiply(multiply(total, inverse), weight)
    return (out if shift is None else add(out, shift)), None if residual is None else total, None


@decomposition("flash_attn", "q, k, v, fixed_seed_offset?, attn_mask? -> out, softmax?, softmax_lse?, seed_offset?")
def _flash_attention(q: Any, k: Any, v: Any, seed: Any, mask: Any, *, dropout: float = 0.0, causal: bool = False,
                     is_test: bool = False) -> tuple:
    if dropout and not is_test:
        raise NotImplementedError("flash_attn: a file that drops at random, as in training, is not taken apart. Save "
                                  "the model in evaluation mode.")
    heads = [transpose(each, [0, 2, 1, 3]) for each in (q, k, v)]
    mixed = apply(attention_op, *heads, mask, scale=float(q.shape[-1]) ** -0.5, causal=causal)[0]
    return transpose(mixed, [0, 2, 1, 3]), None, None, None
