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
    from .loss import (
        distributed_sparse_softmax_cross_entropy_with_logits,
        sigmoid_cross_entropy_with_logits,
        softmax_cross_entropy_with_logits,
        sparse_cross_entropy,
        sparse_softmax_cross_entropy_with_logits,
    )
    from .normalization import batch_normalization, layer_norm, moments
    from .pixel_shuffle import pixel_shufflev2 as PixelShufflev2
    from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d

    # isort: split
    # Modules
    from . import functional, init, utils
    from .graph import Graph
    from .module import Module
    from .modules.activations import (
        CELU,
        ELU,
        GELU,
        GLU,
        SELU,
        Hardshrink,
        Hardsigmoid,
        Hardswish,
        Hardtanh,
        LeakyReLU,
        LogSigmoid,
        LogSoftmax,
        Mish,
        PReLU,
        QuickGELU,
        ReLU,
        ReLU6,
        Sigmoid,
        SiLU,
        Softmax,
        Softplus,
        Softshrink,
        Softsign,
        Tanh,
        Threshold,
    )
    from .modules.container import (
        ModuleDict,
        ModuleList,
        ParameterDict,
        ParameterList,
        Sequential,
    )
    from .modules.convolution import (
        Conv1d,
        Conv2d,
        Conv3d,
        ConvTranspose1d,
        ConvTranspose2d,
        ConvTranspose3d,
        Fold,
        Unfold,
    )
    from .modules.dense import (
        CosineSimilarity,
        Dropout,
        Dropout1d,
        Dropout2d,
        Dropout3d,
        Embedding,
        Flatten,
        Identity,
        Linear,
        PairwiseDistance,
    )
    from .modules.losses import (
        BCELoss,
        BCEWithLogitsLoss,
        CombinedMarginLoss,
        CrossEntropyLoss,
        CTCLoss,
        KLDivLoss,
        L1Loss,
        MarginRankingLoss,
        MSELoss,
        NLLLoss,
        SmoothL1Loss,
        TripletMarginLoss,
    )
    from .modules.normalization import (
        BatchNorm1d,
        BatchNorm2d,
        BatchNorm3d,
        GroupNorm,
        InstanceNorm1d,
        InstanceNorm2d,
        InstanceNorm3d,
        LayerNorm,
        RMSLayerNorm,
        RMSNorm,
        SyncBatchNorm,
    )
    from .modules.pooling import (
        AdaptiveAvgPool1d,
        AdaptiveAvgPool2d,
        AdaptiveAvgPool3d,
        AdaptiveMaxPool1d,
        AdaptiveMaxPool2d,
        AdaptiveMaxPool3d,
        AvgPool1d,
        AvgPool2d,
        AvgPool3d,
        MaxPool1d,
        MaxPool2d,
        MaxPool3d,
        MaxUnpool1d,
        MaxUnpool2d,
        MaxUnpool3d,
    )
    from .modules.recurrent import (
        GRU,
        LSTM,
        RNN,
        GRUCell,
        LSTMCell,
        RNNBase,
        RNNCell,
        RNNCellBase,
    )
    from .modules.resizing import (
        ConstantPad1d,
        ConstantPad2d,
        ConstantPad3d,
        PixelShuffle,
        ReflectionPad1d,
        ReflectionPad2d,
        ReplicationPad1d,
        ReplicationPad2d,
        Upsample,
        UpsamplingBilinear2d,
        UpsamplingNearest2d,
        ZeroPad2d,
    )
    from .parameter import Parameter
else:
    __getattr__, __dir__ = attach(__name__)
