"""Every operator through every check that its records allow; and no operator without a record."""

import dataclasses

import checks
import pytest
from proa.ops.core.operator import all_operators, find
from records import all_records

RECORDS = all_records()

#: Operators without a record, by why.
TESTED_ELSEWHERE = {
    "only in compiled plans: tests/static/compiler": {
        "fused_elementwise", "fused_conv2d", "fused_linear", "fused_linears", "batch_norm_line", "fused_attention",
        "channel_gate"},
    "control flow, tests/static": {
        "while",
        "conditional_block",
        "recurrent",
        "rnn_memory_helper",
        "select_input",
        "select_output",
        "print",
        "assert",
        "select_gradient",
        "conditional_block_grad",
        "while_grad",
    },
    "lists of a Program, tests/static/test_arrays.py and tests/jit/language": {
        "array_gradient_joined",
        "array_gradient_of_item",
        "array_gradient_sum",
        "array_shifted",
        "beam_search_decode",
        "array_slice",
        "array_split",
        "array_with_only",
        "array_without",
        "empty_array",
        "lod_array_length",
        "read_from_array",
        "tensor_array_to_tensor",
        "write_to_array",
    },
    "lists by rank tables, tests/fluid/test_rank_tables.py and test_sequences_in_programs.py": {
        "array_to_lod_tensor", "lod_tensor_to_array", "rank_gradient_array", "rank_gradient_rows"},
    "feeding and fetching, tests/static": {"feed", "fetch"},
    "Python in a Program, and statistics that it keeps: tests/static/test_python.py and test_metrics.py": {
        "auc", "custom_gradient", "py_func"},
    "what trainers ask of parameter servers, tests/distributed/ps": {
        "checkpoint_notify", "distributed_lookup_table", "fetch_barrier", "geo_sgd", "listen_and_serv", "prefetch",
        "recv", "send", "send_barrier"},
    "what reads and writes files, tests/static/files/test_value_files.py": {
        "load", "load_combine", "save", "save_combine"},
    "exchanges between processes, and what is put between them, tests/distributed": {
        op.type for op in all_operators() if "communicates" in op.effects and "ring_id" in op.attributes} | {
        "allreduce", "broadcast", "gen_nccl_id",
        "batch_gradient_by_sums", "batch_gradient_sums", "batch_moments", "batch_norm_by_moments", "c_sync_calc_stream",
        "c_wait_compute", "coalesce_tensor", "coalesced_parts", "coalesced_whole", "depend"},
    "updates of parameters, tests/optimizer": {
        "sgd",
        "momentum",
        "adam",
        "adamw",
        "adamax",
        "adagrad",
        "adadelta",
        "rmsprop",
        "lamb",
        "lars_momentum",
        "merged_sgd",
        "merged_momentum",
        "merged_adam",
        "merged_adamw",
    },
    "updates by some rows, tests/dygraph/test_selected_rows.py": {
        "sgd_rows",
        "momentum_rows",
        "adam_rows",
        "adamw_rows",
    },
    "updates that take more: tests/optimizer/test_given_tensors.py": {
        f"{rule}_of_given" for rule in (
            "sgd", "momentum", "adagrad", "adadelta", "adamax", "rmsprop", "adam", "adamw", "lamb")},
    "updates of parameters: tests/fluid/test_optimizers.py": {
        "decayed_adagrad", "dpsgd", "ftrl", "lars_momentum", "proximal_adagrad", "proximal_gd"},
    "random values: test_random.py": {
        "uniform_random",
        "gaussian_random",
        "truncated_gaussian_random",
        "randint",
        "randperm",
        "bernoulli",
        "exponential",
        "poisson",
        "standard_gamma",
        "dirichlet",
        "multinomial",
    },
}


@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_record(record, check):
    checks.CHECKS[check](record)


def test_every_operator_has_a_record():
    recorded = {record.type for record in RECORDS}.union(*TESTED_ELSEWHERE.values())
    ours = [op for op in all_operators() if op._declared_kernel.__module__.startswith("proa.")]  # not those of tests
    missing = sorted(op.type for op in ours if op.type not in recorded)
    assert not missing, f"operators without a record in tests/ops/records_*.py: {missing}"


