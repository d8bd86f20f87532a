"""How a tensor would lie on one dimension of a mesh of processes: divided, repeated, or as parts of a reduction."""

from __future__ import annotations

import enum

__all__ = ["Partial", "Placement", "ReduceType", "Replicate", "Shard"]


class ReduceType(enum.IntEnum):
    """How the parts of a `Partial` tensor would be put together."""

    kRedSum, kRedMax, kRedMin, kRedProd, kRedAvg, kRedAny, kRedAll = range(7)


class Placement:
    """One of `Shard`, `Replicate` and `Partial`: equal when of one kind and with the same numbers.

    >>> from proa.distributed import Partial, Placement, Replicate, Shard
    >>> [isinstance(one, Placement) for one in (Shard(0), Replicate(), Partial())]
    [True, True, True]
    >>> Shard(0) == Shard(0), Shard(0) == Replicate()
    (True, False)
    """

    def _key(self) -> tuple:
        return (type(self).__name__,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placement) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is divided, along `dim` where that is given."""
        return False

    def is_replicated(self) -> bool:
        """Whether each process has the whole."""
        return False

    def is_partial(self) -> bool:
        """Whether processes have parts of a reduction."""
        return False


class Shard(Placement):
    """Divided along a dimension of the tensor.

    >>> from proa.distributed import Shard
    >>> Shard(1), Shard(1).get_dim(), Shard(1) == Shard(0), Shard(1).is_shard(0)
    (Shard(dim=1), 1, False, False)
    """

    def __init__(self, dim: int):
        if not isinstance(dim, int):
            raise TypeError(f"Shard(dim): must be a dimension's number. Received {dim!r}.")
        self._dim = dim

    def _key(self) -> tuple:
        return ("Shard", self._dim)

    def get_dim(self) -> int:
        """The dimension."""
        return self._dim

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether it is divided along `dim`; along any where that is None."""
        return dim is None or dim == self._dim

    def __repr__(self) -> str:
        return f"Shard(dim={self._dim})"


class Replicate(Placement):
    """Whole in each process.

    >>> from proa.distributed import Replicate
    >>> Replicate(), Replicate().is_replicated(), Replicate().is_shard()
    (Replicate(), True, False)
    """

    def is_replicated(self) -> bool:
        """True."""
        return True

    def __repr__(self) -> str:
        return "Replicate()"


class Partial(Placement):
    """Parts of a reduction.

    >>> from proa.distributed import Partial
    >>> Partial(), Partial().is_partial()
    (Partial(reduce_type=SUM), True)
    """

    def __init__(self, reduce_type: ReduceType = ReduceType.kRedSum):
        self._reduce_type = ReduceType(reduce_type)

    def _key(self) -> tuple:
        return ("Partial", self._reduce_type)

    def is_partial(self) -> bool:
        """True."""
        return True

    def __repr__(self) -> str:
        return f"Partial(reduce_type={self._reduce_type.name[4:].upper()})"
