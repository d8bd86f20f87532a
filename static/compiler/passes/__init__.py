"""The passes of the compiler, in the order in which they run: each takes a Unit and changes its operations."""

from __future__ import annotations

from collections.abc import Callable

from ....core import flags
from ..exchanges import has_exchanges
from ..unit import Unit
from .align import align_operands
from .attention import fuse_attention
from .batch_norm import fold_batch_norm
from .elementwise import fuse_elementwise
from .eliminate import merge_common, remove_dead
from .epilogue import fuse_epilogues
from .gates import fuse_gates
from .hoist import hoist_frozen
from .projections import join_projections
from .thin_products import sum_thin_products
from .updates import merge_updates


def overlap_exchanges(unit: Unit) -> None:
    """Has exchanges go on while the plan computes (`overlap.py`)."""
    if has_exchanges(unit.ops):
        from .overlap import overlap_exchanges as overlap  # see `exchanges.py`

        overlap(unit)


PASSES: tuple[Callable[[Unit], None], ...] = (
    overlap_exchanges, align_operands, merge_common, fold_batch_norm, remove_dead, hoist_frozen, sum_thin_products,
    fuse_attention, fuse_epilogues, fuse_gates, join_projections, fuse_elementwise, merge_updates, remove_dead)


def optimize(unit: Unit) -> Unit:
    """Runs the passes on a Unit, which is changed, and gives it back."""
    for run in PASSES:
        run(unit)
        if flags.values["FLAGS_verify_passes"]:
            from ..verify import verify  # for tests

            verify(unit, run.__name__)
    return unit
