"""A Program as a function on Tensors: compiled once, run as one eager node, differentiable to any order.

The forward half keeps the values that the backward half needs; the backward half is a compiled Program too. A gradient
that is to be differentiated in its turn (`create_graph`) runs forward and backward halves as one such function.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core.random import default_generator
from ...dygraph.value import EagerValue
from ...ops.core.backward import Leaf, Output
from ...ops.core.operator import find, is_declared
from ...ops.core.trace import grad_mode, state
from ...static.autodiff.block_graph import BlockGraph
from ...static.autodiff.differentiable_loops import make_differentiable
from ...static.autodiff.overwriting import keep_overwritten
from ...static.building.trace import GradientTrace
from ...static.compiler import Plan, compile_plan, kept_plans
from ...static.compiler.compile import external_reads
from ...static.compiler.plan import kept_plan
from ...static.ir.block import Block
from ...static.ir.operation import Operation
from ...static.ir.program import Program
from ...static.ir.usage import needed_operations, reads, sub_block, writes
from .gathered_products import with_fewer_rows
from .halves import Halves
from .held_gradients import spend
from .program_node import ProgramNode, eager_trace
from .recomputing import with_recomputed
from .trained_attention import join_attention

_ndarray = np.ndarray
_edge_of, _array_of = map(operator.attrgetter, ("_edge", "_array"))  # in C: each call asks


Asked = tuple[tuple[int, ...], tuple[int, ...]]  # the inputs that want gradients, the outputs that have some
Part = tuple[Plan | None, list[int]]  # of the backward half, and the inputs whose gradients it gives


class ProgramFunction:
    """A function from the values of `inputs` to those of `outputs`, names in `program`.

    Values that the operations write to persistable inputs (running means) are written back to the Tensors given.
    `replaced`: indices of inputs that the caller gives new values after the run, from outputs. `leaves`: what is
    computed and gets a gradient of its own, where it is an output (`paddle.to_tensor(0.5, stop_gradient=False)`).
    `trains`: gradients are computed inside, and none can be asked of the outputs.
    """

    def __init__(self, program: Program, inputs: Sequence[str], outputs: Sequence[str], keep_writes: bool = True,
                 replaced: Sequence[int] = (), leaves: Iterable[str] = (), trains: bool = False):
        self.replaced, self.trains = frozenset(replaced), trains
        program = with_fewer_rows(program, inputs, {*outputs, *leaves})
        self.program, self.inputs, self.outputs = program, list(inputs), list(outputs)
        self.keep_writes = keep_writes
        self._plan: tuple[Plan, list[str]] | None = None
        self._halves: dict[tuple[int, ...], Halves] = {}
        self._recorded: dict[Asked, tuple[ProgramFunction, list[int]]] = {}
        self._inner: dict[tuple[int, ...], list[int]] = {}
        self._whole: dict[tuple[tuple[int, ...], int], ProgramFunction | None] = {}
        self._parts: dict[Asked, Part] = {}
        made = {name for op in program.global_block().ops for name in op.output_arg_names} if leaves else set()
        self._leaves = made.intersection(leaves).difference(inputs)
        self._is_recorded = bool(self._leaves) and not _depending(
            program.global_block(), self._leaves).isdisjoint(outputs)
        self.is_random = any(is_declared(op.type) and find(op.type).random for b in program.blocks for op in b.ops)

    def __call__(self, tensors: Sequence[EagerValue]) -> list[EagerValue]:
        """Runs on Tensors, one an input, and records the application when one of them wants a gradient."""
        if self.trains:
            results = self._run_plain(tensors)
            spend(results, [self.program.global_block().var(name) for name in self.outputs])
            return results
        if state.grad_enabled:
            edges = list(map(_edge_of, tensors))
            wanted = tuple([i for i, edge in enumerate(edges) if edge is not None])
            if wanted or self._is_recorded:
                return self._run_recorded(tensors, edges, wanted)
        return self._run_plain(tensors)

    def prepare(self, tensors: Sequence[EagerValue]) -> None:
        """Compiles what a run on these Tensors needs, unless that was done."""
        recorded = state.grad_enabled and not self.trains
        wanted = tuple(i for i, t in enumerate(tensors) if t._edge is not None) if recorded else ()
        if wanted or self._is_recorded and recorded:
            self._halves_for(wanted)
        else:
            self._plain_plan()

    def _halves_for(self, wanted: tuple[int, ...]) -> Halves:
        halves = self._halves.get(wanted)
        if halves is None:
            halves = self._halves[wanted] = self._kept_or_split(wanted)
        return halves

    def _key(self, *asked: Any) -> str | None:
        """What is kept of this function on disk; `asked`: what of it."""
        return kept_plans.key_of(self.program, (
            *asked, self.inputs, self.outputs, self.keep_writes, sorted(self.replaced), sorted(self._leaves)))

    def _kept_or_split(self, wanted: tuple[int, ...]) -> Halves:
        key = self._key("halves", wanted)
        kept = kept_plans.read(key)
        if kept is None:
            made = self._split(wanted)
            kept_plans.write(key, (made.forward.form, made.backward.form, made.updated, made.kept, made.found,
                                   made.recorded, made.asked))
            return made

        @functools.cache
        def again() -> Halves:
            with grad_mode(True):
                return self._split(wanted)

        forward, backward, updated, names, found, recorded, asked = kept
        return Halves(kept_plan(forward, lambda: again().forward), updated, names,
                      kept_plan(backward, lambda: again().backward), found, self.inputs, recorded,
                      self._leaf_outputs(wanted), self.replaced, asked)

    def plan(self) -> Plan:
        """The plan of a run without gradients."""
        return self._plain_plan()[0]

    def _plain_plan(self) -> tuple[Plan, list[str]]:
        if self._plan is None:
            key = self._key("plan", self.trains)
            kept = kept_plans.read(key)
            if kept is None:
                self._plan = plan, updated = self._compiled()
                kept_plans.write(key, (plan.form, updated))
            else:
                form, updated = kept
                self._plan = kept_plan(form, lambda: self._compiled()[0]), updated
        return self._plan

    def _compiled(self) -> tuple[Plan, list[str]]:
        plan, extra, updated = compile_plan(self.program, self.inputs, self.outputs, keep_writes=self.keep_writes,
                                            freeze=not self.trains)
        _check_complete(extra)
        return plan, updated

    def _run_plain(self, tensors: Sequence[EagerValue]) -> list[EagerValue]:
        plan, updated = self._plan or self._plain_plan()
        arrays = list(map(_array_of, tensors))
        xp = backend.namespace_of(arrays)
        results = plan(xp, arrays)
        count = len(self.outputs)
        if updated:
            self._write_back(tensors, updated, results[count:], xp)
        new = eager_trace().new
        return [new(a if type(a) is _ndarray else xp.asarray(a)) for a in results[:count]]

    def _write_back(self, tensors: Sequence[EagerValue], names: list[str], arrays: Sequence[Any], xp: Any) -> None:
        for name, array in zip(names, arrays, strict=True):
            tensors[self.inputs.index(name)]._update(xp.asarray(array))

    def _run_recorded(self, tensors: Sequence[EagerValue], edges: list[Any],
                      wanted: tuple[int, ...]) -> list[EagerValue]:
        halves = self._halves.get(wanted) or self._halves_for(wanted)
        arrays = list(map(_array_of, tensors))
        xp = backend.namespace_of(arrays)
        random_state = default_generator().get_state() if self.is_random else None
        results = halves.forward(xp, arrays)
        count, last = len(self.outputs), len(results) - len(halves.places)
        if halves.places:
            for place, array in zip(halves.places, results[last:], strict=True):
                tensors[place]._update(xp.asarray(array))
        eager = eager_trace()
        new = eager.new
        outputs = [new(a if type(a) is _ndarray else xp.asarray(a)) for a in results[:count]]
        if halves.leaves:
            leaves = [Leaf(eager.plain) for _ in halves.leaves]
            edges += leaves
            for index, leaf in zip(halves.leaves, leaves, strict=True):
                outputs[index]._edge = leaf
        node = ProgramNode(self, halves, wanted, edges, (arrays, results[count:last]), outputs, random_state)
        for index in halves.recorded:
            outputs[index]._edge = Output(node, index)
        return outputs

    def _with_gradient(self, wanted: tuple[int, ...], of: int | None = None, given: tuple[int, ...] | None = None
                       ) -> tuple[Program, int, list[str], list[str | None]]:
        """A copy with the gradient appended: it, where that begins, the names of cotangents and of gradients.

        `of`: the gradient is that of this output, and of nothing else. `given`: the outputs that it comes from, if it
        does not come from all.
        """
        program, graph, leaves = self._graph(wanted)
        block = program.global_block()
        own = self._leaves_beside(wanted)
        begin = len(block.ops)
        cotangents = []
        roots = []
        for index, name in enumerate(self.outputs):
            variable = block.var(name)
            cotangent = block.new_var(
                f"{name}@COTANGENT_{index}", variable.shape, variable.dtype, stop_gradient=False)
            cotangents.append(cotangent.name)
            edge = graph.edge(name)
            if edge is not None and name not in own and (given is None or index in given):
                roots.append((edge, cotangent))
        if of is not None:
            leaves = [graph.edge(self.outputs[of])]
        wanted_leaves = [leaf for leaf in leaves if leaf is not None]
        found = graph.walk(GradientTrace(program), roots, wanted_leaves) if roots else {}
        gradients = [found[leaf].name if leaf in found else None for leaf in leaves]
        inserted = len(block.ops) - begin
        return program, len(block.ops) - inserted, cotangents, gradients

    def _graph(self, wanted: tuple[int, ...]) -> tuple[Program, BlockGraph, list[Leaf | None]]:
        """A copy of the Program, its graph, and the leaves there: of the inputs that are wanted, and of its own."""
        program = copy.deepcopy(self.program)
        make_differentiable(program)
        keep_overwritten(program, self.inputs)
        join_attention(program, self.inputs, self.outputs)
        block = program.global_block()
        for index in wanted:
            block.var(self.inputs[index]).stop_gradient = False
        graph = BlockGraph(block, no_grad=self._beside(block, wanted))
        for name in self.outputs:
            graph.edge(name)
        names = [*[self.inputs[index] for index in wanted], *[self.outputs[i] for i in self._leaf_outputs(wanted)]]
        return program, graph, [graph.leaves.get(name) for name in names]

    def part(self, wanted: tuple[int, ...], given: tuple[int, ...]) -> Part:
        """The backward half for the gradients of these outputs alone, which takes what the whole one takes.

        The gradient of another is not zeros: what is computed of zeros need not be zeros (in a PyLayer, or where a
        slope is infinite). Without a plan where it needs other values than were kept: see `recorded_gradient`.
        """
        key = wanted, given
        if key not in self._parts:
            file = self._key("part", wanted, given)
            kept = kept_plans.read(file)
            if kept is None:
                self._parts[key] = plan, found = self._made_part(wanted, given)
                kept_plans.write(file, (plan and plan.form, found))
            else:
                form, found = kept
                self._parts[key] = form and kept_plan(form, lambda: _whole(self._made_part(wanted, given)[0])), found
        return self._parts[key]

    def _made_part(self, wanted: tuple[int, ...], given: tuple[int, ...]) -> Part:
        kept = self._halves_for(wanted).kept
        with grad_mode(True):
            program, begin, cotangents, gradients = self._with_gradient(wanted, given=given)
        found = self._places(wanted, gradients)
        names = [name for name in gradients if name is not None]
        block = program.global_block()
        ops = needed_operations(block.ops[begin:], set(names))
        ops, unchanged = with_recomputed(block.ops[:begin], ops, self.outputs)
        made = {name for op in block.ops[:begin] for name in writes(op)}
        needed = made.intersection([*external_reads(ops, set(cotangents)), *names])
        has_rounds = any(sub_block(op) is not None for op in ops)  # a loop keeps what its gradient asks of its rounds
        if unchanged or has_rounds or not needed.issubset(kept):
            return None, found
        inputs = [name for name in self.inputs if name not in kept]
        plan, extra, _ = compile_plan(program, [*cotangents, *inputs, *kept], names, ops=ops, keep_writes=False,
                                      freeze=False)
        _check_complete(extra)
        return plan, found

    def _places(self, wanted: tuple[int, ...], gradients: Sequence[str | None]) -> list[int]:
        """The inputs, and behind them the leaves, that have a gradient."""
        leaves = range(len(self.inputs), len(self.inputs) + len(gradients) - len(wanted))
        return [index for index, name in zip([*wanted, *leaves], gradients, strict=True) if name is not None]

    def _split(self, wanted: tuple[int, ...]) -> Halves:
        program, begin, cotangents, gradients = self._with_gradient(wanted)
        block = program.global_block()
        names = [name for name in gradients if name is not None]
        backward_ops = needed_operations(block.ops[begin:], set(names))
        backward_ops, unchanged = with_recomputed(block.ops[:begin], backward_ops, self.outputs)
        given = {*self.inputs, *cotangents}
        made = {name for op in block.ops[:begin] for name in writes(op)} - unchanged
        asked = external_reads(backward_ops, set(cotangents))
        needed = [name for name in asked if name in made]
        needed += [name for name in names if name in made and name not in needed]
        kept = [name for name in needed if name not in given or name in made]
        forward, extra, updated = compile_plan(program, self.inputs, [*self.outputs, *kept], ops=block.ops[:begin],
                                               keep_writes=self.keep_writes, freeze=False)
        _check_complete(extra)
        inputs = [name for name in self.inputs if name not in kept]
        backward, extra, _ = compile_plan(program, [*cotangents, *inputs, *kept], names, ops=backward_ops,
                                          keep_writes=False, freeze=False)
        _check_complete(extra)
        own = self._leaves_beside(wanted)
        # Of the copy: there, what the gradient of a loop or branch takes from its rounds is named, too.
        depending = _depending(block, {self.inputs[index] for index in wanted} | own) - own
        recorded = [index for index, name in enumerate(self.outputs) if name in depending
                    and not block.var(name).stop_gradient]
        return Halves(forward, updated, kept, backward, self._places(wanted, gradients), self.inputs, recorded,
                      self._leaf_outputs(wanted), self.replaced, [name for name in self.inputs if name in asked])

    def _leaf_outputs(self, wanted: tuple[int, ...]) -> list[int]:
        own = self._leaves_beside(wanted)
        return [index for index, name in enumerate(self.outputs) if name in own]

    def _leaves_beside(self, wanted: tuple[int, ...]) -> set[str]:
        """The leaves that have no gradient from these inputs, nor from another leaf: of others nothing is cut off."""
        own: set[str] = set()
        if self._leaves:
            block = self.program.global_block()
            found = {self.inputs[index] for index in wanted}
            for op in block.ops:
                if not found.isdisjoint(reads(op)):
                    found.update(_flowing(block, op))
                own.update(self._leaves.difference(found).intersection(writes(op)))
                found |= own
        return own

    def _beside(self, block: Block, wanted: tuple[int, ...]) -> set[str]:
        """The inputs whose gradients nobody wants, and what is computed from them and from nothing that has one."""
        depending = _depending(block, {self.inputs[index] for index in wanted} | self._leaves_beside(wanted))
        found = set(self.inputs) - depending
        for op in block.ops:
            if not found.isdisjoint(reads(op)):
                found.update(name for name in writes(op) if name not in depending)
        return found

    def recorded_gradient(self, wanted: tuple[int, ...], given: tuple[int, ...]) -> tuple[ProgramFunction, list[int]]:
        """The function from inputs, leaves and cotangents to the gradients, to be differentiated again, and of what.

        `given`: the outputs that have gradients; the cotangents of others are not read.
        """
        key = wanted, given
        if key not in self._recorded:
            self._recorded[key] = self._gradient(wanted, given=given)
        return self._recorded[key]

    def whole_gradient(self, wanted: tuple[int, ...], output: int) -> ProgramFunction | None:
        """As `recorded_gradient`, to the gradient of one output; None where no other is computed from it."""
        key = wanted, output
        if key not in self._whole:
            self._whole[key] = self._gradient(wanted, output)[0] if output in self.inner(wanted) else None
        return self._whole[key]

    def inner(self, wanted: tuple[int, ...]) -> list[int]:
        """The outputs with a gradient from which others are computed."""
        if wanted not in self._inner:
            block, outputs = self.program.global_block(), set(self.outputs)
            self._inner[wanted] = [
                index for index in self._halves_for(wanted).recorded if self.made_at[index] >= 0
                and not _depending(block, {self.outputs[index]}).isdisjoint(outputs - {self.outputs[index]})]
        return self._inner[wanted]

    @functools.cached_property
    def made_at(self) -> list[int]:
        """The place of the last operation that writes each output; -1 where none does."""
        places = {name: place for place, op in enumerate(self.program.global_block().ops) for name in writes(op)}
        return [places.get(name, -1) for name in self.outputs]

    def _gradient(self, wanted: tuple[int, ...], of: int | None = None,
                  given: tuple[int, ...] | None = None) -> tuple[ProgramFunction, list[int]]:
        program, begin, cotangents, gradients = self._with_gradient(wanted, of, given)
        names = [name for name in gradients if name is not None]
        leaves = [self.outputs[index] for index in self._leaf_outputs(wanted)]
        block = program.global_block()
        inner = [_given(block, begin + n, self.outputs[index], n) for n, index in enumerate(self.inner(wanted))]
        block.ops = [op for op in block.ops if not set(op.output_arg_names) <= set(leaves)]  # they are given
        function = ProgramFunction(program, [*self.inputs, *leaves, *inner, *cotangents], names, keep_writes=False)
        return function, self._places(wanted, gradients) if of is None else []


def _whole(plan: Plan | None) -> Plan:
    """A plan that is there."""
    if plan is None:
        raise RuntimeError("A plan that was kept cannot be made anew. This is a defect in proa.")
    return plan


def _given(block: Block, end: int, name: str, number: int) -> str:
    """Makes what the operations before `end` leave in a variable a value that is given, by the name that it returns.

    The last one counts where a variable is two outputs.
    """
    variable = block.var(name)
    given = block.new_var(f"{name}@GIVEN_{number}", variable.shape, variable.dtype, stop_gradient=False).name
    place = max(n for n, op in enumerate(block.ops[:end]) if name in writes(op))
    block.ops.insert(place + 1, Operation(block, "assign", {"X": [given]}, {"Out": [name]}, {}))
    return given


def _check_complete(extra: list[str]) -> None:
    if extra:
        raise RuntimeError("A compiled Program reads values that it is not given, and that nothing in it makes: "
                           f"{extra}. A model's file that asks for such values is damaged; otherwise this is a "
                           "defect in proa.")


def _depending(block: Block, names: set[str]) -> set[str]:
    """These names, and what is computed from them with a gradient: a later run may take what is not as given."""
    found = set(names)
    for op in block.ops:
        if not found.isdisjoint(reads(op)):
            found.update(_flowing(block, op))
    return found


def _flowing(block: Block, op: Operation) -> list[str]:
    """What an operation writes that may have a gradient."""
    return [n for n in writes(op) if (v := block.find_var(n)) is None or not v.stop_gradient]
