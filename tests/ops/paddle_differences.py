"""Where the records' answers differ from PaddlePaddle's, and which have none: by why."""

#: why -> {variants: records}; a row that no longer differs fails.
_DIFFERENT = {
    "comparisons with NaN: PaddlePaddle passes it over, or lets the order decide; here it spreads, as in NumPy": {
        "NaN": ["relu", "roi_align-as many samples as elements", "matrix_nms", "generate_proposals_v2",
            "graph_send_recv-max None", "graph_send_recv-min 9", "graph_send_ue_recv-max sub (7, 3)",
            "graph_send_ue_recv-min div (7, 3)", "graph_send_ue_recv-max sub (7, 1)",
            "graph_send_ue_recv-min div (7, 1)", "p_norm-normalize", "reduce_min", "arg_max", "arg_max-flat",
            "arg_min", "searchsorted", "floor-exponent", "p_norm-renorm", "viterbi_decode-True_4",
            "viterbi_decode-False_4", "viterbi_decode-True_2"],
    },
    "infinities times 0, and differences of infinities: NaN here or there": {
        "Inf": ["softshrink", "logsigmoid", "log_softmax", "roi_align-as many samples as elements", "psroi_pool",
            "deformable_conv_v1", "deformable_conv", "softmax_with_cross_entropy-axis",
            "softmax_with_cross_entropy-soft", "clip-tensor", "softshrink 2", "logsigmoid 2", "log_softmax 2",
            "pool2d-adaptive avg", "pool2d-adaptive",
            "logsumexp", "logsumexp-kept", "order_statistics-median", "bilinear_interp_v2", "bilinear_interp_v2-tensor",
            "bilinear_interp_v2-tensors", "bilinear_interp_v2-factors in a tensor", "bicubic_interp_v2",
            "trilinear_interp_v2", "margin_cross_entropy", "fused_softmax_mask_upper_triangle", "polygamma",
            "polygamma-third", "erfinv", "floor-exponent", "viterbi_decode-True_4", "grid_sampler-volume"],
    },
    "a NaN times 0 spreads here or there": {
        "NaN": ["deformable_conv", "pool2d-adaptive avg", "pool2d-adaptive", "grid_sampler-zeros-False"],
    },
    "where a cell has several boxes": {
        "gradients": ["yolov3_loss", "yolov3_loss-without scores"],
    },
    "infinite areas have no level": {
        "Inf": ["distribute_fpn_proposals"],
    },
    "PaddlePaddle keeps the real part only, or views elements of another size": {
        "complex128": ["overlap_add-istft both sides", "elementwise_mul-ldexp"],
    },
    "the reference is for the record's own sizes": {
        "empty": ["segment_pool-sum", "segment_pool-mean", "segment_pool-max", "segment_pool-min",
            "matrix_rank-tensor", "gumbel_softmax 2", "mode_positions", "class_center_sample",
            "take_along_axis-nanquantile"],
        "broadcast first": ["gather_tree"],
        "broadcast second, fewer dimensions": ["unpool", "unpool3d"],
    },
    "PaddlePaddle reads memory that is not the input's; here the indices are checked": {
        "broadcast second, broadcast first, fewer dimensions": ["graph_send_uv-add (6, 3)",
            "graph_send_uv-mul (6, 3)", "graph_send_uv-div (6, 3)"],
        "empty": ["gather", "gather-0-d", "gather_nd", "gather_tree"],
    },
    "PaddlePaddle's gradient of gather along another axis than the first is not the slope (differences show it)": {
        "gradients": ["gather-axis", "gather-windows", "reduce_sum-trapezoid", "cumsum-cumulative_trapezoid"],
    },
    "values and indices of rows that x has not: refused here": {
        "empty": ["put_along_axis", "put_along_axis-one value", "put_along_axis-add", "put_along_axis-multiply",
            "put_along_axis-several for a place", "put_along_axis-add of values alone",
            *(f"put_along_axis-{how}{own}" for how in ("mul", "amax", "amin", "mean")
              for own in ("", " of values alone"))],
        "broadcast first": ["put_along_axis-amax", "put_along_axis-amax of values alone", "put_along_axis-amin",
            "put_along_axis-mean", "put_along_axis-several for a place"],
    },
    "PaddlePaddle makes of the number a float64 value of shape [1]": {
        "float32, 0-d": ["where_broadcast-number"],
    },
    "PaddlePaddle writes beyond the result of integers that broadcast (docs/differences.md)": {
        "int64": ["matmul_v2-broadcast"],
    },
    "PaddlePaddle cuts the products to integers": {
        "int32, int64": ["triangular_solve-householder", "triangular_solve-householder batch"],
    },
    "PaddlePaddle gives slopes to elements that do not count (docs/differences.md)": {
        "gradients": ["triangular_solve-False True True", "triangular_solve-False False True", "cholesky_solve",
            "cholesky_solve-upper"],
    },
    "the mean of nothing: 0 or NaN": {
        "empty": ["cross_entropy_mean", "cross_entropy_mean-of those that count", "nll_loss-mean",
            "nll_loss-mean weight", "accuracy"],
    },
    "PaddlePaddle's gradient holds for labels that add up to 1 only": {
        "gradients": ["softmax_with_cross_entropy-soft"],
    },
    "PaddlePaddle's pos_weight does not weigh all of the positive term (docs/differences.md)": {
        "itself, float32, NaN, Inf, gradients": ["sigmoid_cross_entropy_with_logits-weight"],
    },
    "needs dimensions, or more elements than one": {
        "0-d": ["label_smooth", "hierarchical_sigmoid", "hierarchical_sigmoid-no bias",
            "hierarchical_sigmoid-other ways", "top_k_v2-smallest", "top_k_v2-of many", "top_k_v2-tensor"],
    },
    "PaddlePaddle loses the shape": {
        "empty": ["sum"],
    },
    "bools count as integers": {
        "bool": ["scale"],
    },
    "PaddlePaddle sums in their own width, which overflows (docs/differences.md)": {
        "int8, uint8, int16": ["reduce_sum-all", "reduce_sum-kept", "reduce_sum", "reduce_sum-int32"],
    },
    "PaddlePaddle cuts means, deviations and norms of integers to integers": {
        "int32, int64, bool": ["reduce_mean-all", "reduce_mean-unknown size", "reduce_mean"],
        "int32, int64": ["variance-std", "reduce_sum-norm over axes", "take_along_axis-nanmedian"],
    },
    "PaddlePaddle divides by the factor: NaN where it is 0": {
        "gradients": ["reduce_prod-zeros"],
    },
    "of equal elements the first; PaddlePaddle takes any": {
        "int32, int64": ["top_k_v2-smallest", "top_k_v2-of many", "top_k_v2-tensor"],
    },
    "minlength holds for no elements too": {
        "empty": ["bincount"],
    },
    "rounding of the last bit before it is cut to bytes": {
        "uint8": ["linear_interp_v2-beginnings, last", "bilinear_interp_v2-factor"],
    },
    "integers only, here": {
        "float32": ["gcd", "lcm"],
    },
    "PaddlePaddle counts `offset` in bytes and reads memory that is not x's (docs/differences.md)": {
        "itself, float32, int16, int32, int64, complex128, 0-d, empty, NaN, Inf, gradients": [
            "index_select-as_strided"],
    },
    "exp overflows in a complex number": {
        "complex128": ["sigmoid-far"],
    },
}

