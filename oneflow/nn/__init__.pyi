"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow.nn`."""

from ..math import fused_scale_tril, fused_scale_tril_softmax_dropout, relu, tril
from .activation import elu, hardsigmoid, hardswish, hardtanh, leaky_relu, logsoftmax, mish, relu6, softmax, softmax_grad, swish
from .attention import fused_self_attention_query_mul_key_and_value
from .bias import bias_add, fused_bias_add_dropout, fused_bias_add_gelu
from .convolution import compat_conv2d, conv1d, conv2d, conv2d_transpose, conv3d, torch_conv2d_transpose
from .ctc import ctc_greedy_decoder
from .dropouts import dropout, random_mask_like
from .loss import distributed_sparse_softmax_cross_entropy_with_logits, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits, sparse_cross_entropy, sparse_softmax_cross_entropy_with_logits
from .normalization import batch_normalization, layer_norm, moments
from .pixel_shuffle import pixel_shufflev2 as PixelShufflev2
from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from . import functional, init, utils
from .graph import Graph
from .module import Module
from .modules.activations import CELU, ELU, GELU, GLU, SELU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, Mish, PReLU, QuickGELU, ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softplus, Softshrink, Softsign, Tanh, Threshold
from .modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .modules.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Fold, Unfold
from .modules.dense import CosineSimilarity, Dropout, Dropout1d, Dropout2d, Dropout3d, Embedding, Flatten, Identity, Linear, PairwiseDistance
from .modules.losses import BCELoss, BCEWithLogitsLoss, CombinedMarginLoss, CrossEntropyLoss, CTCLoss, KLDivLoss, L1Loss, MarginRankingLoss, MSELoss, NLLLoss, SmoothL1Loss, TripletMarginLoss
from .modules.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm, RMSLayerNorm, RMSNorm, SyncBatchNorm
from .modules.pooling import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .modules.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell, RNNCellBase
from .modules.resizing import ConstantPad1d, ConstantPad2d, ConstantPad3d, PixelShuffle, ReflectionPad1d, ReflectionPad2d, ReplicationPad1d, ReplicationPad2d, Upsample, UpsamplingBilinear2d, UpsamplingNearest2d, ZeroPad2d
from .parameter import Parameter

__all__ = ['AdaptiveAvgPool1d', 'AdaptiveAvgPool2d', 'AdaptiveAvgPool3d', 'AdaptiveMaxPool1d', 'AdaptiveMaxPool2d', 'AdaptiveMaxPool3d', 'AvgPool1d', 'AvgPool2d', 'AvgPool3d', 'BCELoss', 'BCEWithLogitsLoss', 'BatchNorm1d', 'BatchNorm2d', 'BatchNorm3d', 'CELU', 'CTCLoss', 'CombinedMarginLoss', 'ConstantPad1d', 'ConstantPad2d', 'ConstantPad3d', 'Conv1d', 'Conv2d', 'Conv3d', 'ConvTranspose1d', 'ConvTranspose2d', 'ConvTranspose3d', 'CosineSimilarity', 'CrossEntropyLoss', 'Dropout', 'Dropout1d', 'Dropout2d', 'Dropout3d', 'ELU', 'Embedding', 'Flatten', 'Fold', 'GELU', 'GLU', 'GRU', 'GRUCell', 'Graph', 'GroupNorm', 'Hardshrink', 'Hardsigmoid', 'Hardswish', 'Hardtanh', 'Identity', 'InstanceNorm1d', 'InstanceNorm2d', 'InstanceNorm3d', 'KLDivLoss', 'L1Loss', 'LSTM', 'LSTMCell', 'LayerNorm', 'LeakyReLU', 'Linear', 'LogSigmoid', 'LogSoftmax', 'MSELoss', 'MarginRankingLoss', 'MaxPool1d', 'MaxPool2d', 'MaxPool3d', 'MaxUnpool1d', 'MaxUnpool2d', 'MaxUnpool3d', 'Mish', 'Module', 'ModuleDict', 'ModuleList', 'NLLLoss', 'PReLU', 'PairwiseDistance', 'Parameter', 'ParameterDict', 'ParameterList', 'PixelShuffle', 'PixelShufflev2', 'QuickGELU', 'RMSLayerNorm', 'RMSNorm', 'RNN', 'RNNBase', 'RNNCell', 'RNNCellBase', 'ReLU', 'ReLU6', 'ReflectionPad1d', 'ReflectionPad2d', 'ReplicationPad1d', 'ReplicationPad2d', 'SELU', 'Sequential', 'SiLU', 'Sigmoid', 'SmoothL1Loss', 'Softmax', 'Softplus', 'Softshrink', 'Softsign', 'SyncBatchNorm', 'Tanh', 'Threshold', 'TripletMarginLoss', 'Unfold', 'Upsample', 'UpsamplingBilinear2d', 'UpsamplingNearest2d', 'ZeroPad2d', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'batch_normalization', 'bias_add', 'compat_conv2d', 'conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'ctc_greedy_decoder', 'distributed_sparse_softmax_cross_entropy_with_logits', 'dropout', 'elu', 'functional', 'fused_bias_add_dropout', 'fused_bias_add_gelu', 'fused_scale_tril', 'fused_scale_tril_softmax_dropout', 'fused_self_attention_query_mul_key_and_value', 'hardsigmoid', 'hardswish', 'hardtanh', 'init', 'layer_norm', 'leaky_relu', 'logsoftmax', 'max_pool1d', 'max_pool2d', 'max_pool3d', 'mish', 'moments', 'random_mask_like', 'relu', 'relu6', 'sigmoid_cross_entropy_with_logits', 'softmax', 'softmax_cross_entropy_with_logits', 'softmax_grad', 'sparse_cross_entropy', 'sparse_softmax_cross_entropy_with_logits', 'swish', 'torch_conv2d_transpose', 'tril', 'utils']
