"""Nodes of an IrGraph: the operations of a block and the values that they read and write, linked to each other.

A variable that is written again has a node for each of its values. Links say what comes before what; the names that an
operation reads and writes are its own, and `IrGraph.update_input_link` changes both.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.dtype import DType
from ...core.var_type import VarType
from .block import Block
from .descriptions import OpDesc, VarDesc
from .operation import Operation
from .variable import Variable

_numbers = itertools.count()


class NodeType(enum.Enum):
    """What a node stands for: an operation or a value."""

    Operation = 0
    Variable = 1


class IrNode:
    """A node of an IrGraph, linked to those before it (`inputs`) and behind it (`outputs`)."""

    Type = NodeType

    def __init__(self) -> None:
        self._id = next(_numbers)
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    @property
    def node(self) -> IrNode:
        """This node: Paddle's has its methods too."""
        return self

    @property
    def inputs(self) -> list[Any]:
        """The nodes before this one, as a list of its own: links may change while it is gone through."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[Any]:
        """The nodes behind this one, as a list of its own."""
        return list(self._outputs)

    def id(self) -> int:
        """A number that no other node has."""
        return self._id

    def name(self) -> str:
        """An operation's type, a variable's name."""
        raise NotImplementedError

    def node_type(self) -> NodeType:
        """What it stands for."""
        return NodeType.Operation if self.is_op() else NodeType.Variable

    def is_op(self) -> bool:
        """Whether it stands for an operation."""
        return False

    def is_var(self) -> bool:
        """Whether it stands for a value."""
        return not self.is_op()

    def is_ctrl_var(self) -> bool:
        """Whether it holds no value and only says what comes before what."""
        return False

    def append_input(self, node: IrNode) -> None:
        """Links a node before this one; on this side alone, as `IrGraph.link_to` calls it for both."""
        self._inputs.append(node)

    def append_output(self, node: IrNode) -> None:
        """Links a node behind this one, on this side alone."""
        self._outputs.append(node)

    def remove_input(self, node: IrNode) -> None:
        """Takes the link to a node before this one away, on this side alone."""
        self._inputs = [each for each in self._inputs if each is not node]

    def remove_output(self, node: IrNode) -> None:
        """Takes the link to a node behind this one away, on this side alone."""
        self._outputs = [each for each in self._outputs if each is not node]

    def remove_input_by_id(self, node_id: int) -> None:
        """`remove_input` by the node's number."""
        self._inputs = [each for each in self._inputs if each.id() != node_id]

    def remove_output_by_id(self, node_id: int) -> None:
        """`remove_output` by the node's number."""
        self._outputs = [each for each in self._outputs if each.id() != node_id]

    def clear_inputs(self) -> None:
        """Takes all links to nodes before this one away, on this side alone."""
        self._inputs = []

    def clear_outputs(self) -> None:
        """Takes all links to nodes behind this one away, on this side alone."""
        self._outputs = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name()!r})"


class IrVarNode(IrNode):
    """A value of a variable; a node without a variable (`is_ctrl_var`) says what comes before what."""

    def __init__(self, variable: Variable | None, before: IrVarNode | None = None):
        super().__init__()
        self._variable = variable
        self._before = before  # the value that this one takes the place of

    def _held(self) -> Variable:
        if self._variable is None:
            raise ValueError(f"{self.name()!r} says what comes before what, and is no variable: it has no shape, dtype "
                             "or type.")
        return self._variable

    def name(self) -> str:
        """The variable's name."""
        return f"__control_var@{self._id}" if self._variable is None else self._variable.name

    def is_ctrl_var(self) -> bool:
        """Whether there is no variable."""
        return self._variable is None

    def var(self) -> VarDesc | None:
        """The variable's description; None where there is no variable."""
        return None if self._variable is None else VarDesc(self._variable)

    def persistable(self) -> bool:
        """Whether the variable is kept between runs."""
        return bool(self._held().persistable)

    def type(self) -> VarType:
        """What the variable holds."""
        return self._held().type

    def dtype(self) -> DType:
        """The element type."""
        return self._held().dtype

    def shape(self) -> list[int]:
        """The sizes, -1 where one is not known."""
        return list(self._held().shape)

    def set_shape(self, shape: Any) -> None:
        """Declares other sizes."""
        VarDesc(self._held()).set_shape(shape)


