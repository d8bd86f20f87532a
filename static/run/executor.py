"""The Executor: runs a Program for fed values and gives the fetched ones."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...backend.one_number import as_number
from ...core import nest
from ...core.errors import MissingFeedError
from ...core.forks import unforked
from ...core.place import Place, expected_place, parse_place
from ...ops.core.checking import check_in_force
from ...ops.core.infer import product
from ...ops.core.spec import Spec
from ...ops.core.trace import state
from ...ops.program.tensor_arrays import ArrayValue
from ..autodiff.gradient_operators import with_rules
from ..building.mode import default_main_program
from ..compiler import Plan, compile_plan
from ..files.decomposed import in_parts
from ..files.lod_codec import with_levels
from ..ir.frame import feed_names
from ..ir.misfits import misfits, tell
from ..ir.operation import OPTIMIZE_ROLE, Operation
from ..ir.program import Program
from ..ir.shape_inference import for_inputs
from ..ir.usage import OWN, needed_operations
from ..ir.variable import OffsetsVariable, Variable
from .fed_dtype import in_dtype
from .from_dataset import FetchHandler, run_from_dataset
from .given_offsets import offsets_given
from .lod_tensor import LoDTensor, fault_in, fitting, innermost
from .own_operations import run_own_operations
from .reading import with_batches
from .scope import Scope, global_scope
from .state import refill_host_values

_lock = threading.Lock()


class Compiled:
    """A plan with the names it takes from the scope and those it writes back."""

    def __init__(self, program: Program, feeds: tuple[str, ...], fetches: tuple[str, ...], prune: bool = False):
        self.plan: Plan
        self.version = program.version
        self.own = [op for op in program.global_block().ops if op.type in OWN]
        ops = _pruned(program.global_block().ops, set(fetches), feeds) if prune else None
        self.plan, self.reads, self.writes = compile_plan(program, feeds, fetches, ops=ops)
        self.updated_feeds = [place for place, name in enumerate(feeds) if name in self.writes]
        self.kept_feeds = [(place, name) for place, name in enumerate(feeds)
                           if name not in self.writes and program.global_block().var(name).persistable]


class Executor:
    """Runs Programs at a place.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None]); y = x * 2
    >>> exe = paddle.static.Executor(paddle.CPUPlace())
    >>> exe.run(main, feed={"x": numpy.ones(2, "float32")}, fetch_list=[y])[0].tolist()
    [2.0, 2.0]
    """

    def __init__(self, place: Place | str | Sequence[Place | str] | None = None):
        if place is not None and not isinstance(place, (Place, str)):
            place = place[0]
        self.place = expected_place() if place is None else parse_place(place)
        self._closed = False

    def close(self) -> None:
        """Ends this Executor's work: what it is asked to do after that is an error."""
        self._closed = True

    def check_open(self) -> None:
        """Raises RuntimeError after `close()`."""
        if self._closed:
            raise RuntimeError("Executor: it was closed, and runs nothing any more. Make another one.")

    def run(self, program: Any = None, feed: Any = None, fetch_list: Any = None, feed_var_name: str = "feed",
            fetch_var_name: str = "fetch", scope: Scope | None = None, return_numpy: bool = True,
            use_program_cache: bool = False, return_merged: bool = True, use_prune: bool = False) -> list[Any]:
        """Runs a Program (the default main one) once.

        `feed`: values by name (arrays, Tensors, LoDTensors, numbers), or a list with one such dict; a name that the
        Program does not have is passed over with a warning, and a persistable variable keeps what it is fed.
        `fetch_list`: Variables or names, also in lists of lists; what `minimize` returned may stand there and gives
        nothing. `use_prune`: only what is fetched is computed, and what optimizers update; so it is where `minimize`'s
        result is fetched; what is fed is then not computed for others, so that its own inputs may be missing.
        Gives the fetched values as NumPy arrays, or as LoDTensors with `return_numpy=False`. A CompiledProgram on
        several devices gives all devices' values, one behind the other, or with `return_merged=False` a list of them.
        Raises MissingFeedError, a KeyError, for a value that is neither fed nor in the scope, ValueError and TypeError
        for a fed value of the wrong shape or dtype, RuntimeError after `close()`.
        """
        self.check_open()
        scope = scope or global_scope()
        parallel = getattr(program, "_in_parallel", None)  # a CompiledProgram
        if parallel is not None:
            return parallel(self).run(feed, fetch_list, scope, return_numpy, return_merged)
        program = _plain_program(program)
        given, built = with_batches(program, _one_feed(feed)), program
        program = _with_fed_levels(program, given)
        fed, others = self.feeds(program, given)
        wanted = tuple(fetch_name(program, item) for item in fetched_items(fetch_list))
        lods = [] if return_numpy or not program.has_lod else [
            offsets_given(program, name, frozenset(fed)) for name in wanted]
        fetches = (*wanted, *dict.fromkeys(level for levels in lods for level in levels))
        refill_host_values(built, scope)
        compiled = _compiled(program, tuple(sorted(fed)), fetches, others, use_prune or _holds_updates(fetch_list))
        if compiled.own:
            run_own_operations(self, program, compiled.own, scope)
        xp = backend.namespace_at(self.place)
        arrays = [fed[name] for name in sorted(fed)]
        for place in compiled.updated_feeds:
            arrays[place] = arrays[place].view()  # the caller's array is not written into
        for place, name in compiled.kept_feeds:
            scope.set_array(name, arrays[place].copy())
        arrays += [self.from_scope(scope, name, program) for name in compiled.reads]
        results = _run(compiled.plan, xp, arrays, program, {name: fed[name].shape for name in others})
        for name, array in zip(compiled.writes, results[len(fetches):], strict=True):
            scope.set_array(name, xp.asarray(array))
        fetched = [a if isinstance(a, ArrayValue) else xp.asarray(a) for a in results[: len(fetches)]]
        if return_numpy:
            found = [_in_numpy(a) for a in fetched]
            return [as_number(value) for value in found] if state.trace.least_rank else found
        beside = slice(len(wanted), None)  # offsets
        offsets = {name: backend.to_numpy(a).tolist() for name, a in zip(fetches[beside], fetched[beside], strict=True)}
        return [[LoDTensor(item) for item in array] if isinstance(array, ArrayValue)
                else LoDTensor(array, fitting([offsets[level] for level in levels], array))
                for array, levels in zip(fetched, lods or [()] * len(wanted), strict=False)]

    def train_from_dataset(self, program: Any = None, dataset: Any = None, scope: Scope | None = None, thread: int = 0,
                           debug: bool = False, fetch_list: Any = None, fetch_info: Any = None, print_period: int = 100,
                           fetch_handler: FetchHandler | None = None) -> None:
        """Runs a Program for each batch of a dataset, and prints what is fetched after every `print_period` batches.

        `dataset`: of `fluid.DatasetFactory` or `paddle.distributed.QueueDataset`; `thread`: how many of its files are
        read at once (0: as it says), the runs being one after the other; `fetch_info`: titles for the variables of
        `fetch_list`; `fetch_handler`: a FetchHandler. `debug` changes nothing. Raises RuntimeError without a dataset.
        """
        run_from_dataset(self.run, program, dataset, scope, thread, fetch_list, fetch_info, print_period, fetch_handler)

    def infer_from_dataset(self, program: Any = None, dataset: Any = None, scope: Scope | None = None, thread: int = 0,
                           debug: bool = False, fetch_list: Any = None, fetch_info: Any = None, print_period: int = 100,
                           fetch_handler: FetchHandler | None = None) -> None:
        """As `train_from_dataset`; the Program is one without updates, as `clone(for_test=True)` gives."""
        run_from_dataset(self.run, program, dataset, scope, thread, fetch_list, fetch_info, print_period, fetch_handler)

    def feeds(self, program: Program, feed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Spec]]:
        """The arrays by name, and what those are that are not of the sizes that the Program says."""
        block = program.global_block()
        arrays: dict[str, Any] = {}
        others: dict[str, Spec] = {}
        for name, value in feed.items():
            variable = block.find_var(name)
            if variable is None:
                inputs = feed_names(program) or [v.name for v in block.vars.values() if v.is_data]
                warnings.warn(f"feed: the Program has no variable {name!r}, so its value is not used. Its inputs: "
                              f"{inputs}.", stacklevel=3)
                continue
            array = in_dtype(variable, value._array if hasattr(value, "_array") else _as_array(variable, value))
            if isinstance(value, LoDTensor):
                arrays.update(self._fed_offsets(variable, value))
            arrays[name] = backend.as_place(array, self.place)
            if not _fits(variable.shape, array.shape):
                if not variable.is_data and array.size == product(variable.shape):  # [0.1] for a rate of shape []
                    arrays[name] = arrays[name].reshape(variable.shape)
                    continue
                others.update(misfits({name: variable.spec}, [Spec(array.shape, variable.dtype)]))
        for name in others:
            _check_sizes(program, name, arrays[name].shape, bool(getattr(feed[name], "_lod", None)))
        return arrays, others

    def _fed_offsets(self, variable: Variable, value: LoDTensor) -> dict[str, Any]:
        """The offsets of a fed value by name; ValueError for such as do not add up, or are of more levels."""
        lod, what = value.lod(), f"feed: {variable.name!r}"
        fault = fault_in(lod, value.shape()[0] if value.shape() else 0)
        if fault:
            raise ValueError(f"{what}: its LoD does not add up: {fault}. Received lod={lod}, shape {value.shape()}.")
        if len(lod) > len(variable.lod) > 0:  # on several devices
            raise ValueError(f"{what} was declared with lod_level={len(variable.lod)}. Received an LoDTensor of "
                             f"{len(lod)} levels: declare it with lod_level={len(lod)}.")
        return {level.name: backend.as_place(np.asarray(offsets, "int64"), self.place)
                for level, offsets in innermost(variable.lod, lod)}

    def from_scope(self, scope: Scope, name: str, program: Program) -> Any:
        """What the scope holds under a name, at this place; an error says what is to be done where it holds nothing."""
        array = scope.array(name)
        if array is None:
            variable = program.global_block().find_var(name)
            if isinstance(variable, OffsetsVariable):
                raise ValueError(f"feed: {variable.of!r} is used as sequences, and was fed without an LoD. Feed an "
                                 "LoDTensor: fluid.create_lod_tensor(array, [lengths], place).")
            if variable is not None and variable.persistable:
                raise RuntimeError(
                    f"The variable {name!r} has no value: run the startup Program first, or load its value."
                )
            raise MissingFeedError(f"The Program needs a value for {name!r}, which was not fed.")
        return backend.as_place(array, self.place)


