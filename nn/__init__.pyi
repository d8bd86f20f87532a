"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.nn`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.core.param_attr import ParamAttr as ParamAttr
from proa.dygraph.tensor import Tensor as Tensor
from . import clip as clip, clip_grad as clip_grad, container as container, decode as decode, functional as functional, initializer as initializer, layer as layer, layers as layers, quant as quant, reparameterization as reparameterization, state as state, utils as utils
from proa.nn.clip import ClipGradByGlobalNorm as ClipGradByGlobalNorm, ClipGradByNorm as ClipGradByNorm, ClipGradByValue as ClipGradByValue
from proa.nn.container import LayerDict as LayerDict, LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
from proa.nn.decode import BeamSearchDecoder as BeamSearchDecoder, dynamic_decode as dynamic_decode
from proa.nn.layer import loss as loss
from proa.nn.layer.layers import Layer as Layer
from proa.nn.layers.activation import CELU as _CELU, ELU as _ELU, GELU as _GELU, GLU as _GLU, Hardshrink as _Hardshrink, Hardsigmoid as _Hardsigmoid, Hardswish as _Hardswish, Hardtanh as _Hardtanh, LeakyReLU as _LeakyReLU, LogSigmoid as _LogSigmoid, LogSoftmax as _LogSoftmax, Maxout as _Maxout, Mish as _Mish, PReLU as _PReLU, RReLU as _RReLU, ReLU as _ReLU, ReLU6 as _ReLU6, SELU as _SELU, Sigmoid as _Sigmoid, Silu as _Silu, Softmax as _Softmax, Softmax2D as _Softmax2D, Softplus as _Softplus, Softshrink as _Softshrink, Softsign as _Softsign, Swish as _Swish, Tanh as _Tanh, Tanhshrink as _Tanhshrink, ThresholdedReLU as _ThresholdedReLU
from proa.nn.layers.attention import MultiHeadAttention as MultiHeadAttention
from proa.nn.layers.batch_norm import BatchNorm as _BatchNorm, BatchNorm1D as _BatchNorm1D, BatchNorm2D as _BatchNorm2D, BatchNorm3D as _BatchNorm3D, SyncBatchNorm as _SyncBatchNorm
from proa.nn.layers.common import AlphaDropout as _AlphaDropout, Dropout as _Dropout, Dropout2D as _Dropout2D, Dropout3D as _Dropout3D, Embedding as _Embedding, Flatten as _Flatten, Identity as _Identity, Linear as _Linear, Unflatten as _Unflatten
from proa.nn.layers.conv import Conv1D as _Conv1D, Conv1DTranspose as _Conv1DTranspose, Conv2D as _Conv2D, Conv2DTranspose as _Conv2DTranspose, Conv3D as _Conv3D, Conv3DTranspose as _Conv3DTranspose
from proa.nn.layers.decoder import TransformerDecoder as TransformerDecoder, TransformerDecoderLayer as TransformerDecoderLayer
from proa.nn.layers.distance import Bilinear as _Bilinear, CosineSimilarity as _CosineSimilarity, PairwiseDistance as _PairwiseDistance
from proa.nn.layers.encoder import TransformerEncoder as TransformerEncoder, TransformerEncoderLayer as TransformerEncoderLayer
from proa.nn.layers.loss import BCELoss as _BCELoss, BCEWithLogitsLoss as _BCEWithLogitsLoss, CrossEntropyLoss as _CrossEntropyLoss, KLDivLoss as _KLDivLoss, L1Loss as _L1Loss, MSELoss as _MSELoss, NLLLoss as _NLLLoss, SmoothL1Loss as _SmoothL1Loss
from proa.nn.layers.margin_losses import CosineEmbeddingLoss as _CosineEmbeddingLoss, HingeEmbeddingLoss as _HingeEmbeddingLoss, MarginRankingLoss as _MarginRankingLoss, MultiLabelSoftMarginLoss as _MultiLabelSoftMarginLoss, MultiMarginLoss as _MultiMarginLoss, SoftMarginLoss as _SoftMarginLoss, TripletMarginLoss as _TripletMarginLoss, TripletMarginWithDistanceLoss as _TripletMarginWithDistanceLoss
from proa.nn.layers.norm import GroupNorm as _GroupNorm, InstanceNorm1D as _InstanceNorm1D, InstanceNorm2D as _InstanceNorm2D, InstanceNorm3D as _InstanceNorm3D, LayerNorm as _LayerNorm, LocalResponseNorm as _LocalResponseNorm, SpectralNorm as _SpectralNorm
from proa.nn.layers.padding import Pad1D as _Pad1D, Pad2D as _Pad2D, Pad3D as _Pad3D, ZeroPad2D as _ZeroPad2D
from proa.nn.layers.pooling import AdaptiveAvgPool1D as _AdaptiveAvgPool1D, AdaptiveAvgPool2D as _AdaptiveAvgPool2D, AdaptiveAvgPool3D as _AdaptiveAvgPool3D, AdaptiveMaxPool1D as AdaptiveMaxPool1D, AdaptiveMaxPool2D as AdaptiveMaxPool2D, AdaptiveMaxPool3D as AdaptiveMaxPool3D, AvgPool1D as _AvgPool1D, AvgPool2D as _AvgPool2D, AvgPool3D as _AvgPool3D, MaxPool1D as MaxPool1D, MaxPool2D as MaxPool2D, MaxPool3D as MaxPool3D
from proa.nn.layers.rnn import BiRNN as BiRNN, RNN as RNN
from proa.nn.layers.rnn_cells import GRUCell as _GRUCell, LSTMCell as _LSTMCell, RNNCellBase as RNNCellBase, SimpleRNNCell as _SimpleRNNCell
from proa.nn.layers.rnn_stacks import GRU as _GRU, LSTM as _LSTM, SimpleRNN as _SimpleRNN
from proa.nn.layers.sequence_losses import CTCLoss as _CTCLoss, GaussianNLLLoss as _GaussianNLLLoss, HSigmoidLoss as _HSigmoidLoss, PoissonNLLLoss as _PoissonNLLLoss, RNNTLoss as _RNNTLoss
from proa.nn.layers.transformer import Transformer as _Transformer
from proa.nn.layers.unpooling import MaxUnPool1D as _MaxUnPool1D, MaxUnPool2D as _MaxUnPool2D, MaxUnPool3D as _MaxUnPool3D
from proa.nn.layers.upsampling import Upsample as _Upsample, UpsamplingBilinear2D as _UpsamplingBilinear2D, UpsamplingNearest2D as _UpsamplingNearest2D
from proa.nn.layers.vision import ChannelShuffle as _ChannelShuffle, Fold as _Fold, PixelShuffle as _PixelShuffle, PixelUnshuffle as _PixelUnshuffle, Unfold as _Unfold

