"""What Paddle's operators of streams and of shared memory mean, said with values: before a Unit is made of operations.

`c_sync_comm_stream` and its like stand for an order alone, and lose their values. A `coalesce_tensor` has values lie in
one array; here the array is put together where it is read after one of them was written, and they are taken out of it
where one is read after it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...ops.collective.coalesced import coalesce_op, parts_op, whole_op
from ...ops.collective.streams import orders_only, waits
from ...ops.program.control_flow import share_data_op
from ..ir.operation import OPTIMIZE_ROLE, Operation
from ..ir.usage import reads, sub_block, writes

_BOTH, _WHOLE, _PARTS = range(3)  # which is up to date


def with_values_alone(ops: Sequence[Operation]) -> list[Operation]:
    """The operations, where none stands for an order of streams or for values in one memory."""
    if not any(op.type in orders_only or op.type == coalesce_op.type for op in ops):
        return list(ops)
    done: list[Operation] = []
    memory = _Memory(done)
    for op in ops:
        if op.type in orders_only:
            memory.order(op)
        elif op.type == coalesce_op.type:
            memory.share(op)
        else:
            memory.use(op)
    memory.finish()
    return done


class _Memory:
    """Which values lie in one array, and which of both is up to date."""

    def __init__(self, done: list[Operation]):
        self.done = done
        self.members: dict[str, list[str]] = {}  # by the name of the whole
        self.whole_of: dict[str, str] = {}
        self.state: dict[str, int] = {}

    def order(self, op: Operation) -> None:
        """A wait, without its values; what it gives under another name is that value."""
        if op.type in waits:
            self.done.append(Operation(op.block, op.type, {}, {}, {"ring_id": op.attrs.get("ring_id", 0)}, op.source))
        for given, made in zip(op.input("X"), op.output("Out"), strict=False):
            if given != made:
                self.use(Operation(op.block, share_data_op.type, {"X": [given]}, {"Out": [made]}, {}, op.source))

    def share(self, op: Operation) -> None:
        """Values that lie in one array from here on."""
        self._before(op)
        self.done.append(op)
        whole, members = op.output("FusedOutput")[0], op.output("Output")
        self.members[whole], self.state[whole] = members, _BOTH
        self.whole_of.update(dict.fromkeys(members, whole))

    def use(self, op: Operation) -> None:
        """An operation that may read or write such values."""
        self._before(op)
        self.done.append(op)
        for name in writes(op):
            if name in self.members:
                self.state[name] = _WHOLE
            elif name in self.whole_of:
                self.state[self.whole_of[name]] = _PARTS

    def finish(self) -> None:
        """Brings all up to date: what nobody wants is left out later."""
        for whole in self.members:
            self._renew(whole, whole)
            self._renew(whole, self.members[whole][0])

    def _before(self, op: Operation) -> None:
        if op.attrs.get("op_role", 0) & OPTIMIZE_ROLE:  # all together, so that the updates stand together, too
            for whole, members in self.members.items():
                self._renew(whole, members[0])
        touched, written = [*reads(op), *writes(op)], set(writes(op))
        self._check(op, touched, written)
        for name in dict.fromkeys(touched):
            if name in self.members and name not in written - set(reads(op)):
                self._renew(name, name)
            elif name in self.whole_of:
                self._renew(self.whole_of[name], name)

    def _check(self, op: Operation, touched: Iterable[str], written: set[str]) -> None:
        if sub_block(op) is None:
            return
        groups = [self.whole_of.get(name, name) for name in touched]
        wholes = {name for name in touched if name in self.members}
        if any(groups.count(whole) > 1 and not written.isdisjoint([whole, *self.members[whole]]) for whole in wholes):
            raise NotImplementedError(f"{op.type!r}, appended at {op.source or 'no line'}: its block writes values of "
                                      "a coalesce_tensor and uses them together. Put coalesce_tensor into the block.")

    def _renew(self, whole: str, wanted: str) -> None:
        """Brings the whole, or its parts, up to date."""
        members, state, last = self.members[whole], self.state[whole], self.done[-1]
        if wanted == whole and state == _PARTS:
            self.done.append(Operation(last.block, whole_op.type, {"X": members}, {"Out": [whole]}, {}, last.source))
        elif wanted != whole and state == _WHOLE:
            self.done.append(Operation(last.block, parts_op.type, {"X": [whole], "Like": members}, {"Out": members}, {},
                                       last.source))
        else:
            return
        self.state[whole] = _BOTH