def _one_feed(feed: Any) -> dict[str, Any]:
    """The dict of values, or the one in a list; ValueError for a list of several, TypeError for something else."""
    if isinstance(feed, (list, tuple)):
        if len(feed) > 1:
            raise ValueError("feed: a list has a dict for each device, and this Program runs on one. Received "
                             f"{len(feed)}. CompiledProgram(program).with_data_parallel runs it on several.")
        feed = feed[0] if feed else {}
    if feed is not None and not isinstance(feed, dict):
        raise TypeError(f"feed: must be a dict of values by name. Received {type(feed).__name__}.")
    return feed or {}


def _run(plan: Plan, xp: Any, arrays: list[Any], program: Program, others: dict[str, Any]) -> tuple[Any, ...]:
    """The plan's results; an error names the fed values of other sizes than their inputs were declared with."""
    try:
        return plan(xp, arrays)
    except (ValueError, IndexError) as error:
        tell(error, "feed", {name: program.global_block().var(name).shape for name in others}, others)
        raise


def _as_array(variable: Variable, value: Any) -> Any:
    """A fed value as an array of numbers that is new, on memory that the user may change; an error names the input."""
    what = f"feed: {variable.name!r} takes numbers of shape {list(variable.shape)} (-1: any size)"
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what}. Received lists that differ in length: pad them, or feed sequences of several "
                         "lengths as fluid.create_lod_tensor(rows, [lengths], place).") from error
    if array.dtype.kind not in "OUSV" or array.dtype == variable.dtype.dtype:
        return array.view()
    raise TypeError(f"{what}. Received {'None' if value is None else type(value).__name__}, of NumPy's dtype "
                    f"{array.dtype}.")


