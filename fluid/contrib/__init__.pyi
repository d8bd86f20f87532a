"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.contrib`."""

from . import decoder, extend_optimizer, layers, memory_usage_calc, mixed_precision, model_stat, op_frequence, quantize, reader, slim, utils
from .decoder import BeamSearchDecoder, InitState, StateCell, TrainingDecoder
from .extend_optimizer import extend_with_decoupled_weight_decay
from .layers import BasicGRUUnit, BasicLSTMUnit, basic_gru, basic_lstm, ctr_metric_bundle, fused_elemwise_activation, fused_embedding_seq_pool, match_matrix_tensor, multiclass_nms2, partial_concat, partial_sum, sequence_topk_avg_pooling, shuffle_batch, tdm_child, tdm_sampler, tree_conv, var_conv_2d
from .memory_usage_calc import memory_usage
from .mixed_precision import AutoMixedPrecisionLists, decorate
from .op_frequence import op_freq_statistic
from .quantize import QuantizeTranspiler
from .reader import distributed_batch_reader
from .utils import HDFSClient, convert_dist_to_sparse_program, load_persistables_for_increment, load_persistables_for_inference, multi_download, multi_upload

__all__ = ['AutoMixedPrecisionLists', 'BasicGRUUnit', 'BasicLSTMUnit', 'BeamSearchDecoder', 'HDFSClient', 'InitState', 'QuantizeTranspiler', 'StateCell', 'TrainingDecoder', 'basic_gru', 'basic_lstm', 'convert_dist_to_sparse_program', 'ctr_metric_bundle', 'decoder', 'decorate', 'distributed_batch_reader', 'extend_optimizer', 'extend_with_decoupled_weight_decay', 'fused_elemwise_activation', 'fused_embedding_seq_pool', 'layers', 'load_persistables_for_increment', 'load_persistables_for_inference', 'match_matrix_tensor', 'memory_usage', 'memory_usage_calc', 'mixed_precision', 'model_stat', 'multi_download', 'multi_upload', 'multiclass_nms2', 'op_freq_statistic', 'op_frequence', 'partial_concat', 'partial_sum', 'quantize', 'reader', 'sequence_topk_avg_pooling', 'shuffle_batch', 'slim', 'tdm_child', 'tdm_sampler', 'tree_conv', 'utils', 'var_conv_2d']
