"""Sessions: the jobs of a script, the variables that they share, and these variables' values."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import backend
from ...core.dtype import DType
from ...core.random import Generator, default_generator, drawing_from
from ...core.unique_name import UniqueNameGenerator
from ...ops.core.trace import grad_mode, using
from ...static.building.mode import eager_trace
from ...static.run.scope import Scope

if TYPE_CHECKING:
    from .job import Job


@dataclasses.dataclass
class VariableRecord:
    """What is known of a variable of a session. `jobs` are the names of the jobs that use it."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    initializer: Any = None
    regularizer: Any = None
    trainable: bool = True
    model_name: str | None = None
    random_seed: int | None = None
    jobs: set[str] = dataclasses.field(default_factory=set)

    def describe(self) -> str:
        """Its shape and dtype, for errors."""
        return f"shape {list(self.shape)}, dtype {self.dtype.name}"


class Session:
    """Jobs by name, variables by name, and a scope with these variables' values. `names` counts automatic names;
    `lock` is held while a job is traced, or variables are begun.

    It starts when a job is first called, or a value first wanted: then every job that is registered is traced, in the
    order of registration, and from then on each job at its first use.
    """

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.variables: dict[str, VariableRecord] = {}
        self.scope = Scope()
        self.names = UniqueNameGenerator()
        self.lock = threading.RLock()

    def start(self) -> Session:
        """Traces the jobs that have not been traced yet; itself."""
        with self.lock:
            for job in list(self.jobs.values()):
                job.trace()
        return self

    def declare(self, record: VariableRecord, what: str = "get_variable") -> VariableRecord:
        """The variable of this name, made where there is none.

        Raises ValueError where there is one of another shape or dtype.
        """
        found = self.variables.setdefault(record.name, record)
        if (found.shape, found.dtype) != (record.shape, record.dtype):
            jobs = ", ".join(sorted(found.jobs)) or "this session"
            raise ValueError(f"{what}: there is a variable {record.name!r} of {found.describe()} already, in {jobs}. "
                             f"Received {record.describe()}. Ask for it as it is, or give this one another name.")
        return found

    def record(self, name: str) -> VariableRecord:
        """What is known of a variable; KeyError, with the names that there are, for another name."""
        if name not in self.variables:
            raise KeyError(f"There is no variable {name!r} in this session. There are: {sorted(self.variables)}.")
        return self.variables[name]

    def value(self, name: str) -> np.ndarray | None:
        """The value of a variable, an array of its own; None where it has none yet."""
        self.record(name)
        array = self.scope.array(name)
        return None if array is None else backend.to_numpy(array).copy()

    def set_value(self, name: str, value: Any) -> None:
        """Gives a variable a value; ValueError for one of another shape, TypeError for one of another dtype."""
        record, array = self.record(name), np.asarray(value)
        if array.shape != record.shape:
            raise ValueError(f"set_value({name!r}): the variable has {record.describe()}. Received shape "
                             f"{list(array.shape)}.")
        if not np.can_cast(array.dtype, record.dtype.dtype, "same_kind"):
            raise TypeError(f"set_value({name!r}): the variable has {record.describe()}. Received dtype {array.dtype}.")
        old = self.scope.array(name)
        made = np.array(array, record.dtype.dtype, order="C")
        self.scope.set_array(name, made if old is None else backend.as_place(made, backend.place_of(old)))

    def initialize(self, names: Iterable[str] | None = None) -> None:
        """Gives variables, by default all, the values that their initializers make."""
        for name in list(self.variables if names is None else names):
            self.set_value(name, initial_value(self.record(name)))

    def uninitialized(self) -> list[str]:
        """The names of the variables that have no value yet."""
        return [name for name in self.variables if self.scope.array(name) is None]


def initial_value(record: VariableRecord) -> np.ndarray:
    """What a variable's initializer makes: its `values(shape, dtype, random_seed)`, or what calling it gives.

    What is called, with shape and dtype, draws from the generator in use, or from one of the variable's `random_seed`.
    Raises ValueError where the variable has no initializer.
    """
    initializer = record.initializer
    if initializer is None:
        raise ValueError(f"The variable {record.name!r} has no initializer, and no value was loaded. Give "
                         "get_variable(initializer=…), or function_config.default_initializer_conf.")
    values: Callable[..., Any] | None = getattr(initializer, "values", None)
    if values is not None:
        return np.asarray(values(record.shape, record.dtype, record.random_seed)).reshape(record.shape)
    seeded = None if record.random_seed is None else Generator(default_generator().place, record.random_seed)
    with using(eager_trace()), grad_mode(False), drawing_from(seeded):
        made = initializer(record.shape, record.dtype)
    return np.asarray(made.numpy() if hasattr(made, "numpy") else made)


_sessions = [Session()]


def default_session() -> Session:
    """The session that jobs are registered with."""
    return _sessions[-1]


def clear_default_session() -> None:
    """Begins a new session: without jobs, variables and values. The old one lives as long as its jobs are held.

    >>> import proa.oneflow as flow
    >>> flow.clear_default_session()
    """
    _sessions[-1] = Session()


def sync_default_session() -> None:
    """Returns at once: a job has finished, and its callbacks have been called, when its call returns."""


@contextlib.contextmanager
def session_guard(session: Session | None = None) -> Iterator[Session]:
    """Within the block another session, by default a new one, is the one that jobs are registered with."""
    _sessions.append(session or Session())
    try:
        yield _sessions[-1]
    finally:
        _sessions.pop()
