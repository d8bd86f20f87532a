"""The passes of the compiler, in the order in which they run: each takes a Unit and changes its operations."""

from __future__ import annotations

from collections.abc import Callable

from ....core import flags
from ..unit import Unit
from ..verify import verify
from .align import align_operands
from .attention import fuse_attention
from .batch_norm import fold_batch_norm
from .elementwise import fuse_elementwise
from .eliminate import merge_common, remove_dead
from .epilogue import fuse_epilogues
from .gates import fuse_gates
from .hoist import hoist_frozen
from .overlap import overlap_exchanges
from .projections import join_projections
from .thin_products import sum_thin_products
from .updates import merge_updates

PASSES: tuple[Callable[[Unit], None], ...] = (
    overlap_exchanges, align_operands, merge_common, fold_batch_norm, remove_dead, hoist_frozen, sum_thin_products,
    fuse_attention, fuse_epilogues, fuse_gates, join_projections, fuse_elementwise, merge_updates, remove_dead)


def optimize(unit: Unit) -> Unit:
    """Runs the passes on a Unit, which is changed, and gives it back."""
    for run in PASSES:
        run(unit)
        if flags.values["FLAGS_verify_passes"]:
            verify(unit, run.__name__)
    return unit
