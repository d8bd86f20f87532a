"""The declaration of an operator: everything that anyone needs to know of it, in one place.

A declaration names the type and slots as the `.pdmodel` format knows them, and gives its functions:

- `kernel(xp, *inputs, **attributes)` computes the outputs on arrays of the namespace `xp`. Its keyword-only
  parameters *are* the attributes: their names, defaults and (by annotation) their types in files.
- `infer(*specs, **attributes)` gives the outputs' specs from the inputs', and refuses what cannot be.
- `engines`, where there are any, are kernels of engines that compute the same (see `kernels.py`): `by(LOOPS, f)`.
  Each takes what the kernel takes without `xp`, and returns NotImplemented for what it leaves to the next.
- `formula`, of an operator that works element by element, is what it computes as a scalar expression in its slots and
  attributes (see `backend/loops/formula.py`): arrays of at least `loop_from` elements are computed by a loop of it, and
  compilers fuse it with its like.
- `ufunc` is the name of the function of NumPy that does what the kernel does without attributes; where that is so for
  some dtypes only, `ufunc_for` has their kinds ("fc").
- `compiled` names the form in C that computes small arrays in the kernel's place, with its bits or within its rounding,
  where the compiled module is in use (`native.py`); the kernel is what it means. Functions of NumPy have theirs anyway.
- `with_number`, {attribute: name of a function of NumPy}, says of an operator of one input what does it to floats where
  that attribute alone is given: a number, the function's second operand.
- `taped(tape, *inputs, **attributes)`, of an operator without a formula that does more than to move elements, gives the
  results as values of a tape, which a compiler runs by one call with its neighbours (see `taped.py`).
- `composed`, of an operator that Paddle's files do not know, applies operators that they do know to the same effect:
  Programs are written with those, and a compiler may put the operator in their place. It takes the inputs, and the
  attributes by keyword, and gives the results (None for one that only the operator's own gradient wants);
  NotImplemented where Paddle does know the operator with these inputs and attributes.
- `adapted`, of an operator whose kernel in Paddle takes less than ours, gives what it does take, (inputs, attributes),
  of the inputs and attributes, taken as by `composed`: a cast, a broadcast, an axis counted from 0.
  Programs are written with those, so that their files run there too.
- `grad` maps input slots to rules written with other operators. A rule's parameter names say what it needs, so that
  nothing else is kept alive: see `gradient.py`, also of `alike`, a short form of the rules of two equal shapes,
  and of `holomorphic`, which lets the rules be written as for real numbers.

It says what others need to know of the operator, so that nobody keeps lists of operators. What is not said is the
usual:

- The signature says which results may be views of which inputs, and which inputs are written (see `signature.py`).
- `in_files`: attributes without a meaning here, which files have because Paddle's gradient of the operator asks for
  them.
- `unsaid`, {attribute: value}, is what code that names the operator by its type means where it does not give an
  attribute, as Paddle takes it, where that is not the kernel's default.
- `written`, of an operator that gives a *view* of its first input, one that users see as the same memory: `written(x,
  part, *tensors, **attributes)`, applied to that input and to a view that was changed in place, gives what the input
  has become. It takes what `tensors` the operator took behind the first. With `may_copy` it gives a view only where
  no element has to move: `x.t().flatten()` is a copy, as in Paddle.
- `effects`, of an operator that does more than to give results: words of `facts.EFFECTS`, such as "random".
- `moves`: it computes nothing but offsets. An element of a result is one of an input's, or a number that the
  attributes give.
- `narrow`: its kernel takes 16-bit floats as they are on NumPy arrays, too (see `narrow.py`), as one that moves does.
- `fails` says what its kernel refuses: a word of `facts.FAILS`.
- `cost` gives the arithmetic operations of a run (see `facts.py`): by default one for each element of the results, none
  of what moves them. Its bytes follow from the shapes: all inputs and results once (`static/compiler/describe.py`).
- `precision` and `lod`: what mixed precision does to it, and what becomes of the LoD of its first input; words of
  `facts.PRECISIONS` and `facts.LODS`, or, for `lod`, a function of the inputs' LoDs (by slot, each a list of offsets)
  and the attributes that gives the first result's. Results whose offsets stand in the signature have those.
- `only_here`: PaddlePaddle has no such operator, or cannot run it: a file that holds one is proa's alone.
- `ordered`: it asks which of two numbers is the larger, or how far they spread: complex ones are refused, which its
  first input tells.
- `float32` names the inputs, by commas, that are float32 in files, whatever its other inputs are: those have one dtype.
- `former` names the inputs and results, by commas, whose values the gradient takes as they were, although somebody has
  changed one in place since: Paddle's gradient reads what its kernel computed of them, and goes on. Of others such a
  change is an error. `former_where` says for which attributes, where not for all.
- `lists`: it takes or gives lists of a Program. `runs_block`: it runs a block of a Program.
- `stands_for` is the operator that files name in its place: it takes as inputs (`dim@` in the signature) what that has
  as attributes, or inputs that are seldom there beside those that it has.
- `names`, {attribute: slot}: attributes that hold the names of a slot's variables wherever an operation of a Program
  does not give them: Paddle's kernel asks the operation for them.
- `merges` names the operator that it applies to many parameters at once: slot by slot the same, each with `*`.

Nothing about a mode, a Tensor, a Program or a device appears in a declaration. One that is made is never changed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import keyword
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...backend.engines import CPU, LOOPS
from ...backend.loops.formula import Formula, accelerated, least_size
from ...backend.numpy_1 import IS_OLD
from ...core.dtype import from_numpy_dtype
from ...core.errors import no_order
from ...core.lazy import require
from . import declared_in
from .accounts import NOT_IN_WORDS, account
from .facts import FAILS, LODS, PRECISIONS, Cost, checked_word, effects_of, free, one_a_result
from .gradient import Gradient, parameter_names
from .kernels import EngineKernel, Kernels, Selection, by
from .signature import Slot, new_values, offsets, parse_signature, views
from .spec import Spec, spec_of

Ints = list[int]
"""Annotates an attribute that is a list of 32-bit integers in files."""


class Longs(list):
    """Annotates an attribute that is a list of 64-bit integers in files."""


class Long(int):
    """Annotates an attribute that is one 64-bit integer in files."""


class Double(float):
    """Annotates an attribute that is one 64-bit float in files."""


class Operator:
    """One declared operator, in the registry from then on. Declarations call it `operator(...)`; `find` finds it."""

    def __init__(self, type: str, signature: str, *, kernel: Callable[..., Any], infer: Callable[..., Any],
                 engines: Sequence[EngineKernel] = (), formula: Formula | None = None, loop_from: int = 0,
                 composed: Callable[..., Any] | None = None, adapted: Callable[..., Any] | None = None,
                 grad: Mapping[str, Callable[..., Any]] | None = None, promotes: bool = False,
                 ufunc: str | None = None, effects: str = "", moves: bool = False, narrow: bool = False,
                 fails: str = "shapes", cost: Cost | None = None, precision: str = "gray",
                 lod: str | Callable[..., Any] = "share", only_here: bool = False, float32: str = "",
                 lists: bool = False, runs_block: bool = False, merges: Operator | None = None,
                 stands_for: Operator | None = None, alike: Mapping[str, str] | str | None = None,
                 names: Mapping[str, str] | None = None, ufunc_for: str = "", compiled: str = "",
                 with_number: Mapping[str, str] | None = None, taped: Callable[..., Any] | None = None,
                 written: Callable[..., Any] | None = None, may_copy: bool = False, holomorphic: bool = False,
                 in_files: Mapping[str, Any] | None = None, unsaid: Mapping[str, Any] | None = None,
                 former: str = "", former_where: Callable[[Mapping[str, Any]], bool] | None = None,
                 ordered: bool = False):
        if type in _registry:
            raise ValueError(f"The operator {type!r} is declared twice.")
        self.type, self.declared_in = type, declared_in.module_being_imported()
        self.inputs, self.outputs = parse_signature(signature)
        self.results: tuple[Slot, ...] = tuple(slot for slot in self.outputs if not slot.file_only)
        self.kernel, self.infer, self.ordered = _with_keywords(kernel), infer, ordered
        if IS_OLD and not lists:
            self.kernel = _in_inferred_dtypes(self, self.kernel)
        self.formula, self.composed, self.adapted = formula, composed, adapted
        self.taped, self.written, self.may_copy = taped, written, may_copy
        self.promotes = promotes  # its first two inputs are brought to one dtype
        self._declared_kernel = kernel
        self.defaults = {_attribute_name(k): value for k, value in (kernel.__kwdefaults__ or {}).items()}
        self.is_plain = not any(slot.many or slot.optional for slot in self.inputs)
        self.is_single = len(self.results) == 1 and not self.results[0].many and not self.results[0].alias
        self.has_lists = any(slot.many for slot in self.inputs)
        self.aliases = new_values(self.results, self.inputs)  # (result, input): the input with a new value
        self.writes = frozenset(given for i, given in self.aliases if self.results[i].writes)  # inputs, by position
        self.views = views(self.results, self.inputs)  # (result, input): may share memory
        self.given_offsets = offsets(self.inputs)  # (input, input whose offsets it holds)
        self.made_offsets = offsets(self.results)  # (result, result whose offsets it holds)
        self.effects = effects_of(type, effects)
        self.random = "random" in self.effects  # a second run gives other values: never folded, merged or reordered
        self.has_effect = bool(self.effects - {"random", "reads"})  # a run is wanted although nobody reads its results
        self.is_pure = not self.effects and not self.aliases
        self.moves, self.narrow = moves, narrow or moves or ufunc is not None and not ufunc_for
        self.ufunc_for, self.compiled = ufunc_for, compiled
        self.with_number = {} if IS_OLD else {name: getattr(np, f) for name, f in (with_number or {}).items()}
        self.fails = checked_word(type, "fails", fails, FAILS)
        self.cost: Cost = cost or (free if moves else one_a_result)
        self.precision = checked_word(type, "precision", precision, PRECISIONS)
        self.follows_first = precision.startswith("norm")  # of its inputs mixed precision looks at the first one alone
        self.lod = checked_word(type, "lod", lod, LODS) if isinstance(lod, str) else lod
        self.only_here, self.lists, self.runs_block, self.merges = only_here, lists, runs_block, merges
        self.file_type = type if stands_for is None else stands_for.type
        self.names, self.in_files, self.unsaid = dict(names or {}), dict(in_files or {}), dict(unsaid or {})
        self.in_float32 = frozenset(float32.replace(",", " ").split())  # input slots
        self.former = frozenset(former.replace(",", " ").split())  # slots
        self.former_where = former_where

        given = [slot.name for slot in self.inputs]
        if formula is not None and not engines and not self.has_lists:
            loop = accelerated(formula, given, self.defaults, self._result_dtype)
            engines = [by(LOOPS, loop, loop_from or least_size(formula, self.defaults))]
        function = None if ufunc is None else getattr(np, ufunc)
        self.kernels = Kernels(self, self.kernel, function, engines)
        self.gradient = Gradient(self, grad, alike, holomorphic) if grad else None
        self.__class__ = _Declared  # from here on nothing is set
        if stands_for is not None:
            _with_fed_inputs[stands_for.type] = self
        _registry[type] = self

    def __repr__(self) -> str:
        return f"<operator {self.type}>"

    def __reduce__(self):
        return _find_in, (self.type, self._declared_kernel.__module__)

    def kernel_for(self, xp: Any) -> Callable[..., Any]:
        """What computes it on arrays of a namespace, whatever their sizes."""
        return self.kernels.on_host if xp is np else self.kernels.for_device(xp)

    def select(self, specs: Sequence[Any], attrs: Mapping[str, Any], place: str = CPU) -> Selection:
        """What computes it for arrays of these specs at a place: see `Kernels.select`."""
        return self.kernels.select(specs, attrs, place)

    @functools.cached_property
    def attributes(self) -> dict[str, inspect.Parameter]:
        """The attributes by name, as the kernel's parameters."""
        return _attributes_of(self._declared_kernel)

    @functools.cached_property
    def input_names(self) -> frozenset[str]:
        """The names of the input slots."""
        return frozenset(slot.name for slot in self.inputs)

    @functools.cached_property
    def result_names(self) -> frozenset[str]:
        """The names of the slots of what a run computes."""
        return frozenset(slot.name for slot in self.results)

    def _result_dtype(self, arrays: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        specs = tuple(None if a is None else Spec(a.shape, from_numpy_dtype(a.dtype)) for a in arrays)
        return self.infer_specs(specs, dict(attrs))[0].dtype.dtype

    def named(self, attrs: dict[str, Any], inputs: Mapping[str, list[str]], outputs: Mapping[str, list[str]]) -> None:
        """Puts the names of variables into the attributes that hold them (`names`) and are not given."""
        for attribute, slot in self.names.items():
            attrs[attribute] = list(attrs.get(attribute) or inputs.get(slot) or outputs.get(slot) or ())

    def infer_specs(self, specs: tuple, attrs: dict[str, Any]) -> tuple:
        """The specs of the results, always as a tuple. ValueError where a value is missing, as a file may have it.

        What the rule for shapes does not foresee is told in the words of `accounts.py`.
        """
        first = specs[0] if specs else None
        if self.ordered and isinstance(first, Spec) and first.dtype.is_complex:
            raise no_order(first.dtype)
        try:
            inferred = self.infer(*specs, **attrs)
        except NOT_IN_WORDS as error:
            missing = [slot.name for spec, slot in zip(specs, self.inputs, strict=False)
                       if spec is None and not (slot.optional or slot.many)]
            if missing and isinstance(error, AttributeError):
                raise ValueError(f"{self.type}: nothing is given as {', '.join(missing)}.") from error
            told = account(self, specs, attrs, error)
            if told is None:
                raise
            raise told from error
        return (inferred,) if isinstance(inferred, Spec) else tuple(inferred)


class _Declared(Operator):
    """An operator whose declaration is made. A class of its own, so that making it asks nothing for each fact."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self}.{name}: a declaration is not changed once it is made. Say it there.")


def _in_inferred_dtypes(op: Operator, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel under NumPy 1, whose `where` makes float64 of Python's numbers: results have the inferred dtypes."""
    @functools.wraps(kernel)
    def computed(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        results = kernel(xp, *arrays, **attrs)
        made = results if type(results) is tuple else (results,)
        if not any(_is_double(a) for a in made) or not any(getattr(a, "dtype", None) in _SINGLE for a in arrays):
            return results
        if any(a is None and not (slot.optional or slot.many) for slot, a in zip(op.inputs, arrays, strict=False)):
            return results  # what comes of a branch that did not run
        specs = op.infer_specs(tuple(map(spec_of, arrays)), attrs)
        made = tuple(a.astype(s.dtype.dtype) if _is_double(a) and isinstance(s, Spec) else a
                     for a, s in zip(made, specs, strict=True))
        return made if type(results) is tuple else made[0]

    return computed


_SINGLE = (np.dtype("float32"), np.dtype("float16"), np.dtype("complex64"))


def _is_double(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)  # which NumPy before 2 finds equal to float64 where it is None
    return dtype is not None and dtype in (np.dtype("float64"), np.dtype("complex128"))


def _attributes_of(kernel: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(kernel, eval_str=True).parameters.values()
    return {_attribute_name(p.name): p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _attribute_name(parameter: str) -> str:
    """`lambda_` stands for an attribute that is called by a keyword of Python."""
    return parameter[:-1] if keyword.iskeyword(parameter[:-1]) else parameter


def _with_keywords(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, taking attributes that are called by keywords under the names it gives them."""
    names = [name for name in parameter_names(kernel) if name[-1] == "_" and keyword.iskeyword(name[:-1])]
    if not names:
        return kernel
    renamed = {name[:-1]: name for name in names}

    @functools.wraps(kernel)
    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        return kernel(xp, *inputs, **{renamed.get(k, k): v for k, v in attrs.items()})

    return call


operator = Operator
"""Declares an operator and puts it into the registry; a type is declared once (ValueError)."""

_registry: dict[str, Operator] = {}
_undeclared: set[str] = set()
_with_fed_inputs: dict[str, Operator] = {}  # by the types that files name


def _known(type: str) -> Operator | None:
    """The operator of this type, its family imported if need be; None when there is none."""
    found = _registry.get(type)
    if found is None and declared_in.import_for(type):
        found = _registry.get(type)
    if found is None:
        require("operators")
        found = _registry.get(type)
    return found


def find(type: str) -> Operator:
    """The operator of this type; NotImplementedError, naming it, when there is none."""
    found = _registry.get(type) or _known(type)
    if found is None:
        raise NotImplementedError(
            f"The operator {type!r} is not known here. A Program that uses it cannot run; "
            f"docs/operators.md says how to declare one."
        )
    return found


def _find_in(type: str, module: str) -> Operator:
    """The operator of this type, which this module declares, most likely: all the families need not be imported."""
    if type not in _registry:
        importlib.import_module(module)
    return find(type)


def with_fed_inputs(type: str, attributes: Iterable[str]) -> Operator:
    """The operator that takes as inputs what one of this type has as these attributes; ValueError for none."""
    require("operators")
    found = _with_fed_inputs.get(type)
    taken = set() if found is None else {slot.name for slot in found.inputs if slot.is_attribute}
    for name in attributes:
        if found is None or name not in taken:
            raise ValueError(f"it is the value of a variable, which only a run can tell: the operator {type} takes "
                             "none here. Write the Program with a number in its place")
    assert found is not None
    return found


def taking(type: str, slots: Sequence[str]) -> Operator:
    """The operator of this type, or the one that stands for it and has the inputs among these that it has not."""
    found = find(type)
    if found.input_names.issuperset(slots):
        return found
    require("operators")
    other = _with_fed_inputs.get(type)
    return other if other is not None and other.input_names.issuperset(slots) else found


def with_more_inputs(type: str) -> Operator | None:
    """The operator that stands in files for the one of this type and takes more inputs; None where there is none."""
    require("operators")
    return _with_fed_inputs.get(type)


def is_declared(type: str) -> bool:
    """True when there is an operator of this type."""
    return type in _registry or type not in _undeclared and _known(type) is not None


def without_declaration(types: Iterable[str]) -> None:
    """Says of types of operations that no operator is declared for them, so that asking imports no family for it."""
    _undeclared.update(types)


def is_without_declaration(type: str) -> bool:
    """Whether `without_declaration` was told so of this type."""
    return type in _undeclared


def declared_count() -> int:
    """How many operators have been declared: what is derived from all of them holds as long as it stays the same."""
    return len(_registry)


def all_operators() -> tuple[Operator, ...]:
    """Every declared operator, by type."""
    require("operators")
    return tuple(_registry[type] for type in sorted(_registry))


def unknown_to_paddle(types: Iterable[str]) -> list[str]:
    """Those of the operators' types that PaddlePaddle has no operator for, or none that runs, in order."""
    return sorted(type for type in set(types) if is_declared(type) and find(type).only_here)
