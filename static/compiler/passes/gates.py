"""Squeeze-and-excitation: the mean of an image's channels, two products, a gate and the image's product with it become
one operation."""

from __future__ import annotations

from typing import Any

from ....core.dtype import float32
from ....ops.core.operator import find, is_declared
from ...ir.operation import Operation
from ..gates import GATES, HARD, channel_gate_op
from ..unit import Unit


def fuse_gates(unit: Unit) -> None:
    """Puts `channel_gate` in the place of pooling, two fused convolutions of one element, and their activations."""
    pools = [op for op in unit.ops if op.type == "pool2d"]
    if not pools:
        return
    readers = unit.readers()
    followers = {name: op for op in unit.ops for name in op.input_arg_names if readers.get(name) == 1}
    instead: dict[int, Operation | None] = {}
    for pool in pools:
        found = _found(unit, pool, followers)
        if found is not None:
            product = _product_of(unit, found, followers)
            instead.update({id(part): None for part in found})
            instead[id(product or found[-1])] = _whole(found, product)
    unit.ops = [made for op in unit.ops if (made := instead.get(id(op), op)) is not None]


def _found(unit: Unit, pool: Operation, followers: dict[str, Operation]) -> list[Operation] | None:
    """The operations that make the gates, beginning with the pooling."""
    spec = unit.spec(pool.input("X")[0])
    if spec is None or spec.dtype is not float32 or spec.rank != 4 or not _is_of_all(pool) or not unit.is_movable(pool):
        return None
    parts = [pool]
    for activations in (("relu",), ("", *GATES)):
        op = followers.get(parts[-1].output_arg_names[0])
        if op is None or not _is_product(unit, op) or op.attrs.get("activation") not in activations:
            return None
        parts.append(op)
    if parts[-1].attrs["activation"] in GATES:
        return parts
    gate = followers.get(parts[-1].output_arg_names[0])
    return [*parts, gate] if gate is not None and gate.type in GATES and unit.is_movable(gate) else None


def _product_of(unit: Unit, parts: list[Operation], followers: dict[str, Operation]) -> Operation | None:
    """The product of the image and its gates, where that is no part of a larger loop; None where there is none."""
    image, gates = parts[0].input("X")[0], parts[-1].output_arg_names[0]
    product = followers.get(gates)
    if product is None or product.type != "elementwise_mul" or not unit.is_movable(product):
        return None
    if sorted(product.input_arg_names) != sorted((image, gates)) or unit.spec(product.output_arg_names[0]) is None:
        return None
    reader = followers.get(product.output_arg_names[0])
    is_fused = reader is not None and is_declared(reader.type) and find(reader.type).formula is not None
    return None if is_fused else product


def _is_of_all(pool: Operation) -> bool:
    """Whether it is the mean over all places."""
    attrs = pool.attrs
    whole = attrs.get("global_pooling") or attrs.get("adaptive") and list(attrs.get("ksize", ())) == [1, 1]
    is_mean = attrs.get("pooling_type") == "avg" and attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
    return bool(whole) and is_mean


def _is_product(unit: Unit, op: Operation) -> bool:
    """Whether it is a convolution whose windows are one element, of nothing but a filter and a bias."""
    if op.type != "fused_conv2d" or op.input("Scale") or op.input("Residual") or not unit.is_movable(op):
        return False
    spec, attrs = unit.spec(op.input("Filter")[0]), op.attrs
    return (spec is not None and spec.shape[2:] == (1, 1) and attrs["groups"] == 1 and set(attrs["strides"]) == {1}
            and not any(attrs["paddings"]))


def _whole(parts: list[Operation], product: Operation | None) -> Operation:
    pool, first, second, *rest = parts
    last = product or parts[-1]
    inputs: dict[str, list[str]] = {"X": pool.input("X"), "First": first.input("Filter"),
                                    "Second": second.input("Filter")}
    for slot, op in (("FirstBias", first), ("SecondBias", second)):
        if op.input("Bias"):
            inputs[slot] = op.input("Bias")
    gate = rest[0].type if rest else second.attrs["activation"]
    attrs: dict[str, Any] = {"gate": gate, "is_multiplied": product is not None}
    if gate == HARD:
        defaults = find(HARD).defaults
        attrs.update({name: float(rest[0].attrs.get(name, defaults[name])) for name in ("slope", "offset")})
    return Operation(last.block, channel_gate_op.type, inputs, {"Out": last.output_arg_names[:1]}, attrs, last.source)
