"""What older code asks about the connection of processes: there is none, as there is one process."""

__all__: list[str] = []


def _is_parallel_ctx_initialized() -> bool:
    """Whether processes are connected."""
    return False


def _is_data_parallel_mode() -> bool:
    """Whether processes train copies of a model together."""
    return False
