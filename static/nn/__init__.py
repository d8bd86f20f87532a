"""Layers for Programs, as functions, and control flow: `paddle.static.nn`."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from ..building.cases import case, switch_case
    from ..building.control_flow import cond, while_loop
    from ..building.data import create_parameter
    from ..building.debugging import py_func
    from . import common, control_flow, loss, metric, sequence_lod
    from .conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose, deform_conv2d
    from .dense import bilinear_tensor_product, continuous_value_model, embedding, fc, prelu, row_conv, sparse_embedding
    from .norm import batch_norm, data_norm, group_norm, instance_norm, layer_norm, spectral_norm
    from .pylayer import static_pylayer
    from .sampled import nce
    from .sequence_lod import (
        sequence_concat,
        sequence_conv,
        sequence_enumerate,
        sequence_expand,
        sequence_expand_as,
        sequence_first_step,
        sequence_last_step,
        sequence_pad,
        sequence_pool,
        sequence_reshape,
        sequence_reverse,
        sequence_scatter,
        sequence_slice,
        sequence_softmax,
        sequence_unpad,
    )
else:
    __getattr__, __dir__ = attach(__name__)
