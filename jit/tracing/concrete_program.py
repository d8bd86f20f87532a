"""One Program of a function: traced once, under guard of everything that tracing could leave changed."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ...core import nest
from ...core.random import get_rng_state, set_rng_state
from ...core.unique_name import given_back_on_failure
from ...dygraph.value import EagerValue, another_of
from ...dygraph.views import entangled
from ...nn.layer import mode_changes
from ...ops.amp.autocast import with_same_precision
from ...ops.array.creation import assign
from ...ops.core.backward import Leaf
from ...ops.core.trace import grad_mode, state, using
from ...static.building.control_flow import check_what_branches_keep
from ...static.building.record_lists import check_items
from ...static.building.tensor_hooks import check_what_hooks_read
from ...static.building.views import as_read
from ...static.compiler import Plan
from ...static.ir.input_spec import InputSpec
from ...static.ir.program import Program
from ...static.ir.transform import for_evaluation
from ...static.ir.variable import Variable
from ..errors import LackingValueError, UnfitTensorsError, line_of
from ..footprint.dependencies import Captured, Dependencies, is_same
from ..footprint.effects import effects_of
from ..footprint.layer_guards import CodeGuards
from ..footprint.locations import Identity
from ..footprint.slots import Slot, check_arguments, check_kinds, check_result, held_by, slots_of, tensor_leaves
from ..footprint.surroundings import Surroundings
from ..footprint.value_guards import Reads, noting
from .capture import CaptureTrace
from .function_inputs import FunctionInputs
from .held_gradients import gradients_left, training_step
from .optional_results import chosen, flags_of
from .program_function import ProgramFunction
from .records import has_records, with_objects, with_records
from .result_views import ResultViews
from .same_tensors import SameTensors


class ConcreteProgram:
    """One Program of a function: for tensors of certain shapes and dtypes, other arguments of certain values.

    `converted` is what is traced, `function` what the user wrote. `whole`: that no other way is left to run it, so
    that `x.numpy()` is to be part of it; not `training`: its dropout and batch norm are those of evaluation,
    whatever the layers say; `wide_sizes`: sizes that only a run knows are int64; `by_stops`: arguments stop
    gradients where their specs do, without which StopsAsked is raised where the function asks for that. When
    tracing fails, all is as it was before.
    """

    def __init__(self, function: Callable, converted: Callable, inputs: FunctionInputs, specs: dict[str, Any],
                 receiver: tuple, whole: bool = False, training: bool = True, wide_sizes: bool = False,
                 by_stops: bool = False):
        self.function, self.training = function, training
        self._layers_seen = -1  # the count of changes of layers up to which these are what they were
        self.arguments = specs  # kept, so that an object that the cache knows by its id stays that object
        surroundings = Surroundings(function, receiver, specs)
        trace = CaptureTrace(surroundings)
        self.main_program: Program = trace.main
        self.main_program.must_be_whole, self.main_program.wide_sizes = whole, wide_sizes
        self._by_stops = by_stops
        reads = Reads(surroundings, function)
        try:
            with given_back_on_failure(), noting(reads):
                self._trace(trace, surroundings, reads, converted, inputs, receiver)
        except BaseException:
            trace.forget_names()
            trace.put_stops_back()
            surroundings.restore()
            raise
        finally:
            self.main_program.value_wanted = None
            surroundings.finish()

    @property
    def startup_program(self) -> Program:
        """An empty Program: what a function reads are Tensors, which have their values."""
        return type(self.main_program)()

    @property
    def program(self) -> Program:
        """The Program that a call runs: of training or of evaluation."""
        return self.train_program if self.training else self.infer_program

    @property
    def train_program(self) -> Program:
        """As `main_program`: gradients are made of it when they are asked for."""
        return self.main_program

    @functools.cached_property
    def infer_program(self) -> Program:
        """The Program whose dropout and batch norm are those of evaluation: `main_program` where that has no others."""
        trains = any(op.attrs.get("is_test") is False for block in self.main_program.blocks for op in block.ops)
        return for_evaluation(self.main_program, custom_gradients=True) if trains else self.main_program

    @property
    def kwargs(self) -> dict[str, Any]:
        """What Paddle notes of how it was made: that it is no property, for no other compiler, and for training."""
        return {"property": False, "backend": None, "is_train": self.training}

    def _trace(self, trace: CaptureTrace, surroundings: Surroundings, reads: Reads, converted: Callable,
               inputs: FunctionInputs, receiver: tuple) -> None:
        from ..operators.partial import as_result, as_state
        from .chance import refused_in

        where = line_of(self.function)
        variables = nest.map_structure(lambda leaf: _input_variable(trace, leaf, self._by_stops), self.arguments)
        trace.main.stops_are_open = not self._by_stops
        names = [leaf.name for leaf in nest.leaves(list(variables.values())) if isinstance(leaf, Variable)]
        args, kwargs = inputs.call_arguments(variables)
        given = held_by(variables)
        with using(with_same_precision(trace)), grad_mode(True), refused_in(surroundings):
            returned = with_records(converted(*receiver, *args, **kwargs), surroundings.is_new)
            result = nest.map_structure(_up_to_date, as_result(returned))
        if self.main_program.value_wanted is not None:  # the function caught the error and went another way
            raise self.main_program.value_wanted
        check_what_hooks_read(self.main_program)
        for message in dict.fromkeys(trace.main.told):
            warnings.warn(message, stacklevel=2)
        now = [leaf for leaf in nest.leaves(list(variables.values())) if isinstance(leaf, Variable)]
        self.inputs = [trace.main.global_block().var(name) for name in names]
        self.specs = [leaf for leaf in nest.leaves(list(self.arguments.values())) if isinstance(leaf, InputSpec)]
        check_items(trace.main)
        check_what_branches_keep(trace.main)
        check_result(result, where)
        check_arguments(given, where)
        with using(trace):
            self.result = nest.map_structure(lambda leaf: _output_variable(trace, leaf), result)
        self.outputs = [leaf for leaf in nest.leaves(self.result) if isinstance(leaf, Variable)]
        self.flags = flags_of(self.result)
        self._has_records = has_records(self.result)
        entries = [(entry, before, as_state(now)) for entry, before, now in surroundings.changed_entries()]
        self.slots = slots_of(entries, surroundings.changed_items(), where)
        self._same = SameTensors(now, trace.captured, trace.variable_of)
        with using(trace):
            self._same.note_results(self.outputs)
            for slot in self.slots:
                self._same.note_slot(slot, surroundings.places, where)
                slot.after = nest.map_structure(_up_to_date, slot.after)
            results = [*self.outputs, *(v for slot in self.slots for v in slot.variables)]
            self._result_views = ResultViews(now, trace.captured, trace.variable_of, results)
        check_kinds(results, where)
        for tensor in (tensor for slot in self.slots for tensor in tensor_leaves(slot.after) if tensor.stop_gradient):
            trace.variable_of(tensor)  # a file needs a name for what moves from place to place
        filled = {slot.location.identity for slot in self.slots}
        changed = [*surroundings.changed_items(), *surroundings.changed_numbers()]
        self.effects = effects_of(surroundings.changed_entries(), changed, reads, filled)
        self.first_values_read = [slot.shown for slot in self.slots
                                  if slot.becomes_tensors and reads.has_read(slot.location)]
        reads.check_library(where)
        self.captured = trace.captured
        called = receiver if getattr(self.function, "__name__", None) == "forward" else ()
        self._connect(trace, surroundings, CodeGuards(surroundings, reads, called), now)
        self.guards = [*reads.guards([*self.slots, *self.effects]), *trace.answers.values()]
        self._relies_on.guards = self.guards

    def _connect(self, trace: CaptureTrace, surroundings: Surroundings, code: CodeGuards,
                 arguments: list[Variable]) -> None:
        """Decides where a run's further inputs come from, and where its further outputs go.

        `arguments`: what the inputs are in the end, which the function may have changed in place.
        """
        for change in (*self.slots, *self.effects):
            change.undo()
        surroundings.rewind()
        trace.put_stops_back()
        self._sources = _sources(self.slots, trace.captured, surroundings)
        names = [v.name for v in self.inputs]
        everything = [*names, *trace.captured]
        written = {name for block in trace.main.blocks for op in block.ops for name in op.output_arg_names}
        self._rebound = [name for name in trace.captured if name in trace.rebound]
        # A captured Tensor that is only written, without a gradient, is written back by the run itself.
        last = [*arguments, *map(trace.main.global_block().var, trace.captured)]
        self._changed = [index for index, name in enumerate(everything) if name != last[index].name or name in written
                         and (index < len(names) or name in trace.rebound and not last[index].stop_gradient)]
        with using(trace):
            final = [assign(last[index]) for index in self._changed]
        extra = [*(v for slot in self.slots for v in slot.variables), *self._same.wanted, *self._result_views.wanted,
                 *final, *gradients_left(trace)]
        self._final = [v.name for v in final]
        self._set = {index for index in self._changed if index >= len(names) and everything[index] not in trace.derived}
        results = [v.name for v in (*self.outputs, *extra)]
        are_several = len(set(results)) < len(results)  # places of one value, which hold one Tensor
        run = trace.main if self.training else for_evaluation(trace.main, custom_gradients=True)
        self.run = ProgramFunction(run, everything, list(dict.fromkeys(results)),
                                   replaced=self._changed, leaves=trace.main.leaves, trains=trace.trains)
        self._looked_at = [(slot, number, array) for slot in self.slots for number, tensor in enumerate(
            tensor_leaves(slot.before)) for seen, array in trace.values_read if seen is tensor]
        in_slots = {id(tensor) for slot in self.slots for tensor in tensor_leaves(slot.before)}
        self._relies_on = Dependencies(_captured_by(trace), surroundings, in_slots, code)
        self._outer = self._relies_on.values
        self._gives_one = isinstance(self.result, Variable)
        self._gives_flat = type(self.result) in (tuple, list) and all(isinstance(r, Variable) for r in self.result)
        self._moves = any(tensor_leaves(slot.after) for slot in self.slots)
        self._step = training_step(trace)
        number = {id(tensor): index for index, tensor in enumerate(trace.captured.values())}
        self._stops = [(number.get(id(told[0])), *told) for told in trace.stops]
        self._is_plain = not (extra or are_several or self._stops or self.slots or self.effects or self._same or
                              self._result_views or trace.main.raised or trace.main.lacking or self._step)
        self._in_place = frozenset(self._changed).union(
            len(names) + index for index, name in enumerate(trace.captured) if name in trace.rebound)

    def holds(self) -> bool:
        """Whether the places that it reads hold what they did, or other Tensors of that kind."""
        return self._relies_on.hold() and (self._step is None or self._step.fits(self._outer))

    def plan(self) -> Plan:
        """What a run without gradients does: printed, a table of its operations and what they cost."""
        return self.run.plan()

    @property
    def parameters(self) -> list[EagerValue]:
        """The Tensors that the function uses without being given them."""
        return list(self.captured.values())

    @property
    def state_now(self) -> dict[str, EagerValue]:
        """The Tensors that a run would use without being given them, by the names of their variables."""
        found = dict(self.captured)
        names = list(found)
        for index, slot, number in self._sources:
            found[names[index]] = tensor_leaves(slot.location.load())[number]
        return found

    @property
    def changed_state(self) -> list[tuple[str, str, str | None]]:
        """Of each captured Tensor that a run changes, or puts another in the place of: what it is called, its name in
        the Program, and that of what it becomes; None where that is of another kind, or has two places.
        """
        names = {id(tensor): name for name, tensor in self.captured.items()}
        found = [(slot.shown, names[id(tensor)], after.name if isinstance(after, Variable) else names.get(id(after)))
                 for slot in self.slots for tensor, after in slot.successors() if id(tensor) in names]
        return found + [(name, name, name) for name in self._rebound]

    @property
    def depends_on_itself(self) -> list[str]:
        """What the function reads as Python values, and changes: a later run would be another Program."""
        read = {guard.location.identity for guard in self.guards}
        changed = [effect.shown for effect in self.effects if effect.location.identity in read]
        return changed + self._relies_on.read_and_changed

    @property
    def numbers_read_and_changed(self) -> dict[Identity, tuple[str, Any]]:
        """Those, by place, that are plain numbers: what each is called, and its value before a run."""
        changed = {effect.location.lasting_identity for effect in self.effects}
        numbers = [guard for guard in self.guards if type(guard.value) in (int, float)]
        places = {guard.location.lasting_identity: (guard.shown, guard.value) for guard in numbers}
        return {place: number for place, number in places.items() if place in changed}

    def position_of(self, index: int) -> int | None:
        """Which output the result of that index in a run is; None where it is none that the function returns."""
        names = [v.name for v in self.outputs]
        name = self.run.outputs[index]
        return names.index(name) if name in names else None

    def fits(self) -> bool:
        """Whether the state that the function rebinds is of the kind that this Program was made for."""
        version = mode_changes[0]
        if not self.holds() or not (version == self._layers_seen or self._relies_on.layers_hold()):
            return False
        self._layers_seen = version
        if not all(slot.fits() for slot in self.slots):
            return False
        if not all(is_same(tensor_leaves(slot.location.load())[number], array)
                   for slot, number, array in self._looked_at):
            return False
        found: dict[int, EagerValue] = {}  # places that held one Tensor must hold one still
        return all(found.setdefault(id(before), now) is now for slot in self.slots for before, now in zip(
            tensor_leaves(slot.before), tensor_leaves(slot.location.load()), strict=True))

    def changed(self) -> list[str]:
        """What of that which the Program was made from is another now, as the user's code calls it."""
        values = [guard.shown for guard in self.guards if not guard.holds()]
        return list(dict.fromkeys(values + self._relies_on.code.changed()))

    def prepare(self, tensors: Sequence[EagerValue]) -> None:
        """Compiles what a run with these inputs needs."""
        if self._in_place:
            self._check_entangled([*tensors, *self._outer])
        self.run.prepare([*tensors, *self._outer])

    def _check_entangled(self, given: list[EagerValue]) -> None:
        """UnfitTensorsError where one of the values that a run changes in place is a view of another that it is given,
        or a leaf whose gradient is wanted.
        """
        for index in self._changed if state.grad_enabled else ():
            if index not in self._set and type(given[index]._edge) is Leaf:
                raise UnfitTensorsError(
                    f"{line_of(self.function)}: `{self.run.inputs[index]}`, a leaf with stop_gradient=False, may be "
                    "changed in place, in a way that a tensor decides about or always: its gradient would have no "
                    "place to go. Use the form that returns a new tensor, or work under paddle.no_grad().")
        if len(set(map(id, given))) == len(given) and all(tensor._source is None for tensor in given):
            return
        found = entangled(given, self._in_place)
        if found is not None:
            names = [f"`{self.run.inputs[index]}`" for index in found]
            raise UnfitTensorsError(
                f"{line_of(self.function)}: {names[0]} is changed in place, and {names[1]}, which the function uses "
                "too, shares its memory: as a Program it would go on with the values from before. Take the view inside "
                "of the function, change the value that it is a view of, or run the function as it was written: "
                "paddle.jit.not_to_static.")

    def __call__(self, tensors: Sequence[EagerValue]) -> Any:
        """What the function returns for these inputs: its structure, with Tensors for the Program's outputs."""
        if not self._is_plain:
            return self._run_with_state(tensors)
        if self._in_place:
            self._check_entangled([*tensors, *self._outer])
        results = self.run([*tensors, *self._outer])
        if self._gives_one:
            return results[0]
        return type(self.result)(results) if self._gives_flat else self._filled(iter(results))

    def _filled(self, values: Any) -> Any:
        found = nest.map_structure(lambda leaf: next(values) if isinstance(leaf, Variable) else leaf, self.result)
        found = chosen(found) if self.flags else found
        return with_objects(found) if self._has_records else found

    def _run_with_state(self, tensors: Sequence[EagerValue]) -> Any:
        self._set_stops(False)
        given = [*tensors, *self._outer]
        for index, slot, number in self._sources:
            given[len(tensors) + index] = tensor_leaves(slot.location.load())[number]
        if self._in_place:
            self._check_entangled(given)
        if self._step is not None:
            self._step.fill(given, len(tensors))
        results = dict(zip(self.run.outputs, self._run_or_raise(given), strict=True))
        self._same.put(results, given)
        changed = set(self._changed)
        self._result_views.put(results, given, changed, False)
        held = dict(pair for slot in self.slots for pair in slot.held()) if self._moves else {}
        for slot in self.slots:
            slot.location.store(chosen(slot.filled(results, held)))
        for effect in self.effects:
            effect()
        for index, name in zip(self._changed, self._final, strict=True):
            if index in self._set:
                given[index]._update(results[name]._array.view())
            else:
                given[index]._rebind(another_of(results[name]))
        self._result_views.put(results, given, changed, True)
        if self._step is not None:
            self._step.leave(given[len(tensors):], results)
        self._set_stops(True)
        return self._filled(results[v.name] for v in self.outputs)

    def _set_stops(self, are_read: bool) -> None:
        """Says whether gradients stop at Tensors, as the function did before it read them, or since."""
        for index, tensor, stop, was_read in self._stops:
            if was_read is are_read:
                (tensor if index is None else self._outer[index]).stop_gradient = stop

    def _run_or_raise(self, given: list[EagerValue]) -> list[EagerValue]:
        """A run, of which an assertion that stands for a `raise` of the user's raises that very exception.

        LackingValueError where it asks for a value that it lacks; random numbers then go on where they were.
        """
        drawn = get_rng_state() if self.main_program.lacking else []
        try:
            return self.run(given)
        except AssertionError as failed:
            for message, error in self.main_program.raised.items():
                if str(failed).startswith(message):
                    raise copy.copy(error) from failed
            if any(str(failed).startswith(message) for message in self.main_program.lacking):
                set_rng_state(drawn)
                raise LackingValueError(str(failed)) from failed
            raise


