"""Names of gradients in a Program, `x@GRAD` for that of x, by which scripts fetch it; callbacks that are told of them.

A gradient gets its name when it is complete, before anything of the backward pass reads it: a callback that changes
`x@GRAD` then (clips it, say) changes what flows on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...ops.array.creation import assign
from ...ops.core.backward import Output, Walk
from ..ir.block import Block
from ..ir.lod import set_lod
from ..ir.operation import Operation
from ..ir.usage import sub_block
from ..ir.variable import GRAD_SUFFIX, Variable

Callback = Callable[..., Any]


class GradientNames:
    """What a backward pass that begins now appends to a block, and the names of gradients in it.

    `sources`: the names of variables by their edges. `callbacks` are called, as Paddle calls them, with `block=` and
    `context=`: the variables' names by their gradients', and the operation in question as '__current_op_desc__'.
    """

    def __init__(self, block: Block, sources: dict[Any, str], callbacks: Sequence[Callback] = ()):
        self.block, self.sources, self.callbacks = block, sources, callbacks
        self.context: dict[str, Any] = {}
        self._begin = self._seen = len(block.ops)
        self._users: dict[str, list[Operation]] = {}  # of what the pass makes, by name
        self._told: set[Operation] = set()
        block.program.gradient_passes += 1

    def complete(self, edge: Any, gradient: Variable) -> Variable:
        """The gradient of the variable at an edge, under its name."""
        source = self.sources.get(edge)
        if source is None or gradient.kind != "tensor" or self.context.get(gradient.name) == source:
            return gradient
        variable = self.block.find_var(source)
        if variable is None or variable.dtype is not gradient.dtype:
            return gradient
        return self.give(source, gradient)

    def give(self, source: str, gradient: Variable) -> Variable:
        """The gradient under the name of that of `source`; a copy of one that has a name already."""
        self._look()
        if gradient.name in self.context or not self._is_made(gradient):
            gradient = assign(gradient)
            self._look()
        name = self._free_name(source + GRAD_SUFFIX)
        for op in self._users.get(gradient.name, ()):
            op.rename_input(gradient.name, name)
            op.rename_output(gradient.name, name)
        self._users[name] = self._users.pop(gradient.name, [])
        del self.block.vars[gradient.name]
        gradient.name = name
        self.block.add_var(gradient)
        set_lod(gradient, self.block.var(source).lod)
        self.context[name] = source
        for op in self._users[name][:1]:
            self._tell(op)
        return gradient

    def finish(self) -> None:
        """Tells the callbacks of the operations that they have not been told of."""
        if self.callbacks:
            self._look()
            for op in self.block.ops[self._begin:]:
                self._tell(op)

    def _free_name(self, name: str) -> str:
        """The name, or, where an earlier pass has given it, one that says which pass this is."""
        while self.block.find_var(name) is not None:
            name = "grad/" * self.block.program.gradient_passes + name
        return name

    def _is_made(self, gradient: Variable) -> bool:
        makers = self._users.get(gradient.name) or []
        return bool(makers) and gradient.name in makers[0].output_arg_names and not gradient.persistable

    def _look(self) -> None:
        """Takes down who reads and writes what, of the operations that have been appended since."""
        for op in self.block.ops[self._seen:]:
            self._take_down(op)
        self._seen = len(self.block.ops)

    def _take_down(self, op: Operation) -> None:
        for name in dict.fromkeys([*op.input_arg_names, *op.output_arg_names]):
            self._users.setdefault(name, []).append(op)
        inner = sub_block(op)
        for nested in inner.ops if inner is not None else ():
            self._take_down(nested)

    def _tell(self, op: Operation) -> None:
        if op in self._told or not self.callbacks:
            return
        self._told.add(op)
        self.context["__current_op_desc__"] = op.desc
        for callback in self.callbacks:
            callback(block=self.block, context=self.context)
        del self.context["__current_op_desc__"]
        self._told.update(self.block.ops[self._seen:])
        self._look()


class NamingWalk(Walk):
    """A backward pass that names each gradient when it is complete."""

    def __init__(self, names: GradientNames, read_saved: Callable[[Any], tuple], targets: Iterable[Any]):
        super().__init__(read_saved, True, targets)
        self.names = names

    def _pop(self, node: Any) -> list[Any] | None:
        gs = super()._pop(node)
        if gs is None:
            return None
        return [self._named_result(node, index, g) for index, g in enumerate(gs)]

    def _named(self, edge: Any, gradient: Variable) -> Variable:
        named = self.names.complete(edge, gradient)
        return named if self.names.callbacks or edge in (self.targets or ()) else gradient

    def _named_result(self, node: Any, index: int, gradient: Any) -> Any:
        if node.is_single:
            return self._named(node, gradient)
        if isinstance(gradient, dict):
            return {place: self._named(Output(node, index, place), g) for place, g in gradient.items()}
        return None if gradient is None else self._named(Output(node, index), gradient)
