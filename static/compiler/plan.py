"""A plan: the compiled form of a Program for given inputs and outputs, and how its failures are told.

Its source, where it is long, is kept compiled on disk: Python takes longer to compile it than to read the result. It is
kept as Python keeps a module's code in a `.pyc`, by a digest of the source, in the folder of `backend/loops/cache.py`,
which is this user's own.

Knows nothing of Programs and of what compiles them (`compile.py`): a plan that comes from the disk runs without.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import marshal
import operator
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...backend import float_errors, loops
from ...backend.engines import CPU, GPU, generation
from ...backend.loops import cache
from ...backend.loops.kernel import Due
from ...core.dtype import DType, from_numpy_dtype
from ...core.errors import ConditionError, NotFiniteError, WholeDivisionError
from ...core.limits import LimitError
from ...ops.core.checking import check_in_force
from ...ops.core.operator import Operator, find, is_declared
from ...ops.core.spec import Spec
from ...ops.core.trace import state
from .code import Code
from .stepped import stepped, where

if TYPE_CHECKING:
    from ...ops.core.kernels import Selection
    from ..ir.operation import Operation
    from .unit import Unit

_KIND = ".code"
_LONG = 8192  # characters
_ANYWHERE = "<proa plan>"
_SEGMENTED = ", segments"
_BY_LINE = 16  # runs: as many cost what it takes to read compiled code from the disk, and a fifth of compiling it
_OF_A_LINE = 1 << 11  # elements as which a line counts: 500 lines are worth segments after 8 runs, ten after 100


def code_of(source: str, file: str) -> CodeType:
    """The code of a source, which tracebacks place in `file`."""
    if len(source) < _LONG:
        return compile(source, file, "exec")
    key = cache.key_of(f"{importlib.util.MAGIC_NUMBER.hex()} {source}")
    kept = cache.read(key, _KIND)
    if kept is not None:
        return _as_of(marshal.loads(kept), file)  # the folder is this user's own
    code = compile(source, _ANYWHERE, "exec")
    cache.write(key, marshal.dumps(code), _KIND)
    return _as_of(code, file)


def _as_of(code: CodeType, file: str) -> CodeType:
    constants = tuple(_as_of(value, file) if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)


_numbers = itertools.count()
_dtype_of = operator.attrgetter("dtype")
# Of another class a failure becomes a RuntimeError.
_KEPT = (ValueError, TypeError, IndexError, NotImplementedError, AssertionError, ConditionError, LimitError,
         NotFiniteError, WholeDivisionError, FileNotFoundError, FileExistsError)


def _are_of(dtypes: list[Any], arrays: Sequence[Any]) -> bool:
    """Whether arrays have these dtypes; None, what a branch that was not taken leaves of a value, has any."""
    try:
        return list(map(_dtype_of, arrays)) == dtypes
    except AttributeError:
        return all(array is None or array.dtype == dtype for array, dtype in zip(arrays, dtypes, strict=True))


class PlanForm(NamedTuple):
    """What a plan is where nothing fails and nobody looks: what is kept of it on disk."""

    code: Code
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    dtypes: list[np.dtype | None]  # of the inputs; None where nothing is sure
    packed: frozenset[str] = frozenset()  # the inputs that may be given as a FrozenWeight


class Origin(NamedTuple):
    """What a plan was made from: the operations, and which of them a line runs, with the locals that it takes."""

    unit: Unit
    operations_at: dict[int, Operation]
    arguments_at: dict[int, list[Any]]


def kept_plan(form: PlanForm, again: Callable[[], Plan]) -> Plan:
    """The plan of a form that was kept; `again` makes it anew, where someone asks what it was made from."""
    def origin() -> Origin:
        made = again()
        if made.form.code.lines == form.code.lines:
            return made.origin
        return Origin(made.origin.unit, {}, {})  # the same in other lines: which is which cannot be told

    return Plan(form, origin)


class Plan:
    """A compiled Program: `plan(xp, arrays)` takes the arrays of `inputs` and gives those of `outputs`, in order."""

    def __init__(self, form: PlanForm, origin: Callable[[], Origin]):
        self.form, self._origin = form, origin
        self._code = form.code
        self.inputs, self.outputs = form.inputs, form.outputs
        self._file = f"<proa plan {next(_numbers)}>"
        self._bindings = form.code.bindings
        self._frozen = [self.inputs.index(name) for name in form.code.frozen]
        self._is_sure = [dtype is not None for dtype in form.dtypes]
        self._all_sure = all(self._is_sure)
        self._dtypes = [dtype for dtype in form.dtypes if dtype is not None]
        self._runs: dict[Any, Callable[..., tuple]] = {}
        self._generation = -1
        self._segments_due: Due | None = None
        self._chosen: dict[int, Selection] = {}  # for the CPU, by line
        self._by_line = 0  # how many runs are yet to go line by line
        self._weight = len(form.code.calls_at) * _OF_A_LINE  # of a run, as segments are asked for
        self._origins: list[int] | None = None  # by line with segments: which line it is without

    @property
    def has_run(self) -> bool:
        """Whether its code is there: at the first run it is made, and what its lines need for good."""
        return bool(self._runs)

    def function(self, on_host: bool, arrays: Sequence[Any]) -> Callable[..., tuple]:
        """The code for these arrays: over the kernels chosen for the shapes and dtypes that the Program declares.

        Where these arrays have other dtypes, over what asks for each of them.
        """
        if self._generation != generation.count:  # engines were turned on or off, or have other kernels
            self._runs, self._chosen, self._generation = {}, {}, generation.count
            self._segments_due = Due() if loops.is_ready() and self._code.limited is None else None
        is_bound = _are_of(self._dtypes, arrays if self._all_sure else list(itertools.compress(arrays, self._is_sure)))
        if on_host and is_bound:
            return self._on_host()
        run = self._runs.get((on_host, is_bound))
        if run is None:
            namespace = self.globals(on_host)
            lines = self._code.lines
            if is_bound:
                lines, namespace = self._code.bound_lines(self._code.chosen(GPU))
            run = self._runs[on_host, is_bound] = self.load(namespace, "\n".join(lines))
        return run

    def _on_host(self) -> Callable[..., tuple]:
        """The code over the kernels chosen for the CPU: line by line at first, then as Python, and with segments."""
        run = before = self._runs.get((True, True))
        if run is None:
            self._chosen = self._code.chosen(CPU)
            run = self._made(stepped(self._code, self._chosen))
            self._by_line = 0 if run is None else _BY_LINE
            run = run or self._as_python()
        elif self._by_line:
            self._by_line -= 1
            run = run if self._by_line else self._as_python()
        due = self._segments_due
        if due is not None and due.is_due(self._weight):
            self._segments_due = None
            with_segments = self._with_segments()
            if with_segments is not None:
                self._by_line, run = 0, with_segments
        if run is not before:
            if isinstance(run, _Prepared) and isinstance(before, _Prepared):
                run.last = before.last
            self._runs[True, True] = run
        return run

    def _as_python(self) -> Callable[..., tuple]:
        lines, namespace = self._code.bound_lines(self._chosen)
        return self.load(namespace, "\n".join(lines))

    def _with_segments(self) -> Callable[..., tuple] | None:
        """The code over chosen kernels with segments; None where there are none to be had."""
        from .segments import with_segments  # for what runs often

        lines, namespace = self._code.bound_lines(self._chosen)
        found = with_segments(self._code, lines)
        if found is None:
            return None
        self._origins = found.origins
        return self.load({**namespace, **found.bindings}, "\n".join(found.lines), self._file + _SEGMENTED)

    def globals(self, on_host: bool) -> dict[str, Any]:
        """What the global names of the source stand for: attributes, and what computes an operator on any arrays."""
        return {name: value.kernel_for(np if on_host else None) if isinstance(value, Operator) else value
                for name, value in self._bindings.items()}

    def load(self, namespace: dict[str, Any], source: str = "", file: str = "") -> Callable[..., tuple]:
        """The source as a function over these globals."""
        exec(code_of(source or self.source, file or self._file), namespace)  # noqa: S102 - it is our own, made of names
        made = self._made(namespace)
        assert made is not None
        return made if self._code.limited is None else self._code.limited.around(made)

    def _made(self, functions: Mapping[str, Any] | None) -> Callable[..., tuple] | None:
        """What runs these functions of a plan, with what they prepare; None of none."""
        if functions is None:
            return None
        run, prepare = functions["run"], functions.get("prepare")
        return run if prepare is None else _Prepared(run, prepare, self._frozen)

    @functools.cached_property
    def source(self) -> str:
        """The Python that a run is, before kernels are chosen."""
        return "\n".join(self._code.lines)

    @functools.cached_property
    def origin(self) -> Origin:
        """What the plan was made from; of one that comes from disk it is made now."""
        return self._origin()

    def operation_at(self, line: int) -> Operation | None:
        """The operation that a line of the source runs."""
        return self.origin.operations_at.get(line)

    def __call__(self, xp: Any, arrays: Sequence[Any]) -> tuple:
        """The outputs' arrays; a failure names the operation and the user's line that appended it."""
        observer = state.observer
        if check_in_force() is not None:
            run = self._checked(xp is np)
        else:
            run = self.function(xp is np, arrays) if observer is None else observer.plan_function(
                self, xp is np, arrays)
        told = float_errors.begin()
        try:
            return run(xp, *arrays)
        except Exception as error:
            self._explain(error)
            raise
        finally:
            float_errors.end(told)

    def _checked(self, on_host: bool) -> Callable[..., tuple]:
        """The code with kernels that show their results to the check that is in force."""
        run = self._runs.get(("checked", on_host))
        if run is None:
            namespace = self.globals(on_host)
            namespace.update({name: self._checking(value) for name, value in namespace.items()
                              if callable(value) and not isinstance(value, (DType, type))})
            run = self._runs["checked", on_host] = self.load(namespace)
        return run

    def _checking(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        plan_of = weakref.ref(self)

        def call(*args: Any, **attrs: Any) -> Any:
            results, check, plan = kernel(*args, **attrs), check_in_force(), plan_of()
            if check is not None and plan is not None:
                operation = plan.operation_at(sys._getframe(1).f_lineno)
                if operation is not None and plan._is_looked_at(operation):
                    check(operation.type, results)
            return results

        return call

    def _is_looked_at(self, operation: Operation) -> bool:
        """Not what the rule of a gradient computes on its way: an infinity there may be one that counts nothing."""
        from ..ir.variable import GRAD_SUFFIX

        return not operation.is_backward or any(
            GRAD_SUFFIX in name or name in self.outputs for name in operation.output_arg_names)

    def _explain(self, error: Exception) -> None:
        """Raises the error anew, naming the operation and the user's line that appended it."""
        trace, stepping = error.__traceback__, None
        while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(self._file):
            stepping = where(trace.tb_frame)
            if stepping is not None:
                break
            trace = trace.tb_next
        if trace is None:
            return
        line, values = stepping or (trace.tb_lineno, trace.tb_frame.f_locals)
        if self._origins is not None and trace.tb_frame.f_code.co_filename == self._file + _SEGMENTED:
            line = self._origins[line - 1] + 1
        op = self.operation_at(line)
        if op is None:
            return
        arguments = self.origin.arguments_at.get(line, [])
        reason = None if isinstance(error, LimitError) else _operator_account(op, arguments, values)
        reason = reason or str(error) or type(error).__name__
        reason += _of_other_ranks(op, arguments, values)
        place = f" appended at {op.source}" if op.source else ""
        message = f"{reason}\n  in the operation {op.type!r}{place}: {op!r}"
        kind = type(error) if type(error) in _KEPT else MemoryError if isinstance(error, MemoryError) else RuntimeError
        raise kind(message) from error

    def __str__(self) -> str:
        """A table of what a run does, operation by operation, and what it costs; `source` is the Python of it."""
        from .describe import describe  # what was compiled is there: its modules are, too

        return describe(self.origin.unit)


