"""The handle by which a Tensor's hook is taken away again. Knows nothing of Tensors."""

from __future__ import annotations

from collections.abc import Callable


class HookHandle:
    """What `register_hook` returns: `remove()` takes the hook away."""

    def __init__(self, hooks: dict[int, Callable], key: int):
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Takes the hook away; False when it was gone already."""
        return self._hooks.pop(self._key, None) is not None