def _sources(slots: list[Slot], captured: dict[str, EagerValue], surroundings: Surroundings) -> list[tuple]:
    """Which captured Tensors are read from a slot at each run: their index, the slot, their number in it.

    A Tensor that is held elsewhere too may have been read from there: the slot must then hold that very Tensor.
    """
    held: dict[int, list[tuple[Slot, int]]] = {}
    for slot in slots:
        for number, tensor in enumerate(tensor_leaves(slot.before)):
            held.setdefault(id(tensor), []).append((slot, number))
    sources = []
    for index, tensor in enumerate(captured.values()):
        for slot, number in held.get(id(tensor), [])[:1]:
            if len(held[id(tensor)]) == surroundings.places[id(tensor)]:
                sources.append((index, slot, number))
            else:
                for each, _ in held[id(tensor)]:
                    each.fixed.append(tensor)
    return sources


def _captured_by(trace: CaptureTrace) -> Captured:
    block = trace.main.global_block()
    return Captured(list(trace.captured.values()), [not block.var(name).stop_gradient for name in trace.captured],
                    trace.values_read, list(trace.rebound.values()))


def _input_variable(trace: CaptureTrace, leaf: Any, by_stops: bool) -> Any:
    if not isinstance(leaf, InputSpec):
        return leaf
    block = trace.main.global_block()
    name = leaf.name or "input"
    while block.has_var(name):
        name += "_1"
    return block.new_var(name, leaf.shape, leaf.dtype, is_data=True,
                         stop_gradient=not leaf.dtype.is_differentiable or by_stops and leaf.stop_gradient)


def _up_to_date(leaf: Any) -> Any:
    """A value as it is by now, where a condition chose it and what it is one of was changed in place since."""
    return as_read(leaf) if isinstance(leaf, Variable) else leaf


def _output_variable(trace: CaptureTrace, leaf: Any) -> Any:
    return trace.lift(leaf, "a value that the function returns") if isinstance(leaf, (EagerValue, Variable)) else leaf
