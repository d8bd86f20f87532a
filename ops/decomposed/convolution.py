"""Convolutions and batch_norm with what was fused to them: a bias, a sum with another branch, an activation."""

from typing import Any

from ..array.concat_split import split
from ..array.reshape import reshape_op
from ..core.decomposition import decomposition
from ..core.operator import Operator
from ..core.trace import apply
from ..math.clip import clip
from ..math.elementwise import add_op
from ..nn.activation import relu
from ..nn.conv import (
    conv2d_op,
    conv2d_transpose_op,
    conv3d_op,
    conv3d_transpose_op,
    depthwise_conv2d_transpose_op,
)
from ..nn.norm import batch_norm_op
from .activations import finished, refuse_whole_numbers


def _biased(out: Any, bias: Any, data_format: str) -> Any:
    if bias is None:
        return out
    rank = len(out.shape)
    shape = [1] * (rank - 1) + [-1] if data_format.endswith("C") else [1, -1] + [1] * (rank - 2)
    return apply(add_op, out, apply(reshape_op, bias, None, None, shape=shape))


def _declare(of: Operator) -> None:
    type = f"{of.type}_fusion"

    @decomposition(type, "Input, Filter, Bias?, ResidualData? -> Output, Outputs*?")
    def _fused(x: Any, weight: Any, bias: Any, residual: Any, *, strides: Any = (1, 1), paddings: Any = (0, 0),
               padding_algorithm: str = "EXPLICIT", dilations: Any = (1, 1), groups: int = 1,
               data_format: str = "NCHW", output_padding: Any = (), output_size: Any = (), activation: str = "",
               split_channels: Any = (), fuse_activation: str = "", fuse_alpha: float | None = None,
               fuse_beta: float | None = None, fuse_relu: bool = False, fuse_brelu: bool = False,
               fuse_brelu_threshold: float = 6.0, fused_output_scale: float = 1.0,
               mkldnn_data_type: str = "") -> tuple:
        refuse_whole_numbers(type, mkldnn_data_type)
        layout = "NCHW" if data_format == "AnyLayout" else data_format
        own = {"output_padding": list(output_padding), "output_size": list(output_size)}
        more = {name: value for name, value in own.items() if name in of.attributes}
        out = apply(of, x, weight, *[None] * (len(of.inputs) - 2), strides=list(strides), paddings=list(paddings),
                    padding_algorithm=padding_algorithm, dilations=list(dilations), groups=groups, data_format=layout,
                    **more)
        out = _biased(out, bias, layout)
        out = out if residual is None else apply(add_op, out, residual)
        if fuse_relu or fuse_brelu:
            out, fuse_activation = relu(out) if fuse_relu else clip(out, 0.0, fuse_brelu_threshold), ""
        name = fuse_activation or activation
        out = finished(type, out, name, fuse_alpha or None, fuse_beta, fused_output_scale, [], [])
        return out, split(out, list(split_channels), axis=1) if split_channels else None


for _of in (conv2d_op, conv3d_op, conv2d_transpose_op, depthwise_conv2d_transpose_op, conv3d_transpose_op):
    _declare(_of)


@decomposition("fused_batch_norm", "X, Scale, Bias, Mean, Variance -> Y, MeanOut?, VarianceOut?, SavedMean?, "
               "SavedVariance?, ReserveSpace?")
def _batch_norm(x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *, epsilon: float = 1e-5,
                data_layout: str = "NCHW", fuse_with_relu: bool = False) -> tuple:
    layout = "NCHW" if data_layout == "AnyLayout" else data_layout
    out = apply(batch_norm_op, x, scale, bias, mean, variance, epsilon=epsilon, data_layout=layout, is_test=True)[0]
    return relu(out) if fuse_with_relu else out, mean, variance, None, None, None
