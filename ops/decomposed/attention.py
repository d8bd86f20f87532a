"""Fused parts of Transformers: embeddings with their norm, sums with their norm, attention with its projections."""

from typing import Any

from ..array.reshape import reshape_op, squeeze_op, transpose_op
from ..array.slices import slice_
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..linalg.matrix_product import matmul_op
from ..math.add_n import add_n
from ..math.elementwise import add_op, scale_op
from ..nn.embedding import lookup_op
from ..nn.norm import layer_norm_op
from ..nn.softmax import softmax


@decomposition("skip_layernorm", "X, Y, Scale, Bias -> Out")
def _skip_layer_norm(x: Any, y: Any, scale: Any, bias: Any, *, epsilon: float = 1e-5, begin_norm_axis: int = 2) -> Any:
    return apply(layer_norm_op, apply(add_op, x, y), scale, bias, epsilon=epsilon, begin_norm_axis=begin_norm_axis)[0]


@decomposition("fused_embedding_eltwise_layernorm", "Ids*, Embs*, Bias, Scale -> Out")
def _embedding_layer_norm(ids: list, tables: list, bias: Any, scale: Any, *, epsilon: float = 1e-5) -> Any:
    flat = [apply(squeeze_op, each, axes=[2]) if len(each.shape) == 3 else each for each in ids]
    total = add_n([apply(lookup_op, each, table) for each, table in zip(flat, tables, strict=True)])
    return apply(layer_norm_op, total, scale, bias, epsilon=epsilon, begin_norm_axis=2)[0]


def _part(x: Any, axis: int, index: int) -> Any:
    return apply(squeeze_op, slice_(x, [axis], [index], [index + 1]), axes=[axis])


def _attended(heads: list[Any], mask: Any, alpha: float) -> Any:
    """Attention of queries, keys and values [batch, heads, length, features]: [batch, length, heads, features]."""
    query, key, value = heads
    scores = apply(scale_op, apply(matmul_op, query, key, trans_y=True), scale=alpha)
    scores = scores if mask is None else apply(add_op, scores, mask)
    return apply(transpose_op, apply(matmul_op, softmax(scores), value), axis=[0, 2, 1, 3])


@decomposition("multihead_matmul", "Input, W, Bias, BiasQK? -> Out")
def _multihead(x: Any, weight: Any, bias: Any, mask: Any, *, head_number: int = 1, alpha: float = 1.0) -> Any:
    features = weight.shape[0]
    weight = apply(reshape_op, weight, None, None, shape=[features, 3, -1])
    bias = apply(reshape_op, bias, None, None, shape=[3, -1])
    heads: list[Any] = []
    for index in range(3):  # query, key, value
        projected = apply(add_op, apply(matmul_op, x, _part(weight, 1, index)), _part(bias, 0, index))
        apart = apply(reshape_op, projected, None, None, shape=[0, 0, head_number, -1])
        heads.append(apply(transpose_op, apart, axis=[0, 2, 1, 3]))
    return apply(reshape_op, _attended(heads, mask, alpha), None, None, shape=[0, 0, -1])


@decomposition("self_dp_attention", "X -> Out")
def _self_attention(x: Any, *, alpha: float = 1.0, head_number: int = 1) -> Any:
    """Of projections [batch, length, 3, heads, features]."""
    apart = apply(transpose_op, x, axis=[2, 0, 3, 1, 4])
    return _attended([_part(apart, 0, index) for index in range(3)], None, alpha)


@decomposition("fused_bias_dropout_residual_layer_norm",
               "X, Residual, Bias?, LnScale?, LnBias? -> Y, BiasDropoutResidualOut?&, DropoutMaskOut?&, LnMean?&, "
               "LnVariance?&")
def _residual_layer_norm(x: Any, residual: Any, bias: Any, scale: Any, shift: Any, *, dropout_rate: float = 0.5,
                         is_test: bool = False, dropout_implementation: str = "downgrade_in_infer",
                         ln_epsilon: float = 1e-5) -> tuple:
    if not is_test and dropout_rate:
        raise NotImplementedError("fused_bias_dropout_residual_layer_norm: a file that drops at random, as training "
                                  "does, is not taken apart. Save the model in evaluation mode.")
    x = x if bias is None else apply(add_op, x, bias)
    kept = 1.0 - dropout_rate if dropout_implementation == "downgrade_in_infer" else 1.0
    total = apply(add_op, residual, x if kept == 1.0 else apply(scale_op, x, scale=kept))
    return (apply(layer_norm_op, total, scale, shift, epsilon=ln_epsilon, begin_norm_axis=len(x.shape) - 1)[0],
            *[None] * 4)
