"""What a launcher says of this process: its rank among those that it has started, and how many these are.

This package's launcher and Paddle's set PADDLE_…; Open MPI, MPICH, Intel MPI and Slurm (`srun`) set their own.
"""

import os

RANKS = ("PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
_SIZES = ("PADDLE_TRAINERS_NUM", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
_DEVICES = "FLAGS_selected_gpus"
_LOCAL_RANKS = ("PADDLE_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")
NUMBERS = (*RANKS, *_SIZES, *_LOCAL_RANKS)
"""The variables that a launcher sets anew for those that it starts."""


REPORTS = "PROA_LAUNCH_REPORTS"
"""The variable that names the folder where processes of this package's launcher say how they end."""


def _number(names: tuple[str, ...], otherwise: int) -> int:
    for name in names:
        text = os.environ.get(name, "").strip()
        if not text:
            continue
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"The environment variable {name} must be a whole number. Received {text!r}.") from None
    return otherwise


def size() -> int:
    """How many processes a launcher has started; 1 where none says so."""
    return _number(_SIZES, 1)


def rank() -> int:
    """The number of this process among them; 0 where none says so."""
    return _number(RANKS, 0)


def local_rank() -> int:
    """The number of this process among those of its machine."""
    return _number(_LOCAL_RANKS, 0)


def device() -> int:
    """The number of the device that is this process's: what FLAGS_selected_gpus says first, else its local rank."""
    text = os.environ.get(_DEVICES, "").split(",")[0].strip()
    if text and not text.isdigit():
        raise ValueError(f"The environment variable {_DEVICES} must be numbers of devices. Received {text!r}.")
    return int(text) if text else local_rank()


def endpoints() -> list[str]:
    """The addresses of all processes, where a launcher says them."""
    return [text for text in os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",") if text]
