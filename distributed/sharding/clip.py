"""Clipping by the norm of all gradients where each process has those of some parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...nn.clip import ClipGradBase, ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue, Pairs
from ...ops.array.creation import to_tensor


class ClipOverShards(ClipGradBase):
    """What `clip` does to all gradients, on those of one process: `agree` gives it the norm of all before each step."""

    def __init__(self, clip: ClipGradByGlobalNorm):
        self.clip = clip
        self._square: Any = None

    def agree(self, square: np.ndarray) -> None:
        """The square of the norm of all processes' gradients, a 0-d array of the dtype of this process's part of it."""
        self._square = to_tensor(square)

    def _dygraph_clip(self, params_grads: Pairs) -> Pairs:
        return self.clip.scaled(params_grads, self._square)

    def __repr__(self) -> str:
        return f"ClipOverShards({self.clip!r})"


def over_shards(clip: Any) -> Any:
    """The clipper for parts of the gradients. NotImplementedError for one that may need all of them."""
    if clip is None or isinstance(clip, (ClipOverShards, ClipGradByNorm, ClipGradByValue)):
        return clip
    if isinstance(clip, ClipGradByGlobalNorm) and type(clip)._dygraph_clip is ClipGradByGlobalNorm._dygraph_clip:
        return ClipOverShards(clip)
    raise NotImplementedError(f"group_sharded_parallel(optimizer): each process has some of the gradients, and "
                              f"{type(clip).__name__} may need all. Use nn.ClipGradByGlobalNorm, ClipGradByNorm or "
                              f"ClipGradByValue.")
