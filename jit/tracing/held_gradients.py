"""The gradients that Tensors hold (`x.grad`), in a converted function that calls `backward()` and `optimizer.step()`.

While the Program is written down, each gradient is what the function has made of it so far; no Tensor's own is touched.
A run reads those that it needs, computes without recording, and leaves on the Tensors what the function would have
left. `CaptureTrace` writes the operations; here stands what becomes of `.grad`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

from ...core.dtype import DType
from ...core.errors import GraphFreedError, ModifiedInPlaceError
from ...dygraph.value import EagerValue
from ...ops.core.backward import Leaf, Node, Output
from ...static.ir.block import Block
from ...static.ir.operation import OPTIMIZE_ROLE
from ...static.ir.usage import reads, writes
from ...static.ir.variable import Variable


class _Kind:
    """What a gradient is where it is no tensor."""

    def __init__(self, shown: str):
        self.shown = shown


ZEROS = _Kind("zeros, by clear_grad()")
UNTOUCHED = _Kind("as before the call")
CLEARED = _Kind("None, or zeros where there was a gradient before the call")


def gradient_kind(tensor: EagerValue) -> Any:
    """None, ZEROS, or the Tensor that is its gradient."""
    holder = tensor._holder()
    if holder is None:
        return None
    return ZEROS if holder.cleared else tensor._gradient()


class HeldGradient:
    """What one Tensor's gradient is, at the place of a function that has been traced so far.

    `now` is a Variable, a kind of above, or None. `asked`: the function has looked whether there was one before the
    call; `added`: it has added to what there was, for which None and zeros are alike. `flows`: what `backward()` found
    for the Tensor is in it, through which hooks on the Tensor would have to go.
    """

    def __init__(self, tensor: EagerValue, name: str):
        self.tensor, self.name = tensor, name
        self.before = gradient_kind(tensor)
        self.now: Any = UNTOUCHED
        self.asked = self.added = self.flows = False
        self.before_name: str | None = None  # of the Variable that stands for the gradient before the call

    def kind(self) -> Any:
        """What it is now, told from what it was before the call where the function has not said."""
        if self.now is UNTOUCHED:
            self.asked = True
            return self.before
        if self.now is CLEARED:
            self.asked = True
            return None if self.before is None else ZEROS
        return self.now

    def clear(self, to_zeros: bool) -> None:
        """What `clear_grad()` does."""
        if not to_zeros:
            self.now = None
        elif self.now is UNTOUCHED:
            self.now = CLEARED
        elif self.now is not None and self.now is not CLEARED:
            self.now = ZEROS

    def fits(self, tensor: EagerValue) -> bool:
        """Whether a Tensor's gradient is of the kind that the Program was made for."""
        if self.flows and _has_hooks(tensor):
            return False
        if not self.asked and not self.added:
            return True
        now, before = gradient_kind(tensor), self.before
        if isinstance(before, EagerValue) or isinstance(now, EagerValue):
            return isinstance(before, EagerValue) and isinstance(now, EagerValue) and (
                before.is_dense() and now.is_dense() and before._array.dtype == now._array.dtype)
        return now is before or not self.asked

    def leave(self, tensor: EagerValue, results: dict[str, EagerValue]) -> None:
        """Gives the Tensor the gradient that the function leaves."""
        if self.now is UNTOUCHED:
            return
        if self.now is CLEARED:
            kind = gradient_kind(tensor)
            kind = None if kind is None else ZEROS
        else:
            kind = results[self.now.name] if isinstance(self.now, Variable) else self.now
        tensor.grad = kind if isinstance(kind, EagerValue) else None
        holder = tensor._holder()
        assert holder is not None
        holder.cleared = kind is ZEROS


class Walked:
    """The operations of a Program that `backward()` has gone through."""

    def __init__(self) -> None:
        self._spent: set[int] = set()

    def check(self, block: Block, roots: Sequence[Variable], retain_graph: bool) -> None:
        """Notes those between leaves and roots.

        Raises GraphFreedError for one that an earlier pass has freed, and ModifiedInPlaceError where it reads what an
        optimizer has updated since.
        """
        wanted, updated = {root.name for root in roots}, set[str]()
        found = set()
        for op in reversed(block.ops):
            if op.attrs.get("op_role") == OPTIMIZE_ROLE:
                updated.update(writes(op))
                continue
            if not any(name in wanted and _leads_on(block, name) for name in writes(op)):
                continue
            if id(op) in self._spent:
                raise GraphFreedError(
                    f"backward(): an earlier backward() went through {op.type} ({op.source}) and has freed it. Call "
                    "the first one with retain_graph=True, or compute the value again.")
            changed = updated.intersection(reads(op))
            if changed:
                raise ModifiedInPlaceError(
                    f"backward(): {', '.join(sorted(changed))} has been updated since {op.type} ({op.source}) read it. "
                    "Call backward() before the optimizer's step().")
            found.add(id(op))
            wanted.update(reads(op))
        if not retain_graph:
            self._spent |= found


def _leads_on(block: Block, name: str) -> bool:
    """Whether gradients flow on from a value to what it was computed from; states, such as running means, begin."""
    variable = block.find_var(name)
    return variable is not None and not variable.stop_gradient and not variable.persistable


