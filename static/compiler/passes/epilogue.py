"""A product with a frozen weight takes in what follows it: a bias, a value that is added, an activation."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ....core.dtype import float32
from ....ops.core.operator import find
from ....ops.core.spec import Spec
from ...ir.operation import Operation
from ..epilogues import ACTIVATIONS, Packed
from ..unit import Unit

CONVOLUTIONS = ("conv2d", "depthwise_conv2d")
_GEOMETRY = {"strides": [1, 1], "paddings": [0, 0], "padding_algorithm": "EXPLICIT", "dilations": [1, 1], "groups": 1}


def fused_convolution(op: Operation, inputs: dict[str, list[str]], result: str, source: str,
                      activation: str = "") -> Operation:
    """`fused_conv2d` over these inputs, with the windows of a convolution."""
    attrs = {"packed": Packed(), "activation": activation}
    attrs.update({k: op.attrs.get(k, default) for k, default in _GEOMETRY.items()})
    return Operation(op.block, "fused_conv2d", inputs, {"Output": [result]}, attrs, source)


def fuse_epilogues(unit: Unit) -> None:
    """Puts `fused_conv2d` and `fused_linear` in the place of products and their followers."""
    frozen = unit.frozen | {name for op in unit.prepared for name in op.output_arg_names}
    readers = unit.readers()
    followers = {name: op for op in unit.ops for name in op.input_arg_names if readers.get(name) == 1}
    instead: dict[int, Operation | None] = {}
    for op in unit.ops:
        product = _Product.of(unit, op, frozen)
        if product is None:
            continue
        whole = [op, *product.take(followers, frozen, instead)]
        instead.update({id(part): None for part in whole})
        instead[id(whole[-1])] = product.operation()
    unit.ops = [found for op in unit.ops if (found := instead.get(id(op), op)) is not None]


def _of_mul(op: Operation) -> tuple[int, int]:
    """How many dimensions of each matrix `mul` makes rows of."""
    return op.attrs.get("x_num_col_dims", 1), op.attrs.get("y_num_col_dims", 1)


def _is_by_default(op: Operation) -> bool:
    """Whether an operation says nothing but what its operator does anyway."""
    defaults = find(op.type).defaults
    return all(op.attrs.get(name, value) == value for name, value in defaults.items())


class _Product:
    """A product with a frozen weight, growing by what follows it."""

    def __init__(self, unit: Unit, op: Operation, inputs: dict[str, list[str]], result: str, spec: Spec):
        self.unit, self.op, self.inputs, self.result, self.spec = unit, op, inputs, result, spec
        self.activation = ""

    @staticmethod
    def of(unit: Unit, op: Operation, frozen: frozenset[str] | set[str]) -> _Product | None:
        """The product that an operation is; None for any other operation, and one that has nothing frozen."""
        if op.type == "fused_conv2d":
            result, weight = op.output("Output")[0], op.input("Filter")[0]
            inputs = {slot: list(names) for slot, names in op.inputs.items()}
        elif op.type in CONVOLUTIONS:
            result, weight = op.output("Output")[0], op.input("Filter")[0]
            if op.attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout") or op.input("Bias"):
                return None
            inputs = {"Input": op.input("Input"), "Filter": [weight]}
        elif op.type == "matmul_v2" or op.type == "mul":
            result, weight = op.output("Out")[0], op.input("Y")[0]
            x, found = unit.spec(op.input("X")[0]), unit.spec(weight)
            if op.attrs.get("trans_x") or op.attrs.get("trans_y") or found is None or found.rank != 2:
                return None
            if op.type == "mul" and (x is None or _of_mul(op) != (x.rank - 1, 1)):  # others flatten first
                return None
            inputs = {"X": op.input("X"), "Y": [weight]}
        else:
            return None
        spec = unit.spec(result)
        if spec is None or spec.dtype is not float32 or spec.rank < 2:
            return None
        if weight not in frozen or not unit.is_movable(op):
            return None
        return _Product(unit, op, inputs, result, spec)

    @property
    def _is_linear(self) -> bool:
        return "Filter" not in self.inputs

    def take(self, followers: dict[str, Operation], frozen: Any, gone: Container[int]) -> list[Operation]:
        """Takes in the operations that follow as far as they fit, and gives them; what is `gone` others have taken."""
        taken: list[Operation] = []
        while (op := followers.get(self.result)) is not None and id(op) not in gone and self._takes(op, frozen):
            taken.append(op)
            self.result = op.output("Out")[0]
        return taken

    def _takes(self, op: Operation, frozen: Any) -> bool:
        if self.activation or not self.unit.is_movable(op):
            return False
        if op.type == "elementwise_add":
            return self._takes_sum(op, frozen)
        if op.type in ACTIVATIONS and _is_by_default(op):
            self.activation = op.type
            return True
        return False

    def _takes_sum(self, op: Operation, frozen: Any) -> bool:
        x, y = op.input("X")[0], op.input("Y")[0]
        other = y if x == self.result else x
        spec = self.unit.spec(other)
        if spec is None or spec.dtype is not float32 or x == y or "Residual" in self.inputs:
            return False
        axis = op.attrs.get("axis", -1)
        if "Bias" not in self.inputs and self._is_bias(spec, axis) and other in frozen:
            self.inputs["Bias"] = [self._as_row(other, spec)]
            return True
        # Sizes that are not known may differ when it runs: what computes it looks.
        if spec.shape == self.spec.shape and spec.shape[1 - self._is_linear * 2] != -1 and axis == -1:
            self.inputs["Residual"] = [other]
            return True
        return False

    def _is_bias(self, spec: Spec, axis: int) -> bool:
        if self._is_linear:
            return spec.shape == self.spec.shape[-1:] and axis in (-1, self.spec.rank - 1)
        channels = self.spec.shape[1]
        return spec.shape in ((channels, 1, 1), (1, channels, 1, 1)) and axis == -1 or (
            spec.shape == (channels,) and axis == 1)

    def _as_row(self, name: str, spec: Spec) -> str:
        """The bias as a row of its elements, prepared where it lies otherwise."""
        if spec.rank == 1:
            return name
        size = max(spec.shape)
        row = self.unit.new_name(name, Spec((size,), spec.dtype))
        self.unit.prepared.append(Operation(self.op.block, "reshape2", {"X": [name]}, {"Out": [row]},
                                            {"shape": [size]}, self.op.source))
        return row

    def operation(self) -> Operation:
        """The operation that stands for all of it."""
        if not self._is_linear:
            return fused_convolution(self.op, self.inputs, self.result, self.op.source, self.activation)
        attrs: dict[str, Any] = {"packed": Packed(), "activation": self.activation}
        return Operation(self.op.block, "fused_linear", self.inputs, {"Out": [self.result]}, attrs, self.op.source)
