"""One Program on several places at once: the rows of what is fed are divided, and gradients come together.

A Program falls into what each device does (forward and backward), what is done once with the sum of the gradients (the
operations that an optimizer has appended), and what each device does with what came of that. Each device has a thread;
NumPy and oneDNN compute without Python's lock. Parameters, and all else that is updated once, exist once; what a device
changes by itself, a batch norm's running statistics say, it has for its own, and the first device's is the scope's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ... import backend
from ...core import launched
from ...core.place import CPUPlace, CUDAPlace, Place
from ...core.random import Generator, default_generator, drawing_from
from ..compiler import Plan, compile_plan
from ..compiler.shared_statistics import with_synchronized_norms
from ..ir.operation import OPTIMIZE_ROLE, SCHEDULE_ROLE, Operation
from ..ir.program import Program
from ..ir.shape_inference import for_inputs
from ..ir.usage import draws, reads, writes
from .exchanged_gradients import with_exchanges, with_first_values
from .executor import Executor, fetch_name, fetched_items
from .feed_parts import joined, split_feed
from .given_offsets import offsets_given
from .lod_tensor import LoDTensor, fitting
from .places import cpu_places, cuda_places
from .reading import batches_for
from .scope import Scope
from .state import refill_host_values
from .strategies import BuildStrategy, GradientScaleStrategy

_EACH, _ONCE, _AFTER = range(3)  # the parts of a step


class _Part:
    """One part of a step, compiled: the plan, what it reads beyond its feeds, and what it changes."""

    def __init__(self, program: Program, ops: Sequence[Operation], feeds: Iterable[str], fetches: Iterable[str]):
        self.plan: Plan
        self.fetches = list(fetches)
        self.plan, self.reads, self.writes = compile_plan(program, list(feeds), self.fetches, ops=ops)


class _Step:
    """A step of a Program, for inputs and results of these names."""

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Iterable[str], scale: float | None,
                 exchanges: bool = False, fused: bool = True, one_place: bool = True, shared_norms: bool = False):
        self.version = program.version
        ops, self.lacking = _starting_with(program, scale)
        if shared_norms:
            ops = with_synchronized_norms(ops)
        phases = _phases(ops)
        first, once, after = ([op for op, phase in zip(ops, phases, strict=True) if phase == part]
                              for part in (_EACH, _ONCE, _AFTER))
        self.draws = any(map(draws, (*first, *after)))
        made = {name: op for op in first for name in writes(op)}
        last = {name: phase for op, phase in zip(ops, phases, strict=True) for name in writes(op)}
        once_made, taken = {name for op in once for name in writes(op)}, list(_taken(once, made))
        self.taken = taken
        self.gradients = [name for name in taken if made[name].is_backward]
        self.others = [name for name in taken if name not in self.gradients]
        fetches = list(fetches)
        self.origin = {name: last.get(name, _EACH if name in feeds else _ONCE) for name in fetches}
        summed = set(self.gradients)
        self.summed = {name for name in fetches if name in summed and self.origin[name] == _EACH}
        handed = [name for name in _taken(after, {**made, **dict.fromkeys(once_made)})]
        kept = [name for name in fetches if self.origin[name] == _EACH and name not in self.summed]
        exchanged = self.gradients if exchanges else []
        self.exchange: _Part | None = None
        if exchanged and one_place:
            first = with_exchanges(program.global_block(), first, exchanged, fused)
        elif exchanged:
            between = with_exchanges(program.global_block(), [], exchanged, fused)
            self.exchange = _Part(program, between, exchanged, exchanged)
        for_each = [*taken, *kept, *(name for name in handed if name in made)]
        self.each = _Part(program, first, feeds, dict.fromkeys(for_each))
        self.once = _Part(program, once, taken, dict.fromkeys(
            [*(n for n in fetches if self.origin[n] == _ONCE), *(n for n in handed if n in once_made)]))
        given = [name for name in handed if name in self.each.fetches or name in self.once.fetches]
        self.after_feeds = [*dict.fromkeys([*feeds, *given])]
        self.after = _Part(program, after, self.after_feeds, [n for n in fetches if self.origin[n] == _AFTER])
        self.own = {*self.each.writes, *self.after.writes} - {*self.once.writes}


def _phases(ops: Sequence[Operation]) -> list[int]:
    """The part of a step that each operation belongs to; ValueError for an update that waits for what follows one."""
    found, updated, later, of_devices = [], set[str](), set[str](), set[str]()
    for op in ops:
        once = bool(op.attrs.get("op_role", 0) & (OPTIMIZE_ROLE | SCHEDULE_ROLE)) or (
            not updated.isdisjoint(reads(op)) and not draws(op)  # of what was updated alone: a copy for a decay
            and of_devices.union(later).isdisjoint(reads(op)) and not any(map(partial(_is_fed, op), reads(op))))
        if once:
            if not later.isdisjoint(reads(op)):
                raise ValueError(f"with_data_parallel: the update {op.type!r}, appended at {op.source or 'no line'}, "
                                 "needs what is computed of parameters that were updated before it. Run the Program "
                                 "without with_data_parallel.")
            updated.update(writes(op))
        after = not once and not (updated | later).isdisjoint(reads(op))
        if after:
            later.update(writes(op))
        elif not once:
            of_devices.update(writes(op))
        found.append(_ONCE if once else _AFTER if after else _EACH)
    return found


def _is_fed(op: Operation, name: str) -> bool:
    variable = op.block.find_var(name)
    return variable is not None and variable.is_data


def _taken(ops: Sequence[Operation], made: dict[str, Any]) -> Iterator[str]:
    """The names, once each, that operations read before they write them, and that others have made."""
    seen: set[str] = set()
    for op in ops:
        for name in reads(op):
            if name in made and name not in seen:
                yield name
            seen.add(name)
        seen.update(writes(op))


def _starting_with(program: Program, scale: float | None) -> tuple[list[Operation], list[str]]:
    """The operations, where gradients start with `scale` instead of 1, and the names that are to be fed for None."""
    ops, fed = [], []
    for op in program.global_block().ops:
        if _starts_gradients(op):
            if scale is None:
                fed += op.output_arg_names
                continue
            attrs = {**op.attrs, "value": op.attrs["value"] * scale}
            op = Operation(op.block, op.type, op.inputs, op.outputs, attrs, op.source, op.inferred)
        ops.append(op)
    return ops, fed


def _starts_gradients(op: Operation) -> bool:
    """Whether an operation makes the gradient of a loss with respect to itself."""
    return op.is_backward and op.attrs.get("value") == 1.0 and len(op.input("X")) == 1 and [
        name.rpartition("/")[2] for name in op.output_arg_names] == [f"{op.input('X')[0]}@GRAD"]


class DataParallel:
    """What runs a Program on several places. `shared`: another one whose devices keep what they have for their own."""

    def __init__(self, program: Program, loss_name: str | None, strategy: BuildStrategy, places: Sequence[Place],
                 shared: DataParallel | None = None):
        if loss_name is None and any(op.is_backward for op in program.global_block().ops):
            raise ValueError("with_data_parallel(loss_name): the Program computes gradients, so the name of the loss "
                             "must be given. Received None.")
        if loss_name is not None and program.global_block().find_var(loss_name) is None:
            raise ValueError(f"with_data_parallel(loss_name): the Program has no variable {loss_name!r}.")
        settings: Any = strategy
        if settings.sync_batch_norm and len(places) > 1:
            raise NotImplementedError("BuildStrategy.sync_batch_norm: a batch norm over several devices of a process "
                                      "is not supported. Leave it False: each device then takes its own rows' "
                                      "statistics. Or start a process for each device, by a launcher.")
        self.processes = settings.num_trainers
        _check_processes(settings.num_trainers, settings.trainer_id)
        self.fused, self.shared_norms = settings.fuse_all_reduce_ops, settings.sync_batch_norm
        if shared is not None and len(shared.places) != len(places):
            raise ValueError(f"with_data_parallel(share_vars_from): works on {len(shared.places)} devices. Received "
                             f"{len(places)} places.")
        self.program = program
        self.places: list[Place] = list(places)
        self.own: list[dict[str, Any]] = [{} for _ in places] if shared is None else shared.own
        self.scope: Scope | None = None if shared is None else shared.scope
        self.is_equal = self.processes == 1 or shared is not None  # whether processes begin with the same values
        ways = {GradientScaleStrategy.CoeffNumDevice: 1.0 / (len(places) * self.processes),
                GradientScaleStrategy.One: 1.0}
        self.may_rest = loss_name is None  # what is left over at an epoch's end may be too little for all devices
        self.scale = ways.get(GradientScaleStrategy(settings.gradient_scale_strategy))
        self.executors = [Executor(place) for place in places]
        self.steps: dict[Any, _Step] = {}

    def run(self, feed: Any, fetch_list: Any, scope: Scope, return_numpy: bool, return_merged: bool) -> list[Any]:
        """One step: a dict is divided by rows, a list has a dict for each device; see `Executor.run`.

        A Program that is not trained takes fewer dicts too: the other devices rest then.
        """
        if self.scope is not None and self.scope is not scope:
            raise ValueError("Executor.run(scope): the CompiledProgram has run in another scope, where its devices "
                             "keep values of their own. Make another CompiledProgram for this one.")
        self.scope = scope
        count, program = len(self.places), self.program
        wanted = [fetch_name(program, item) for item in fetched_items(fetch_list)]
        feeds = batches_for(program, split_feed(feed, count, self.may_rest), self.may_rest)  # a reader's batch for each
        given = [executor.feeds(program, part) for executor, part in zip(self.executors, feeds, strict=False)]
        refill_host_values(program, scope)
        names = tuple(sorted(given[0][0]))
        for number, (arrays, _) in enumerate(given):
            if tuple(sorted(arrays)) != names:
                raise ValueError(f"feed: every device must be fed the same variables. The first takes {list(names)}, "
                                 f"device {number} {sorted(arrays)}.")
        lods = [() if return_numpy else offsets_given(program, name, frozenset(names)) for name in wanted]
        steps = [self._step(names, (*wanted, *(level for levels in lods for level in levels)), others)
                 for _, others in given]
        lacking = [name for name in steps[0].lacking if name not in names]
        if lacking:
            raise ValueError(f"GradientScaleStrategy.Customized: feed {lacking}, the loss's own gradient, to every "
                             "device.")
        values = self._compute(steps, [arrays for arrays, _ in given], scope)
        return [self._handed_out(values, name, levels, return_numpy, return_merged)
                for name, levels in zip(wanted, lods, strict=True)]

    def _step(self, feeds: tuple[str, ...], fetches: tuple[str, ...], others: dict[str, Any]) -> _Step:
        key = (feeds, fetches, *others.items())
        found = self.steps.get(key)
        if found is None or found.version != self.program.version:
            block = self.program.global_block()
            made = for_inputs(self.program, {name: block.var(name).spec for name in others}, list(others.values()))
            found = self.steps[key] = _Step(made, feeds, dict.fromkeys(fetches), self.scale, self.processes > 1,
                                            self.fused, len(self.places) == 1, self.shared_norms)
            found.version = self.program.version
        return found

    def _compute(self, steps: list[_Step], fed: list[dict[str, Any]], scope: Scope) -> list[dict[str, Any]]:
        """The values that a step gives, by name, of each device."""
        generators = self._generators(steps[0])
        self._take_over(scope)
        self._broadcast(steps[0], scope)

        def each(number: int) -> dict[str, Any]:
            with drawing_from(generators[number]):
                return self._run(number, steps[number].each, [fed[number][n] for n in sorted(fed[number])], scope,
                                 steps[number])

        found = self._at_once(each, len(fed))
        step = steps[0]
        once = {name: self._sum([values[name] for values in found]) for name in step.gradients}
        if step.exchange is not None:
            once = self._run(0, step.exchange, [once[name] for name in step.gradients], scope, step)
        once.update((name, found[0][name]) for name in step.others)
        summed = {name: once[name] for name in step.summed}
        once = self._run(0, step.once, [once[name] for name in step.taken], scope, step)

        def after(number: int) -> dict[str, Any]:
            known = {**fed[number], **found[number], **once}
            with drawing_from(generators[number]):
                return self._run(number, steps[number].after, [self._here(number, known[n]) for n in step.after_feeds],
                                 scope, steps[number])

        last: list[dict[str, Any]] = self._at_once(
            after, len(fed)) if step.after.writes or step.after.fetches else [{}] * len(found)
        return [{**fed[n], **found[n], **summed, **once, **last[n]} for n in range(len(found))]

    def _take_over(self, scope: Scope) -> None:
        """Gives each process the first one's values, before the first step."""
        if self.is_equal:
            return
        names = sorted(v.name for v in self.program.list_vars() if v.persistable and v.kind == "tensor"
                       and scope.array(v.name) is not None and v.name not in self.program.host_values)
        part = _Part(self.program, with_first_values(self.program.global_block(), names), [], [])
        results = part.plan(backend.namespace_at(self.places[0]),
                            [self.executors[0].from_scope(scope, name, self.program) for name in part.reads])
        for name, array in zip(part.writes, results, strict=True):
            scope.set_array(name, array)
        self.is_equal = True

    def _broadcast(self, step: _Step, scope: Scope) -> None:
        """Gives each device but the first its own of what devices change by themselves, where it has none yet."""
        for executor, own in zip(self.executors[1:], self.own[1:], strict=True):
            for name in step.own - own.keys():
                if scope.array(name) is not None:
                    own[name] = backend.as_place(scope.array(name), executor.place).copy()

    def _at_once(self, work: Callable[[int], dict[str, Any]], count: int) -> list[dict[str, Any]]:
        """What each device's thread gives; the first failure is raised when all have ended."""
        if count == 1:
            return [work(0)]
        with ThreadPoolExecutor(count, "device") as threads:
            return [done.result() for done in [threads.submit(work, number) for number in range(count)]]

    def _generators(self, step: _Step) -> list[Generator | None]:
        """What devices draw from: the first as every Program, the others from sequences that belong to its seed."""
        if not step.draws:
            return [None] * len(self.places)
        seeds = default_generator()
        return [None, *(Generator(place, seeds.next_seed()) for place in self.places[1:])]

    def _run(self, number: int, part: _Part, arrays: list[Any], scope: Scope, step: _Step) -> dict[str, Any]:
        """Runs a part on a device: what it gives by name; what it changes is kept."""
        if not part.fetches and not part.writes:
            return {}
        own, executor = self.own[number], self.executors[number]
        given = [self._here(number, array) for array in arrays]
        for name in part.reads:
            given.append(own[name] if number and name in own else executor.from_scope(scope, name, self.program))
        xp = backend.namespace_at(self.places[number])
        results = part.plan(xp, given)
        for name, array in zip(part.writes, results[len(part.fetches):], strict=True):
            if number and name in step.own:
                own[name] = xp.asarray(array)
            else:
                scope.set_array(name, xp.asarray(array))
        return {name: xp.asarray(array) for name, array in zip(part.fetches, results, strict=False)}

    def _here(self, number: int, array: Any) -> Any:
        return backend.as_place(array, self.places[number])

    def _sum(self, arrays: list[Any]) -> Any:
        total = self._here(0, arrays[0])
        for array in arrays[1:]:
            total = total + self._here(0, array)
        return total

    def _handed_out(self, values: list[dict[str, Any]], name: str, levels: Sequence[str], return_numpy: bool,
                    return_merged: bool) -> Any:
        found = []
        for held in values:
            array = backend.to_numpy(held[name])
            lod = [backend.to_numpy(held[level]).tolist() for level in levels]
            found.append(LoDTensor(array.copy(), fitting(lod, array)))
        if return_merged:
            merged = joined(found)
            return np.array(merged) if return_numpy else merged
        return [np.array(tensor) if return_numpy else tensor for tensor in found]

    def forget(self) -> None:
        """Lets the devices forget what they have for their own."""
        for own in self.own:
            own.clear()


def _check_processes(count: int, number: int) -> None:
    """RuntimeError where a launcher has started other processes than a strategy says, ValueError for no number."""
    if not 0 <= number < max(count, 1):
        raise ValueError(f"BuildStrategy.trainer_id: must be 0 to {count - 1}, there being num_trainers={count}. "
                         f"Received {number}.")
    if count > 1 and (launched.size(), launched.rank()) != (count, number):
        raise RuntimeError(f"BuildStrategy: says num_trainers={count} and trainer_id={number}. A launcher has started "
                           f"{launched.size()}, and this is number {launched.rank()}. Start the script with python -m "
                           f"proa.distributed.launch --nproc_per_node {count}, or mpiexec -n {count}.")


def places_for(executor: Executor, places: Any) -> list[Place]:
    """The places to run on: those that are given, else all CUDA devices or, by CPU_NUM, as many CPU places.

    An Executor at a place of another kind runs there.
    """
    if places is None:
        if isinstance(executor.place, CPUPlace):
            return list(cpu_places())
        return list(cuda_places()) if isinstance(executor.place, CUDAPlace) else [executor.place]
    return [places] if isinstance(places, Place) else list(places)
