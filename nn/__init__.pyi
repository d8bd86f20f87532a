"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.nn`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.core.param_attr import ParamAttr as ParamAttr
from . import clip as clip, clip_grad as clip_grad, container as container, decode as decode, functional as functional, initializer as initializer, layer as layer, layers as layers, quant as quant, reparameterization as reparameterization, state as state, utils as utils
from proa.nn.clip import ClipGradByGlobalNorm as ClipGradByGlobalNorm, ClipGradByNorm as ClipGradByNorm, ClipGradByValue as ClipGradByValue
from proa.nn.container import LayerDict as LayerDict, LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
from proa.nn.decode import BeamSearchDecoder as BeamSearchDecoder, dynamic_decode as dynamic_decode
from proa.nn.layer import loss as loss
from proa.nn.layer.layers import Layer as Layer
from proa.nn.layers.activation import CELU as CELU, ELU as ELU, GELU as GELU, GLU as GLU, Hardshrink as Hardshrink, Hardsigmoid as Hardsigmoid, Hardswish as Hardswish, Hardtanh as Hardtanh, LeakyReLU as LeakyReLU, LogSigmoid as LogSigmoid, LogSoftmax as LogSoftmax, Maxout as Maxout, Mish as Mish, PReLU as PReLU, RReLU as RReLU, ReLU as ReLU, ReLU6 as ReLU6, SELU as SELU, Sigmoid as Sigmoid, Silu as Silu, Softmax as Softmax, Softmax2D as Softmax2D, Softplus as Softplus, Softshrink as Softshrink, Softsign as Softsign, Swish as Swish, Tanh as Tanh, Tanhshrink as Tanhshrink, ThresholdedReLU as ThresholdedReLU
from proa.nn.layers.attention import MultiHeadAttention as MultiHeadAttention
from proa.nn.layers.batch_norm import BatchNorm as BatchNorm, BatchNorm1D as BatchNorm1D, BatchNorm2D as BatchNorm2D, BatchNorm3D as BatchNorm3D, SyncBatchNorm as SyncBatchNorm
from proa.nn.layers.common import AlphaDropout as AlphaDropout, Dropout as Dropout, Dropout2D as Dropout2D, Dropout3D as Dropout3D, Embedding as Embedding, Flatten as Flatten, Identity as Identity, Linear as Linear, Unflatten as Unflatten
from proa.nn.layers.conv import Conv1D as Conv1D, Conv1DTranspose as Conv1DTranspose, Conv2D as Conv2D, Conv2DTranspose as Conv2DTranspose, Conv3D as Conv3D, Conv3DTranspose as Conv3DTranspose
from proa.nn.layers.decoder import TransformerDecoder as TransformerDecoder, TransformerDecoderLayer as TransformerDecoderLayer
from proa.nn.layers.distance import Bilinear as Bilinear, CosineSimilarity as CosineSimilarity, PairwiseDistance as PairwiseDistance
from proa.nn.layers.encoder import TransformerEncoder as TransformerEncoder, TransformerEncoderLayer as TransformerEncoderLayer
from proa.nn.layers.loss import BCELoss as BCELoss, BCEWithLogitsLoss as BCEWithLogitsLoss, CrossEntropyLoss as CrossEntropyLoss, KLDivLoss as KLDivLoss, L1Loss as L1Loss, MSELoss as MSELoss, NLLLoss as NLLLoss, SmoothL1Loss as SmoothL1Loss
from proa.nn.layers.margin_losses import CosineEmbeddingLoss as CosineEmbeddingLoss, HingeEmbeddingLoss as HingeEmbeddingLoss, MarginRankingLoss as MarginRankingLoss, MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss, MultiMarginLoss as MultiMarginLoss, SoftMarginLoss as SoftMarginLoss, TripletMarginLoss as TripletMarginLoss, TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from proa.nn.layers.norm import GroupNorm as GroupNorm, InstanceNorm1D as InstanceNorm1D, InstanceNorm2D as InstanceNorm2D, InstanceNorm3D as InstanceNorm3D, LayerNorm as LayerNorm, LocalResponseNorm as LocalResponseNorm, SpectralNorm as SpectralNorm
from proa.nn.layers.padding import Pad1D as Pad1D, Pad2D as Pad2D, Pad3D as Pad3D, ZeroPad2D as ZeroPad2D
from proa.nn.layers.pooling import AdaptiveAvgPool1D as AdaptiveAvgPool1D, AdaptiveAvgPool2D as AdaptiveAvgPool2D, AdaptiveAvgPool3D as AdaptiveAvgPool3D, AdaptiveMaxPool1D as AdaptiveMaxPool1D, AdaptiveMaxPool2D as AdaptiveMaxPool2D, AdaptiveMaxPool3D as AdaptiveMaxPool3D, AvgPool1D as AvgPool1D, AvgPool2D as AvgPool2D, AvgPool3D as AvgPool3D, MaxPool1D as MaxPool1D, MaxPool2D as MaxPool2D, MaxPool3D as MaxPool3D
from proa.nn.layers.rnn import BiRNN as BiRNN, RNN as RNN
from proa.nn.layers.rnn_cells import GRUCell as GRUCell, LSTMCell as LSTMCell, RNNCellBase as RNNCellBase, SimpleRNNCell as SimpleRNNCell
from proa.nn.layers.rnn_stacks import GRU as GRU, LSTM as LSTM, SimpleRNN as SimpleRNN
from proa.nn.layers.sequence_losses import CTCLoss as CTCLoss, GaussianNLLLoss as GaussianNLLLoss, HSigmoidLoss as HSigmoidLoss, PoissonNLLLoss as PoissonNLLLoss, RNNTLoss as RNNTLoss
from proa.nn.layers.transformer import Transformer as Transformer
from proa.nn.layers.unpooling import MaxUnPool1D as MaxUnPool1D, MaxUnPool2D as MaxUnPool2D, MaxUnPool3D as MaxUnPool3D
from proa.nn.layers.upsampling import Upsample as Upsample, UpsamplingBilinear2D as UpsamplingBilinear2D, UpsamplingNearest2D as UpsamplingNearest2D
from proa.nn.layers.vision import ChannelShuffle as ChannelShuffle, Fold as Fold, PixelShuffle as PixelShuffle, PixelUnshuffle as PixelUnshuffle, Unfold as Unfold

