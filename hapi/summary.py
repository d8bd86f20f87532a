"""`paddle.summary`: a table of a network's layers, their shapes and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import nest
from ..nn import RNN, BiRNN, Layer, LayerList, Sequential
from ..nn.layers.rnn_stacks import RNNBase
from .observing import Call, count, made_up, observed

_HEADS = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
_MEGABYTE = 1024.0**2


def summary(net: Layer, input_size: Any = None, dtypes: Any = None, input: Any = None) -> dict[str, int]:
    """Prints a table of a network's layers, with the shapes that they take and give, and gives the parameters' numbers.

    `input_size`: a shape, an InputSpec, or a list of these for several inputs (None or -1: any size, 1 here);
    `dtypes`: of the inputs, float32 by default; or `input`, the one argument to run it on: a Tensor, a list or a dict
    of them. The rows are layers in the order in which their first calls end, with the shapes of the last ones: a layer
    that holds others comes after them, with the parameters of its own. A Sequential has no row, the network itself
    only if it holds no others.
    Parameters that several layers share count where they are first used. `paddle.summary`.

    >>> import proa as paddle
    >>> found = paddle.summary(paddle.nn.Sequential(paddle.nn.Linear(2, 3)), (1, 2))  # doctest: +ELLIPSIS
    ---...
    >>> found
    {'total_params': 9, 'trainable_params': 9}
    """
    if not isinstance(net, Layer):
        raise TypeError(f"summary(net): must be a Layer. Received {type(net).__name__}.")
    if input is None and input_size is None:
        raise ValueError("summary(net, input_size): a size, or `input`, is needed.")
    given = made_up(input_size, dtypes) if input is None else [input]
    calls = [each[-1] for each in observed(net, given, _shown(net))]
    rows: list[tuple[str, str, str, str]] = []
    seen: set[int] = set()
    for call in calls:
        own = [p for p in _values_of(call.layer, inner=_is_whole(call.layer)) if id(p) not in seen]
        seen.update(map(id, own))
        rows.append((_name(call.layer), str(_shapes(call.inputs)), str(_shape(call.outputs)), f"{count(own):,}"))
    held = _values_of(net)
    total = count(held)
    trainable = count([p for p in net.parameters() if not p.stop_gradient])
    print(_table(rows, total, trainable, _sizes(list(nest.leaves(given)), calls, total)))
    return {"total_params": total, "trainable_params": trainable}


def _shown(net: Layer) -> list[Layer]:
    """The layers of the table: all but the network that holds them and what only strings layers together.

    A recurrent layer, which is built of cells, is shown as a whole.
    """
    found: list[Layer] = []

    def visit(layer: Layer) -> None:
        whole = _is_whole(layer)
        if whole or (layer is not net and not isinstance(layer, (Sequential, LayerList))):
            found.append(layer)
        if not whole:
            for child in layer.children():
                visit(child)

    visit(net)
    return list({id(layer): layer for layer in found}.values())


def _is_whole(layer: Layer) -> bool:
    """Whether a layer's row is for all that it holds: it holds no layers, or the cells of a recurrent one."""
    return isinstance(layer, (RNN, BiRNN, RNNBase)) or not list(layer.children())


def _values_of(layer: Layer, inner: bool = True) -> list[Any]:
    """The parameters and buffers that are saved with a layer, each once; `inner`: with those of the layers it holds."""
    return list({id(v): v for v in layer.state_dict(include_sublayers=inner).values()}.values())


def _name(layer: Layer) -> str:
    number = layer.full_name().rpartition("_")[2]
    return f"{type(layer).__name__}-{int(number) + 1 if number.isdigit() else 1}"


def _shape(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_shape(v) for v in value]
    return list(value.shape) if hasattr(value, "shape") else []


def _shapes(inputs: tuple[Any, ...]) -> Any:
    return [_shape(v) if hasattr(v, "shape") or isinstance(v, (list, tuple)) else None for v in inputs]


def _sizes(given: list[Any], calls: list[Call], parameters: int) -> tuple[float, float, float]:
    """Megabytes of the inputs, of what a step keeps (values and gradients), and of the parameters."""
    taken = sum(int(np.prod(v.shape)) * v.dtype.itemsize for v in given)
    kept = 2 * 4 * sum(count([v for v in nest.leaves(call.outputs) if hasattr(v, "shape")]) for call in calls)
    return taken / _MEGABYTE, kept / _MEGABYTE, parameters * 4 / _MEGABYTE


def _table(rows: list[tuple[str, str, str, str]], total: int, trainable: int, sizes: tuple[float, float, float]) -> str:
    widths = [max([least, *(len(row[n]) for row in rows)]) for n, least in enumerate((15, 20, 20, 15))]
    width = sum(widths) + 5
    lines = ["-" * width, _line(_HEADS, widths), "=" * width]
    lines += [_line(row, widths) for row in rows]
    lines += ["=" * width, f"Total params: {total:,}", f"Trainable params: {trainable:,}",
              f"Non-trainable params: {total - trainable:,}", "-" * width, f"Input size (MB): {sizes[0]:.2f}",
              f"Forward/backward pass size (MB): {sizes[1]:.2f}", f"Params size (MB): {sizes[2]:.2f}",
              f"Estimated Total Size (MB): {sum(sizes):.2f}", "-" * width, ""]
    return "\n".join(lines)


def _line(cells: tuple[str, str, str, str], widths: list[int]) -> str:
    return " ".join(f"{cell:^{width}}" for cell, width in zip(cells, widths, strict=True))