class AdaptiveAvgPool1D(_AdaptiveAvgPool1D):
    def forward(self, input: Any) -> Tensor: ...

class AdaptiveAvgPool2D(_AdaptiveAvgPool2D):
    def forward(self, x: Any) -> Tensor: ...

class AdaptiveAvgPool3D(_AdaptiveAvgPool3D):
    def forward(self, x: Any) -> Tensor: ...

class AlphaDropout(_AlphaDropout):
    def forward(self, input: Any) -> Tensor: ...

class AvgPool1D(_AvgPool1D):
    def forward(self, x: Any) -> Tensor: ...

class AvgPool2D(_AvgPool2D):
    def forward(self, x: Any) -> Tensor: ...

class AvgPool3D(_AvgPool3D):
    def forward(self, x: Any) -> Tensor: ...

class BCELoss(_BCELoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class BCEWithLogitsLoss(_BCEWithLogitsLoss):
    def forward(self, logit: Any, label: Any) -> Tensor: ...

class BatchNorm(_BatchNorm):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class BatchNorm1D(_BatchNorm1D):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class BatchNorm2D(_BatchNorm2D):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class BatchNorm3D(_BatchNorm3D):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class Bilinear(_Bilinear):
    weight: Tensor
    bias: Tensor
    def forward(self, x1: Any, x2: Any) -> Tensor: ...

class CELU(_CELU):
    def forward(self, x: Any) -> Tensor: ...

class CTCLoss(_CTCLoss):
    def forward(self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, norm_by_times: bool = False) -> Tensor: ...

class ChannelShuffle(_ChannelShuffle):
    def forward(self, x: Any) -> Tensor: ...

class Conv1D(_Conv1D):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Conv1DTranspose(_Conv1DTranspose):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any, output_size: Any = None) -> Tensor: ...

