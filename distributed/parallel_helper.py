"""What older code asks about the connection of processes."""

from .environment import get_world_size, is_initialized

__all__: list[str] = []


def _is_parallel_ctx_initialized() -> bool:
    """Whether processes are connected."""
    return is_initialized()


def _is_data_parallel_mode() -> bool:
    """Whether processes train copies of a model together."""
    return is_initialized() and get_world_size() > 1
