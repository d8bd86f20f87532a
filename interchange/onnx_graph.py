"""The graph of an ONNX file, once it is written: names that are given twice are told apart, and the order is checked.

ONNX gives a name once, in a graph and in those inside it. The converter gives what a loop in a loop carries the same
names inside and outside. What it leaves in a wrong order or without a maker is an error here: ONNX Runtime would tell
it to whom the file is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from .onnx_messages import Model


def finished(data: bytes, maker: Callable[[str], str]) -> bytes:
    """The content of an ONNX file with each name given once. `maker(name)` says for people what makes a value.

    Raises NotImplementedError where a node reads what no node before it, nor an input, gives.
    """
    model = Model()
    model.ParseFromString(data)
    names = _Names({name for graph in _graphs(model.graph) for name in _given(graph)})
    names.tell_apart(model.graph, {})
    _leave_out_shapes(model.graph)
    _check(model.graph, set(), maker)
    return model.SerializeToString()


class _Names:
    """Gives what has the name of something visible another one, and follows it to where it is read."""

    def __init__(self, taken: set[str]):
        self.taken = taken

    def tell_apart(self, graph: Any, outside: dict[str, str]) -> None:
        """Of a graph, and of those inside it; `outside` has the names that what is around it goes by now.

        Of several values of a graph with one name the last keeps it: it may be a result of the model.
        """
        now = dict(outside)
        begun = dict.fromkeys(value.name for value in _begun(graph))
        now.update((name, self._another(name) if name in outside else name) for name in begun)
        for value in _begun(graph):
            value.name = now[value.name]
        fixed = {*outside, *begun}
        times = Counter(name for node in graph.node for name in node.output)
        for node in graph.node:
            node.input[:] = [now.get(name, name) for name in node.input]
            for inner in _inner(node):
                self.tell_apart(inner, now)
            for index, name in enumerate(node.output):
                times[name] -= 1
                if name:
                    now[name] = self._another(name) if name in fixed or times[name] else name
                    node.output[index] = now[name]
        for value in graph.output:
            value.name = now.get(value.name, value.name)

    def _another(self, name: str) -> str:
        number = 1
        while f"{name}@{number}" in self.taken:
            number += 1
        self.taken.add(f"{name}@{number}")
        return f"{name}@{number}"


def _leave_out_shapes(graph: Any) -> None:
    """Of results of branches and loops that the converter calls numbers: it makes them with one element.

    They may be left out, and ONNX Runtime finds them; a wrong one it refuses.
    """
    for node in graph.node:
        for inner in _inner(node):
            for value in inner.output:
                tensor = value.type.tensor_type
                if tensor.HasField("shape") and not tensor.shape.dim:
                    tensor.ClearField("shape")
            _leave_out_shapes(inner)


def _check(graph: Any, outside: set[str], maker: Callable[[str], str]) -> None:
    known = outside | {"", *(value.name for value in _begun(graph))}
    for node in graph.node:
        missing = [name for name in node.input if name not in known]
        if missing:
            raise _out_of_order(f"its node {node.op_type}", missing[0], maker)
        for inner in _inner(node):
            _check(inner, known, maker)
        known.update(node.output)
    for value in graph.output:
        if value.name not in known:
            raise _out_of_order("the result of a graph", value.name, maker)


def _out_of_order(reader: str, name: str, maker: Callable[[str], str]) -> NotImplementedError:
    return NotImplementedError(
        f"onnx.export: the file that the converter paddle2onnx wrote is invalid: {reader} reads {name!r}, which "
        f"nothing before it gives ({maker(name)}). Write what is computed there in another way, or keep it out of what "
        "is exported.")


def _graphs(graph: Any) -> Iterator[Any]:
    yield graph
    for node in graph.node:
        for inner in _inner(node):
            yield from _graphs(inner)


def _inner(node: Any) -> Iterator[Any]:
    """The graphs that a node runs: branches, the body of a loop."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _begun(graph: Any) -> Iterator[Any]:
    """What has a value before the first node."""
    yield from graph.initializer
    yield from graph.input


def _given(graph: Any) -> Iterator[str]:
    for value in _begun(graph):
        yield value.name
    for node in graph.node:
        yield from node.output
