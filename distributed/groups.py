"""Groups of processes that exchange tensors: that of all of them, and those that `new_group` makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backend.comm import exchanges
from ..core.place import expected_place
from . import engine
from .environment import get_rank, get_world_size, require_connection

__all__ = ["Group", "destroy_process_group", "get_backend", "get_group", "new_group"]

NOT_MEMBER = -1


class Group:
    """Some of the processes that train together, by their ranks, numbered within the group in their order.

    >>> import proa as paddle
    >>> group = paddle.distributed.new_group([0])
    >>> group.ranks, group.rank, group.nranks, group.is_member()
    ([0], 0, 1, True)
    """

    def __init__(self, rank_in_group: int, id: int, ranks: Sequence[int], pg: Any = None, name: str | None = None):
        self._rank_in_group, self._id, self._ranks = rank_in_group, id, list(ranks)
        self._pg, self._name = pg, name

    @property
    def rank(self) -> int:
        """This process's number in the group, -1 where it does not belong to it."""
        return self._rank_in_group

    @property
    def ranks(self) -> list[int]:
        """The processes of the group by their numbers in the world."""
        return self._ranks

    @property
    def nranks(self) -> int:
        """How many processes the group has."""
        return len(self._ranks)

    @property
    def world_size(self) -> int:
        """How many processes the group has; -1 for a process that does not belong to it."""
        return self.nranks if self.rank >= 0 else NOT_MEMBER

    @property
    def name(self) -> str | None:
        """The group's name."""
        return self._name

    @property
    def id(self) -> int:
        """The group's number."""
        return self._id

    @property
    def process_group(self) -> Any:
        """What exchanges tensors of the host: None for a process alone."""
        return self._pg

    @property
    def backend(self) -> str:
        """What exchanges tensors of the device in use, "MPI" or "NCCL"; nothing for a process alone."""
        return "" if self._pg is None else engine.backend_at(expected_place())

    def is_member(self) -> bool:
        """Whether this process belongs to the group."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """The number in the group of the process that has `rank` in the world; -1 where it does not belong to it."""
        return self._ranks.index(rank) if self.is_member() and rank in self._ranks else NOT_MEMBER

    def __repr__(self) -> str:
        return (f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, "
                f"ranks: {', '.join(map(str, self.ranks))}; name: {self.name}")


_groups: dict[int, Group] = {}
_next = [1]


def _get_global_group() -> Group:
    """The group of all processes."""
    require_connection("get_group")
    if 0 not in _groups:
        world = engine.communicator(0) if engine.is_connected() else None
        _groups[0] = Group(get_rank(), 0, range(get_world_size()), world, "_default_pg")
    return _groups[0]


def group_of(function: str, group: Group | None) -> Group:
    """The group that a collective was given, or that of all processes, connected.

    Raises RuntimeError, in the name of `function`, for a group that this process is not one of.
    """
    require_connection(function)
    found = group or _get_global_group()
    if not found.is_member():
        raise RuntimeError(f"{function}(group): rank {get_rank()} is not one of the group's processes, {found.ranks}. "
                           f"Call it in these alone: if group.is_member().")
    return found


def new_group(ranks: Sequence[int] | None = None, backend: str | None = None, timeout: Any = None) -> Group:
    """A group of the processes `ranks` (None: all), numbered in it in ascending order.

    Every process of the world calls it in the same order, members or not. `backend` changes nothing; nor does
    `timeout`: FLAGS_communication_timeout says how long to wait. Raises ValueError for a rank that no process has.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> dist.new_group([0]).ranks
    [0]
    """
    require_connection("new_group")
    size = get_world_size()
    members = list(range(size)) if ranks is None else sorted(set(ranks))
    if not members or any(not 0 <= rank < size for rank in members):
        raise ValueError(f"new_group(ranks): must be numbers of processes, of which there are {size}: 0 to {size - 1}. "
                         f"Received {list(ranks or [])}.")
    number = _next[0]
    _next[0] += 1
    rank = get_rank()
    made = None
    if engine.is_connected():
        made = exchanges.do(lambda: engine.communicator(0).subgroup(members))
        if made is not None:
            engine.add_group(number, made)
    _groups[number] = Group(members.index(rank) if rank in members else NOT_MEMBER, number, members, made,
                            f"_default_pg{number}")
    return _groups[number]


def get_group(id: int = 0) -> Group | None:
    """The group with this number, 0 being that of all processes; None where there is none.

    >>> import proa as paddle
    >>> paddle.distributed.get_group()  # one process, with no other
    rank: 0, nranks: 1, id: 0, ranks: 0; name: _default_pg
    """
    return _get_global_group() if id == 0 else _groups.get(id)


def destroy_process_group(group: Group | None = None) -> None:
    """Forgets a group, or all but that of the whole world. Raises ValueError for a group that is not known.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> group = dist.new_group([0])
    >>> dist.destroy_process_group(group)
    """
    if group is None or group.id == 0:
        for number in [n for n in _groups if n != 0]:
            _forget(number)
    elif group.id not in _groups:
        raise ValueError(f"destroy_process_group(group): is destroyed already, or was not made by new_group. "
                         f"Received {group!r}.")
    else:
        _forget(group.id)


def _forget(number: int) -> None:
    del _groups[number]
    engine.remove_group(number)


def get_backend(group: Group | None = None) -> str:
    """What exchanges the group's tensors on the device in use, "MPI" or "NCCL"; nothing for a process alone.

    >>> import proa as paddle
    >>> paddle.distributed.get_backend()  # one process, with no other
    ''
    """
    return (group or _get_global_group()).backend
