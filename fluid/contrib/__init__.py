"""`fluid.contrib`: what others contributed to 1.x."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import (
        decoder,
        extend_optimizer,
        layers,
        memory_usage_calc,
        mixed_precision,
        model_stat,
        op_frequence,
        quantize,
        reader,
        slim,
        utils,
    )
    from .decoder import BeamSearchDecoder, InitState, StateCell, TrainingDecoder
    from .extend_optimizer import extend_with_decoupled_weight_decay
    from .layers import (
        BasicGRUUnit,
        BasicLSTMUnit,
        basic_gru,
        basic_lstm,
        ctr_metric_bundle,
        fused_elemwise_activation,
        fused_embedding_seq_pool,
        match_matrix_tensor,
        multiclass_nms2,
        partial_concat,
        partial_sum,
        sequence_topk_avg_pooling,
        shuffle_batch,
        tdm_child,
        tdm_sampler,
        tree_conv,
        var_conv_2d,
    )
    from .memory_usage_calc import memory_usage
    from .mixed_precision import AutoMixedPrecisionLists, decorate
    from .op_frequence import op_freq_statistic
    from .quantize import QuantizeTranspiler
    from .reader import distributed_batch_reader
    from .utils import (
        HDFSClient,
        convert_dist_to_sparse_program,
        load_persistables_for_increment,
        load_persistables_for_inference,
        multi_download,
        multi_upload,
    )
else:
    __getattr__, __dir__ = attach(__name__)