class HostCall(NamedTuple):
    """What each run calls: for the value of the Variable of this name and dtype, or for what it does."""

    source: Callable[[], Any]
    name: str | None = None
    dtype: DType | None = None


class TrainingStep:
    """What a run of a Program has to do that computes gradients for Tensors to hold, or updates by them.

    `captured`: the Tensors that the Program reads without being given them, by name and in order. `host`: what is
    called before a run, in order. `leaves`: the names of those that want gradients, where it computes any.
    """

    def __init__(self, held: Sequence[HeldGradient], captured: dict[str, EagerValue], host: Sequence[HostCall],
                 leaves: Set[str] | None):
        places = {name: index for index, name in enumerate(captured)}
        self._held = [(places[each.name], each) for each in held]
        self._before = [(places[each.before_name], places[each.name]) for each in held if each.before_name is not None]
        self._host = [(call, None if call.name is None else places[call.name]) for call in host]
        self._computed = {place for place, _ in self._before} | {place for _, place in self._host if place is not None}
        self._wanting = None if leaves is None else [name in leaves for name in captured]

    def fits(self, captured: Sequence[EagerValue]) -> bool:
        """Whether the same Tensors want gradients, and hold gradients of the kinds that the Program was made for."""
        if not all(each.fits(captured[place]) for place, each in self._held):
            return False
        return self._wanting is None or all(
            (tensor._edge is not None) == wanting for place, (tensor, wanting) in enumerate(
                zip(captured, self._wanting, strict=True)) if place not in self._computed)

    def fill(self, given: list[EagerValue], count: int) -> None:
        """Puts what each run takes anew, learning rates and gradients, among its inputs; `count`: of the arguments."""
        for tensor in given[:count]:
            if self._wanting is not None and tensor._edge is not None:
                raise RuntimeError(
                    f"A function under to_static(full_graph=True) that calls backward() was given {tensor.name!r} with "
                    "stop_gradient=False: gradients end at the function's parameters there. Give it x.detach(), or "
                    "return the loss and call backward() outside.")
        for place, holder in self._before:
            gradient = given[count + holder]._gradient()
            assert gradient is not None  # `fits` has seen it
            given[count + place] = gradient
        for call, index in self._host:
            if index is None:
                call.source()
            else:
                given[count + index] = given[count + index]._eager.host_value(call.source, call.dtype, "")

    def leave(self, captured: Sequence[EagerValue], results: dict[str, EagerValue]) -> None:
        """Gives the Tensors the gradients that the function leaves."""
        for place, each in self._held:
            each.leave(captured[place], results)


def gradients_left(trace: Any) -> list[Variable]:
    """What a function leaves as gradients, where it has computed them."""
    return [held.now for held in trace.held.values() if isinstance(held.now, Variable)]


def training_step(trace: Any) -> TrainingStep | None:
    """What a run has to do for all that a CaptureTrace has noted of gradients and of what hosts say, if anything."""
    if not trace.held and not trace.host and not trace.trains:
        return None
    leaves = {name for name, tensor in trace.captured.items() if tensor._edge is not None}
    return TrainingStep([*trace.held.values()], trace.captured, trace.host, leaves if trace.trains else None)


def spend(results: Sequence[EagerValue], variables: Sequence[Variable]) -> None:
    """Lets a gradient that is asked of the results outside be the error that it is without conversion."""
    node = SpentNode(len(results))
    for index, (result, variable) in enumerate(zip(results, variables, strict=True)):
        if variable.dtype.is_differentiable and not variable.stop_gradient:
            result._edge = Output(node, index)


class SpentNode(Node):
    """A run whose gradients have been computed inside."""

    __slots__ = ("_count",)

    def __init__(self, count: int) -> None:
        super().__init__([], ())
        self._count = count

    @property
    def type(self) -> str:
        """The name that profiles have for a compiled Program."""
        return "run_program"

    @property
    def count(self) -> int:
        """How many results it has."""
        return self._count

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """Raises GraphFreedError."""
        raise GraphFreedError(
            "backward() of what a function under to_static(full_graph=True) returned that calls backward() itself: its "
            "Program has computed the gradients, and keeps nothing to compute others from. Compute all of them inside, "
            "or return the losses and call backward() outside.")


def check_leaf(tensor: EagerValue) -> None:
    """RuntimeError for a Tensor whose gradient would have to go through code that a Program does not run."""
    if type(tensor._edge) is not Leaf:
        raise RuntimeError(
            f"backward() in a function under to_static(full_graph=True): {tensor.name!r} was computed outside of the "
            "function, and gradients would have to flow on from it. Give it to the function as x.detach(), or return "
            "the loss and call backward() outside.")
    if _has_hooks(tensor):
        raise RuntimeError(
            f"backward() in a function under to_static(full_graph=True): {tensor.name!r} has hooks on its gradient, "
            "which no Program calls. Return the loss and call backward() outside.")


def _has_hooks(tensor: EagerValue) -> bool:
    """Whether something is to be called with the gradient of a leaf."""
    edge = tensor._edge
    return type(edge) is Leaf and bool(edge.hooks or edge.observers)