#: Records without a reference in NumPy, without second-order checks, or whose float inputs have no checked gradient
#: although the operator has a rule: by why. A record that is not here goes through all of them.
UNCHECKED = {
    "reference": {
        "drawn at random: tests of their distributions": {"gumbel_softmax", "multinomial_of_fed", "nce-drawn"},
        "drawn at random, as without a batch's size; another sequence than PaddlePaddle's": {
            "gaussian_random_batch_size_like", "sampling_id", "shuffle_batch", "tdm_sampler",
            "uniform_random_batch_size_like"},
        "the reference is PaddlePaddle 1.8.5's answer: tests/fluid/test_layers.py": {
            "bicubic_interp", "bilinear_interp", "trilinear_interp"},
        "the reference is PaddlePaddle 1.8.5's answer: tests/fluid/test_detection.py": {
            "anchor_generator", "box_decoder_and_assign", "collect_fpn_proposals", "density_prior_box",
            "generate_mask_labels", "generate_proposal_labels", "generate_proposal_labels-random",
            "generate_proposals", "locality_aware_nms", "multiclass_nms", "multiclass_nms2", "prroi_back",
            "retinanet_detection_output", "retinanet_target_assign", "rpn_target_assign", "rpn_target_assign-random"},
        "the reference is PaddlePaddle 1.8.5's answer: tests/fluid/test_other_operators.py": {
            "deformable_psroi_pooling", "deformable_psroi_slopes", "hash", "random_crop", "roi_perspective_back",
            "roi_perspective_transform"},
        "the reference is PaddlePaddle 1.8.5's answer: tests/fluid/test_metrics.py": {"detection_map"},
        "the reference is PaddlePaddle's answer: fixtures/vision": {
            "yolo_box", "yolov3_loss", "yolov3_loss-without scores", "yolo_matches", "prior_box", "matrix_nms",
            "generate_proposals_v2", "multiclass_nms3"},
        "a part of a loss's derivative, checked through the loss": {"warprnnt_backward", "warprnnt_curvature"},
    },
    "second": {
        "linear: its second derivatives are 0": {"real", "imag"},
        "differentiable once more at most: the operator is itself a derivative": {
            "rnn_grad-lstm", "rnn_grad-gru", "rnn_grad-tanh", "warpctc_backward", "warprnnt_backward"},
        "of Paddle 1.x, whose Programs hold no gradients of their gradients: an error": {
            "bpr_loss", "cudnn_lstm-one layer", "cudnn_lstm-two layers, both directions", "deformable_psroi_pooling",
            "gru-activations", "gru-both states and rows", "gru-reversed, the other way round", "gru_unit-a step",
            "gru_unit-activations", "linear_chain_crf", "linear_chain_crf-padded", "lrn", "lstm-activations",
            "lstm-peepholes", "lstm-reversed, without peepholes", "lstm_unit", "lstmp-activations", "lstmp-peepholes",
            "lstmp-reversed, clipped", "roi_perspective_transform", "teacher_student_sigmoid_loss", "warpctc-packed"},
        "drawn at random": {"shuffle_batch"},
    },
    "gradient": {
        "the gradient passes as if nothing were rounded: tests/quantization": {
            "fake_quantize_dequantize_moving_average_abs_max",
            "fake_quantize_dequantize_moving_average_abs_max-in training",
            "fake_quantize_dequantize_abs_max", "fake_quantize_dequantize_abs_max-to even",
            "fake_channel_wise_quantize_dequantize_abs_max", "moving_average_abs_max_scale-in training"},
        "its values do not depend smoothly on the inputs, or are checked by another record": {
            "gumbel_softmax", "qr-complete tall", "svd-equal values", "lu-blocks", "share_data", "cast-from integer",
            "where-nan_to_num", "sign-mantissa", "floor-exponent", "take_along_axis-nanquantile",
            "take_along_axis-nanmedian", "cvm", "data_norm-slots", "spectral_norm", "increment", "nextafter"},
        "differentiable once: the operator is that derivative": {
            "bpr_slope", "cudnn_lstm_grad-both directions", "deformable_psroi_slopes", "gru_grad", "gru_unit_grad",
            "linear_chain_crf_slopes", "lrn_slope", "lstm_grad", "lstm_unit_grad", "lstmp_grad",
            "roi_perspective_back", "teacher_student_slope", "warpctc_rows"},
        "differentiable twice at most: the operator is a second derivative": {
            "rnn_double_grad-lstm", "rnn_double_grad-gru", "warprnnt_curvature"},
    },
}


def _unchecked(record):
    has_rule = find(record.type).gradient is not None
    floats = any(array.dtype.kind == "f" for array in record.inputs)
    return {"reference": record.reference is None, "second": has_rule and not record.second,
            "gradient": has_rule and floats and not checks.differentiable(record)}


@pytest.mark.parametrize("what", UNCHECKED)
def test_what_is_not_checked_has_a_reason(what):
    found = {str(record) for record in RECORDS if _unchecked(record)[what]}
    excused = set().union(*UNCHECKED[what].values())
    assert not found - excused, f"records without {what} and without a reason in UNCHECKED: {sorted(found - excused)}"


def test_every_operator_with_a_rule_has_a_checked_gradient():
    checked = {r.type for r in RECORDS if checks.differentiable(r)}
    excused = {name.split("-")[0] for names in UNCHECKED["gradient"].values() for name in names}
    missing = sorted(r.type for r in RECORDS if find(r.type).gradient is not None and r.type not in checked | excused)
    assert not missing, f"operators with a gradient rule that no record checks: {missing}"


@pytest.mark.parametrize("name", sorted(UNCHECKED["second"][
    "of Paddle 1.x, whose Programs hold no gradients of their gradients: an error"]))
def test_a_gradient_of_a_gradient_that_is_not_there_is_an_error(name):
    [record] = [r for r in RECORDS if str(r) == name]
    with pytest.raises(NotImplementedError, match="differentiable once"):
        checks.check_second_order(dataclasses.replace(record, second=True))
