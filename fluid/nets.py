"""`fluid.nets`: layers that go together."""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed
from . import layers
from .mode import face


@face
def simple_img_conv_pool(input: Any, num_filters: int, filter_size: Any, pool_size: Any, pool_stride: Any,
                         pool_padding: Any = 0, pool_type: str = "max", global_pooling: bool = False,
                         conv_stride: Any = 1, conv_padding: Any = 0, conv_dilation: Any = 1, conv_groups: int = 1,
                         param_attr: Any = None, bias_attr: Any = None, act: str | None = None,
                         use_cudnn: bool = True) -> Any:
    """A convolution and a pooling.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 1, 28, 28])
    ...     fluid.nets.simple_img_conv_pool(x, 20, 5, 2, 2, act="relu").shape
    (-1, 20, 12, 12)
    """
    convolved = layers.conv2d(input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups,
                              param_attr, bias_attr, use_cudnn, act)
    return layers.pool2d(convolved, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn)


def _for_each(value: Any, count: int, what: str) -> list[Any]:
    found = list(value) if hasattr(value, "__len__") else [value] * count
    if len(found) != count:
        raise ValueError(f"img_conv_group({what}): give one, or one for each of the {count} convolutions. Received "
                         f"{len(found)}.")
    return found


@face
def img_conv_group(input: Any, conv_num_filter: Any, pool_size: Any, conv_padding: Any = 1, conv_filter_size: Any = 3,
                   conv_act: str | None = None, param_attr: Any = None, conv_with_batchnorm: Any = False,
                   conv_batchnorm_drop_rate: Any = 0.0, pool_stride: Any = 1, pool_type: str = "max",
                   use_cudnn: bool = True) -> Any:
    """Convolutions one after another, each with a batch norm and a dropout if asked for, and a pooling."""
    count = len(conv_num_filter)
    given = (_for_each(value, count, what) for value, what in (
        (conv_padding, "conv_padding"), (conv_filter_size, "conv_filter_size"), (param_attr, "param_attr"),
        (conv_with_batchnorm, "conv_with_batchnorm"), (conv_batchnorm_drop_rate, "conv_batchnorm_drop_rate")))
    x = input
    for filters, padding, size, attr, normed, rate in zip(conv_num_filter, *given, strict=True):
        x = layers.conv2d(x, filters, size, padding=padding, param_attr=attr, act=None if normed else conv_act,
                          use_cudnn=use_cudnn)
        if normed:
            x = layers.batch_norm(x, act=conv_act)
            if abs(rate) > 1e-5:
                x = layers.dropout(x, rate)
    return layers.pool2d(x, pool_size, pool_type, pool_stride, use_cudnn=use_cudnn)


@face
def sequence_conv_pool(input: Any, num_filters: int, filter_size: int, param_attr: Any = None, act: str = "sigmoid",
                       pool_type: str = "max", bias_attr: Any = None) -> Any:
    """A convolution of sequences, and what is pooled of each."""
    of_sequences: Any = layers
    convolved = of_sequences.sequence_conv(input=input, num_filters=num_filters, filter_size=filter_size,
                                     param_attr=param_attr, bias_attr=bias_attr, act=act)
    return of_sequences.sequence_pool(input=convolved, pool_type=pool_type)


@face
def glu(input: Any, dim: int = -1) -> Any:
    """One half of the input times the sigmoid of the other (Dauphin et al., 2016)."""
    value, gate = layers.split(input, 2, dim=dim)
    return layers.elementwise_mul(value, layers.sigmoid(gate))


def _heads(x: Any, count: int) -> Any:
    if count == 1:
        return x
    return layers.transpose(layers.reshape(x, [*x.shape[:-1], count, x.shape[-1] // count]), [0, 2, 1, 3])


def _together(x: Any) -> Any:
    if len(x.shape) == 3:
        return x
    x = layers.transpose(x, [0, 2, 1, 3])
    return layers.reshape(x, [x.shape[0], x.shape[1], x.shape[2] * x.shape[3]])


@face
def scaled_dot_product_attention(queries: Any, keys: Any, values: Any, num_heads: int = 1,
                                 dropout_rate: float = 0.0) -> Any:
    """softmax(q · k / sqrt(width)) · v by heads, of [N, length, width] each (Vaswani et al., 2017)."""
    given = (queries, keys, values)
    if any(len(x.shape) != 3 for x in given) or queries.shape[-1] != keys.shape[-1] or (
            keys.shape[-2] != values.shape[-2]):
        raise ValueError("scaled_dot_product_attention: queries, keys and values are [N, length, width], the first two "
                         f"of one width, the last two of one length. Received {[list(x.shape) for x in given]}.")
    if keys.shape[-1] % num_heads or values.shape[-1] % num_heads:
        raise ValueError(f"scaled_dot_product_attention(num_heads): must divide the widths {keys.shape[-1]} and "
                         f"{values.shape[-1]}. Received {num_heads}.")
    if num_heads > 1:
        given = tuple(layers.fc(x, x.shape[-1], num_flatten_dims=2) for x in given)
    q, k, v = (_heads(x, num_heads) for x in given)
    scores = layers.matmul(layers.scale(q, (keys.shape[-1] // num_heads)**-0.5), k, transpose_y=True)
    weights = layers.reshape(layers.reshape(scores, [-1, scores.shape[-1]], act="softmax"), list(scores.shape))
    if dropout_rate:
        weights = layers.dropout(weights, dropout_rate, is_test=False)
    return _together(layers.matmul(weights, v))


__all__ = ["glu", "img_conv_group", "scaled_dot_product_attention", "sequence_conv_pool", "simple_img_conv_pool"]
__dir__ = listed(__name__)
