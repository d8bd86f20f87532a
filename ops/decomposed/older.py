"""Operators of files of Paddle 1.x that no function of it writes any more, or that its own passes write."""

from typing import Any

import numpy as np

from ...core.dtype import from_number
from ..array.concat_split import concat
from ..array.creation import assign
from ..array.full import full
from ..array.rearrange import roll
from ..array.reshape import reshape, shape_handle
from ..array.slices import slice_
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..fluid.lookup_table import lookup_table_op
from ..math.add_n import add_n
from ..math.elementwise import multiply
from ..nn.activation import elu_op
from ..nn.attention_lstm import attending_lstm_op
from ..nn.dynamic_rnn import lstm_op
from ..nn.norm import batch_norm_op
from ..nn.pool import pool2d_op
from ..random.sampling import randint
from .activations import activated


@decomposition("seed", "-> Out")
def _seed(*, seed: int = 0) -> Any:
    """The number that a dropout begins with; 0 stands for another one at each run."""
    return full([1], seed, "int32") if seed else randint(1, 2**31 - 1, [1], "int32")


@decomposition("fill", "-> Out")
def _fill(*, value: list, shape: list, dtype: Any = 5) -> Any:
    kind = from_number(dtype) if isinstance(dtype, int) else dtype
    return assign(np.asarray(value).astype(kind.dtype).reshape(shape))


@decomposition("spp", "X -> Out")
def _spp(x: Any, *, pyramid_height: int, pooling_type: str = "max") -> Any:
    """Spatial pyramid pooling: each image in 1, 4, 16, … parts, of which each channel gives one number."""
    sizes, levels = shape_handle(x), []
    for bins in (2**level for level in range(pyramid_height)):
        windows = [-(-size // bins) for size in x.shape[2:]]
        margins = [(window * bins - size + 1) // 2 for window, size in zip(windows, x.shape[2:], strict=True)]
        pooled = apply(pool2d_op, x, ksize=windows, strides=windows, paddings=margins, pooling_type=pooling_type)
        levels.append(reshape(pooled, [sizes[0], x.shape[1] * bins * bins]))
    return concat(levels, axis=1)


@decomposition("conv_shift", "X, Y -> Out")
def _conv_shift(x: Any, y: Any) -> Any:
    """Rows of X moved around circles, by half the width of Y to both sides, each times its column of Y."""
    width = y.shape[1]
    if width % 2 == 0:
        raise ValueError(f"conv_shift(y): its width must be odd. Received shape {list(y.shape)}.")
    return add_n([multiply(roll(x, width // 2 - n, axis=1), slice_(y, [1], [n], [n + 1])) for n in range(width)])


_REST_OF_LSTM = "XX?&, BatchedInput?&, BatchedHidden?&, BatchedCell?&, ReorderedH0?&, ReorderedC0?&"


@decomposition("fused_embedding_fc_lstm", f"Ids, Embeddings, WeightH, Bias, H0?, C0? -> Hidden, Cell, {_REST_OF_LSTM}")
def _embedding_lstm(ids: Any, table: Any, recurrent: Any, bias: Any, state: Any, cell: Any, *,
                    use_peepholes: bool = True, is_reverse: bool = False, gate_activation: str = "sigmoid",
                    cell_activation: str = "tanh", candidate_activation: str = "tanh") -> tuple:
    """An LSTM of the rows of a table, to which the bias of the gates has been added before."""
    gates = 4 * recurrent.shape[0]
    own = full([1, gates], 0.0, bias.dtype)
    if use_peepholes:
        own = concat([own, slice_(bias, [1], [gates], [bias.shape[1]])], axis=1)
    made = apply(lstm_op, apply(lookup_table_op, ids, table), state, cell, recurrent, own, None,
                 use_peepholes=use_peepholes, is_reverse=is_reverse, gate_activation=gate_activation,
                 cell_activation=cell_activation, candidate_activation=candidate_activation)
    return (*made[:2], *[None] * 6)


@decomposition("attention_lstm", "X, C0, H0?, AttentionWeight, AttentionBias?, AttentionScalar?, AttentionScalarBias?, "
               "LSTMWeight, LSTMBias -> Hidden, Cell, AttentionedX?&, AttentionFCOut?&, LSTMX?&, LSTMOUT?&")
def _attention_lstm(x: Any, cell: Any, hidden: Any, attention: Any, attention_bias: Any, scalar: Any, scalar_bias: Any,
                    weight: Any, bias: Any, *, gate_activation: str = "sigmoid", cell_activation: str = "tanh",
                    candidate_activation: str = "tanh") -> tuple:
    made = apply(attending_lstm_op, x, cell, hidden, attention, attention_bias, scalar, scalar_bias, weight, bias, None,
                 gate_activation=gate_activation, cell_activation=cell_activation,
                 candidate_activation=candidate_activation)
    return (*made, None, None, None, None)


@decomposition("inplace_abn", "X, Scale, Bias, Mean, Variance, MomentumTensor? -> "
               "Y, MeanOut?, VarianceOut?, SavedMean?, SavedVariance?, ReserveSpace?")
def _inplace_abn(x: Any, scale: Any, bias: Any, mean: Any, variance: Any, momentum_tensor: Any, *,
                 is_test: bool = False, momentum: float = 0.9, epsilon: float = 1e-5, data_layout: str = "NCHW",
                 use_global_stats: bool = False, trainable_statistics: bool = False, activation: str = "",
                 alpha: float = 0.1, use_sync_bn: bool = False, use_mkldnn: bool = False,
                 fuse_with_relu: bool = False) -> tuple:
    """batch_norm, and behind it leaky_relu, elu or nothing: in the memory of its input, there."""
    if use_sync_bn:
        raise NotImplementedError("inplace_abn: statistics of several devices are not known here.")
    made, *statistics = apply(batch_norm_op, x, scale, bias, mean, variance, momentum_tensor, is_test=is_test,
                              momentum=momentum, epsilon=epsilon, data_layout=data_layout,
                              use_global_stats=use_global_stats, trainable_statistics=trainable_statistics)
    is_elu = activation == "elu"
    made = apply(elu_op, made, alpha=alpha) if is_elu else activated("inplace_abn", made, activation, alpha)
    return (made, *statistics[:4], None)


@decomposition("delete_var", "X* ->")
def _deleted(values: list) -> tuple:
    """Nothing: where memory is given back, as `memory_optimize` wrote it, a plan knows by itself."""
    return ()
