"""Layers that look up, multiply and bend: `fc`, `embedding`, `bilinear_tensor_product`, `prelu`, `row_conv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import convert_dtype
from ...core.unique_name import generate
from ...ops.array.full import value_of
from ...ops.core.infer import product
from ...ops.core.trace import apply, drawing
from ...ops.fluid.lookup_table import lookup_table_op
from ...ops.fluid.mean_iou import cvm_op
from ...ops.linalg.products import mul_op
from ...ops.math.add_n import add_n_op
from ...ops.math.elementwise import activated, add_op
from ...ops.nn.activation import prelu_op
from ...ops.nn.bilinear import bilinear_op
from ...ops.nn.embedding import lookup_op
from ...ops.nn.row_conv import row_conv_op
from .parameters import constant, known_size, parameter


def fc(x: Any, size: int, num_flatten_dims: int = 1, weight_attr: Any = None, bias_attr: Any = None,
       activation: str | None = None, name: str | None = None) -> Any:
    """A fully connected layer: activation(x · W + b), x flattened to a matrix behind `num_flatten_dims` dimensions.

    `x`: a value, or several that are multiplied by a weight each and summed; `weight_attr` is then that of all, or a
    list with one for each (ValueError for another number). The flattened size must be known
    (ValueError). The result has the first `num_flatten_dims` sizes of x and then `size`.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3).shape
    (-1, 3)
    """
    layer = name or generate("fc")
    drawing("fc", layer)
    inputs: Sequence[Any] = list(map(value_of, x if isinstance(x, (list, tuple)) else [x]))
    attrs = list(weight_attr) if isinstance(weight_attr, (list, tuple)) else [weight_attr]
    if len(attrs) not in (1, len(inputs)):
        raise ValueError(f"fc(weight_attr): give one, or one for each of the {len(inputs)} inputs. Received "
                         f"{len(attrs)}.")
    parts = []
    for value, attr in zip(inputs, attrs * (len(inputs) // len(attrs)), strict=True):
        behind = num_flatten_dims if num_flatten_dims >= 0 else len(value.shape) + num_flatten_dims
        width = product(value.shape[behind:])
        if width < 0:
            raise ValueError(f"fc(x): the sizes behind dimension {behind} must be known. Received {list(value.shape)}.")
        weight = parameter(layer, "w", attr, (width, size), value.dtype)
        parts.append(apply(mul_op, value, weight, x_num_col_dims=behind, y_num_col_dims=1))
    total = parts[0] if len(parts) == 1 else apply(add_n_op, parts)
    bias = parameter(layer, "b", bias_attr, (size,), inputs[0].dtype, is_bias=True)
    return activated("fc(activation)", total if bias is None else apply(add_op, total, bias), activation)


def embedding(input: Any, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
              padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32") -> Any:
    """Rows of a table [rows, width], which is `size`, for integers: shape [*input.shape, width].

    The row `padding_idx` (counted from the end when negative) gives zeros. `is_sparse`: its gradient holds the rows
    that were looked up. `is_distributed` is about parameter servers and changes nothing.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     paddle.static.nn.embedding(paddle.static.data("x", [None, 5], "int64"), [10, 4]).shape
    (-1, 5, 4)
    """
    rows, width = (int(n) for n in size)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise ValueError(f"embedding(padding_idx): must lie in [{-rows}, {rows}). Received {padding_idx}.")
    padding = -1 if padding_idx is None else padding_idx % rows
    layer = generate("embedding")
    drawing("embedding", layer)
    weight = parameter(layer, "w", param_attr, (rows, width), convert_dtype(dtype))
    return apply(lookup_op, input, weight, padding_idx=padding, is_sparse=bool(is_sparse),
                 is_distributed=bool(is_distributed))


def sparse_embedding(input: Any, size: Sequence[int], padding_idx: int | None = None, is_test: bool = False,
                     entry: Any = None, table_class: str = "MemorySparseTable", param_attr: Any = None,
                     dtype: Any = "float32", slot: Any = None) -> Any:
    """Rows of a table [rows, width], which is `size`, for integers [..., 1]: shape [..., width].

    The table is a parameter with sparse gradients; in training with parameter servers it lives on them alone, its rows
    begin when they are first asked for, and `size[0]` counts for nothing. The row `padding_idx` gives zeros. `entry`
    (`paddle.distributed.CountFilterEntry`, …) says which rows begin, there. `table_class`, `is_test` and `slot` change
    nothing.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     paddle.static.nn.sparse_embedding(paddle.static.data("x", [None, 1], "int64"), [10, 4]).shape
    (-1, 4)
    """
    rows, width = (int(n) for n in size)
    if entry is not None and not hasattr(entry, "_to_attr"):
        raise ValueError("sparse_embedding(entry): paddle.distributed.CountFilterEntry, ProbabilityEntry or "
                         f"ShowClickEntry. Received {entry!r}.")
    if table_class not in _TABLES:
        raise ValueError(f"sparse_embedding(table_class): one of {', '.join(_TABLES)}. Received {table_class!r}.")
    layer = generate("sparse_embedding")
    drawing("sparse_embedding", layer)
    weight = parameter(layer, "w", param_attr, (rows, width), convert_dtype(dtype))
    weight.table_entry = None if entry is None else entry._to_attr()
    return apply(lookup_table_op, input, weight, padding_idx=-1 if padding_idx is None else padding_idx % rows,
                 is_sparse=True, is_distributed=True, remote_prefetch=True)


_TABLES = ("CommonSparseTable", "SSDSparseTable", "MemorySparseTable")


def bilinear_tensor_product(x: Any, y: Any, size: int, act: str | None = None, name: str | None = None,
                            param_attr: Any = None, bias_attr: Any = None) -> Any:
    """act(x W_i y + b_i) for each of `size` matrices W_i: x [N, a], y [N, b], result [N, size].

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     x, y = paddle.static.data("x", [None, 4]), paddle.static.data("y", [None, 5])
    ...     paddle.static.nn.bilinear_tensor_product(x, y, 3).shape
    (-1, 3)
    """
    layer, what = name or generate("bilinear_tensor_product"), "bilinear_tensor_product"
    drawing("bilinear_tensor_product", layer)
    shape = (size, known_size(f"{what}(x)", x, 1), known_size(f"{what}(y)", y, 1))
    weight = parameter(layer, "w", param_attr, shape, x.dtype)
    bias = parameter(layer, "b", bias_attr, (1, size), x.dtype, is_bias=True)
    return activated(f"{what}(act)", apply(bilinear_op, x, y, weight, bias), act)


def prelu(x: Any, mode: str, param_attr: Any = None, data_format: str = "NCHW", name: str | None = None) -> Any:
    """x where it is positive and alpha * x elsewhere; alpha, at first 0.25, is learned.

    `mode`: 'all' (one alpha), 'channel' (one for each channel) or 'element' (one for each element of a sample).
    After "Delving Deep into Rectifiers" (He et al., 2015).

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 3])
    ...     y = static.nn.prelu(x, mode="all")
    >>> y.shape
    (-1, 3)
    """
    layer, rank = name or generate("prelu"), len(x.shape)
    drawing("prelu", layer)
    last = data_format[-1:] == "C"
    if mode == "all":
        shape = [1]
    elif mode == "channel":
        axis = rank - 1 if last or rank < 2 else 1
        shape = [known_size("prelu(x)", x, n) if n == axis else 1 for n in range(rank)]
    elif mode == "element":
        shape = [1, *(known_size("prelu(x)", x, n) for n in range(1, rank))]
    else:
        raise ValueError(f"prelu(mode): must be 'all', 'channel' or 'element'. Received {mode!r}.")
    alpha = parameter(layer, "w", param_attr, shape, x.dtype, initializer=constant(0.25))
    return apply(prelu_op, x, alpha, mode=mode, data_format="NHWC" if last else "NCHW")


def row_conv(input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None) -> Any:
    """The weighted sum of each step and the `future_context_size` steps after it: input [N, T, D], result the same.

    `out[:, t] = sum over k of input[:, t + k] * w[k]`, w [future_context_size + 1, D]; steps behind the last are 0.
    After "Deep Speech 2" (Amodei et al., 2015).

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 6, 16])
    ...     y = static.nn.row_conv(x, 2)
    >>> y.shape
    (-1, 6, 16)
    """
    width = known_size("row_conv(input)", input, len(input.shape) - 1)
    layer = generate("row_conv")
    drawing("row_conv", layer)
    weight = parameter(layer, "w", param_attr, (future_context_size + 1, width), input.dtype)
    return activated("row_conv(act)", apply(row_conv_op, input, weight, []), act)


def continuous_value_model(input: Any, cvm: Any, use_cvm: bool = True) -> Any:
    """Input [N, D] with log(shows + 1) and log(clicks + 1) - log(shows + 1) in its first two columns, or without them.

    `cvm` [N, 2]: shows and clicks, which the gradient of the first two columns is.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 0.0, 5.0]])
    >>> paddle.static.nn.common.continuous_value_model(x, x[:, :2], use_cvm=False).tolist()
    [[5.0]]
    """
    return apply(cvm_op, input, cvm, [], use_cvm=use_cvm)
