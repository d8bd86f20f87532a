"""The versions that PaddlePaddle 2.6.2 writes into a Program: its own, and those of operators that have changed.

A reader converts operators whose version is older than its own, and takes one that is not listed for version 0. Hence
the whole list stands in every file.
"""

from __future__ import annotations

from . import messages as pb

PADDLE_VERSION = 2006002

_BY_VERSION = {
    1: """affine_grid auc clip conv2d conv3d conv3d_transpose cudnn_lstm cumsum data_norm depthwise_conv2d
        depthwise_conv2d_transpose dequantize elementwise_add elementwise_div elementwise_mul elementwise_pow
        elementwise_sub equal fake_channel_wise_quantize_abs_max flip gather generate_proposals_v2 greater_equal
        greater_than grid_sampler hard_shrink instance_norm lamb leaky_relu less_equal less_than linspace lookup_table
        lookup_table_v2 lstsq matmul matrix_nms mish momentum not_equal p_norm pixel_shuffle print rank_attention
        requantize seed send_and_recv softplus trace transfer_layout unique_consecutive yolo_box
        collect_fpn_proposals""",
    2: """allclose coalesce_tensor conv2d_transpose distribute_fpn_proposals fake_channel_wise_dequantize_max_abs
        fill_constant generate_proposal_labels generate_proposals
        moving_average_abs_max_scale quantize roi_pool roll""",
    3: "roi_align",
    4: "set_value",
}

OP_VERSIONS = {name: version for version, names in _BY_VERSION.items() for name in names.split()}


def stamp(desc: pb.ProgramDesc) -> None:
    """Writes the versions into a Program's message."""
    desc.version.version = PADDLE_VERSION
    del desc.op_version_map.pair[:]
    for name, version in sorted(OP_VERSIONS.items()):
        pair = desc.op_version_map.pair.add(op_name=name)
        pair.op_version.version = version
