"""A job: a global function, traced into a Program once for each shape that it is called with, and run by plans.

What a call costs beside its Program is what `Run` does: arrays checked, values of variables taken, results copied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ... import backend
from ...backend.loops.kernel import AtOnce
from ...core import unique_name
from ...core.dtype import DType
from ...core.place import CPUPlace, Place, expected_place
from ...ops.array.assign import clone
from ...ops.core.trace import grad_mode, using
from ...static.program import Program
from ...static.run.executor import Compiled
from ..distribute import ConsistentView
from .arguments import Arguments
from .blob import Blob, JobTrace, VariableBlob
from .current import tracing
from .function_config import FunctionConfig
from .placement import Placement
from .results import Results, check_annotation
from .session import Session, VariableRecord

_Handler = Callable[[np.ndarray], Any]


class Source(Protocol):
    """What fills blobs of a job from outside: readers of files."""

    names: list[str]

    def next_values(self) -> list[np.ndarray]:
        """The values of the blobs `names` for the next call."""
        ...


class Job:
    """A global function of a session: `kind` is 'train' or 'predict'.

    While its function is being traced, `program` is the Program that is written, `variables` are the blobs of the
    variables that the function asked for, by name, and `namespaces` the names of the scopes around.
    """

    def __init__(self, function: Callable[..., Any], kind: str, config: FunctionConfig, session: Session):
        self.function, self.kind, self.config, self.session = function, kind, config, session
        self.name = function.__name__
        self.arguments = Arguments(function)
        self.annotation = self.arguments.signature.return_annotation
        check_annotation(self.name, self.annotation)
        self.namespaces: list[str] = []
        self.variables: dict[str, VariableBlob] = {}
        self.losses: list[Any] = []  # of `flow.losses.add_loss`
        self.devices: list[Place | None] = []  # of the placements in the function; None: the host
        self._of_variables: list[Place] = []  # where the function asked for variables
        self.placements: list[Placement] = []  # that are open around what is being traced
        self.sources: list[Source] = []  # readers of files, which fill blobs at each call
        self.training: Any = None  # what a train job does behind its function: `optimizer.training.Training`
        self.at_end: list[Callable[[], Any]] = []  # called when the function has been traced, under its trace
        self._automatic: dict[str, str] = {}
        self._program: Program | None = None
        self._watched: list[tuple[str, _Handler]] = []
        self._runs: dict[tuple, Run] = {}
        self._only: Run | None = None
        self._varies = any(argument.depth for argument in self.arguments.flat)

    @property
    def is_trainable(self) -> bool:
        """Whether it is a train job: dropout drops, batch normalization normalizes by the batch."""
        return self.kind == "train"

    @property
    def program(self) -> Program:
        """The Program that is being written, or that was written first; RuntimeError before the job is traced."""
        if self._program is None:
            raise RuntimeError(f"The global function {self.name!r} has not been traced yet: call it, or "
                               "flow.train.CheckPoint().init().")
        return self._program

    @property
    def inputs(self) -> list[Blob]:
        """The blobs of the arguments in `program`, in order, those of nests one after the other."""
        variables: Any = self.program.global_block().vars
        return [variables[f"Input_{n}"] for n in range(len(self.arguments.flat))]

    @property
    def outputs(self) -> list[Any]:
        """The blobs of the results in `program`, in order, those of nests one after the other."""
        self.trace()
        run = self._runs[tuple(argument.shape for argument in self.arguments.flat)]
        return [self.program.global_block().var(name) for name in run.fetched]

    def prefixed(self, name: str) -> str:
        """A variable's name within the namespaces around."""
        return "-".join([*self.namespaces, name])

    def automatic_name(self, kind: str) -> str:
        """A name for what the function did not name: `kind_0`, `kind_1`…, one that no other job of the session has.

        It is the same whenever the function is traced, for whatever shapes.
        """
        asked = unique_name.generate(kind)  # which counts afresh in each trace
        if asked not in self._automatic:
            self._automatic[asked] = self.session.names(kind)
        return self._automatic[asked]

    def variable(self, name: str, shape: Sequence[int], dtype: DType, initializer: Any = None, regularizer: Any = None,
                 trainable: bool = True, model_name: str | None = None, random_seed: int | None = None,
                 what: str = "get_variable") -> VariableBlob:
        """The blob of a variable of the session in the Program that is being written; `name` is the whole name.

        Raises ValueError where the session has a variable of this name of another shape or dtype.
        """
        sizes = tuple(int(size) for size in shape)
        record = self.session.declare(VariableRecord(name, sizes, dtype, initializer, regularizer, trainable,
                                                     model_name, random_seed), what)
        record.jobs.add(self.name)
        self._of_variables.append(self.place_now())
        blob = self.variables.get(name)
        if blob is None:
            block = self.program.global_block()
            blob = self.variables[name] = VariableBlob(
                block, name, record.shape, record.dtype, trainable=trainable, regularizer=regularizer)
            block.add_var(blob)
        return blob

    def source_blob(self, shape: tuple[int, ...], dtype: DType) -> Blob:
        """A blob that one of the `sources` fills at each call."""
        block = self.program.global_block()
        blob = Blob(block, self.program.new_name("Source"), shape, dtype, is_data=True)
        block.add_var(blob)
        return blob

    def watch(self, blob: Any, handler: _Handler) -> None:
        """Lets each call hand the value of a blob, or of what has a name there, to a function."""
        self._watched.append((blob if isinstance(blob, str) else blob.name, handler))

    def trace(self) -> None:
        """Writes the Program for the shapes that the placeholders declare, unless that is done."""
        self._run_for(tuple(argument.shape for argument in self.arguments.flat))

    def _run_for(self, shapes: tuple) -> Run:
        found = self._runs.get(shapes)
        if found is None:
            first = self._program
            with self._undone_on_failure():
                found = self._runs[shapes] = self._traced(shapes)
            self._program = first or self._program
            if not self._varies:
                self._only = found
        return found

    @contextlib.contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        variables, program = dict(self.session.variables), self._program
        try:
            yield
        except BaseException:
            self.session.variables = variables
            self._program = program
            raise

    def _traced(self, shapes: tuple) -> Run:
        program = self._program = Program()
        self.namespaces, self.variables, self.losses, self.devices, self._watched = [], {}, [], [], []
        self.at_end, self.sources, self.training, self.placements, self._of_variables = [], [], None, [], []
        settings = self.config.settings
        view = settings.get("default_logical_view") or settings.get("default_distribute_strategy") or ConsistentView()
        with unique_name.guard(), using(JobTrace(self, program)), grad_mode(True), tracing(self), view:
            inputs = self._inputs(program, shapes)
            with settings.get("default_placement_scope", contextlib.nullcontext()):
                returned = self.function(*self.arguments.filled(inputs))
            results, before = Results(self.name, returned, self.annotation), {}
            if self.is_trainable:
                before = self._copied([*results.names, *(name for name, _ in self._watched)])
                if self.training is None:
                    raise RuntimeError(f"The train job {self.name!r} trains nothing: call flow.optimizer.SGD(…)"
                                       ".minimize(loss) in it, or decorate it with type='predict'.")
                self.training()
            for action in self.at_end:
                action()
        return Run(self, program, [blob.name for blob in inputs], self.sources, results, self._watched,
                   self._place(), before)

    def _copied(self, names: Sequence[str]) -> dict[str, str]:
        """Copies of the variables among some blobs, by name: updates of variables come behind."""
        return {name: clone(self.variables[name]).name for name in names if name in self.variables}

    def _inputs(self, program: Program, shapes: tuple) -> list[Any]:
        block, inputs = program.global_block(), []
        for n, (argument, shape) in enumerate(zip(self.arguments.flat, shapes, strict=True)):
            blob = Blob(block, f"Input_{n}", shape, argument.dtype, is_data=True)
            blob.is_dynamic = bool(argument.depth)
            inputs.append(block.add_var(blob))
        return inputs

    def place_now(self) -> Place:
        """Where operations are placed that the function applies now."""
        return (self.placements[-1].place or CPUPlace()) if self.placements else expected_place()

    def _place(self) -> Place:
        """Where the job runs: where its variables are; without any, where its placements say."""
        wanted = self._of_variables or [place or CPUPlace() for place in self.devices] or [expected_place()]
        return next((place for place in wanted if place.is_device()), wanted[0])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the job for arrays."""
        values = self.arguments.values(args, kwargs)
        arrays = [argument.array(value) for argument, value in zip(self.arguments.flat, values, strict=True)]
        run = self._only
        if run is None:
            self.session.start()
            with self.session.lock:
                run = self._run_for(tuple(array.shape for array in arrays))
        return run(arrays)


class Run:
    """One of a job's Programs with its plan, bound to the variables' places in the session's scope."""

    def __init__(self, job: Job, program: Program, feeds: Sequence[str], sources: Sequence[Source], results: Results,
                 watched: Sequence[tuple[str, _Handler]], place: Place, before: Mapping[str, str]):
        self.job, self.program, self.place = job, program, place
        self._sources, self._results = tuple(sources), results
        self._feeds = (*feeds, *(name for source in sources for name in source.names))
        self._handlers = [handler for _, handler in watched]
        self._fetches = tuple([before.get(name, name) for name in (*results.names, *(name for name, _ in watched))])
        self._count = len(self._fetches)
        self.fetched = self._fetches[:len(results.names)]
        self._xp = backend.namespace_at(place)
        self._on_host = self._xp is np
        self._compiled: Compiled | None = None
        self._reads: list[Any] = []
        self._writes: list[Any] = []

    def _bind(self) -> Compiled:
        """Compiles the Program, and finds the places of the variables that it reads and writes."""
        made = Compiled(self.program, self._feeds, self._fetches)
        scope = self.job.session.scope
        self._reads = [scope.var(name).get_tensor() for name in made.reads]
        self._writes = [scope.var(name).get_tensor() for name in made.writes]
        self._compiled = made  # last: another thread that sees it finds the rest
        return made

    def _initialized(self, compiled: Compiled) -> list[Any]:
        """The values of the variables that are read, after those without one have been initialized."""
        session = self.job.session
        with session.lock:
            session.initialize([name for name in compiled.reads if session.scope.array(name) is None])
        return [tensor._value for tensor in self._reads]

    def __call__(self, arrays: list[Any]) -> Any:
        """What the job gives for arrays, which are as its placeholders say."""
        compiled = self._compiled
        if compiled is None or compiled.version != self.program.version:
            compiled = self._bind()
        values = [tensor._value for tensor in self._reads]
        if any(value is None for value in values):
            values = self._initialized(compiled)
        for source in self._sources:
            arrays += source.next_values()
        for place in compiled.updated_feeds:
            arrays[place] = arrays[place].view()  # the caller's array is not written into
        given = arrays + values
        if not self._on_host or any(type(value) is not np.ndarray for value in values):
            given = [backend.as_place(value, self.place) for value in given]
            for tensor, value in zip(self._reads, given[len(arrays):], strict=True):
                tensor._value = value  # so that it is moved once
        xp = self._xp
        if self.job.is_trainable:
            with AtOnce():  # training that is taken up in a new process has the bits of training that goes on
                results = compiled.plan(xp, given)
        else:
            results = compiled.plan(xp, given)
        for tensor, array in zip(self._writes, results[self._count:], strict=True):
            tensor._value = xp.asarray(array)
        fetched = [backend.to_numpy(xp.asarray(array)).copy() for array in results[:self._count]]
        if self._handlers:
            for handler, array in zip(self._handlers, fetched[len(self._results.names):], strict=True):
                handler(array)
            del fetched[len(self._results.names):]
        return self._results.give(fetched)