#: why -> {variants: records} of which either answer is right.
_OPEN = {
    "what LAPACK makes of NaN and infinities depends on its build; NumPy raises LinAlgError where nothing converges": {
        "NaN, Inf": ["qr-reduced", "slogdeterminant-matrix"],
        "Inf": ["qr-wide", "qr-complete wide", "qr-r wide", "svd", "svd-tall", "svd-wide", "svd-full",
            "svd-values of full", "lu-3 5", "lu-blocks", "triangular_solve-householder",
            "triangular_solve-householder batch", "eig-complex", "eigvals", "eigvals-complex",
            "triangular_solve-True True True", "triangular_solve-True True False", "triangular_solve-True False True",
            "triangular_solve-True False False", "triangular_solve-broadcast", "cholesky_solve",
            "cholesky_solve-upper", "lstsq-wide", "pinv", "pinv-wide", "matrix_rank", "matrix_rank-tensor",
            "matrix_rank-hermitian"],
        "NaN": ["inverse-matrix", "slogdeterminant", "solve-broadcast x", "lstsq-gels"],
    },
    "eigenvalues have no order, and eigenvectors no phase": {
        "float32, gradients": ["eig"],
    },
    "a sequence in which they stand is not sorted: where its search ends depends on NumPy's version": {
        "NaN, Inf": ["searchsorted-rows"],
    },
}


