"""Fused operators on sequences: recurrent ones with their products, pooled and convolved ones."""

from typing import Any

from ..array.concat_split import concat
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..fluid.mean_iou import cvm_op
from ..linalg.products import mul_op
from ..math.elementwise import add_op
from ..nn.activation import relu
from ..nn.dynamic_rnn import gru_op, lstm_op
from ..sequence.convolution import sequence_conv_op
from ..sequence.expanding import sequence_expand_op
from ..sequence.pooling import sequence_pool_op
from .activations import activated, refuse_whole_numbers
from .products import affine

_REST_OF_GRU = "ReorderedH0?&, XX?&, BatchedInput?&, BatchedOut?&"
_REST_OF_LSTM = "XX?&, BatchedInput?&, BatchedHidden?&, BatchedCell?&, ReorderedH0?&, ReorderedC0?&, CheckedCell?&"


def _gru(x: Any, state: Any, weight: Any, recurrent: Any, bias: Any, **attrs: Any) -> Any:
    return apply(gru_op, apply(mul_op, x, weight), state, recurrent, bias, None, **attrs)[0]


@decomposition("fusion_gru", f"X, H0?, WeightX, WeightH, Bias? -> {_REST_OF_GRU}, Hidden")
def _fusion_gru(x: Any, state: Any, weight: Any, recurrent: Any, bias: Any, *, activation: str = "tanh",
                gate_activation: str = "sigmoid", is_reverse: bool = False, origin_mode: bool = False,
                mkldnn_data_type: str = "") -> tuple:
    refuse_whole_numbers("fusion_gru", mkldnn_data_type)
    hidden = _gru(x, state, weight, recurrent, bias, activation=activation, gate_activation=gate_activation,
                  is_reverse=is_reverse, origin_mode=origin_mode)
    return None, None, None, None, hidden


@decomposition("multi_gru", "X, WeightX*, WeightH*, Bias*?, Scale_weights*? -> Hidden")
def _multi_gru(x: Any, weights: list, recurrent: list, biases: list, scales: Any, *, activation: str = "tanh",
               gate_activation: str = "sigmoid", layers: int = 1, origin_mode: bool = False,
               mkldnn_data_type: str = "") -> Any:
    refuse_whole_numbers("multi_gru", "int8" if scales else mkldnn_data_type)
    for layer in range(layers):
        both = []
        for backward in (False, True):
            n = 2 * layer + backward
            both.append(_gru(x, None, weights[n], recurrent[n], biases[n] if biases else None, activation=activation,
                             gate_activation=gate_activation, is_reverse=backward, origin_mode=origin_mode))
        x = concat(both, axis=1)
    return x


@decomposition("fusion_lstm", f"X, WeightX, WeightH, Bias, H0?, C0? -> Hidden, Cell, {_REST_OF_LSTM}")
def _fusion_lstm(x: Any, weight: Any, recurrent: Any, bias: Any, state: Any, cell: Any, *, use_peepholes: bool = True,
                 is_reverse: bool = False, gate_activation: str = "sigmoid", cell_activation: str = "tanh",
                 candidate_activation: str = "tanh", mkldnn_data_type: str = "") -> tuple:
    refuse_whole_numbers("fusion_lstm", mkldnn_data_type)
    made = apply(lstm_op, apply(mul_op, x, weight), state, cell, recurrent, bias, None, use_peepholes=use_peepholes,
                 is_reverse=is_reverse, gate_activation=gate_activation, cell_activation=cell_activation,
                 candidate_activation=candidate_activation)
    return (*made[:2], *[None] * 7)


@decomposition("fusion_seqpool_concat", "X* -> Out")
def _seqpool_concat(values: list, *, pooltype: str = "SUM", axis: int = 1) -> Any:
    return concat([apply(sequence_pool_op, x, None, pooltype=pooltype)[0] for x in values], axis=axis)


@decomposition("fusion_seqpool_cvm_concat", "X*, CVM -> Out")
def _seqpool_cvm_concat(values: list, cvm: Any, *, pooltype: str = "SUM", use_cvm: bool = True, axis: int = 1) -> Any:
    pooled = [apply(sequence_pool_op, x, None, pooltype=pooltype)[0] for x in values]
    return concat([apply(cvm_op, x, cvm, None, use_cvm=use_cvm) for x in pooled], axis=axis)


@decomposition("fusion_seqconv_eltadd_relu", "X, Filter, Bias -> Out, ColMat?&")
def _seqconv(x: Any, weight: Any, bias: Any, *, contextLength: int, contextStart: int = 0,
             contextStride: int = 1) -> tuple:
    made = apply(sequence_conv_op, x, None, weight, None, contextLength=contextLength, contextStart=contextStart,
                 contextStride=contextStride)
    return relu(apply(add_op, made, bias, axis=1)), None


@decomposition("fusion_seqexpand_concat_fc", "X*, FCWeight, FCBias? -> Out, FCOut?&")
def _seqexpand_fc(values: list, weight: Any, bias: Any, *, fc_activation: str = "identity") -> tuple:
    first, *rest = values
    joined = concat([first, *(apply(sequence_expand_op, x, first, None, None, ref_level=0)[0] for x in rest)], axis=1)
    return activated("fusion_seqexpand_concat_fc", affine(joined, weight, bias, 1), fc_activation), None
