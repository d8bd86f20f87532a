"""`flow.nn`: functions of values, for jobs; modules, whose values are computed at once or in an `nn.Graph`."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    # Functions for jobs
    from ..math import fused_scale_tril, fused_scale_tril_softmax_dropout, relu, tril
    from .activation import (
        elu,
        hardsigmoid,
        hardswish,
        hardtanh,
        leaky_relu,
        logsoftmax,
        mish,
        relu6,
        softmax,
        softmax_grad,
        swish,
    )
    from .attention import fused_self_attention_query_mul_key_and_value
    from .bias import bias_add, fused_bias_add_dropout, fused_bias_add_gelu
    from .convolution import (
        compat_conv2d,
        conv1d,
        conv2d,
        conv2d_transpose,
        conv3d,
        torch_conv2d_transpose,
    )
    from .ctc import ctc_greedy_decoder
    from .dropouts import dropout, random_mask_like
    from .loss import bce_loss as BCELoss
    from .loss import bce_with_logits_loss as BCEWithLogitsLoss
    from .loss import (
        distributed_sparse_softmax_cross_entropy_with_logits,
        sigmoid_cross_entropy_with_logits,
        softmax_cross_entropy_with_logits,
        sparse_cross_entropy,
        sparse_softmax_cross_entropy_with_logits,
    )
    from .loss import kldivloss as KLDivLoss
    from .loss import l1_loss as L1Loss
    from .loss import margin_ranking_loss as MarginRankingLoss
    from .loss import mse_loss as MSELoss
    from .loss import triplet_margin_loss as TripletMarginLoss
    from .normalization import batch_normalization, layer_norm, moments
    from .normalization import group_normalization as GroupNorm
    from .normalization import instance_normalization1d as InstanceNorm1d
    from .normalization import instance_normalization2d as InstanceNorm2d
    from .normalization import instance_normalization3d as InstanceNorm3d
    from .pixel_shuffle import pixel_shuffle as PixelShuffle
    from .pixel_shuffle import pixel_shufflev2 as PixelShufflev2
    from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
else:
    __getattr__, __dir__ = attach(__name__)
