"""The operators that PaddlePaddle 2.6.2 has not, or cannot run: a file that holds one is proa's alone."""

from __future__ import annotations

from collections.abc import Iterable

ONLY_HERE = frozenset("""
    adam_rows adamw_rows affine_grid_grad array_gradient_joined array_gradient_of_item array_gradient_sum
    array_shifted array_slice array_split array_with_only array_without attention_grad bce_slope cofactors
    conv_filter_grad conv_input_grad cross_entropy_along cross_entropy_backward cross_entropy_weight csr_mask
    custom_gradient deformable_places divide_or_zero dropout_backward empty_array exclusive_cumprod expand_to_shape
    fold_like fold_tiles gcd gelu_grad hierarchical_way huber_slope identity_loss_share index_add_along index_get
    interp_grad lcm linear_recurrence log_positive log_softmax_grad lookup_table_backward max_pool_take maxout_grad
    maxout_take mode_positions momentum_rows multiplex_grad nll_loss_backward norm_grad over_gaps overlap_add_to
    place_diagonal place_slice pool_grad power_iteration psroi_back put_positions reshape_to_shape rnn_double_grad
    rnn_grad roi_align_back roi_put roi_take row_conv_filter_gradient sample_at_places scale_paired select_gradient
    sgd_rows shift_along sigmoid_cross_entropy_with_logits_grad slope_between slots_shown softmax_grad
    split_like standard_gamma sum_repeats sum_to_shape sync_batch_norm take_positions temporal_shift_back unpad
    unpad3d warpctc_backward warpctc_curvature warprnnt_backward warprnnt_curvature where_inside yolo_matches
""".split())


WITHOUT_KERNEL = frozenset(["view_dtype"])
"""Operators that PaddlePaddle lists, but cannot run in a Program."""


def unknown_to_paddle(types: Iterable[str]) -> list[str]:
    """Those of the operators' types that PaddlePaddle has no operator for, or none that runs, in order."""
    return sorted((ONLY_HERE | WITHOUT_KERNEL).intersection(types))
