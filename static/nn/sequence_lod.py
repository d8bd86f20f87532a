"""Layers on sequences whose rows lie one behind the other, as their LoD divides them: `static.data(…, lod_level=1)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.unique_name import generate
from ...ops.core.trace import apply, drawing
from ...ops.math.elementwise import activated, add_op
from ...ops.sequence.convolution import sequence_conv_op
from ...ops.sequence.expanding import sequence_expand_as_op, sequence_expand_op
from ...ops.sequence.padding import sequence_pad_op, sequence_unpad_op
from ...ops.sequence.pooling import sequence_pool_op
from ...ops.sequence.sequence_softmax import sequence_softmax_op
from ...ops.sequence.slicing import (
    sequence_concat_op,
    sequence_enumerate_op,
    sequence_reshape_op,
    sequence_reverse_op,
    sequence_scatter_op,
    sequence_slice_op,
)
from .parameters import known_size, parameter


def sequence_concat(input: Sequence[Any], name: str | None = None) -> Any:
    """The sequences of several inputs joined one by one: the first of each, then the second of each, …

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_concat([x, x])
    >>> y.shape
    (-1, 4)
    """
    return apply(sequence_concat_op, list(input), None)[0]


def sequence_conv(input: Any, num_filters: int, filter_size: int = 3, filter_stride: int = 1, padding: bool = True,
                  padding_start: int | None = None, bias_attr: Any = None, param_attr: Any = None,
                  act: str | None = None, name: str | None = None) -> Any:
    """act(rows · W + b), the `filter_size` rows from `padding_start` on around each of a sequence side by side.

    Rows outside of the sequence are zeros. The first row is the one `filter_size // 2` rows before, unless
    `padding_start` says otherwise. `padding` is passed over, as by PaddlePaddle.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_conv(x, 6)
    >>> y.shape
    (-1, 6)
    """
    layer = name or generate("sequence_conv")
    drawing("sequence_conv", layer)
    width = known_size("sequence_conv(input)", input, 1)
    weight = parameter(layer, "w", param_attr, (filter_size * width, num_filters), input.dtype)
    start = -int(filter_size // 2) if padding_start is None else padding_start
    made = apply(sequence_conv_op, input, None, weight, None, contextStride=filter_stride, contextStart=start,
                 contextLength=filter_size)
    bias = parameter(layer, "b", bias_attr, (num_filters,), input.dtype, is_bias=True)
    return activated("sequence_conv(act)", made if bias is None else apply(add_op, made, bias), act)


def sequence_enumerate(input: Any, win_size: int, pad_value: int = 0, name: str | None = None) -> Any:
    """[N, win_size]: each id with those that follow it in its sequence, `pad_value` behind its end.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 1], "int64", lod_level=1)
    ...     y = static.nn.sequence_enumerate(x, win_size=3)
    >>> y.shape
    (-1, 3)
    """
    return apply(sequence_enumerate_op, input, None, win_size=win_size, pad_value=pad_value)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Any:
    """Each sequence of x (each row, where x has no LoD) as often as the sequences of y at `ref_level` are long.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     rows = static.data("rows", [None, 2])
    ...     y = static.nn.sequence_expand(rows, x)
    >>> y.shape
    (-1, 2)
    """
    return apply(sequence_expand_op, x, y, None, None, ref_level=ref_level)[0]


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """Each row of x as often as the sequence of y with its number is long; the result has y's LoD.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     rows = static.data("rows", [None, 2])
    ...     y = static.nn.sequence_expand_as(rows, x)
    >>> y.shape
    (-1, 2)
    """
    return apply(sequence_expand_as_op, x, y, None)


def sequence_first_step(input: Any) -> Any:
    """The first row of each sequence.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_first_step(x)
    >>> y.shape
    (-1, 4)
    """
    return sequence_pool(input, "first")


def sequence_last_step(input: Any) -> Any:
    """The last row of each sequence.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_last_step(x)
    >>> y.shape
    (-1, 4)
    """
    return sequence_pool(input, "last")


def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> tuple[Any, Any]:
    """The sequences padded to `maxlen` rows, or the longest one's, [sequences, maxlen, …], and their lengths.

    `pad_value`: a Variable of one number, or one of a row's shape.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, exe = static.Program(), static.Executor()
    >>> with static.program_guard(main):
    ...     x = static.data("x", [None, 1], lod_level=1)
    ...     padded, lengths = static.nn.sequence_pad(x, paddle.full([1], -1.0))
    >>> rows = paddle.base.create_lod_tensor(np.array([[1.0], [2.0], [3.0]], "float32"), [[2, 1]], paddle.CPUPlace())
    >>> found = exe.run(main, feed={"x": rows}, fetch_list=[padded, lengths])
    >>> [one.tolist() for one in found]
    [[[[1.0], [2.0]], [[3.0], [-1.0]]], [2, 1]]
    """
    padded, lengths = apply(sequence_pad_op, x, pad_value, None, padded_length=-1 if maxlen is None else maxlen)
    return padded, lengths


def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> Any:
    """A row for each sequence: the 'average', 'sum', 'max', 'first' or 'last' of its rows, or 'sqrt'.

    'sqrt' is the sum divided by the root of the length. An empty sequence has `pad_value`. Of two levels of LoD the
    inner one's sequences are pooled, and the outer one remains.

    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     static.nn.sequence_pool(static.data("x", [None, 4], lod_level=1), "max").shape
    (-1, 4)
    """
    return apply(sequence_pool_op, input, None, pooltype=pool_type.upper(), is_test=is_test, pad_value=pad_value)[0]


def sequence_reshape(input: Any, new_dim: int) -> Any:
    """The numbers of each sequence in rows of `new_dim`.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_reshape(x, 2)
    >>> y.shape
    (-1, 2)
    """
    return apply(sequence_reshape_op, input, None, new_dim=new_dim)[0]


def sequence_reverse(x: Any, name: str | None = None) -> Any:
    """The rows of each sequence from the last to the first.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 4], lod_level=1)
    ...     y = static.nn.sequence_reverse(x)
    >>> y.shape
    (-1, 4)
    """
    return apply(sequence_reverse_op, x, None)


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """`input` [N, D] with `updates` added at the columns `index`: to its row n those of the sequence n.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, exe = static.Program(), static.Executor()
    >>> with static.program_guard(main):
    ...     table = static.data("table", [None, 3])
    ...     index = static.data("index", [None, 1], "int64", lod_level=1)
    ...     updates = static.data("updates", [None, 1], lod_level=1)
    ...     out = static.nn.sequence_scatter(table, index, updates)
    >>> def sequences(rows):
    ...     return paddle.base.create_lod_tensor(rows, [[2, 1]], paddle.CPUPlace())
    >>> feed = {"table": np.zeros((2, 3), "float32"), "index": sequences(np.array([[0], [2], [1]])),
    ...         "updates": sequences(np.array([[1.0], [2.0], [3.0]], "float32"))}
    >>> exe.run(main, feed=feed, fetch_list=[out])[0].tolist()
    [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]
    """
    return apply(sequence_scatter_op, input, index, updates, None)


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Any:
    """The `length` rows from `offset` on of each sequence; both are [sequences, 1] of integers.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, exe = static.Program(), static.Executor()
    >>> with static.program_guard(main):
    ...     x = static.data("x", [None, 1], lod_level=1)
    ...     offset, length = static.data("offset", [None, 1], "int64"), static.data("length", [None, 1], "int64")
    ...     part = static.nn.sequence_slice(x, offset, length)
    >>> rows = paddle.base.create_lod_tensor(np.arange(5, dtype="float32")[:, None], [[3, 2]], paddle.CPUPlace())
    >>> feed = {"x": rows, "offset": np.array([[1], [0]]), "length": np.array([[2], [1]])}
    >>> found, = exe.run(main, feed=feed, fetch_list=[part], return_numpy=False)
    >>> np.array(found).tolist(), found.lod()
    ([[1.0], [2.0], [3.0]], [[0, 2, 3]])
    """
    return apply(sequence_slice_op, input, offset, length, None)[0]


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Any:
    """The numbers of each sequence, [N] or [N, 1], as positive ones that add up to 1.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     x = static.data("x", [None, 1], lod_level=1)
    ...     y = static.nn.sequence_softmax(x)
    >>> y.shape
    (-1, 1)
    """
    return apply(sequence_softmax_op, input, None)


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Any:
    """The first `length` [sequences] rows of each padded sequence of x, packed again.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, exe = static.Program(), static.Executor()
    >>> with static.program_guard(main):
    ...     padded, lengths = static.data("padded", [None, 2, 1]), static.data("lengths", [None], "int64")
    ...     rows = static.nn.sequence_unpad(padded, lengths)
    >>> feed = {"padded": np.array([[[1.0], [2.0]], [[3.0], [0.0]]], "float32"), "lengths": np.array([2, 1])}
    >>> found, = exe.run(main, feed=feed, fetch_list=[rows], return_numpy=False)
    >>> np.array(found).tolist(), found.lod()
    ([[1.0], [2.0], [3.0]], [[0, 2, 3]])
    """
    return apply(sequence_unpad_op, x, length)[0]


__all__ = [
    "sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_expand", "sequence_expand_as",
    "sequence_first_step", "sequence_last_step", "sequence_pad", "sequence_pool", "sequence_reshape",
    "sequence_reverse", "sequence_scatter", "sequence_slice", "sequence_softmax", "sequence_unpad",
]
