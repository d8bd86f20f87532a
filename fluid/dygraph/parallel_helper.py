"""`fluid.dygraph.parallel_helper`: what tells whether several processes train together."""

from ...distributed.engine import is_connected


def _is_data_parallel_mode() -> bool:
    """Whether processes are connected, by `prepare_context` or otherwise."""
    return is_connected()
