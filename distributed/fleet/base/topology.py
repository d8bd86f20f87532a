"""How processes are arranged: a grid with an axis for each way of dividing work, and their groups along the axes."""

from __future__ import annotations

import collections
import itertools
import math
from collections.abc import Sequence
from typing import Any

from ...environment import get_rank, get_world_size
from ...groups import Group, new_group

__all__ = ["CommunicateTopology", "HybridCommunicateGroup", "ParallelMode"]


class ParallelMode:
    """Ways of dividing the work of training: the batch, the layers' matrices, the layers, the state, the sequence."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class CommunicateTopology:
    """Processes as a grid: `dims` of them along the axes `hybrid_group_names`, numbered with the last axis fastest.

    Raises ValueError for another number of sizes than of axes, KeyError for an axis or a place that there is not.

    >>> from proa.distributed.fleet import CommunicateTopology
    >>> grid = CommunicateTopology(["data", "model"], [2, 3])
    >>> grid.world_size(), grid.get_coord(4), grid.get_comm_list("model")
    (6, Coordinate(data=1, model=1), [[0, 1, 2], [3, 4, 5]])
    """

    def __init__(self, hybrid_group_names: Sequence[str] = ("data", "pipe", "sharding", "sep", "model"),
                 dims: Sequence[int] = (1, 1, 1, 1, 1)):
        self._names, self._dims = list(hybrid_group_names), list(dims)
        if len(self._names) != len(self._dims):
            raise ValueError(f"CommunicateTopology(dims): must have a size for each of {self._names}. Received {dims}.")
        self.coordinate: Any = collections.namedtuple("Coordinate", self._names)  # type: ignore[misc]
        ranges: list[Any] = [range(size) for size in self._dims]
        self._coordinates: list[Any] = [self.coordinate(*place) for place in itertools.product(*ranges)]
        self._ranks = {place: rank for rank, place in enumerate(self._coordinates)}

    def get_hybrid_group_names(self) -> list[str]:
        """The names of the axes."""
        return self._names

    def get_dim(self, axis_name: str) -> int:
        """The number of processes along an axis."""
        return self._dims[self._axis(axis_name)]

    get_dim_size = get_dim

    def world_size(self) -> int:
        """The number of processes."""
        return math.prod(self._dims)

    def get_rank(self, **args: int) -> int:
        """The number of the process at a place, which is given for each axis."""
        return self._ranks[self.coordinate(**args)]

    def get_coord(self, rank: int) -> Any:
        """The place of a process, with a field for each axis."""
        if not 0 <= rank < len(self._coordinates):
            raise KeyError(f"get_coord(rank): there are {self.world_size()} processes. Received {rank}.")
        return self._coordinates[rank]

    def get_axis_list(self, axis_name: str, index: int) -> list[int]:
        """The processes whose place on an axis is `index`."""
        axis = self._axis(axis_name)
        return [rank for place, rank in self._ranks.items() if place[axis] == index]

    def get_comm_list(self, axis_name: str) -> list[list[int]]:
        """The processes in groups, in each of which only the place on `axis_name` differs."""
        return self._grouped([self._axis(axis_name)])

    def get_fused_ranks(self, fused_axis: Sequence[str]) -> list[list[int]]:
        """The processes in groups, in each of which only the places on the axes `fused_axis` differ."""
        return self._grouped([self._axis(name) for name in fused_axis])

    def get_rank_from_stage(self, global_rank: int, **kwargs: int) -> int:
        """The process that stands where `global_rank` stands but for the axes that are given."""
        return self._ranks[self.get_coord(global_rank)._replace(**kwargs)]

    def _axis(self, name: str) -> int:
        if name not in self._names:
            raise KeyError(f"CommunicateTopology: there is no axis {name!r}. Its axes are {self._names}.")
        return self._names.index(name)

    def _grouped(self, free: list[int]) -> list[list[int]]:
        groups: dict[Any, list[int]] = {}
        for rank, place in enumerate(self._coordinates):
            groups.setdefault(tuple(n for axis, n in enumerate(place) if axis not in free), []).append(rank)
        return list(groups.values())


class HybridCommunicateGroup:
    """This process's place in a topology and its groups along the axes.

    Processes are divided along the axes "data" and "sharding": every other group has this process only. Raises
    ValueError for a topology of other processes than there are, NotImplementedError for one that divides the model
    among them. Every process makes it.

    >>> import proa as paddle
    >>> fleet = paddle.distributed.fleet
    >>> hcg = fleet.HybridCommunicateGroup(fleet.CommunicateTopology())
    >>> hcg.get_model_parallel_world_size(), hcg.get_stage_id(), hcg.is_first_stage, hcg.is_last_stage
    (1, 0, True, True)
    """

    is_first_stage = is_last_stage = True

    def __init__(self, topology: CommunicateTopology):
        self.nranks, self.global_rank = topology.world_size(), get_rank()
        if self.nranks != get_world_size():
            raise ValueError(f"HybridCommunicateGroup(topology): must have as many processes as there are, "
                             f"{get_world_size()}. Received {self.nranks}, the product of the degrees.")
        names = topology.get_hybrid_group_names()
        divided = [name for name in names if name not in ("data", "sharding") and topology.get_dim(name) > 1]
        if divided:
            raise NotImplementedError(f"HybridCommunicateGroup(topology): a model is not divided among processes here, "
                                      f"along {divided}. Set these degrees to 1; dp_degree and sharding_degree may be "
                                      f"{self.nranks} together.")
        self._topo = topology
        self._groups: dict[str, Group] = {}
        for name in names:
            if topology.get_dim(name) > 1:
                groups = [new_group(ranks) for ranks in topology.get_comm_list(name)]
                self._groups[name] = next(group for group in groups if group.is_member())

    def topology(self) -> CommunicateTopology:
        """The topology."""
        return self._topo

    def get_parallel_mode(self) -> int | None:
        """How the work is divided: by the batch, by the batch and the state, or None where one process does it."""
        if self.nranks == 1:
            return None
        return ParallelMode.SHARDING_PARALLEL if "sharding" in self._groups else ParallelMode.DATA_PARALLEL

    def get_global_rank(self) -> int:
        """The number of this process."""
        return self.global_rank

    def _group(self, kind: str) -> Group:
        if kind not in self._groups:
            self._groups[kind] = new_group([self.global_rank])
        return self._groups[kind]

    def get_data_parallel_rank(self) -> int:
        """This process's number among those that have the same part of the state and other data."""
        return self._group("data").rank

    def get_data_parallel_world_size(self) -> int:
        """The number of processes that have the same part of the state and other data."""
        return self._group("data").nranks

    def get_data_parallel_group(self) -> Group:
        """The processes that have the same part of the state and other data."""
        return self._group("data")

    def get_data_parallel_group_src_rank(self) -> int:
        """The first process of `get_data_parallel_group`."""
        return self._group("data").ranks[0]

    def get_sharding_parallel_rank(self) -> int:
        """This process's number among those that the optimizer's state is divided among."""
        return self._group("sharding").rank

    def get_sharding_parallel_world_size(self) -> int:
        """The number of processes that the optimizer's state is divided among."""
        return self._group("sharding").nranks

    def get_sharding_parallel_group_src_rank(self) -> int:
        """The first process of `get_sharding_parallel_group`."""
        return self._group("sharding").ranks[0]

    def get_model_parallel_group(self) -> Group:
        """The processes among which layers' matrices are divided."""
        return self._group("model")

    def get_pipe_parallel_group(self) -> Group:
        """The processes among which the layers are divided."""
        return self._group("pipe")

    def get_sharding_parallel_group(self) -> Group:
        """The processes among which the optimizer's state is divided."""
        return self._group("sharding")

    def get_sep_parallel_group(self) -> Group:
        """The processes among which a sequence is divided."""
        return self._group("sep")

    def get_check_parallel_group(self, sharding: bool = False) -> Group:
        """The processes that have different gradients, whose norms count together."""
        return self._group("sharding" if sharding else "check")

    def get_model_parallel_rank(self) -> int:
        """This process's number among those that a model is divided among: it is alone."""
        return 0

    def get_model_parallel_world_size(self) -> int:
        """The number of processes that a model is divided among."""
        return 1

    def get_model_parallel_group_src_rank(self) -> int:
        """The first process of `get_model_parallel_group`: this one."""
        return self.global_rank

    get_sep_parallel_rank = get_stage_id = get_model_parallel_rank
    get_sep_parallel_world_size = get_pipe_parallel_world_size = get_model_parallel_world_size
    get_sep_parallel_group_src_rank = get_model_parallel_group_src_rank

    def get_rank_from_stage(self, stage_id: int, **kwargs: int) -> int:
        """The process at this process's place in another stage of the layers."""
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)


class _Arranged:
    """The groups that `fleet.init` has made, before which there is the one process all the same."""

    hcg: HybridCommunicateGroup | None = None

    def _current(self) -> HybridCommunicateGroup:
        if self.hcg is None:
            self.hcg = HybridCommunicateGroup(CommunicateTopology(dims=(get_world_size(), 1, 1, 1, 1)))
        return self.hcg

    def get_model_parallel_group(self) -> Group:
        return self._current().get_model_parallel_group()

    def get_model_parallel_world_size(self) -> int:
        return 1

    def get_model_parallel_rank(self) -> int:
        return 0


_HYBRID_PARALLEL_GROUP = _Arranged()