class _Prepared:
    """Runs code with values that are prepared from some of its arrays, anew only when one of these is another array."""

    def __init__(self, run: Callable[..., tuple], prepare: Callable[..., tuple], frozen: Sequence[int]):
        self.run, self.prepare, self.frozen = run, prepare, tuple(frozen)
        # Replaced as a whole: several threads may run at once. It does not hold on to parameters, so that their updates
        # need not leave what it was made of alone.
        self.last: tuple[list[weakref.ref[Any]], tuple] | None = None

    def __call__(self, xp: Any, *arrays: Any) -> tuple:
        """The results."""
        sources = [arrays[index] for index in self.frozen]
        last = self.last
        if last is None or not all(map(operator.is_, [source() for source in last[0]], sources)):
            last = self.last = list(map(weakref.ref, sources)), self.prepare(xp, *sources)
        return self.run(xp, *arrays, *last[1])


def _of_other_ranks(op: Operation, arguments: list[list[str]], values: dict[str, Any]) -> str:
    """What to do where an input has another number of dimensions than the Program declares; "" where none has."""
    if not arguments or not is_declared(op.type):
        return ""
    for slot, held in zip(find(op.type).inputs, arguments, strict=True):
        for name, value in zip(op.input(slot.name), held, strict=False):
            declared, found = op.block.find_var(name), getattr(values.get(value), "shape", None)
            if declared is None or found is None or declared.kind != "tensor":
                continue
            if declared.ndim != len(found):
                return (f"\n  The number of dimensions of {name} is {len(found)} in this run, and was {declared.ndim} "
                        "where the Program was built: branches, or a squeeze, give several. Give it the same number in "
                        "each of them (`x.unsqueeze(0)`, `keepdim=True`), or do what depends on the number there.")
    return ""


def _operator_account(op: Operation, arguments: list[list[str]], values: dict[str, Any]) -> str | None:
    """What the operator's own shape rule says of the inputs it met; None when it finds nothing wrong."""
    if not arguments or not is_declared(op.type):
        return None
    declared = find(op.type)
    specs: list[Any] = []
    for slot, names in zip(declared.inputs, arguments, strict=True):
        if any(getattr(values.get(n), "shape", None) is None for n in names):  # nothing, or a list
            return None
        found = [Spec(values[n].shape, from_numpy_dtype(values[n].dtype)) for n in names]
        specs.append((found or slot.nothing) if slot.many else found[0] if found else None)
    try:
        declared.infer_specs(tuple(specs), {k: v for k, v in op.attrs.items() if k in declared.attributes})
    except (ValueError, TypeError, IndexError) as error:
        return str(error)
    return None