def _with_fed_levels(program: Program, feed: Mapping[str, Any]) -> Program:
    """The Program for LoDTensors of more levels than inputs were declared with; itself where there are none.

    Inputs that were declared without any have their LoD handed on, as long as all operators take what that makes.
    """
    block, more = program.global_block(), {}
    for name, value in feed.items():
        variable = block.find_var(name) if isinstance(value, LoDTensor) else None
        if variable is not None and len(value._lod) > len(variable.lod):
            more[name] = len(value._lod)
    if not more:
        return program
    key: Any = ("levels", *sorted(more.items()))
    found = program.plans.get(key)
    if found is None or found[0] != program.version:
        found = program.plans[key] = (program.version, _given_levels(program, more))
    return found[1]


def _given_levels(program: Program, more: Mapping[str, int]) -> Program:
    """The Program with these numbers of levels for inputs by name."""
    block = program.global_block()
    declared = {name: count for name, count in more.items() if block.var(name).lod}
    try:
        return with_levels(program, more)
    except ValueError as error:
        if len(declared) < len(more):
            return _given_levels(program, declared) if declared else program
        received = ", ".join(f"{name!r} with {count} levels, declared with {len(block.var(name).lod)}"
                             for name, count in more.items())
        raise ValueError(f"feed: received {received}, which an operator does not take: {error}") from error


