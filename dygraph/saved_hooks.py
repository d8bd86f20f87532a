"""`saved_tensors_hooks`: what is kept for the backward walk, in another form until it is needed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..ops.amp.autocast import with_same_precision
from ..ops.core.operator import Operator
from ..ops.core.operator_node import OperatorNode, SingleResultNode
from ..ops.core.trace import grad_mode, state, using
from .eager import EAGER, EagerTrace
from .tensor import Tensor, new_tensor


class _Packed:
    """What `pack` made of a value, and the function that brings the value back."""

    __slots__ = ("held", "unpack")

    def __init__(self, array: Any, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]):
        self.unpack = unpack
        with using(EAGER), grad_mode(False):
            self.held = pack(new_tensor(array.view()))  # a view: an update will leave what `pack` keeps of it alone

    def array(self) -> Any:
        with using(EAGER), grad_mode(False):
            value = self.unpack(self.held)
        if not isinstance(value, Tensor):
            raise TypeError(f"saved_tensors_hooks(unpack_hook): must return a Tensor. It returned "
                            f"{type(value).__name__}.")
        return value._array


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_each(item, change) for item in value]
    return None if value is None else change(value)


def _unpacked(value: Any) -> Any:
    """A saved value as it was: an array, or a Tensor where the walk is recorded."""
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    if isinstance(value, Tensor) and type(value._array) is _Packed:
        value._array = value._array.array()
    return value.array() if isinstance(value, _Packed) else value


class _Hooks:
    """The two hooks of a block."""

    __slots__ = ("pack", "unpack")

    def __init__(self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]):
        self.pack, self.unpack = pack, unpack

    def packed(self, array: Any) -> _Packed:
        """An array, packed."""
        return _Packed(array, self.pack, self.unpack)


class _PackedNode(OperatorNode):
    """A node whose values are packed until its gradient rule needs them."""

    __slots__ = ()

    def __init__(self, hooks: _Hooks, op: Operator, attrs: dict[str, Any], edges: Sequence[Any], saved: tuple):
        super().__init__(op, attrs, edges, saved)
        places = {place for place, *_ in self._values()}
        self.saved = tuple(_each(value, hooks.packed) if n in places else value for n, value in enumerate(saved))

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients of the input slots, from those of the results."""
        return super().gradients(gs, tuple(map(_unpacked, saved)))

    def kept_arrays(self) -> list[Any]:
        """None: a packed value is not changed with the Tensor it came from."""
        return []


class _PackedSingleNode(_PackedNode, SingleResultNode):
    """The same of an operator with one result."""

    __slots__ = ()


class _PackingTrace(EagerTrace):
    """The eager trace, which packs what each new node saves."""

    def __init__(self, hooks: _Hooks):
        super().__init__()
        self.hooks = hooks
        self.node = functools.partial(_PackedNode, hooks)
        self.single_node = functools.partial(_PackedSingleNode, hooks)

    def kept(self, values: tuple) -> tuple:
        """The values, Tensors packed."""
        return tuple(self.hooks.packed(t._array) if isinstance(t, Tensor) else t for t in values)


class saved_tensors_hooks:
    """Within the block, a value that the backward walk will need is kept as `pack_hook(value)`.

    `unpack_hook` gets what that returned and must return a Tensor of the same values when the walk comes to it: so
    values can wait in files, or in fewer bits. Neither is recorded. What a PyLayer saves is packed too; what a function
    under `to_static` keeps is not. Raises RuntimeError where operators are not computed at once, as in a Program.
    `paddle.autograd.saved_tensors_hooks`.

    >>> import numpy as np
    >>> import proa as paddle
    >>> x = paddle.to_tensor([3.0], stop_gradient=False)
    >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), lambda a: paddle.to_tensor(a)):
    ...     y = x * x
    >>> y.backward(); x.grad.tolist()
    [6.0]
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise TypeError(f"saved_tensors_hooks({name}): must be callable. Received {type(hook).__name__}.")
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._within: list[Any] = []

    def __enter__(self) -> None:
        if not state.trace.computes:
            raise RuntimeError("saved_tensors_hooks: nothing is saved here: operators are put into a Program. Use it "
                               "around code that runs eagerly.")
        within = using(with_same_precision(_PackingTrace(_Hooks(self.pack_hook, self.unpack_hook))))
        within.__enter__()
        self._within.append(within)

    def __exit__(self, *error: Any) -> None:
        self._within.pop().__exit__(*error)


def unpacked(tensors: tuple) -> tuple:
    """What a PyLayer saved, as Tensors."""
    return tuple(new_tensor(t.array()) if isinstance(t, _Packed) else t for t in tensors)
