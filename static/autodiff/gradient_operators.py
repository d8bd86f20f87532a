"""Operators of gradients in Programs that PaddlePaddle wrote (`mul_grad`): replaced by what our rules write.

A file of a training Program has for each operator of its backward pass one such operator, with the inputs, the outputs
and the outputs' gradients of the operator that it belongs to. That one is looked for in the Program; its rule is
applied, and what it gives gets the names that the file has for it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Sequence
from typing import Any

from ...ops.array.reshape import reshape
from ...ops.core.backward import Leaf
from ...ops.core.decomposition import Decomposition, find_decomposition
from ...ops.core.operator import find, is_declared
from ...ops.core.operator_node import operator_node
from ...ops.core.signature import Slot
from ...ops.core.trace import grad_mode, using
from ..building.trace import GradientTrace
from ..ir.block import Block
from ..ir.one_element import widened
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.shape_inference import declare_sizes
from ..ir.transform import complete_outputs
from ..ir.variable import Variable
from .block_graph import BlockGraph
from .second_gradient_operators import first_of, is_second, second_gradients

_GRAD, _NONE = "@GRAD", "@EMPTY@"
_TYPE = re.compile(r"(.+)_grad(\d*)")  # of cross_entropy2: cross_entropy_grad2


def with_rules(program: Program) -> Program:
    """The Program without operators of gradients that have a rule here: itself where there are none, else a copy."""
    if not any(_rule_of(op) for block in program.blocks for op in block.ops):
        return program
    result = copy.deepcopy(program)
    for block in list(result.blocks):  # of branches and loops too
        if any(_rule_of(op) for op in block.ops):
            _replace_all(block)
    return result


def _replace_all(block: Block) -> None:
    """Puts what our rules write in the place of a block's operators of gradients."""
    stopped = [v for v in block.vars.values() if v.stop_gradient]
    known = set(block.vars)
    for variable in stopped:  # what our rules write is differentiated where the file has a second order
        variable.stop_gradient = False
    operations, block.ops = block.ops, []
    trace = GradientTrace(block.program)
    before, block.program.current_block_idx = block.program.current_block_idx, block.idx
    with using(trace), grad_mode(True):
        _Replaced(block, trace).all(operations)
    block.program.current_block_idx = before
    for variable in stopped:
        variable.stop_gradient = True
    for op in block.ops:  # what the file does not name lets gradients through where what it is made of does
        for name in op.output_arg_names:
            if name not in known and block.has_var(name):
                block.var(name).stop_gradient = all(v is None or v.stop_gradient
                                                    for v in map(block.find_var, op.input_arg_names))


class _Replaced:
    """What takes the place of operators of gradients in a block."""

    def __init__(self, block: Block, trace: GradientTrace):
        self.block, self.trace = block, trace
        self.forward = _around(block)
        self.firsts: dict[Operation, list[Operation]] = {}  # what stands in the place of each
        self.taken: set[Operation] = set()

    def all(self, operations: Sequence[Operation]) -> None:
        """Appends the operations, those that have a rule by what it writes."""
        for op in operations:
            if is_second(op) and self._second(op) or _rule_of(op) and self._first(op):
                continue
            self.forward.append(op)
            self.block.ops.append(op)

    def _first(self, op: Operation) -> bool:
        parts = find_decomposition(str(_forward_type(op)))
        if parts is not None:
            return _of_parts(self.block, op, parts, self.trace)
        found = _forward_of(op, self.forward, self.taken) or _told_by(self.block, op)
        if found is None:
            return False
        self.taken.add(found)
        declare_sizes(found)
        if found.block is self.block and any(found is one for one in self.forward):
            complete_outputs(self.block, found, find(found.type))  # of what only the gradient reads the file is pruned
        begin = len(self.block.ops)
        _replace(self.block, op, found)
        self.firsts[op] = self.block.ops[begin:]
        return True

    def _second(self, op: Operation) -> bool:
        first, begin = first_of(op, list(self.firsts)), len(self.block.ops)
        if first is None:
            return False
        found = second_gradients(self.block, op, first, self.firsts[first], self.trace)
        if found is None:
            del self.block.ops[begin:]
            return False
        for name, gradient in found.items():
            _name(self.block, gradient, name, op)
        return True


def _around(block: Block) -> list[Operation]:
    """The operations of the blocks that a block is in, and of that of which it has the gradients."""
    around = [] if block.parent is None else [*_around(block.parent), *block.parent.ops]
    forward = block.forward_block_idx
    return around if forward < 0 else [*around, *block.program.blocks[forward].ops]


def _rule_of(op: Operation) -> bool:
    """Whether it is the operator of a gradient for which an operator here has a rule."""
    type = _forward_type(op)
    if type is None or "sub_block" in op.attrs:
        return False
    if not is_declared(type):
        return find_decomposition(type) is not None
    if find(type).gradient is None:
        return False
    known = {slot.name for slot in find(op.type).inputs} if is_declared(op.type) else set()
    return any(slot.endswith(_GRAD) and slot not in known for slot in op.inputs)


def _forward_type(op: Operation) -> str | None:
    found = _TYPE.fullmatch(op.type)
    return None if found is None else found[1] + found[2]


def _forward_of(op: Operation, before: Sequence[Operation], taken: Collection[Operation]) -> Operation | None:
    """The operation whose gradient it is: the last of the type whose inputs and outputs it names.

    One of those that have no gradient yet, where there is one: in a pass of the second order each has another.
    """
    type = _forward_type(op)
    fitting = [one for one in reversed(before) if one.type == type and _belong(op, one)]
    named = [one for one in fitting if _named_after(op, one)] or fitting  # unless the gradient came from the user
    return next((one for one in named if one not in taken), named[0] if named else None)


