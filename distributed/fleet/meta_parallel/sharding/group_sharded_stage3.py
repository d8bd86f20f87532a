"""GroupShardedStage3, a model whose parameters are divided among processes: it refuses to be made."""

from typing import Any

__all__ = ["GroupShardedStage3"]


class GroupShardedStage3:
    """A model whose parameters are divided: NotImplementedError, which names what divides the rest."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError("GroupShardedStage3: parameters that are divided among processes are not supported. "
                                  "Use group_sharded_parallel(level='os_g'), which divides gradients and the "
                                  "optimizer's state.")
