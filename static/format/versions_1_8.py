"""What PaddlePaddle 1.8.5 writes into a Program beside its blocks, and which operators it has.

Its files name their version and, of each operator that has changed since 1.5, since when and how compatibly; this list
is a field of the message that 2.x no longer has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import messages as pb
from .attributes import FLOAT, FLOAT64, FLOAT64S, FLOATS, INT, INTS, LONG, LONGS, STRING, type_name

PADDLE_VERSION = 1008005

_SINCE, _BEFORE = "1.6.0", "1.5.0"
_FIELD = 3  # of ProgramDesc: op_compatible_map
_CHANGES = {  # by the number of how the operator of this version takes what an older one has written
    1: """
        center_loss coalesce_tensor crop_tensor deformable_conv deformable_conv_v1 dpsgd eye fill_any_like
        filter_by_instag gather_nd hard_swish instance_norm lookup_table_v2 match_matrix_tensor multiclass_nms2
        one_hot_v2 prroi_pool pull_box_sparse scatter_nd_add sequence_pad sequence_topk_avg_pooling sequence_unpad
        shard_index size strided_slice trilinear_interp unfold unique unique_with_counts var_conv_2d""",
    2: """
        bilinear_interp chunk_eval conditional_block conditional_block_infer conv2d conv2d_transpose conv3d
        conv3d_transpose crf_decoding ctc_align data_norm depthwise_conv2d depthwise_conv2d_transpose edit_distance
        expand fc fused_embedding_seq_pool group_norm hash leaky_relu linear_chain_crf lod_reset matmul mul
        nearest_interp one_hot pow prior_box reshape2 slice uniform_random uniform_random_batch_size_like warpctc""",
    3: """
        layer_norm""",
}
_OTHER_TYPES = {  # of attributes that have another one in 2.x
    "reduce_all.dim": INTS, "reduce_any.dim": INTS, "eye.num_rows": LONG, "eye.num_columns": LONG,
    "space_to_depth.blocksize": LONG, "allclose.rtol": FLOAT, "allclose.atol": FLOAT,
}
_FIELDS = {INTS: "ints", LONGS: "longs", INT: "i", LONG: "l", FLOAT: "f", STRING: "s"}
_LAST_TYPE = LONGS  # of attributes; a type with a higher number ends its reading of a file
_LAST_ELEMENT = 21  # int8
_OPERATORS = frozenset("""
    abs accuracy acos adadelta adagrad adam adamax add_position_encoding addmm affine_channel affine_grid allclose
    allreduce anchor_generator arg_max arg_min argsort array_to_lod_tensor asin assign assign_value atan
    attention_lstm auc average_accumulates batch_norm bce_loss beam_search beam_search_decode bicubic_interp
    bilinear_interp bilinear_tensor_product bipartite_match bmm box_clip box_coder box_decoder_and_assign bpr_loss
    brelu broadcast c_allgather c_allreduce_max c_allreduce_min c_allreduce_prod c_allreduce_sum c_broadcast
    c_comm_init c_comm_init_all c_reducescatter c_sync_calc_stream c_sync_comm_stream cast ceil center_loss
    checkpoint_notify chunk_eval clip clip_by_norm coalesce_tensor collect_fpn_proposals concat conditional_block
    conditional_block_infer conv2d conv2d_transpose conv3d conv3d_transpose conv_shift cos cos_sim
    create_double_buffer_reader create_py_reader crf_decoding crop crop_tensor cross cross_entropy cross_entropy2
    ctc_align cudnn_lstm cumsum cvm data_norm decayed_adagrad deformable_conv deformable_conv_v1
    deformable_psroi_pooling delete_var density_prior_box depthwise_conv2d depthwise_conv2d_transpose dequantize
    dequantize_abs_max dequantize_log detection_map dgc_clip_by_norm dgc_momentum diag diag_embed dist
    distribute_fpn_proposals distributed_lookup_table dot dpsgd dropout edit_distance elementwise_add
    elementwise_div elementwise_floordiv elementwise_max elementwise_min elementwise_mod elementwise_mul
    elementwise_pow elementwise_sub elu equal equal_reduce erf exp expand expand_as eye
    fake_channel_wise_dequantize_max_abs fake_channel_wise_quantize_abs_max fake_dequantize_max_abs fake_init
    fake_quantize_abs_max fake_quantize_dequantize_moving_average_abs_max fake_quantize_moving_average_abs_max
    fake_quantize_range_abs_max fc feed fetch fetch_barrier fill fill_any_like fill_constant
    fill_constant_batch_size_like fill_zeros_like fill_zeros_like2 filter_by_instag fl_listen_and_serv flatten
    flatten2 flip floor frobenius_norm fsp ftrl fused_elemwise_activation fused_embedding_fc_lstm
    fused_embedding_seq_pool fusion_gru fusion_lstm fusion_repeated_fc_relu fusion_seqconv_eltadd_relu
    fusion_seqexpand_concat_fc fusion_seqpool_concat fusion_seqpool_cvm_concat fusion_squared_mat_sub gather
    gather_nd gather_tree gaussian_random gaussian_random_batch_size_like gelu generate_mask_labels
    generate_proposal_labels generate_proposals get_places get_tensor_from_selected_rows greater_equal greater_than
    grid_sampler group_norm gru gru_unit hard_shrink hard_sigmoid hard_swish hash hierarchical_sigmoid hinge_loss
    huber_loss im2sequence increment index_sample index_select inplace_abn instance_norm iou_similarity is_empty
    isfinite isinf isnan kldiv_loss kron l1_norm label_smooth lamb lars_momentum layer_norm leaky_relu less_equal
    less_than linear_chain_crf linspace listen_and_serv load load_combine locality_aware_nms lod_array_length
    lod_rank_table lod_reset lod_tensor_to_array log log1p log_loss logical_and logical_not logical_or logical_xor
    logsigmoid lookup_sparse_table lookup_table lookup_table_dequant lookup_table_v2 lrn lstm lstm_unit lstmp
    margin_rank_loss match_matrix_tensor matmul matrix_nms max_pool2d_with_index max_pool3d_with_index
    max_sequence_len maxout mean mean_iou merge_ids merge_lod_tensor merge_lod_tensor_infer merge_selected_rows
    meshgrid mine_hard_examples minus mish modified_huber_loss momentum moving_average_abs_max_scale mul
    multiclass_nms multiclass_nms2 multiplex nce nearest_interp nll_loss norm not_equal one_hot one_hot_v2 p_norm
    pad pad2d pad_constant_like partial_concat partial_sum pixel_shuffle polygon_box_transform pool2d pool3d
    positive_negative_pair pow precision_recall prefetch prelu print prior_box proximal_adagrad proximal_gd
    prroi_pool psroi_pool pull_box_sparse pull_sparse pull_sparse_v2 push_dense py_func pyramid_hash quantize
    randint random_crop randperm range rank_attention rank_loss read read_from_array reciprocal recurrent recv
    recv_save reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum ref_by_trainer_id relu
    relu6 reorder_lod_tensor_by_rank requantize reshape reshape2 retinanet_detection_output retinanet_target_assign
    reverse rmsprop rnn_memory_helper rnn_memory_helper_grad roi_align roi_perspective_transform roi_pool roll round
    row_conv rpn_target_assign rsqrt run_program sample_logits sampling_id save save_combine scale scatter
    scatter_nd_add seed select_input select_output selu send send_barrier sequence_concat sequence_conv
    sequence_enumerate sequence_erase sequence_expand sequence_expand_as sequence_mask sequence_pad sequence_pool
    sequence_reshape sequence_reverse sequence_scatter sequence_slice sequence_softmax sequence_topk_avg_pooling
    sequence_unpad sgd shape shard_index shrink_rnn_memory shuffle_batch shuffle_channel sigmoid
    sigmoid_cross_entropy_with_logits sigmoid_focal_loss sign similarity_focus sin size slice smooth_l1_loss
    soft_relu softmax softmax_with_cross_entropy softplus softshrink softsign space_to_depth spectral_norm split
    split_byref split_ids split_lod_tensor split_selected_rows spp sqrt square squared_l2_distance squared_l2_norm
    squeeze squeeze2 stack stanh strided_slice sum swish tanh tanh_shrink target_assign tdm_child tdm_sampler
    teacher_student_sigmoid_loss temporal_shift tensor_array_to_tensor thresholded_relu top_k trace transpose
    transpose2 tree_conv tril_triu trilinear_interp truncated_gaussian_random unbind unfold uniform_random
    uniform_random_batch_size_like unique unique_with_counts unpool unsqueeze unsqueeze2 unstack var_conv_2d warpctc
    where where_index while write_to_array yolo_box yolov3_loss""".split())


def unknown_to_1_8(types: Iterable[str]) -> list[str]:
    """Those of the operators' types that PaddlePaddle 1.8.5 does not have, in order; gradients by what they are of.

    >>> from proa.static.format.versions_1_8 import unknown_to_1_8
    >>> unknown_to_1_8(["matmul_v2", "mul", "mul_grad"])
    ['matmul_v2']
    """
    return sorted({name for name in types if name.removesuffix("_grad") not in _OPERATORS})


def stamped(desc: pb.ProgramDesc) -> bytes:
    """The bytes of a Program as 1.8.5 writes them: with its version and list of changes, without 2.x's.

    Floats of 64 bits become ones of 32. Raises ValueError, naming them, for element types of variables and types of
    attributes that 1.8.5 does not have.
    """
    of_1_8 = pb.ProgramDesc()
    of_1_8.CopyFrom(desc)
    of_1_8.version.version = PADDLE_VERSION
    of_1_8.ClearField("op_version_map")
    for block in of_1_8.blocks:
        for op in block.ops:
            for attr in op.attrs:
                _narrow(op.type, attr)
    newer = sorted({*_newer_types(of_1_8), *_newer_elements(of_1_8)})
    if newer:
        raise ValueError(f"The Program cannot be written for PaddlePaddle 1.8: {', '.join(newer)} came later.")
    return of_1_8.SerializeToString(deterministic=True) + _field(_FIELD, _changes())


def _narrow(op: str, attr: pb.OpDesc.Attr) -> None:
    wanted = _OTHER_TYPES.get(f"{op}.{attr.name}", attr.type)
    if wanted != attr.type:
        value = getattr(attr, _FIELDS[attr.type])
        kept = list(value) if wanted == INTS else (float if wanted == FLOAT else int)(value)
        attr.ClearField(_FIELDS[attr.type])
        attr.type = wanted
        if isinstance(kept, list):
            attr.ints.extend(kept)
        else:
            setattr(attr, _FIELDS[wanted], kept)
    elif attr.type == FLOAT64:
        attr.type, attr.f = FLOAT, attr.float64
        attr.ClearField("float64")
    elif attr.type == FLOAT64S:
        attr.type = FLOATS
        attr.floats.extend(attr.float64s)
        attr.ClearField("float64s")


def _newer_types(desc: pb.ProgramDesc) -> Iterator[str]:
    for block in desc.blocks:
        for op in block.ops:
            for attr in op.attrs:
                if attr.type > _LAST_TYPE:
                    yield f"{type_name(attr.type)}, the type of {op.type}'s attribute {attr.name!r},"


def _newer_elements(desc: pb.ProgramDesc) -> Iterator[str]:
    for block in desc.blocks:
        for var in block.vars:
            number = var.type.lod_tensor.tensor.data_type if var.type.HasField("lod_tensor") else 0
            if number > _LAST_ELEMENT:
                yield f"{pb.VarType.Type.Name(number)}, the dtype of {var.name!r},"


def _changes() -> bytes:
    changed = sorted((name, how) for how, names in _CHANGES.items() for name in names.split())
    pairs = [_field(1, _field(1, name.encode()) + _field(2, _field(1, _SINCE.encode()) + bytes((2 << 3, how))))
             for name, how in changed]
    return b"".join(pairs) + _field(2, _BEFORE.encode())


def _field(number: int, content: bytes) -> bytes:
    """A field of a message: its number, its length and its bytes."""
    size, length = len(content), bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes((number << 3 | 2, *length, size)) + content