def _belong(op: Operation, forward: Operation) -> bool:
    operator = find(forward.type)
    given = [(op.input(slot.name), forward.input(slot.name)) for slot in operator.inputs]
    given += [(op.input(slot.name), forward.output(slot.name)) for slot in operator.outputs]
    return all(not names or not own or names == own for names, own in given)


def _named_after(op: Operation, forward: Operation) -> bool:
    """Whether the gradients that come have the names of what the operation gives."""
    given = [(op.input(slot.name + _GRAD), forward.output(slot.name)) for slot in find(forward.type).outputs]
    return all(not names or [_source(name) for name in names] == own for names, own in given)


def _source(name: str) -> str:
    """What a gradient is of, by its name: of the second pass they begin with `grad/grad/`."""
    return name.partition(_GRAD)[0].rpartition("grad/")[2]


def _told_by(block: Block, op: Operation) -> Operation | None:
    """The operation whose gradient it is, of which a file has no more than its gradient, where that tells enough."""
    operator = find(str(_forward_type(op)))
    inputs = {slot.name: op.input(slot.name) for slot in operator.inputs}
    outputs = {slot.name: op.input(slot.name) for slot in operator.outputs}
    come = {slot.name: op.input(slot.name + _GRAD) for slot in operator.outputs}
    assert operator.gradient is not None
    for saved in operator.gradient.saved:
        slot = (operator.results if saved.of_output else operator.inputs)[saved.index]
        known = (outputs if saved.of_output else inputs)[slot.name]
        if not (slot.optional or slot.offsets_of or known
                or saved.of_output and saved.kind != "value" and come[slot.name]):
            return None
    outputs = {name: names or come[name] for name, names in outputs.items()}  # a gradient is as what it is of
    return Operation(block, operator.type, inputs, outputs, op.attrs)


def _replace(block: Block, op: Operation, forward: Operation) -> None:
    """Appends what the rule writes, and the names that the file has for its results."""
    operator, scalars = find(forward.type), widened(forward)
    wanted = [[name if name != _NONE else None for name in op.output(slot.name + _GRAD)] for slot in operator.inputs]
    edges: list[Any] = []
    for slot, names in zip(operator.inputs, wanted, strict=True):
        leaves = [None if name is None else Leaf() for name in names]
        edges.append((leaves if any(leaves) else None) if slot.many else leaves[0] if leaves else None)
    inputs = [_values(block, forward.input(slot.name), slot) for slot in operator.inputs]
    outputs = [_values(block, forward.output(slot.name), slot) for slot in operator.results]
    attrs = {name: value for name, value in forward.attrs.items() if name in operator.attributes}
    assert operator.gradient is not None
    node = operator_node(operator, attrs, edges, operator.gradient.save_symbols(inputs, outputs))
    given = [_given(block, op.input(slot.name + _GRAD), forward.output(slot.name), slot, scalars)
             for slot in operator.results]
    found = node.gradients(given, node.saved or ())
    for slot, names, value in zip(operator.inputs, wanted, found, strict=True):
        for name, gradient in zip(names, (value or ()) if slot.many else [value], strict=False):
            if name is not None and gradient is not None:
                _name(block, gradient, name, op)


def _of_parts(block: Block, op: Operation, made_of: Decomposition, trace: GradientTrace) -> bool:
    """Appends the gradient of what an operator is made of, computed again of its inputs; False where one is missing."""
    names = [op.input(slot.name) for slot in made_of.inputs]
    if any(not given and not slot.optional for given, slot in zip(names, made_of.inputs, strict=True)):
        return False
    begin = len(block.ops)
    made = made_of([_values(block, given, slot) for given, slot in zip(names, made_of.inputs, strict=True)], op.attrs)
    graph, roots = BlockGraph(block, block.ops[begin:]), []
    for slot, result in zip(made_of.outputs, made, strict=True):
        results = result if isinstance(result, list) else [result]
        for each, name in zip(results, op.input(slot.name + _GRAD), strict=False):
            if each is not None and graph.edge(each.name) is not None:
                roots.append((graph.edge(each.name), _bare(block.var(name), not each.ndim)))
    asked = [(name, graph.edge(given)) for slot, of in zip(made_of.inputs, names, strict=True)
             for name, given in zip(op.output(slot.name + _GRAD), of, strict=False) if name != _NONE]
    found = graph.walk(trace, roots, [edge for _, edge in asked if edge is not None])
    for name, edge in asked:
        if edge in found:
            _name(block, found[edge], name, op)
    return True


def _values(block: Block, names: list[str], slot: Slot) -> Any:
    values = [block.find_var(name) for name in names]
    return values if slot.many else values[0] if values else None


def _given(block: Block, names: list[str], own: list[str], slot: Slot, scalars: Sequence[str]) -> Any:
    """The gradient of a result, as the walk has it."""
    values = {place: _bare(block.var(name), of in scalars)
              for place, (name, of) in enumerate(zip(names, own, strict=False)) if name != _NONE}
    return (values or None) if slot.many else values.get(0)


def _bare(gradient: Variable, is_scalar: bool) -> Variable:
    return reshape(gradient, []) if is_scalar else gradient


def _name(block: Block, gradient: Variable, name: str, op: Operation) -> None:
    held = block.find_var(name)
    if held is None or held.kind != "tensor":  # rows of a table there, all of it here
        block.vars.pop(name, None)
        block.new_var(name, gradient.shape, gradient.dtype, stop_gradient=True)
    block.append("assign", {"X": [gradient.name]}, {"Out": [name]}, {"op_role": op.attrs.get("op_role", 1)})
