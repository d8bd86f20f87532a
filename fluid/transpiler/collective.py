"""`fluid.transpiler.collective`: Programs of several processes that exchange gradients, or parameters, with each other.

Operations are put into the Programs as Paddle 1.8.5 puts them. A launcher has started the processes
(`python -m proa.distributed.launch`, `mpiexec`); endpoints say how many there are, and no port is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.var_type import VarType
from ...distributed.initialization import connect_launched
from ...distributed.program_exchanges import (
    BACKWARD,
    FORWARD,
    OPTIMIZE,
    append_broadcasts,
    append_ring,
    first_update,
    scale_loss_gradient,
)
from ...static.ir.roles import gradients_given
from ..framework import Program, default_main_program, default_startup_program

__all__ = ["GradAllReduce", "LocalSGD"]

class Collective:
    """What makes Programs of one process those of one of several; `nrings`: of how many groups exchanges take turns."""

    mode = ""

    def __init__(self, nrings: int):
        self.nrings = nrings
        self.nranks, self.rank = 1, 0
        self.endpoints: list[str] = []
        self.current_endpoint = ""
        self.startup_program: Any = None
        self.main_program: Any = None
        self.wait_port = True
        self._begin = 0

    def transpile(self, startup_program: Program | None, main_program: Program | None, rank: int,
                  endpoints: str | Sequence[str], current_endpoint: str, wait_port: bool = True) -> None:
        """Changes the Programs (None: the default ones) into those of the process `rank` of as many as `endpoints`.

        Of a Program that it has changed before, what has been appended since: another loss's gradients and updates.
        Connects the processes where a launcher has started several. `wait_port` changes nothing: a launcher starts all
        of them. Raises ValueError for one endpoint, a rank that there is not, or an endpoint that is none of them.
        """
        given = endpoints.split(",") if isinstance(endpoints, str) else list(endpoints)
        if len(given) == 1 and self.mode != SingleProcessMultiThread.mode:
            raise ValueError(f"transpile(endpoints): must be those of several processes. Received {given}: run the "
                             f"Program as it is.")
        if not 0 <= rank < len(given):
            raise ValueError(f"transpile(rank): must be 0 to {len(given) - 1}, the number of one of the endpoints. "
                             f"Received {rank}.")
        if current_endpoint not in given:
            raise ValueError(f"transpile(current_endpoint): must be one of {given}. Received {current_endpoint!r}.")
        connect_launched()
        self.startup_program = startup_program or default_startup_program()
        self.main_program = main_program or default_main_program()
        self.endpoints, self.current_endpoint, self.wait_port = given, current_endpoint, wait_port
        self.nranks, self.rank = len(given), rank
        for program in (self.startup_program, self.main_program):
            program._origin_program = program.clone()
        self._transpile_startup_program()
        block = self.main_program.global_block()
        self._begin = _place_behind(block, getattr(self.main_program, "_last_transpiled", None))
        self._transpile_main_program()
        self.main_program._last_transpiled = block.ops[-1] if block.ops else None

    def _transpile_main_program(self) -> None:
        raise NotImplementedError(f"{type(self).__name__}: says nothing of the main Program. Use GradAllReduce or "
                                  f"LocalSGD.")

    def _transpile_startup_program(self) -> None:
        for ring in range(self.nrings):
            append_ring(self.startup_program, self.rank, self.endpoints, self.current_endpoint, ring)
        append_broadcasts(self.startup_program, self.nrings)


class GradAllReduce(Collective):
    """Every process gets the sum of all processes' gradients; each loss counts for one of as many.

    Gradients are exchanged while the backward pass goes on.
    """

    mode = "grad_allreduce"

    def __init__(self, nrings: int = 2):
        super().__init__(nrings)

    def _transpile_main_program(self) -> None:
        scale_loss_gradient(self.main_program, self.nranks, self._begin)
        self._insert_exchanges()

    def _insert_exchanges(self) -> None:
        block, ring, last = self.main_program.global_block(), -1, None
        for place in reversed(range(self._begin, len(block.ops))):
            pairs = [(p, g) for p, g in gradients_given(block.ops[place]) if not _is_distributed(block, p)]
            for number, (_, gradient) in enumerate(pairs):
                ring, last = (ring + 1) % self.nrings, gradient
                named = {"inputs": {"X": gradient}, "outputs": {"Out": gradient}}
                if number == 0:
                    block._insert_op(place + 1, type="c_sync_calc_stream", **named, attrs=BACKWARD)
                block._insert_op(place + 2, type="c_allreduce_sum", **named, attrs={"ring_id": ring, **BACKWARD})
        first = first_update(block, self._begin)
        for number in range(self.nrings) if last is not None else ():
            block._insert_op(first + number, type="c_sync_comm_stream", inputs={"X": last}, outputs={"Out": last},
                             attrs={"ring_id": number, **BACKWARD})


def _place_behind(block: Any, last: Any) -> int:
    """The place behind an operation; the first one where it is not there."""
    return next((place + 1 for place, op in enumerate(block.ops) if op is last), 0)


def _is_distributed(block: Any, name: str) -> bool:
    return bool(getattr(block.var(name), "is_distributed", False))


class LocalSGD(Collective):
    """Each process updates its parameters by its own gradients; what they changed by is averaged behind each step.

    What they changed from is kept beside them, as `NAME@SNAPSHOT`.
    """

    mode = "local_sgd"
    snapshot_key = "@SNAPSHOT"

    def __init__(self, nrings: int = 2):
        super().__init__(nrings)

    def snapshot_name(self, param_name: str) -> str:
        """The name of what is kept of a parameter."""
        return param_name + self.snapshot_key

    def _snapshot(self, block: Any, parameter: Any) -> Any:
        return block.new_var(name=self.snapshot_name(parameter.name), shape=parameter.shape, dtype=parameter.dtype,
                             persistable=True, stop_gradient=True)

    def _transpile_startup_program(self) -> None:
        super()._transpile_startup_program()
        block = self.startup_program.global_block()
        for parameter in block.all_parameters():
            if not parameter.is_distributed:
                block.append_op(type="assign", inputs={"X": [parameter]},
                                outputs={"Out": [self._snapshot(block, parameter)]}, attrs=FORWARD)

    def _transpile_main_program(self) -> None:
        block, ring = self.main_program.global_block(), -1
        kept: list[tuple[Any, Any]] = []
        seen: set[str] = set()
        for place in reversed(range(self._begin, len(block.ops))):
            op = block.ops[place]
            if not {"Param", "Grad", "LearningRate"} <= set(op.input_names) or _is_distributed(
                    block, op.input("Param")[0]) or op.input("Param")[0] in seen:  # by the last update of a parameter
                continue
            parameter = block.var(op.input("Param")[0])
            seen.add(parameter.name)
            snapshot = self._snapshot(block, parameter)
            ring = (ring + 1) % self.nrings
            block._insert_op(place + 1, type="elementwise_sub", inputs={"X": [snapshot], "Y": [parameter]},
                             outputs={"Out": [parameter]}, attrs=OPTIMIZE)
            block._insert_op(place + 2, type="c_sync_calc_stream", inputs={"X": parameter},
                             outputs={"Out": parameter}, attrs=OPTIMIZE)
            block._insert_op(place + 3, type="c_allreduce_sum", inputs={"X": [parameter]},
                             outputs={"Out": [parameter]}, attrs={"ring_id": ring, **OPTIMIZE})
            kept.append((parameter, snapshot))
        for number in range(self.nrings) if kept else ():
            block.append_op(type="c_sync_comm_stream", inputs={"X": kept[-1][0]}, outputs={"Out": kept[-1][0]},
                            attrs={"ring_id": number, **OPTIMIZE})
        for parameter, snapshot in reversed(kept):
            block.append_op(type="scale", inputs={"X": [parameter]}, outputs={"Out": [parameter]},
                            attrs={"scale": 1.0 / self.nranks, **OPTIMIZE})
            block.append_op(type="elementwise_sub", inputs={"X": [snapshot], "Y": [parameter]},
                            outputs={"Out": [parameter]}, attrs=OPTIMIZE)
            block.append_op(type="assign", inputs={"X": [parameter]}, outputs={"Out": [snapshot]}, attrs=OPTIMIZE)


class SingleProcessMultiThread(GradAllReduce):
    """As GradAllReduce, among the devices of one process."""

    mode = "single_process_multi_thread"

    def __init__(self) -> None:
        super().__init__(1)

    def _transpile_startup_program(self) -> None:
        self.startup_program.global_block().append_op(type="c_comm_init_all", attrs={"ring_id": 0})


_MODES = {kind.mode: kind for kind in (GradAllReduce, LocalSGD)}


def transpile_collective(config: Any, trainer_id: int, trainers: str | Sequence[str], current_endpoint: str,
                         startup_program: Program | None = None, main_program: Program | None = None) -> None:
    """What `DistributeTranspiler.transpile` does in the mode "collective", by the config's `collective_mode`.

    Raises ValueError for a mode that there is not, NotImplementedError for devices of one process.
    """
    mode = config.collective_mode
    if mode == SingleProcessMultiThread.mode:
        raise NotImplementedError("DistributeTranspilerConfig.collective_mode: 'single_process_multi_thread' is what "
                                  "CompiledProgram.with_data_parallel(places=…) does. Use that.")
    if mode not in _MODES:
        raise ValueError(f"DistributeTranspilerConfig.collective_mode: must be one of {sorted(_MODES)}. "
                         f"Received {mode!r}.")
    _MODES[mode](config.nccl_comm_num).transpile(startup_program, main_program, trainer_id, trainers, current_endpoint)


def transpile_nccl2(config: Any, trainer_id: int, trainers: str | Sequence[str], current_endpoint: str,
                    startup_program: Program | None = None, main_program: Program | None = None) -> Any:
    """What `DistributeTranspiler.transpile` does in the mode "nccl2"; gives the variable that the ring is found by.

    The startup Program finds the other processes. The main one stays as it is: CompiledProgram.with_data_parallel and
    ParallelExecutor, which are told `num_trainers` and `trainer_id`, exchange its gradients.
    """
    given = trainers.split(",") if isinstance(trainers, str) else list(trainers)
    if not 0 <= trainer_id < len(given):
        raise ValueError(f"transpile(trainer_id): must be 0 to {len(given) - 1}, the number of one of the trainers. "
                         f"Received {trainer_id}.")
    if current_endpoint not in given:
        raise ValueError(f"transpile(current_endpoint): must be one of the trainers, {given}. "
                         f"Received {current_endpoint!r}.")
    connect_launched()
    main, startup = main_program or default_main_program(), startup_program or default_startup_program()
    main._trainers_endpoints = given
    block = startup.global_block()

    def identifier(name: str) -> Any:
        return block.new_var(name=name, persistable=True, type=VarType.RAW)

    found = identifier("NCCLID")
    for number in range(1, config.nccl_comm_num):
        identifier(f"NCCLID_{number}")
    for number in range(config.nccl_comm_num) if config.use_hierarchical_allreduce else ():
        identifier(f"Hierarchical_inter_NCCLID_{number}")
        identifier(f"Hierarchical_exter_NCCLID_{number}")
    block.append_op(type="gen_nccl_id", outputs={"NCCLID": found}, attrs={
        "trainers": given, "trainer_id": trainer_id, "nccl_comm_num": config.nccl_comm_num,
        "use_hierarchical_allreduce": config.use_hierarchical_allreduce,
        "hierarchical_allreduce_inter_nranks": config.hierarchical_allreduce_inter_nranks})
    return found