class Conv2D(_Conv2D):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Conv2DTranspose(_Conv2DTranspose):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any, output_size: Any = None) -> Tensor: ...

class Conv3D(_Conv3D):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Conv3DTranspose(_Conv3DTranspose):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any, output_size: Any = None) -> Tensor: ...

class CosineEmbeddingLoss(_CosineEmbeddingLoss):
    def forward(self, input1: Any, input2: Any, label: Any) -> Tensor: ...

class CosineSimilarity(_CosineSimilarity):
    def forward(self, x1: Any, x2: Any) -> Tensor: ...

class CrossEntropyLoss(_CrossEntropyLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class Dropout(_Dropout):
    def forward(self, input: Any) -> Tensor: ...

class Dropout2D(_Dropout2D):
    def forward(self, input: Any) -> Tensor: ...

class Dropout3D(_Dropout3D):
    def forward(self, input: Any) -> Tensor: ...

class ELU(_ELU):
    def forward(self, x: Any) -> Tensor: ...

class Embedding(_Embedding):
    weight: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Flatten(_Flatten):
    def forward(self, input: Any) -> Tensor: ...

class Fold(_Fold):
    def forward(self, input: Any) -> Tensor: ...

class GELU(_GELU):
    def forward(self, x: Any) -> Tensor: ...

class GLU(_GLU):
    def forward(self, x: Any) -> Tensor: ...

class GRU(_GRU):
    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Tensor, Tensor]: ...

class GRUCell(_GRUCell):
    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor
    bias_hh: Tensor
    def forward(self, inputs: Any, states: Any = None) -> tuple[Tensor, Tensor]: ...

class GaussianNLLLoss(_GaussianNLLLoss):
    def forward(self, input: Any, label: Any, variance: Any) -> Tensor: ...

class GroupNorm(_GroupNorm):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class HSigmoidLoss(_HSigmoidLoss):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Tensor: ...

class Hardshrink(_Hardshrink):
    def forward(self, x: Any) -> Tensor: ...

class Hardsigmoid(_Hardsigmoid):
    def forward(self, x: Any) -> Tensor: ...

class Hardswish(_Hardswish):
    def forward(self, x: Any) -> Tensor: ...

class Hardtanh(_Hardtanh):
    def forward(self, x: Any) -> Tensor: ...

