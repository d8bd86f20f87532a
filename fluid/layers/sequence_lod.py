"""`fluid.layers.sequence_lod`: layers on sequences whose rows lie one behind the other, as their LoD divides them.

`input`, `x` and `y` are declared with `lod_level=1`, or 2 where it is said, and fed with LoDTensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import convert_dtype
from ...ops.array.full import is_value
from ..layer_helper import LayerHelper
from ..mode import face

__all__ = [
    "sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_expand", "sequence_expand_as",
    "sequence_first_step", "sequence_last_step", "sequence_mask", "sequence_pad", "sequence_pool", "sequence_reshape",
    "sequence_reverse", "sequence_scatter", "sequence_slice", "sequence_softmax", "sequence_unpad",
]


@face
def sequence_conv(input: Any, num_filters: int, filter_size: int = 3, filter_stride: int = 1, padding: bool = True,
                  padding_start: int | None = None, bias_attr: Any = None, param_attr: Any = None,
                  act: str | None = None, name: str | None = None) -> Any:
    """act(rows · W + b), the `filter_size` rows from `padding_start` on around each of a sequence side by side.

    Rows outside of the sequence are zeros. The first row is the one `filter_size // 2` rows before, unless
    `padding_start` says otherwise. `padding` is passed over, as by PaddlePaddle.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 4], lod_level=1)
    ...     fluid.layers.sequence_conv(x, 3, act="tanh").shape
    (-1, 3)
    """
    helper = LayerHelper("sequence_conv", name=name)
    weight = helper.parameter(param_attr, [filter_size * input.shape[1], num_filters], input.dtype)
    start = -int(filter_size // 2) if padding_start is None else padding_start
    made = helper.apply("sequence_conv", input, None, weight, None, contextStride=filter_stride, contextStart=start,
                        contextLength=filter_size)
    return helper.activated(helper.biased(made, bias_attr), act)


@face
def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Any:
    """The numbers of each sequence, [N] or [N, 1], as positive ones that add up to 1."""
    return LayerHelper("sequence_softmax", name=name).apply("sequence_softmax", input)


@face
def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> Any:
    """A row for each sequence: the 'average', 'sum', 'max', 'first' or 'last' of its rows, or 'sqrt'.

    'sqrt' is the sum divided by the root of the length. An empty sequence has `pad_value`. Of two levels of LoD the
    inner one's sequences are pooled, and the outer one remains.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     y = fluid.layers.sequence_pool(fluid.data("x", [None, 1], lod_level=1), "sum")
    ...     x = fluid.LoDTensor()
    ...     x.set(np.ones((3, 1), "float32"), fluid.CPUPlace())
    ...     x.set_recursive_sequence_lengths([[2, 1]])
    ...     fluid.Executor().run(feed={"x": x}, fetch_list=[y])[0].tolist()
    [[2.0], [1.0]]
    """
    return LayerHelper("sequence_pool").apply("sequence_pool", input, None, pooltype=pool_type.upper(),
                                              is_test=is_test, pad_value=pad_value)[0]


@face
def sequence_first_step(input: Any) -> Any:
    """The first row of each sequence."""
    return sequence_pool(input, "first")


@face
def sequence_last_step(input: Any) -> Any:
    """The last row of each sequence."""
    return sequence_pool(input, "last")


@face
def sequence_concat(input: Sequence[Any], name: str | None = None) -> Any:
    """The sequences of several inputs joined one by one: the first of each, then the second of each, …"""
    return LayerHelper("sequence_concat", name=name).apply("sequence_concat", list(input), None)[0]


@face
def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Any:
    """The `length` rows from `offset` on of each sequence; both are [sequences, 1] of integers."""
    return LayerHelper("sequence_slice", name=name).apply("sequence_slice", input, offset, length, None)[0]


@face
def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Any:
    """Each sequence of x (each row, where x has no LoD) as often as the sequences of y at `ref_level` are long."""
    return LayerHelper("sequence_expand", name=name).apply("sequence_expand", x, y, None, None,
                                                           ref_level=ref_level)[0]


@face
def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """Each row of x as often as the sequence of y with its number is long; the result has y's LoD."""
    return LayerHelper("sequence_expand_as", name=name).apply("sequence_expand_as", x, y)


@face
def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> tuple[Any, Any]:
    """The sequences padded to `maxlen` rows, or the longest one's, [sequences, maxlen, …], and their lengths.

    `pad_value`: a Variable of one number, or one of a row's shape.
    """
    return LayerHelper("sequence_pad", name=name).apply("sequence_pad", x, pad_value, None,
                                                        padded_length=-1 if maxlen is None else maxlen)


@face
def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Any:
    """The first `length` [sequences] rows of each padded sequence of x, packed again."""
    return LayerHelper("sequence_unpad", name=name).apply("sequence_unpad", x, length)[0]


@face
def sequence_reshape(input: Any, new_dim: int) -> Any:
    """The numbers of each sequence in rows of `new_dim`."""
    return LayerHelper("sequence_reshape").apply("sequence_reshape", input, None, new_dim=new_dim)[0]


@face
def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """`input` [N, D] with `updates` added at the columns `index`: to its row n those of the sequence n.

    The row of an input of more dimensions is its values behind each other.
    """
    return LayerHelper("sequence_scatter", name=name).apply("sequence_scatter", input, index, updates)


@face
def sequence_enumerate(input: Any, win_size: int, pad_value: int = 0, name: str | None = None) -> Any:
    """[N, win_size]: each id with those that follow it in its sequence, `pad_value` behind its end."""
    return LayerHelper("sequence_enumerate", name=name).apply("sequence_enumerate", input, win_size=win_size,
                                                              pad_value=pad_value)


@face
def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """1 below each length in x, else 0: [..., maxlen] for x [...]; `maxlen` may be a Variable."""
    given = maxlen if is_value(maxlen) else None
    return LayerHelper("sequence_mask", name=name).apply(
        "sequence_mask", x, given, maxlen=-1 if given is not None or maxlen is None else int(maxlen),
        out_dtype=convert_dtype(dtype))


@face
def sequence_reverse(x: Any, name: str | None = None) -> Any:
    """The rows of each sequence from the last to the first."""
    return LayerHelper("sequence_reverse", name=name).apply("sequence_reverse", x)
