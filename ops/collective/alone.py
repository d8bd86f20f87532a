"""A process alone: what collectives come to where there is nobody to exchange with."""

import numpy as np

from ...core import launched


def copied(xp, what, x, nranks=1):
    """A copy of the value, which is what one process gets. RuntimeError where a launcher has started several."""
    require(xp, what, nranks)
    return x.copy()


def require(xp, what, nranks=1):
    """Raises RuntimeError, in the name of an operator, where this process is not alone."""
    if launched.size() == nranks == 1:
        return
    if xp is not np:
        raise RuntimeError(f"{what}: processes exchange arrays of the host, and this one is on a device. Train in one "
                           f"process, or move it: x.cpu().")
    raise RuntimeError(f"{what}: {max(launched.size(), nranks)} processes are not connected. Call "
                       f"paddle.distributed.init_parallel_env() first, in each of those that a launcher has started.")