def _by_record(table: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for why, rows in table.items():
        for variants, records in rows.items():
            for record in records:
                found.setdefault(record, {}).update(dict.fromkeys(variants.split(", "), why))
    return found


#: record -> {variant: why}
DIFFERENCES, OPEN = _by_record(_DIFFERENT), _by_record(_OPEN)

#: Operators to whose records PaddlePaddle has no answer on a CPU, by why.
NO_CALL = {
    "of gradients, and parts of other operators: no function has them": {
        "affine_grid_grad", "attention_grad", "bce_slope", "cofactors", "conv_filter_grad", "conv_input_grad",
        "cross_entropy_along", "cross_entropy_backward", "cross_entropy_weight", "csr_mask", "deformable_places",
        "dequantize_linear", "divide_by_windows", "divide_or_zero", "dropout_backward", "exclusive_cumprod",
        "expand_to_shape", "fake_channel_wise_quantize_dequantize_abs_max", "fake_quantize_dequantize_abs_max",
        "fake_quantize_dequantize_moving_average_abs_max", "fold_like", "fold_tiles", "gelu_grad",
        "hierarchical_way", "huber_slope", "identity_loss_share", "index_add_along", "index_get", "interp_grad",
        "linear_recurrence", "log_softmax_grad", "lookup_table_backward", "max_pool_take", "maxout_grad", "maxout_take",
        "moving_average_abs_max_scale",
        "multiplex_grad", "nll_loss_backward", "norm_grad", "over_gaps", "overlap_add_to", "place_diagonal",
        "place_slice", "pool_grad", "power_iteration", "psroi_back", "put_positions", "quantize_linear",
        "reshape_to_shape", "rnn_double_grad", "rnn_grad", "roi_align_back", "roi_put", "roi_take",
        "row_conv_filter_gradient", "sample_at_places", "sampled_matmul", "scale_all", "scale_paired", "share_data",
        "shift_along", "sigmoid_cross_entropy_with_logits_grad", "size_along", "slope_between", "slopes_at_places",
        "slots_shown", "softmax_grad", "sparse_conv", "sparse_conv_filter_grad", "sparse_conv_rulebook",
        "sparse_matmul", "split_like", "spread_at_places",
        "stays_along_axis", "sum_repeats", "sum_to_shape", "take_positions",
        "temporal_shift_back", "times_sign", "total_square", "unpad",
        "unpad3d", "warpctc_backward", "warpctc_curvature", "warprnnt_backward", "warprnnt_curvature", "where_equal",
        "where_inside", "whole_numbers", "yolo_matches", "zero_untaken_rows"},
    "of OneFlow's functions": {"erfc"},
    "of Programs for parameter servers, which transpilers of 1.x write: tests/fluid/transpiler": {
        "fake_init", "lookup_sparse_table", "merge_ids", "ref_by_trainer_id", "split_byref", "split_ids",
        "split_selected_rows"},
    "of dimensions that are fed: tests/crossing/test_fed_axes.py": {
        "arg_max_of_fed", "arg_min_of_fed", "axes_back", "axes_last", "bincount_of_fed", "cumsum_of_fed", "eye_of_fed",
        "multinomial_of_fed", "reduce_max_of_fed", "reduce_mean_of_fed", "reduce_min_of_fed", "reduce_prod_of_fed",
        "reduce_sum_of_fed", "squeeze_of_fed"},
    "of files and optimizers only: tests/crossing, tests/amp, fixtures/static": {
        "average_accumulates", "check_finite_and_unscale", "update_loss_scaling", "fill_zeros_like", "mean", "mul",
        "multiclass_nms3"},
    "with parameters of their own, and recurrent: fixtures/nn and fixtures/static hold PaddlePaddle's answers": {
        "data_norm", "group_norm", "gru_gates", "instance_norm", "lstm_gates", "nce", "rnn", "row_conv",
        "spectral_norm"},
    "of Paddle 1.x, applied by themselves: fixtures/fluid holds PaddlePaddle 1.8.5's answers": {
        "add_position_encoding", "affine_channel", "bicubic_interp", "bilinear_interp", "bpr_loss", "bpr_slope",
        "center_loss", "clip_by_norm", "cos_sim", "crop", "crop_like", "crop_tensor", "cross_entropy",
        "cross_entropy2", "cross_entropy_slope", "cvm", "cvm_slope", "depth_to_space", "diag", "expand", "expand_as",
        "fill_constant_batch_size_like", "fill_zeros_like2", "first_part", "flatten", "flatten2", "fold_as", "fsp",
        "gaussian_random_batch_size_like", "hash", "hinge_loss", "isfinite", "isinf", "isnan", "l1_norm",
        "lookup_table", "lrn", "lrn_slope", "margin_rank_loss", "matmul", "mean_iou", "minus", "nearest_interp",
        "norm", "one_hot", "pad2d", "pad_constant_like", "random_crop", "rank_loss", "reorder_batch", "reshape",
        "reverse", "sampling_id", "shuffle_batch", "shuffle_channel", "similarity_focus", "smooth_l1_loss",
        "soft_relu", "space_to_depth", "squared_l2_distance", "squared_l2_norm", "squeeze", "stanh", "tdm_child",
        "tdm_sampler", "teacher_student_sigmoid_loss", "teacher_student_slope", "top_k", "transpose",
        "trilinear_interp", "uncrop", "uniform_random_batch_size_like", "unique_with_counts", "unpad2d",
        "unshuffle_batch", "unsqueeze"},
    "of sequences with a LoD, of Paddle 1.x: fixtures/fluid holds PaddlePaddle 1.8.5's answers": {
        "attending_lstm", "expanded_rows", "filter_by_instag", "fused_embedding_seq_pool", "im2sequence",
        "images_of_rows",
        "joined_offsets", "lod_rank_table", "lod_reset", "map_channel_order", "map_windows", "map_windows_back",
        "match_left", "match_matrix_tensor", "match_products", "match_right", "max_sequence_len", "merge_lod_tensor",
        "padded_with_zeros", "put_filtered", "put_top", "ranked_rows", "reorder_lod_tensor_by_rank", "rows_in_joined",
        "rows_of_pooled", "scattered_places", "sequence_columns", "sequence_columns_grad", "sequence_concat",
        "sequence_conv", "sequence_enumerate", "sequence_erase", "sequence_expand", "sequence_expand_as",
        "sequence_pad", "sequence_pool", "sequence_reshape", "sequence_reverse", "sequence_scatter", "sequence_slice",
        "sequence_softmax", "sequence_topk_avg_pooling", "sequence_unpad", "shrink_rnn_memory", "sliced_rows",
        "split_lod_tensor", "take_filtered", "take_top", "unshrunk_rnn_memory", "var_conv_2d"},
    "of Paddle 1.x: fixtures/fluid holds PaddlePaddle 1.8.5's answers": {
        "anchor_generator", "beam_search", "bipartite_match", "box_clip", "box_decoder_and_assign", "chunk_eval",
        "collect_fpn_proposals", "crf_decoding", "ctc_align", "cudnn_lstm", "cudnn_lstm_grad",
        "deformable_psroi_pooling", "deformable_psroi_slopes", "density_prior_box", "detection_map", "edit_distance",
        "focal_weights", "generate_mask_labels", "generate_proposal_labels", "generate_proposals", "gru", "gru_grad",
        "gru_unit", "gru_unit_grad", "iou_similarity", "linear_chain_crf", "linear_chain_crf_slopes",
        "locality_aware_nms", "lstm", "lstm_grad", "lstm_unit", "lstm_unit_grad", "lstmp", "lstmp_grad",
        "mine_hard_examples", "multiclass_nms", "multiclass_nms2", "polygon_box_transform", "positive_negative_pair",
        "precision_recall", "prroi_back", "prroi_pool",
        "retinanet_detection_output", "retinanet_target_assign", "roi_counts", "roi_perspective_back",
        "roi_perspective_transform", "rpn_target_assign", "sample_logits", "sigmoid_focal_loss", "target_assign",
        "tree_conv", "tree_shares", "warpctc_rows"},
    "of symmetric matrices that the record makes: fixtures/linalg holds PaddlePaddle's answers": {
        "cholesky", "eigh", "eigvalsh", "conj"},
    "PaddlePaddle has no kernel for a CPU, or none for float64": {
        "attention", "decode_jpeg", "fused_softmax_mask_upper_triangle", "log_loss", "margin_cross_entropy",
        "sync_batch_norm"},
    "the record's inputs are ones that PaddlePaddle refuses; fixtures/nn and fixtures/vision hold its answers": {
        "accuracy", "maxout", "psroi_pool", "unfold"},
}
