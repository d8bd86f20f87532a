"""Which operators mixed precision computes in 16 bits, which in float32: PaddlePaddle 2.6.2's lists, by Paddle's names.

What stands on neither list takes the dtype of its inputs, float32 where one of them is.
"""

from __future__ import annotations

WHITE = frozenset("""
    conv2d einsum fused_gemm_epilogue matmul matmul_v2 max_pool2d_with_index mul
""".split())
"""Worth it and safe: matrix products and convolutions."""

WHITE_FLOAT16 = WHITE | frozenset("""
    fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max fused_attention fused_feedforward
""".split())

UNSAFE = frozenset("""
    acos asin atanh cosh erfinv exp expm1 log log10 log2 pow reciprocal rsqrt sinh square tan tanh_shrink
    cumprod cumsum dist frobenius_norm mean pnorm reduce_mean reduce_prod reduce_sum renorm
    group_norm layer_norm log_softmax softmax softmin softplus
    c_softmax_with_cross_entropy cross_entropy cross_entropy2 hsigmoid_loss huber_loss log_loss margin_cross_entropy
    nll_loss sigmoid_cross_entropy_with_logits softmax_with_cross_entropy triplet_margin_loss
""".split())
"""Where 16 bits lose too much: sums, exponentials, losses."""

SLOWER = frozenset("""
    bicubic_interp_v2 bilinear_interp_v2 linear_interp_v2 nearest_interp_v2 trilinear_interp_v2
    lookup_table lookup_table_v2 scatter
""".split())
"""Whose gradients are slower in 16 bits than in 32."""

NORMS = frozenset({"batch_norm", "group_norm", "instance_norm", "layer_norm", "sync_batch_norm"})
"""Whose dtype is that of what they normalize: scale, bias and statistics stay in float32."""

UNTOUCHED = frozenset("""
    cast assign assign_value increment share_data check_finite_and_unscale update_loss_scaling
    conditional_block select_gradient select_input while
    adam adam_rows adamw adamw_rows merged_adam merged_adamw merged_momentum merged_sgd momentum momentum_rows sgd
    sgd_rows
""".split())
"""Which change no dtype for the sake of speed."""


def white_list(dtype: str = "float16", level: str = "O1") -> frozenset[str]:
    """The operators that a level computes in 16 bits."""
    return WHITE_FLOAT16 if dtype == "float16" else WHITE


def black_list(dtype: str = "float16", level: str = "O1") -> frozenset[str]:
    """The operators that a level computes in float32."""
    return {"O1": UNSAFE | SLOWER, "O2": SLOWER}.get(level, frozenset())
