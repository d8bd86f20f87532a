"""`paddle.flops`: how many operations a network's run takes, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import nn
from ..nn.layers.batch_norm import BatchNorm, BatchNorm2D
from .observing import Call, count, leaf_layers, made_up, observed


def _convolution(layer: Any, inputs: Any, output: Any) -> float:
    kernel = int(np.prod(layer.weight.shape[2:])) * inputs[0].shape[1] / layer._groups
    return count([output]) * (kernel + (layer.bias is not None))


def _linear(layer: Any, inputs: Any, output: Any) -> float:
    return layer.weight.shape[0] * count([output])


def _normalization(layer: Any, inputs: Any, output: Any) -> float:
    return 2 * count(inputs[:1])


def _slope(layer: Any, inputs: Any, output: Any) -> float:
    return count(inputs[:1])


def _pooling(layer: Any, inputs: Any, output: Any) -> float:
    return count([output])


def _adaptive_pooling(layer: Any, inputs: Any, output: Any) -> float:
    window = np.array(inputs[0].shape[2:]) // np.array(output.shape[2:])
    return (int(np.prod(window)) + 1) * count([output])


def _nothing(layer: Any, inputs: Any, output: Any) -> float:
    return 0


def _rules() -> dict[type, Callable[..., float]]:
    rules: dict[str, Callable[..., float]] = {"Linear": _linear, "LeakyReLU": _slope}
    for rank in ("1D", "2D", "3D"):
        rules |= {f"Conv{rank}": _convolution, f"Conv{rank}Transpose": _convolution, f"AvgPool{rank}": _pooling,
                  f"AdaptiveAvgPool{rank}": _adaptive_pooling}
    rules |= dict.fromkeys(("ReLU", "ReLU6", "Dropout"), _nothing)
    found = {getattr(nn, name): rule for name, rule in rules.items() if hasattr(nn, name)}
    return {**found, BatchNorm: _normalization, BatchNorm2D: _normalization}


def flops(net: Any, input_size: Any, custom_ops: Mapping[type, Callable[..., Any]] | None = None,
          print_detail: bool = False) -> int:
    """The multiplications (with additions) of one run of a network on inputs of a size, as Paddle counts them.

    Counted are convolutions, linear layers, batch norms, average pooling and leaky ReLUs; other layers count nothing,
    unless `custom_ops` has a function for their type: `rule(layer, inputs, output)` adds to `layer.total_ops`.
    `print_detail` prints a table. `paddle.flops`.

    >>> import proa as paddle
    >>> paddle.flops(paddle.nn.Linear(4, 3), [2, 4])
    Total Flops: 24     Total Params: 15
    24
    """
    if not isinstance(net, nn.Layer):
        raise TypeError(f"flops(net): must be a Layer. Received {type(net).__name__}.")
    layers = leaf_layers(net)
    rules, custom = _rules(), dict(custom_ops or {})
    rows = []
    for calls in observed(net, made_up(list(input_size), None), layers):
        layer = calls[-1].layer
        rows.append((calls[-1], _counted(calls, rules, custom), count(layer.parameters()) + count(_buffers(layer))))
    total, parameters = sum(row[1] for row in rows), sum(row[2] for row in rows)
    if print_detail:
        _print_table(rows)
    print(f"Total Flops: {total}     Total Params: {parameters}")
    return total


def _buffers(layer: Any) -> list[Any]:
    own = {id(p) for p in layer.parameters()}
    return [v for v in layer.state_dict().values() if id(v) not in own]


def _counted(calls: list[Call], rules: Mapping[type, Callable[..., float]],
             custom: Mapping[type, Callable[..., Any]]) -> int:
    """What all calls of one layer cost together."""
    layer = calls[0].layer
    given = custom.get(type(layer))
    if given is None:
        rule = rules.get(type(layer), _nothing)
        return sum(abs(int(rule(layer, call.inputs, call.outputs))) for call in calls)
    layer.total_ops = 0
    try:
        for call in calls:
            given(layer, call.inputs, call.outputs)
        return abs(int(layer.total_ops))
    finally:
        del layer.total_ops


def _print_table(rows: list[tuple[Call, int, int]]) -> None:
    table = [("Layer Name", "Input Shape", "Output Shape", "Params", "Flops")]
    for call, operations, parameters in rows:
        output = call.outputs[0] if isinstance(call.outputs, (list, tuple)) else call.outputs
        table.append((call.layer.full_name(), str(list(call.inputs[0].shape)), str(list(output.shape)),
                      str(parameters), str(operations)))
    widths = [max(len(row[n]) for row in table) + 2 for n in range(5)]
    rule = "+" + "+".join("-" * w for w in widths) + "+"
    lines = ["|" + "|".join(text.center(w) for text, w in zip(row, widths, strict=True)) + "|" for row in table]
    print("\n".join([rule, lines[0], rule, *lines[1:], rule]))
