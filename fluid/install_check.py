"""`fluid.install_check`: whether an installation computes and trains."""

from ..core.lazy import listed
from ..ops.core.trace import using
from ..static.building.mode import eager_trace
from ..utils.installation import run_check as _run_check

__all__ = ["run_check"]
__dir__ = listed(__name__)


def run_check() -> None:
    """Trains a small layer, eager and converted, and says that it works; RuntimeError where a result is wrong.

    >>> import proa.fluid as fluid
    >>> fluid.install_check.run_check()
    proa works: a training step ran eagerly and as a Program on Place(cpu).
    """
    with using(eager_trace()):
        _run_check()
