"""`saved_tensors_hooks`: what is kept for the backward walk, in another form until it is needed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..ops.amp.autocast import with_same_precision
from ..ops.core.trace import state, using
from .eager import EagerTrace
from .packing import PackedNode, PackedSingleNode, Packing
from .value import EagerValue


class _PackingTrace(EagerTrace):
    """The eager trace, which packs what each new node saves."""

    def __init__(self, within: EagerTrace, packing: Packing):
        super().__init__(within.value_class, within.parameter_class)
        self.packing = packing
        self.node = functools.partial(PackedNode, packing)
        self.single_node = functools.partial(PackedSingleNode, packing)

    def kept(self, values: tuple) -> tuple:
        """The values, Tensors packed."""
        return tuple(self.packing.packed(t._array, t.stop_gradient) if isinstance(t, EagerValue) else t
                     for t in values)


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

    def __init__(self, pack_hook: Callable[[EagerValue], Any], unpack_hook: Callable[[Any], EagerValue]):
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise TypeError(f"saved_tensors_hooks({name}): must be callable. Received {type(hook).__name__}.")
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._within: list[Any] = []

    def __enter__(self) -> None:
        eager = state.trace.find(EagerTrace)
        if eager is None:
            raise RuntimeError("saved_tensors_hooks: nothing is saved here: operators are put into a Program. Use it "
                               "around code that runs eagerly.")
        packing = Packing(self.pack_hook, self.unpack_hook, eager.plain)
        within = using(with_same_precision(_PackingTrace(eager, packing)))
        within.__enter__()
        self._within.append(within)

    def __exit__(self, *error: Any) -> None:
        self._within.pop().__exit__(*error)