def _lacks_last_sizes(shape: tuple[int, ...], received: tuple[int, ...]) -> bool:
    """Whether a value has a shape's first sizes, and no others: Paddle takes [3] for [3, 1], as it is."""
    return bool(received) and len(received) < len(shape) and _fits(shape[:len(received)], received)


def _fits(shape: tuple[int, ...], received: tuple[int, ...]) -> bool:
    return len(shape) == len(received) and all(n in (-1, m) for n, m in zip(shape, received, strict=True))


def _check_sizes(program: Program, name: str, shape: tuple[int, ...], sequences: bool) -> None:
    """ValueError for a value of other sizes, unless it is an input of a model that was saved without a check.

    Sequences have as many rows as they have.
    """
    variable = program.global_block().var(name)
    if sequences and len(variable.shape) == len(shape) and _fits(variable.shape[1:], shape[1:]):
        return
    free = variable.is_data or variable.takes_any_size or name in feed_names(program)
    if _lacks_last_sizes(variable.shape, shape):
        return
    if variable.need_check_feed or not free:
        raise ValueError(f"feed: {name!r} takes shape {list(variable.shape)} (-1: any size). Received shape "
                         f"{list(shape)}.")


def _compiled(program: Program, feeds: tuple[str, ...], fetches: tuple[str, ...], others: dict[str, Spec],
              prune: bool) -> Compiled:
    """The Program compiled, for inputs of `others`, sizes where these are not the Program's."""
    key: Any = (feeds, fetches, prune, check_in_force() is not None, *others.items())
    with unforked(), _lock:
        found = program.plans.get(key)
        if found is None or found.version != program.version:
            block = program.global_block()
            specs = {name: block.var(name).spec for name in others}
            made = for_inputs(in_parts(with_rules(program)), specs, list(others.values()))
            found = program.plans[key] = Compiled(made, feeds, fetches, prune)
            found.version = program.version
        return found


def _plain_program(program: Any) -> Program:
    program = default_main_program() if program is None else program
    program = getattr(program, "_program", program)  # a CompiledProgram
    if not isinstance(program, Program):
        raise TypeError(f"Executor.run(program): program must be a Program. Received {type(program).__name__}.")
    return program


def _in_numpy(value: Any) -> Any:
    """A fetched value as an array of NumPy's of its own; a list of the Program as a list of these."""
    return [_in_numpy(item) for item in value] if isinstance(value, ArrayValue) else backend.to_numpy(value).copy()


def fetched_items(fetch_list: Any) -> list[Any]:
    """Names and Variables in order, out of lists of any depth; updates, as `minimize` gives them, have no value."""
    if isinstance(fetch_list, list):
        fetch_list = [item for item in fetch_list if not _is_minimized(item)]
    return [item for item in nest.leaves(fetch_list) if item is not None and not isinstance(item, Operation)]


def _is_minimized(item: Any) -> bool:
    """Whether it is what `minimize` returned: updates, and pairs of parameters and gradients."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], list)


def _holds_updates(fetch_list: Any) -> bool:
    return isinstance(fetch_list, list) and any(map(_is_minimized, fetch_list))


def _pruned(ops: Sequence[Operation], fetches: set[str], feeds: Sequence[str]) -> list[Operation]:
    """The operations that fetched values and the updates of optimizers depend on, as far as these are not fed."""
    updated = {name for op in ops if op.attrs.get("op_role") == OPTIMIZE_ROLE for name in op.output_arg_names}
    return needed_operations(ops, fetches | updated, given=feeds)


def fetch_name(program: Program, item: Any) -> str:
    """The name of what is fetched; ValueError where the Program does not have it, TypeError of what has no name."""
    if isinstance(item, (int, float)):
        raise TypeError(f"fetch_list: must have variables, or their names. Received {item!r}.")
    name = item if isinstance(item, str) else getattr(item, "name", None)
    if name is None or program.global_block().find_var(name) is None:
        raise ValueError(f"fetch_list: the Program has no variable {item!r}.")
    return name
