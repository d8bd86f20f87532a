"""`fluid.transpiler`: Programs made from Programs. What belongs to several machines is refused."""

from __future__ import annotations

from typing import Any


def memory_optimize(input_program: Any, skip_opt_set: Any = None, print_log: bool = False, level: int = 0,
                    skip_grads: bool = True) -> None:
    """Changes nothing, as in Paddle since 1.6: memory is freed after the last use of each value.

    >>> import proa.fluid as fluid
    >>> fluid.memory_optimize(fluid.default_main_program())
    """


def release_memory(input_program: Any, skip_opt_set: Any = None) -> None:
    """Changes nothing, as `memory_optimize`."""


class DistributeTranspilerConfig:
    """What code says about training on several machines; it is kept, so that it can be read back."""

    def __init__(self) -> None:
        self.slice_var_up, self.split_method, self.min_block_size = True, None, 8192
        self.enable_dc_asgd, self.mode, self.print_log = False, "pserver", False
        self.wait_port, self.runtime_split_send_recv, self.sync_mode = True, False, True
        self.geo_sgd_mode, self.geo_sgd_need_push_nums, self.nccl_comm_num = False, 100, 1


class DistributeTranspiler:
    """Not supported: NotImplementedError. Programs are not divided among machines."""

    def __init__(self, config: DistributeTranspilerConfig | None = None):
        raise NotImplementedError("fluid.DistributeTranspiler: Programs are not divided among machines here. Run the "
                                  "Program as it is, or with CompiledProgram.with_data_parallel on several devices.")


__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "memory_optimize", "release_memory"]
