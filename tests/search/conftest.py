"""What the searches' tests share."""

import os

import pytest
from proa.core.flags import flags_guard

from .oracle import Oracle


@pytest.fixture(autouse=True)
def _as_the_commands_run():
    """NumPy alone computes, and nothing is kept on disk: what is generated is run once."""
    with flags_guard({"FLAGS_cpu_engines": "", "FLAGS_kernel_cache_megabytes": 0}):
        yield


@pytest.fixture(scope="module")
def oracle():
    """PaddlePaddle 2.6.2 in the Python that PROA_ORACLE_PYTHON names; None without."""
    python = os.environ.get("PROA_ORACLE_PYTHON", "")
    held = Oracle(python) if python else None
    yield held
    if held is not None:
        held.close()
