"""Values that wait for the backward walk in a packed form: what `saved_tensors_hooks` makes of what nodes save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ops.core.operator import Operator
from ..ops.core.operator_node import OperatorNode, SingleResultNode
from ..ops.core.trace import grad_mode, using
from .value import EagerValue


class Packing:
    """The two hooks of a block, and the eager trace under which they run."""

    __slots__ = ("pack", "unpack", "eager")

    def __init__(self, pack: Callable[[EagerValue], Any], unpack: Callable[[Any], EagerValue], eager: Any):
        self.pack, self.unpack, self.eager = pack, unpack, eager

    def packed(self, array: Any, stop_gradient: bool) -> Packed:
        """The array of a value, packed."""
        return Packed(array, self, stop_gradient)


class Packed:
    """What `pack` made of a value, and how to bring the value back."""

    __slots__ = ("held", "packing")

    def __init__(self, array: Any, packing: Packing, stop_gradient: bool):
        self.packing = packing
        with using(packing.eager), grad_mode(False):
            # A view: an update will leave what `pack` keeps of it alone.
            value = packing.eager.new(array.view())
            value.stop_gradient = stop_gradient
            self.held = packing.pack(value)

    def value(self) -> EagerValue:
        """The value as a Tensor."""
        with using(self.packing.eager), grad_mode(False):
            value = self.packing.unpack(self.held)
        if not isinstance(value, EagerValue):
            raise TypeError(f"saved_tensors_hooks(unpack_hook): must return a Tensor. It returned "
                            f"{type(value).__name__}.")
        return value


def _packed(value: Any, edges: Any, packing: Packing) -> Any:
    """A saved value, or each of a list, packed; without an edge it wants no gradient."""
    if isinstance(value, (list, tuple)):
        each = edges if isinstance(edges, (list, tuple)) else [edges] * len(value)
        return [_packed(item, edge, packing) for item, edge in zip(value, each, strict=True)]
    return None if value is None else packing.packed(value, edges is None)


def _unpacked(value: Any) -> Any:
    """A saved value as it was: an array, or a Tensor where the walk is recorded."""
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    if isinstance(value, EagerValue) and type(value._array) is Packed:
        value._array = value._array.value()._array
    return value.value()._array if isinstance(value, Packed) else value


class PackedNode(OperatorNode):
    """A node whose values are packed until its gradient rule needs them."""

    __slots__ = ()

    def __init__(self, packing: Packing, op: Operator, attrs: dict[str, Any], edges: Sequence[Any], saved: tuple):
        super().__init__(op, attrs, edges, saved)
        kept = list(saved)
        for place, of_output, index in sorted(self._values(), key=lambda value: value[1:]):  # inputs first, in order
            kept[place] = _packed(kept[place], self if of_output else edges[index], packing)
        self.saved = tuple(kept)

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients of the input slots, from those of the results."""
        return super().gradients(gs, tuple(map(_unpacked, saved)))

    def kept_arrays(self) -> list[Any]:
        """None: a packed value is not changed with the Tensor it came from."""
        return []


class PackedSingleNode(PackedNode, SingleResultNode):
    """The same of an operator with one result."""

    __slots__ = ()


def unpacked(values: tuple) -> tuple:
    """What a PyLayer saved, as Tensors."""
    return tuple(value.value() if isinstance(value, Packed) else value for value in values)
