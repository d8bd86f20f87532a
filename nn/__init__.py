"""Layers, functions, initializers and gradient clipping.

Sees core and ops only, so a Layer cannot tell the modes apart.
"""

from ..core.param_attr import ParamAttr
from . import functional, initializer, utils
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .container import LayerDict, LayerList, ParameterList, Sequential
from .layer import Layer
from .layers.activation import (
    CELU,
    ELU,
    GELU,
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
    ReLU,
    ReLU6,
    Sigmoid,
    Silu,
    Softmax,
    Softplus,
    Softshrink,
    Softsign,
    Swish,
    Tanh,
    Tanhshrink,
    ThresholdedReLU,
)
from .layers.attention import MultiHeadAttention
from .layers.common import Dropout, Dropout2D, Embedding, Flatten, Identity, Linear
from .layers.conv import Conv2D, Conv2DTranspose
from .layers.decoder import TransformerDecoder, TransformerDecoderLayer
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
from .layers.norm import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, LayerNorm
from .layers.pooling import AdaptiveAvgPool2D, AdaptiveMaxPool2D, AvgPool2D, MaxPool2D
from .layers.rnn import RNN, BiRNN
from .layers.rnn_cells import GRUCell, LSTMCell, RNNCellBase, SimpleRNNCell
from .layers.rnn_stacks import GRU, LSTM, SimpleRNN
from .layers.transformer import Transformer
