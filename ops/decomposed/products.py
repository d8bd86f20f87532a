"""Products of matrices with what was fused to them: fc, fused_matmul, fused_gemm_epilogue and others."""

from typing import Any

from ..array.reshape import reshape_op, transpose_op
from ..array.slices import slice_
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..linalg.matrix_product import matmul_op
from ..linalg.products import mul_op
from ..math.elementwise import add_op, scale_op, subtract_op
from ..math.unary import square
from ..nn.activation import relu
from ..nn.norm import layer_norm_op
from .activations import activated, finished, refuse_whole_numbers

_PADDING = 4  # rows and columns that PaddlePaddle adds to some weights, for the sake of caches


def affine(x: Any, weight: Any, bias: Any, dims: int) -> Any:
    """x, whose dimensions from `dims` on are the features, times a weight, plus a bias."""
    product = apply(mul_op, x, weight, x_num_col_dims=dims)
    if bias is None:
        return product
    return apply(add_op, product, apply(reshape_op, bias, None, None, shape=[-1]) if len(bias.shape) > 1 else bias)


@decomposition("fc", "Input, W, Bias?, ResidualData? -> Out")
def _fc(x: Any, weight: Any, bias: Any, residual: Any, *, in_num_col_dims: int = 1, activation_type: str = "",
        padding_weights: bool = False, fuse_activation: str = "", fuse_alpha: float | None = None,
        fuse_beta: float | None = None, fused_output_scale: float = 1.0, fused_reshape2_shape: Any = (),
        fused_unsqueeze2_axes: Any = (), mkldnn_data_type: str = "") -> Any:
    refuse_whole_numbers("fc", mkldnn_data_type)
    if padding_weights:
        weight = slice_(weight, [0, 1], [0, 0], [-_PADDING, -_PADDING])
    out = affine(x, weight, bias, in_num_col_dims)
    out = out if residual is None else apply(add_op, out, residual)
    out = activated("fc", out, activation_type)
    return finished("fc", out, fuse_activation, fuse_alpha, fuse_beta, fused_output_scale, fused_reshape2_shape,
                    fused_unsqueeze2_axes)


def _rearranged(x: Any, shape: Any, axes: Any) -> Any:
    x = apply(reshape_op, x, None, None, shape=list(shape)) if shape else x
    return apply(transpose_op, x, axis=list(axes)) if axes else x


@decomposition("fused_matmul", "X, Y, ResidualData? -> Out")
def _fused_matmul(x: Any, y: Any, residual: Any, *, trans_x: bool = False, trans_y: bool = False,
                  matmul_alpha: float = 1.0, fused_reshape_X: Any = (), fused_transpose_X: Any = (),
                  fused_reshape_Y: Any = (), fused_transpose_Y: Any = (), fused_reshape_Out: Any = (),
                  fused_transpose_Out: Any = (), fuse_activation: str = "", fuse_alpha: float | None = None,
                  fuse_beta: float | None = None, fused_output_scale: float = 1.0, mkldnn_data_type: str = "") -> Any:
    refuse_whole_numbers("fused_matmul", mkldnn_data_type)
    x = _rearranged(x, fused_reshape_X, fused_transpose_X)
    y = _rearranged(y, fused_reshape_Y, fused_transpose_Y)
    out = apply(matmul_op, x, y, trans_x=trans_x, trans_y=trans_y)
    out = out if matmul_alpha == 1.0 else apply(scale_op, out, scale=matmul_alpha)
    out = out if residual is None else apply(add_op, out, residual)
    out = finished("fused_matmul", out, fuse_activation, fuse_alpha, fuse_beta, fused_output_scale, [], [])
    out = _rearranged(out, [], fused_transpose_Out)
    return _rearranged(out, fused_reshape_Out, [])


@decomposition("fusion_repeated_fc_relu", "X, W*, Bias* -> ReluOut*?&, Out")
def _repeated_fc_relu(x: Any, weights: list, biases: list) -> tuple:
    for weight, bias in zip(weights, biases, strict=True):
        x = relu(affine(x, weight, bias, 1))
    return None, x


@decomposition("fusion_squared_mat_sub", "X, Y -> SquaredX?&, SquaredY?&, SquaredXY?&, Out")
def _squared_mat_sub(x: Any, y: Any, *, scalar: float = 1.0) -> tuple:
    apart = apply(subtract_op, square(apply(matmul_op, x, y)), apply(matmul_op, square(x), square(y)))
    return None, None, None, apply(scale_op, apart, scale=scalar)


@decomposition("fused_gemm_epilogue", "X, Y, Bias -> Out, ReserveSpace?")
def _gemm_epilogue(x: Any, y: Any, bias: Any, *, trans_x: bool = False, trans_y: bool = False,
                   activation: str = "none") -> tuple:
    out = apply(add_op, apply(matmul_op, x, y, trans_x=trans_x, trans_y=trans_y), bias)
    return activated("fused_gemm_epilogue", out, "" if activation == "none" else activation), None


@decomposition("fused_fc_elementwise_layernorm", "X, W, Y, Bias0?, Scale?, Bias1? -> Out, Mean?, Variance?")
def _fc_layer_norm(x: Any, weight: Any, y: Any, bias: Any, scale: Any, shift: Any, *, x_num_col_dims: int = 1,
                   activation_type: str = "", epsilon: float = 1e-5, begin_norm_axis: int = 1) -> tuple:
    out = activated("fused_fc_elementwise_layernorm", affine(x, weight, bias, x_num_col_dims), activation_type)
    return apply(layer_norm_op, apply(add_op, out, y), scale, shift, epsilon=epsilon, begin_norm_axis=begin_norm_axis)
