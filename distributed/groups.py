"""Groups of processes that exchange tensors: here each holds the one process that there is, whose rank in it is 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .environment import require_one_process

__all__ = ["Group", "destroy_process_group", "get_backend", "get_group", "new_group"]


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
        return self.nranks if self.rank >= 0 else -1

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
        """What exchanges tensors: None, as there is nobody to exchange them with."""
        return self._pg

    @property
    def backend(self) -> str:
        """The library that would exchange tensors: none."""
        return ""

    def is_member(self) -> bool:
        """Whether this process belongs to the group."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """The number in the group of the process that has `rank` in the world; -1 where it does not belong to it."""
        return self._ranks.index(rank) if self.is_member() and rank in self._ranks else -1

    def __repr__(self) -> str:
        return (f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, "
                f"ranks: {', '.join(map(str, self.ranks))}; name: {self.name}")


_GLOBAL = Group(0, 0, [0], name="_default_pg")
_groups: dict[int, Group] = {0: _GLOBAL}


def _get_global_group() -> Group:
    """The group of all processes."""
    require_one_process("get_group")
    return _GLOBAL


def new_group(ranks: Sequence[int] | None = None, backend: str | None = None, timeout: Any = None) -> Group:
    """A group of the processes `ranks` (None: all); with one process that is [0].

    `backend` and `timeout` say how tensors would be exchanged, and change nothing. Raises ValueError for a rank that
    no process has, NotImplementedError where a launcher has started several processes.
    """
    require_one_process("new_group")
    members = [0] if ranks is None else sorted(ranks)
    if members != [0]:
        raise ValueError(f"new_group(ranks): there is one process, whose rank is 0: must be [0] or None. "
                         f"Received {list(ranks or [])}.")
    number = max(_groups, default=0) + 1
    _groups[number] = Group(0, number, members, name=f"_default_pg{number}")
    return _groups[number]


def get_group(id: int = 0) -> Group | None:
    """The group with this number, 0 being that of all processes; None where there is none."""
    return _groups.get(id)


def destroy_process_group(group: Group | None = None) -> None:
    """Forgets a group, or all but that of the whole world. Raises ValueError for a group that is not known."""
    if group is None or group.id == 0:
        _groups.clear()
        _groups[0] = _GLOBAL
    elif _groups.pop(group.id, None) is None:
        raise ValueError(f"destroy_process_group(group): is destroyed already, or was not made by new_group. "
                         f"Received {group!r}.")


def get_backend(group: Group | None = None) -> str:
    """The library that would exchange the group's tensors: none."""
    return (_GLOBAL if group is None else group).backend
