"""Plans on disk, in the user's own cache folder, so that the next process need not differentiate and compile again.

What is kept is what runs need (`PlanForm`), pickled; the folder, its bound and whom it belongs to are the business of
`backend/loops/cache.py`. The key is a digest of the Program, by its content, of what is asked of it, and of what would
make something else of the same Program: the flags, the Python and the NumPy that run. Beside a plan stands which files
of this package were loaded when it had been made, so all that can have made it, and their times: where one of them is
another now, nothing is kept. (The times of all its files would take longer to find than most plans to read.) A Program
that holds more than plain data (a function, an object) is compiled anew, as is a small one.
"""

from __future__ import annotations

import functools
import marshal
import os
import pickle
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.loops import cache
from ...core import dtype as dt
from ...core import flags, launched
from ...core.dtype import DType
from ...ops.core.operator import find, is_declared
from ..ir.global_seed import global_seed

if TYPE_CHECKING:
    from ..ir.operation import Operation
    from ..ir.program import Program
    from ..ir.variable import Variable

_LEAST = 32  # operations: fewer are compiled as fast as they are read
_LARGEST = 1 << 22  # bytes: constants may be large
_MAKERS = ("backend", "core", "dygraph", "inference", "jit", "ops", "static")  # folders of what makes plans
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # no folder in an archive
_PACKAGE = __name__.partition(".")[0] + "."
_OF_VARIABLES = frozenset((
    "block", "name", "shape", "_dtype", "persistable", "stop_gradient", "is_data", "lod_level", "kind", "lod",
    "undecided", "optimize_attr", "regularizer", "need_clip", "is_distributed", "table_entry", "do_model_average",
    "belong_to_optimizer",
    # These tell what conversion and forms in place append, and not what is made of that:
    "view_of", "changes", "partings", "before_cut", "chosen", "turn"))
_OF_FILES = _PACKAGE + "static.format.attributes"  # not to be imported for what is only read
_BARE = frozenset((int, float, str, list))
_ATOMS = frozenset((str, int, float, bool, type(None)))


class _NotPlain(Exception):
    """A Program holds what a digest cannot tell from another."""


def key_of(program: Program, asked: Any) -> str | None:
    """The key of what is made of a Program; None where it is not kept. `asked`: plain data, what is made of it."""
    if not _is_worth(program) or not _keeps():
        return None
    try:
        # without references: content alone
        content = marshal.dumps((_made_by(), _flags(), asked, _content(program)), 2)
    except _NotPlain:
        return None
    return cache.key_of_bytes(content) if len(content) <= _LARGEST else None


def may_be_kept(program: Program) -> bool:
    """Whether a plan of a Program that a file holds may be kept by the content of the file: see `key_of_content`."""
    types = {op.type for block in program.blocks for op in block.ops}
    return _is_worth(program) and not _has_more(program) and all(map(_is_own, types))


def _is_worth(program: Program) -> bool:
    return sum(len(block.ops) for block in program.blocks) >= _LEAST


def key_of_content(content: bytes, asked: Any) -> str | None:
    """The key of what is made of a file's content alone; None where nothing is kept. `asked`: plain data."""
    if not _keeps():
        return None
    told = _made_by(), _flags(), dt.get_default_dtype(), global_seed[0], asked, cache.key_of_bytes(content)
    return cache.key_of_bytes(marshal.dumps(told, 2))


def _keeps() -> bool:
    return bool(flags.values["FLAGS_keep_plans"]) and cache.folder() is not None and os.path.isdir(_ROOT)


def _made_by() -> tuple:
    """What makes plans, but for the files that do: this Python, NumPy, where this package lies, and how this file keeps
    them.
    """
    return sys.version, np.__version__, launched.size(), _ROOT, _state(__file__)


