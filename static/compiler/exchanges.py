"""Whether operations exchange values with other processes, or order such: what is made of them is imported then alone.

It knows the operators of `ops/collective/`, which most Programs have no use for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core import launched
from ...ops.core.operator import find, is_declared
from ..ir.operation import Operation
from ..ir.usage import sub_block

_FAMILY = __name__.rpartition(".static.")[0] + ".ops.collective."


def has_exchanges(ops: Sequence[Operation]) -> bool:
    """Whether there is one among operations, and those of the blocks that they run."""
    types = {op.type for op in ops}
    if any(is_declared(type) and find(type).declared_in.startswith(_FAMILY) for type in types):
        return True
    return any(has_exchanges(block.ops) for block in map(sub_block, ops) if block is not None)


def with_exchanges(ops: Sequence[Operation]) -> list[Operation]:
    """The operations with what exchanges mean, and with what processes that do them must agree on."""
    if launched.size() == 1 and not has_exchanges(ops):
        return list(ops)
    from .agreement import agreed
    from .coalesced import with_values_alone
    from .shared_statistics import with_shared_statistics

    return agreed(with_shared_statistics(with_values_alone(ops)))
