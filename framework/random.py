"""`paddle.framework.random`: seeds and states of the generators, those of CUDA devices among them."""

from __future__ import annotations

from typing import Any

from ..core.place import CUDAPlace
from ..core.random import default_generator, get_rng_state, seed, set_rng_state
from ..device.cuda import device_count
from ..static.building.mode import default_main_program, default_startup_program
from ..static.program import Program


def _manual_program_seed(seed: int) -> None:
    """Sets `random_seed` of the default Programs and of those to come: see `Program.random_seed`."""
    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
    Program().global_seed(seed)


def get_cuda_rng_state() -> list[dict[str, Any]]:
    """The states of the generators of all CUDA devices, for `set_cuda_rng_state`; empty where there is none.

    >>> import proa as paddle
    >>> paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    return [default_generator(CUDAPlace(index)).get_state() for index in range(device_count())]


def set_cuda_rng_state(state_list: list[dict[str, Any]]) -> None:
    """Puts states from `get_cuda_rng_state` back; ValueError unless there is one for each CUDA device.

    >>> import proa as paddle
    >>> states = paddle.get_cuda_rng_state()  # of each CUDA device
    >>> first = paddle.randn([2])
    >>> paddle.set_cuda_rng_state(states)  # there, the same numbers come again
    """
    if len(state_list) != device_count():
        raise ValueError(f"set_cuda_rng_state(state_list): there are {device_count()} CUDA devices. "
                         f"Received {len(state_list)} states.")
    for index, state in enumerate(state_list):
        default_generator(CUDAPlace(index)).set_state(state)


__all__ = ["get_cuda_rng_state", "get_rng_state", "seed", "set_cuda_rng_state", "set_rng_state"]