class HingeEmbeddingLoss(_HingeEmbeddingLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class Identity(_Identity):
    def forward(self, input: Any) -> Tensor: ...

class InstanceNorm1D(_InstanceNorm1D):
    scale: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class InstanceNorm2D(_InstanceNorm2D):
    scale: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class InstanceNorm3D(_InstanceNorm3D):
    scale: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class KLDivLoss(_KLDivLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class L1Loss(_L1Loss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class LSTM(_LSTM):
    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

class LSTMCell(_LSTMCell):
    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor
    bias_hh: Tensor
    def forward(self, inputs: Any, states: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

class LayerNorm(_LayerNorm):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class LeakyReLU(_LeakyReLU):
    def forward(self, x: Any) -> Tensor: ...

class Linear(_Linear):
    weight: Tensor
    bias: Tensor
    def forward(self, input: Any) -> Tensor: ...

class LocalResponseNorm(_LocalResponseNorm):
    def forward(self, input: Any) -> Tensor: ...

class LogSigmoid(_LogSigmoid):
    def forward(self, x: Any) -> Tensor: ...

class LogSoftmax(_LogSoftmax):
    def forward(self, x: Any) -> Tensor: ...

class MSELoss(_MSELoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class MarginRankingLoss(_MarginRankingLoss):
    def forward(self, input: Any, other: Any, label: Any) -> Tensor: ...

class MaxUnPool1D(_MaxUnPool1D):
    def forward(self, x: Any, indices: Any) -> Tensor: ...

class MaxUnPool2D(_MaxUnPool2D):
    def forward(self, x: Any, indices: Any) -> Tensor: ...

class MaxUnPool3D(_MaxUnPool3D):
    def forward(self, x: Any, indices: Any) -> Tensor: ...

class Maxout(_Maxout):
    def forward(self, x: Any) -> Tensor: ...

class Mish(_Mish):
    def forward(self, x: Any) -> Tensor: ...

class MultiLabelSoftMarginLoss(_MultiLabelSoftMarginLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class MultiMarginLoss(_MultiMarginLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class NLLLoss(_NLLLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class PReLU(_PReLU):
    def forward(self, x: Any) -> Tensor: ...

class Pad1D(_Pad1D):
    def forward(self, x: Any) -> Tensor: ...

class Pad2D(_Pad2D):
    def forward(self, x: Any) -> Tensor: ...

class Pad3D(_Pad3D):
    def forward(self, x: Any) -> Tensor: ...

class PairwiseDistance(_PairwiseDistance):
    def forward(self, x: Any, y: Any) -> Tensor: ...

class PixelShuffle(_PixelShuffle):
    def forward(self, x: Any) -> Tensor: ...

class PixelUnshuffle(_PixelUnshuffle):
    def forward(self, x: Any) -> Tensor: ...

class PoissonNLLLoss(_PoissonNLLLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class RNNTLoss(_RNNTLoss):
    def forward(self, input: Any, label: Any, input_lengths: Any, label_lengths: Any) -> Tensor: ...

class RReLU(_RReLU):
    def forward(self, x: Any) -> Tensor: ...

class ReLU(_ReLU):
    def forward(self, x: Any) -> Tensor: ...

class ReLU6(_ReLU6):
    def forward(self, x: Any) -> Tensor: ...

class SELU(_SELU):
    def forward(self, x: Any) -> Tensor: ...

class Sigmoid(_Sigmoid):
    def forward(self, x: Any) -> Tensor: ...

class Silu(_Silu):
    def forward(self, x: Any) -> Tensor: ...

class SimpleRNN(_SimpleRNN):
    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Tensor, Tensor]: ...

class SimpleRNNCell(_SimpleRNNCell):
    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor
    bias_hh: Tensor
    def forward(self, inputs: Any, states: Any = None) -> tuple[Tensor, Tensor]: ...

class SmoothL1Loss(_SmoothL1Loss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class SoftMarginLoss(_SoftMarginLoss):
    def forward(self, input: Any, label: Any) -> Tensor: ...

class Softmax(_Softmax):
    def forward(self, x: Any) -> Tensor: ...

class Softmax2D(_Softmax2D):
    def forward(self, x: Any) -> Tensor: ...

class Softplus(_Softplus):
    def forward(self, x: Any) -> Tensor: ...

class Softshrink(_Softshrink):
    def forward(self, x: Any) -> Tensor: ...

class Softsign(_Softsign):
    def forward(self, x: Any) -> Tensor: ...

class SpectralNorm(_SpectralNorm):
    weight_u: Tensor
    weight_v: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Swish(_Swish):
    def forward(self, x: Any) -> Tensor: ...

class SyncBatchNorm(_SyncBatchNorm):
    weight: Tensor
    bias: Tensor
    def forward(self, x: Any) -> Tensor: ...

class Tanh(_Tanh):
    def forward(self, x: Any) -> Tensor: ...

class Tanhshrink(_Tanhshrink):
    def forward(self, x: Any) -> Tensor: ...

class ThresholdedReLU(_ThresholdedReLU):
    def forward(self, x: Any) -> Tensor: ...

class Transformer(_Transformer):
    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None) -> Tensor: ...

class TripletMarginLoss(_TripletMarginLoss):
    def forward(self, input: Any, positive: Any, negative: Any) -> Tensor: ...

class TripletMarginWithDistanceLoss(_TripletMarginWithDistanceLoss):
    def forward(self, input: Any, positive: Any, negative: Any) -> Tensor: ...

class Unflatten(_Unflatten):
    def forward(self, input: Any) -> Tensor: ...

class Unfold(_Unfold):
    def forward(self, input: Any) -> Tensor: ...

class Upsample(_Upsample):
    def forward(self, x: Any) -> Tensor: ...

class UpsamplingBilinear2D(_UpsamplingBilinear2D):
    def forward(self, x: Any) -> Tensor: ...

class UpsamplingNearest2D(_UpsamplingNearest2D):
    def forward(self, x: Any) -> Tensor: ...

class ZeroPad2D(_ZeroPad2D):
    def forward(self, x: Any) -> Tensor: ...