def read(key: str | None) -> Any:
    """What is kept under a key; None where there is nothing, or other files of this package made it."""
    found = None if key is None else cache.read(key, cache.PLAN)
    if found is None:
        return None
    makers, content = marshal.loads(found)  # the folder is this user's own
    return pickle.loads(content) if all(_state(place) == state for place, state in makers) else None


def write(key: str | None, value: Any) -> None:
    """Keeps what was made, unless it is large, or has a part that only this process has."""
    if key is None:
        return
    try:
        content = pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError):  # each of which says that something cannot be pickled
        return
    if len(content) <= _LARGEST:
        cache.write(key, marshal.dumps(([(place, _state(place)) for place in _loaded()], content)), cache.PLAN)


def _loaded() -> list[str]:
    """Where the modules lie that have been loaded of this package's, if they may have made a plan."""
    folders = tuple(f"{_PACKAGE}{folder}" for folder in _MAKERS)
    return [place for name, module in list(sys.modules.items())
            if name.startswith(folders) and (place := getattr(module, "__file__", None))]


@functools.cache
def _state(place: str) -> tuple[int, int] | None:
    """How large a file is, and since when; None where there is none."""
    try:
        status = os.stat(place)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _flags() -> list:
    return sorted((name, _plain(value)) for name, value in flags.values.items())


def _has_more(program: Program) -> bool:
    """Whether a Program has what neither its operations nor its variables tell."""
    return bool(program.hooked) or program.ungradable is not None or program.has_lod


def _content(program: Program) -> tuple:
    """All of a Program that a plan of it may depend on."""
    if _has_more(program):
        raise _NotPlain
    known: set[str] = set()
    blocks = [(block.idx, block.parent_idx, block.forward_block_idx, block.repeats,
               [_variable(variable) for variable in block.vars.values()],
               [_operation(op, known) for op in block.ops]) for block in program.blocks]
    names = [sorted(each) for each in (program.leaves, program.numbers, program.truths, program.counters)]
    return (dt.get_default_dtype(), program.random_seed, program.gradient_passes, program.wide_sizes,
            program.is_loaded, program.limits and tuple(program.limits), program.must_be_whole,
            program.stands_for_arrays, names, blocks)


def _variable(variable: Variable) -> tuple:
    kind = type(variable)
    if not kind.__module__.startswith(_PACKAGE) or not _OF_VARIABLES.issuperset(variable.__dict__):
        raise _NotPlain
    dtype = variable._dtype
    return (kind.__name__, variable.name, variable.shape, None if dtype is None else dtype.name, variable.persistable,
            variable.stop_gradient, variable.is_data, variable.kind, variable.is_parameter, variable.undecided)


def _operation(op: Operation, known: set[str]) -> tuple:
    if op.type not in known:
        if not _is_own(op.type):
            raise _NotPlain
        known.add(op.type)
    return op.type, op.inputs, op.outputs, [(name, _plain(value)) for name, value in op.attrs.items()]


def _is_own(kind: str) -> bool:
    """Whether an operator is one of this package's, so that its files tell what it computes."""
    if is_declared(kind):
        return find(kind)._declared_kernel.__module__.startswith(_PACKAGE)
    from .emit import CONTROL_FLOW  # not to be imported where a plan is only read

    return kind in CONTROL_FLOW


def _plain(value: Any) -> Any:
    """A value as `marshal` takes it; no two values that differ are the same then."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is list or kind is tuple:
        return kind.__name__, value if _are_atoms(value) else list(map(_plain, value))
    if kind is DType:
        return "dtype", value.name
    if kind.__module__ == _OF_FILES and kind.__bases__[-1] in _BARE:  # remembers its type in files
        return kind.__name__, _plain(kind.__bases__[-1](value))
    if kind is np.ndarray and value.dtype.kind in "biufc":
        return "array", value.dtype.str, value.shape, value.tobytes()
    raise _NotPlain


def _are_atoms(values: Iterable[Any]) -> bool:
    return _ATOMS.issuperset(map(type, values))
