"""PyLayer in a Program: forward's operations, and a gradient that is what the user's `backward` writes down.

`backward` runs once, right behind `forward`, on variables that stand for the gradients of the results: what it reads
of Python is then what it is in `forward`'s own call, and Tensors it uses become inputs of the Program in time. What it
appends is taken out again and kept; the backward pass puts it in, each time for other gradients (`ir.inline`). What
goes wrong in it goes wrong where a gradient is asked for, as it does without a Program.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core import nest
from ...ops.array.creation import zeros_like
from ...ops.array.full import is_value
from ...ops.core.trace import Trace, current_trace, grad_mode, state, using
from ...ops.program.custom_gradient import WrittenGradient, checked_gradients, custom_gradient_op
from ..ir.block import Block
from ..ir.inline import inline
from ..ir.program import Program
from ..ir.usage import block_reads, block_writes
from ..ir.variable import Variable

_MOST_OPTIONAL = 3  # results whose gradients may be None: backward is run for every choice of those that are there


class BackwardCode:
    """What one run of a `backward` has appended: a Program from gradients of results, and other values, to gradients.

    `given` has the name of the gradient of each result (None: it has none here), `kept` the names of the values that
    the code reads of the Program it was written in, `results` the name of each gradient, or None.
    """

    def __init__(self, program: Program, given: list[str | None], kept: list[str], results: list[str | None]):
        self.program, self.given, self.kept, self.results = program, given, kept, results

    def append(self, flowing: Sequence[Variable | None], kept: dict[str, Variable]) -> list[Variable | None]:
        """Appends the operations to the current block of the current trace, over these gradients and values."""
        trace = current_trace()
        values = {name: kept[name] for name in self.kept}
        values |= {name: g for name, g in zip(self.given, flowing, strict=True) if name is not None and g is not None}
        names = [name for name in self.results if name is not None]
        found = iter(inline(self.program, trace.block, values, names, role=trace.role,
                            stop_gradient=not state.grad_enabled))
        return [None if name is None else next(found) for name in self.results]


class PyLayerGradient:
    """The gradient of one application: `backward` as it was written down, or why it could not be."""

    def __init__(self, what: str, fills: bool) -> None:
        self.what, self.fills = what, fills
        self.codes: dict[tuple[bool, ...], BackwardCode] = {}  # by which results have a gradient
        self.kept: list[str] = []
        self.failure: Exception | None = None
        self.outputs: dict[str, int] = {}  # by name, what forward computed and gave: its second derivative flows here

    def __call__(self, flowing: list, kept: list, results: list) -> list:
        """Appends the gradients of the inputs, from those of the results."""
        if self.failure is not None:
            raise self.failure
        values = dict(zip(self.kept, kept, strict=True))
        values |= {name: results[place] for name, place in self.outputs.items()}
        there = tuple(g is not None for g in flowing)
        code = self.codes.get(there)
        if code is None and self.fills:  # zeros for what nothing has used
            [(wanted, code)] = self.codes.items()
            flowing = [zeros_like(out) if g is None and w else g if w else None
                       for g, w, out in zip(flowing, wanted, results, strict=True)]
        if code is None:
            raise RuntimeError(
                f"{self.what} is asked for with None for some of its gradients (set_materialize_grads(False)), and has "
                f"more than {_MOST_OPTIONAL} of these: it would have to be converted for every choice of them. Leave "
                "set_materialize_grads as it is, or return fewer tensors.")
        return code.append(flowing, values)


def apply_in_program(trace: Trace, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Appends what a PyLayer's `forward` does, and notes its gradient where an input wants one."""
    given = [leaf for leaf in nest.leaves([list(args), kwargs]) if is_value(leaf)]
    inputs = [trace.lift(leaf, f"{layer.__name__}.apply: an input") for leaf in given]
    wanted = state.grad_enabled and not all(v.stop_gradient for v in inputs)
    inputs = list(map(copy.copy, inputs))  # as they are before forward, which may change them in place
    with grad_mode(False):
        result = trace.called(layer.forward)(context, *args, **kwargs)
    if not wanted:
        return result
    stopped = context._undifferentiable

    @functools.wraps(layer.backward)
    def backward(*gs: Any) -> Any:
        return trace.called(layer.backward)(copy.copy(context), *gs)

    bounded = with_gradient(trace, result, inputs, backward, f"{layer.__name__}.backward", stopped,
                            context._materialize)
    given_back = [leaf for leaf in nest.leaves(result) if is_value(leaf)]
    changed = {id(new): former for former, new in zip(given_back, filter(is_value, nest.leaves(bounded)), strict=True)
               if context._is_changed_in_place(former, given_back, given)}
    return nest.map_structure(lambda leaf: changed[id(leaf)]._rebind(leaf) if id(leaf) in changed else leaf, bounded)


