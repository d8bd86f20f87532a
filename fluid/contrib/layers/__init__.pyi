"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid.contrib.layers`."""

from . import metric_op, nn, rnn_impl
from .metric_op import ctr_metric_bundle
from .nn import batch_fc, fused_elemwise_activation, fused_embedding_seq_pool, index_sample, match_matrix_tensor, multiclass_nms2, partial_concat, partial_sum, rank_attention, sequence_topk_avg_pooling, shuffle_batch, tdm_child, tdm_sampler, tree_conv, var_conv_2d
from .rnn_impl import BasicGRUUnit, BasicLSTMUnit, basic_gru, basic_lstm

__all__ = ['BasicGRUUnit', 'BasicLSTMUnit', 'basic_gru', 'basic_lstm', 'batch_fc', 'ctr_metric_bundle', 'fused_elemwise_activation', 'fused_embedding_seq_pool', 'index_sample', 'match_matrix_tensor', 'metric_op', 'multiclass_nms2', 'nn', 'partial_concat', 'partial_sum', 'rank_attention', 'rnn_impl', 'sequence_topk_avg_pooling', 'shuffle_batch', 'tdm_child', 'tdm_sampler', 'tree_conv', 'var_conv_2d']
