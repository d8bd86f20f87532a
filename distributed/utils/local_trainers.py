"""Processes that a script starts on this machine itself: where each of them listens, and what became of them."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass
class Trainer:
    """One process: its address, its rank among all, and the devices that are its own."""

    gpus: list[Any] = dataclasses.field(default_factory=list)
    endpoint: str | None = None
    rank: int | None = None


@dataclasses.dataclass
class Pod:
    """The processes of one machine."""

    rank: int | None = None
    addr: str | None = None
    trainers: list[Trainer] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Cluster:
    """The machines, each with its processes."""

    pods: list[Pod] = dataclasses.field(default_factory=list)

    def trainers_endpoints(self) -> list[str]:
        """The addresses of all processes, in the order of their ranks."""
        return [str(trainer.endpoint) for pod in self.pods for trainer in pod.trainers]

    def trainers_nranks(self) -> int:
        """How many processes there are."""
        return len(self.trainers_endpoints())


class TrainerProc:
    """A process that was started: `proc`, a subprocess.Popen, its `rank`, its command and the file of its log."""

    def __init__(self) -> None:
        self.proc: subprocess.Popen[Any] | None = None
        self.rank: int | None = None
        self.local_rank: int | None = None
        self.cmd: Any = None
        self.log_fn: Any = None


def get_cluster(node_ips: Sequence[str], node_ip: str, trainer_endpoints: Sequence[Sequence[str]],
                selected_gpus: Sequence[Any]) -> tuple[Cluster, Pod]:
    """All machines, and the one at `node_ip`: on each a process for each of `selected_gpus`, with ranks in this order.

    >>> from proa.distributed.utils.launch_utils import get_cluster
    >>> cluster, here = get_cluster(["10.0.0.1"], "10.0.0.1", [["10.0.0.1:6170", "10.0.0.1:6171"]], [0, 1])
    >>> cluster.trainers_nranks(), [trainer.rank for trainer in here.trainers]
    (2, [0, 1])
    """
    cluster, rank = Cluster(), 0
    for number, (address, endpoints) in enumerate(zip(node_ips, trainer_endpoints, strict=True)):
        if len(endpoints) < len(selected_gpus):
            raise ValueError(f"get_cluster(trainer_endpoints): {address} has {len(endpoints)} addresses for "
                             f"{len(selected_gpus)} processes.")
        pod = Pod(number, address)
        for device, endpoint in zip(selected_gpus, endpoints, strict=False):
            own = list(device) if isinstance(device, (list, tuple)) else [device]
            pod.trainers.append(Trainer(own, endpoint, rank))
            rank += 1
        cluster.pods.append(pod)
    return cluster, cluster.pods[list(node_ips).index(node_ip)]


def terminate_local_procs(procs: Sequence[TrainerProc]) -> None:
    """Ends the processes that run: asks them to, and after three seconds kills them."""
    running = [each.proc for each in procs if each.proc is not None and each.proc.poll() is None]
    for proc in running:
        proc.terminate()
    for proc in running:
        try:
            proc.wait(3)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.wait()


def watch_local_trainers(procs: Sequence[TrainerProc], nranks: Any) -> bool:
    """Whether any of the processes still runs. Where one has failed, the others are ended, and SystemExit is raised."""
    alive = False
    for each in procs:
        code = None if each.proc is None else each.proc.poll()
        alive = alive or code is None
        if code:
            terminate_local_procs(procs)
            raise SystemExit(f"watch_local_trainers: the process of rank {each.rank} of {nranks} ended with {code}; "
                             "the others were ended too. What it wrote says why.")
    return alive