def with_gradient(trace: Trace, result: Any, inputs: list[Variable], backward: Callable[..., Any], what: str,
                  stopped: Sequence[int] = (), materialize: bool = True) -> Any:
    """`result`, its tensors given the gradient that `backward` makes of theirs, one for each of the inputs.

    `stopped`: ids of tensors in the result that are to have none. Where `backward` wraps the user's function, errors
    say where that stands.
    """
    leaves = [leaf for leaf in nest.leaves(result) if is_value(leaf)]
    if not leaves:
        raise TypeError(f"{what}: forward must return at least one Tensor. It returned {result!r}.")
    values = [trace.lift(leaf, f"{what}: a result of forward") for leaf in leaves]
    flows = [id(leaf) not in stopped for leaf in leaves]
    gradient = _written(trace, values, flows, inputs, backward, what, materialize)
    block = trace.block
    outputs = trace.apply(custom_gradient_op, (values, inputs, [block.var(name) for name in gradient.kept]),
                          {"backward": WrittenGradient(gradient)})
    for output, flow in zip(outputs, flows, strict=True):
        output.stop_gradient = not flow
    bounded = iter(outputs)
    return nest.map_structure(lambda leaf: next(bounded) if is_value(leaf) else leaf, result)


def _written(trace: Trace, values: list[Variable], flows: list[bool], inputs: list[Variable],
             backward: Callable[..., Any], what: str, materialize: bool) -> PyLayerGradient:
    gradient = PyLayerGradient(what, materialize)
    given = {v.name for v in inputs}
    gradient.outputs = {v.name: place for place, v in enumerate(values) if v.name not in given}
    try:
        for there in _choices(flows, materialize):
            gradient.codes[there] = _code(trace, values, there, inputs, backward, what, materialize)
    except Exception as error:  # it is raised where a gradient is asked for
        gradient.codes.clear()
        gradient.failure = error
        trace.main.ungradable = trace.main.ungradable or error
    gradient.kept = list(dict.fromkeys(name for code in gradient.codes.values() for name in code.kept))
    return gradient


def _choices(flows: list[bool], materialize: bool) -> list[tuple[bool, ...]]:
    """Which results may have a gradient at the same time; those that `backward` gets None for have none."""
    if materialize or sum(flows) > _MOST_OPTIONAL:
        return [tuple(flows)]
    options = itertools.product(*((True, False) if flow else (False,) for flow in flows))
    return [there for there in options if any(there)]


def _code(trace: Trace, values: list[Variable], there: tuple[bool, ...], inputs: list[Variable],
          backward: Callable[..., Any], what: str, materialize: bool) -> BackwardCode:
    """Runs `backward` in a block of its own, and takes that out of the Program."""
    program = trace.main
    first, current = len(program.blocks), program.current_block_idx
    block = program.create_block()
    try:
        with trace.apart(what), using(trace), grad_mode(True), _flowing(values, inputs):
            given = [_stand_in(block, v, materialize, flow) for v, flow in zip(values, there, strict=True)]
            names = [v.name if v is not None and flow else None for v, flow in zip(given, there, strict=True)]
            found = checked_gradients(what, getattr(backward, "__wrapped__", None), backward(*given),
                                      [not v.stop_gradient for v in inputs], inputs)
            results = [None if v is None else trace.lift(v, f"{what}: a gradient").name for v in found]
        _check_writes(block, what)
        outer = [name for name in results if name is not None and name not in block.vars]
        kept = list(dict.fromkeys([*block_reads(block), *outer]))
        return BackwardCode(_taken_out(program, first), names, kept, results)
    finally:
        del program.blocks[first:]
        program.current_block_idx = current
        program.version += 1


@contextlib.contextmanager
def _flowing(values: list[Variable], inputs: list[Variable]) -> Iterator[None]:
    """Within the block, what forward computed wants gradients: what `backward` makes of it has a derivative."""
    given = {v.name for v in inputs}
    stopped = [v for v in values if v.stop_gradient and v.name not in given and v.dtype.is_differentiable]
    for value in stopped:
        value.stop_gradient = False
    try:
        yield
    finally:
        for value in stopped:
            value.stop_gradient = True


def _stand_in(block: Block, value: Variable, materialize: bool, flows: bool) -> Variable | None:
    """A variable for the gradient of a result; zeros, or None, for that of one that has none."""
    if flows:
        return block.new_var(block.program.new_name(f"{value.name}@GRADIENT"), value.shape, value.dtype,
                             stop_gradient=False)
    return zeros_like(value) if materialize else None


def _check_writes(block: Block, what: str) -> None:
    written = block_writes(block)
    if written:
        raise RuntimeError(
            f"{what} changes tensors that are there outside of it ({', '.join(written)}): in a Program it only "
            "computes gradients. Use the forms that return new tensors, and change state in forward.")


def _taken_out(program: Program, first: int) -> Program:
    """The blocks from `first` on as a Program of their own."""
    apart = Program()
    apart.blocks = program.blocks[first:]
    for block in apart.blocks:
        block.program, block.idx, block.parent_idx = apart, block.idx - first, max(block.parent_idx - first, -1)
        block.forward_block_idx = max(block.forward_block_idx - first, -1)
        for op in block.ops:
            if "sub_block" in op.attrs:
                op.attrs["sub_block"] -= first
    return apart
