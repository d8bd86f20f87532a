"""Layers, functions, initializers and gradient clipping.

Sees core and ops only, so a Layer cannot tell the modes apart.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach, stand_at

stand_at(__name__, loss="layer.loss")

if TYPE_CHECKING:
    from ..core.param_attr import ParamAttr
    from . import (
        clip,
        clip_grad,
        container,
        decode,
        functional,
        initializer,
        layer,
        layers,
        quant,
        reparameterization,
        state,
        utils,
    )
    from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
    from .container import LayerDict, LayerList, ParameterList, Sequential
    from .decode import BeamSearchDecoder, dynamic_decode
    from .layer import Layer, loss
    from .layers.activation import (
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
        Maxout,
        Mish,
        PReLU,
        ReLU,
        ReLU6,
        RReLU,
        Sigmoid,
        Silu,
        Softmax,
        Softmax2D,
        Softplus,
        Softshrink,
        Softsign,
        Swish,
        Tanh,
        Tanhshrink,
        ThresholdedReLU,
    )
    from .layers.attention import MultiHeadAttention
    from .layers.common import (
        AlphaDropout,
        Dropout,
        Dropout2D,
        Dropout3D,
        Embedding,
        Flatten,
        Identity,
        Linear,
        Unflatten,
    )
    from .layers.conv import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
    from .layers.decoder import TransformerDecoder, TransformerDecoderLayer
    from .layers.distance import Bilinear, CosineSimilarity, PairwiseDistance
    from .layers.encoder import TransformerEncoder, TransformerEncoderLayer
    from .layers.loss import (
        BCELoss,
        BCEWithLogitsLoss,
        CrossEntropyLoss,
        KLDivLoss,
        L1Loss,
        MSELoss,
        NLLLoss,
        SmoothL1Loss,
    )
    from .layers.margin_losses import (
        CosineEmbeddingLoss,
        HingeEmbeddingLoss,
        MarginRankingLoss,
        MultiLabelSoftMarginLoss,
        MultiMarginLoss,
        SoftMarginLoss,
        TripletMarginLoss,
        TripletMarginWithDistanceLoss,
    )
    from .layers.norm import (
        BatchNorm,
        BatchNorm1D,
        BatchNorm2D,
        BatchNorm3D,
        GroupNorm,
        InstanceNorm1D,
        InstanceNorm2D,
        InstanceNorm3D,
        LayerNorm,
        LocalResponseNorm,
        SpectralNorm,
        SyncBatchNorm,
    )
    from .layers.padding import Pad1D, Pad2D, Pad3D, ZeroPad2D
    from .layers.pooling import (
        AdaptiveAvgPool1D,
        AdaptiveAvgPool2D,
        AdaptiveAvgPool3D,
        AdaptiveMaxPool1D,
        AdaptiveMaxPool2D,
        AdaptiveMaxPool3D,
        AvgPool1D,
        AvgPool2D,
        AvgPool3D,
        MaxPool1D,
        MaxPool2D,
        MaxPool3D,
    )
    from .layers.rnn import RNN, BiRNN
    from .layers.rnn_cells import GRUCell, LSTMCell, RNNCellBase, SimpleRNNCell
    from .layers.rnn_stacks import GRU, LSTM, SimpleRNN
    from .layers.sequence_losses import CTCLoss, GaussianNLLLoss, HSigmoidLoss, PoissonNLLLoss, RNNTLoss
    from .layers.transformer import Transformer
    from .layers.unpooling import MaxUnPool1D, MaxUnPool2D, MaxUnPool3D
    from .layers.upsampling import Upsample, UpsamplingBilinear2D, UpsamplingNearest2D
    from .layers.vision import ChannelShuffle, Fold, PixelShuffle, PixelUnshuffle, Unfold
else:
    __getattr__, __dir__ = attach(__name__)