class IrOpNode(IrNode):
    """An operation."""

    def __init__(self, operation: Operation):
        super().__init__()
        self._operation = operation

    def name(self) -> str:
        """The operation's type."""
        return self._operation.type

    def is_op(self) -> bool:
        """True."""
        return True

    def op(self) -> OpDesc:
        """The operation's description."""
        return OpDesc(self._operation)

    def input(self, name: str) -> list[str]:
        """The names in an input slot."""
        return self._operation.input(name)

    def output(self, name: str) -> list[str]:
        """The names in an output slot."""
        return self._operation.output(name)

    def input_arg_names(self) -> list[str]:
        """Every variable read."""
        return list(self._operation.input_arg_names)

    def output_arg_names(self) -> list[str]:
        """Every variable written."""
        return list(self._operation.output_arg_names)

    def rename_input(self, old_input_name: str, new_input_name: str) -> None:
        """Reads another variable by name; the links stay as they are."""
        self._operation.rename_input(old_input_name, new_input_name)

    def rename_output(self, old_output_name: str, new_output_name: str) -> None:
        """Writes another variable by name; the links stay as they are."""
        self._operation.rename_output(old_output_name, new_output_name)

    def set_type(self, new_type: str) -> None:
        """Makes it an operation of another type, with the same slots and attributes."""
        self._operation.type, self._operation.inferred = new_type, None
        self._operation.block.program.version += 1

    def set_attr(self, name: str, val: Any) -> None:
        """Gives an attribute a value."""
        self._operation.set_attr(name, val)


class BlockNodes:
    """The nodes of a block. `write` gives the block their operations, in an order that the links allow."""

    def __init__(self, block: Block):
        self.block = block
        self.operations: list[IrOpNode] = []
        self.variables: list[IrVarNode] = []
        newest: dict[str, IrVarNode] = {}
        for op in block.ops:
            node = self.add(IrOpNode(op))
            for name in dict.fromkeys(op.input_arg_names):
                if name not in newest and block.find_var(name) is not None:
                    newest[name] = self.add(IrVarNode(block.var(name)))
                if name in newest:
                    link(newest[name], node)
            for name in dict.fromkeys(op.output_arg_names):
                if block.find_var(name) is not None:
                    newest[name] = self.add(IrVarNode(block.var(name), newest.get(name)))
                    link(node, newest[name])
        for name, variable in block.vars.items():
            if name not in newest:
                self.add(IrVarNode(variable))
        self._known = {each.name() for each in self.variables}

    def add(self, node: Any) -> Any:
        """Takes a node in, and gives it."""
        (self.operations if node.is_op() else self.variables).append(node)
        return node

    def remove(self, nodes: Iterable[IrNode]) -> None:
        """Takes nodes and their links away."""
        gone = {node.id() for node in nodes}
        self.operations = [each for each in self.operations if each.id() not in gone]
        self.variables = [each for each in self.variables if each.id() not in gone]
        for each in (*self.operations, *self.variables):
            each._inputs = [other for other in each._inputs if other.id() not in gone]
            each._outputs = [other for other in each._outputs if other.id() not in gone]

    def before(self, node: IrOpNode) -> list[IrOpNode]:
        """The operations that make what one reads."""
        return _each_once(maker for value in node._inputs for maker in value._inputs)

    def _waits_for(self, node: IrOpNode) -> list[IrOpNode]:
        """The operations that have to stand before one: those that make what it reads, and those that read what it
        overwrites."""
        readers = (reader for value in node._outputs if value._before is not None for reader in value._before._outputs)
        return _each_once([*self.before(node), *(each for each in readers if each is not node)])

    def in_order(self) -> list[IrOpNode]:
        """The operations as they stand, but for those that wait for a later one. ValueError where links go in a circle.
        """
        ordered: list[IrOpNode] = []
        done, open_ = set[int](), dict[int, Iterator[IrOpNode]]()
        for start in self.operations:
            waiting = [] if start.id() in done else [start]
            while waiting:
                node = waiting[-1]
                left = open_.setdefault(node.id(), iter(self._waits_for(node)))
                needed = next((each for each in left if each.id() not in done), None)
                if needed is None:
                    del open_[node.id()]
                    done.add(node.id())
                    ordered.append(waiting.pop())
                elif needed.id() in open_:
                    raise ValueError(f"The links between the operations of block {self.block.idx} go in a circle, with "
                                     f"{needed.name()!r} and {node.name()!r} in it.")
                else:
                    waiting.append(needed)
        return ordered

    def write(self) -> None:
        """Makes the block's operations those of the nodes, and drops the variables whose nodes were taken away."""
        self.block.ops[:] = [node._operation for node in self.in_order()]
        for name in self._known - {each.name() for each in self.variables}:
            self.block.vars.pop(name, None)
        self.block.program.version += 1


def link(before: IrNode, behind: IrNode) -> None:
    """Links two nodes."""
    before.append_output(behind)
    behind.append_input(before)


def _each_once(nodes: Iterable[IrOpNode]) -> list[IrOpNode]:
    return list({node.id(): node for node in nodes}.values())
