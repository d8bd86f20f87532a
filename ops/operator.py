"""The declaration of an operator: everything that anyone needs to know of it, in one place.

A declaration names the type and slots as the `.pdmodel` format knows them, and gives its functions:

- `kernel(xp, *inputs, **attributes)` computes the outputs on arrays of the namespace `xp`. Its keyword-only
  parameters *are* the attributes: their names, defaults and (by annotation) their types in files.
- `infer(*specs, **attributes)` gives the outputs' specs from the inputs', and refuses what cannot be.
- `cpu`, where there is one, computes the same on NumPy arrays with an accelerated engine (see `backend/`): it takes what
  the kernel takes without `xp`, and returns NotImplemented for what it leaves to the kernel.
- `grad` maps input slots to rules written with other operators. A rule's parameter names say what it needs, so that
  nothing else is kept alive: see `gradient.py`.

Nothing about a mode, a Tensor, a Program or a device appears in a declaration.
"""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable, Mapping
from typing import Any

from .gradient import Gradient
from .signature import Slot, parse_signature
from .spec import Spec

Ints = list[int]
"""Annotates an attribute that is a list of 32-bit integers in files."""


class Longs(list):
    """Annotates an attribute that is a list of 64-bit integers in files."""


class Long(int):
    """Annotates an attribute that is one 64-bit integer in files."""


class Double(float):
    """Annotates an attribute that is one 64-bit float in files."""


class Operator:
    """One declared operator. Made by `operator(...)`; found by `find(type)`."""

    __slots__ = ("type", "inputs", "outputs", "results", "defaults", "attributes", "infer", "kernel", "host_kernel",
                 "gradient", "promotes", "is_plain", "is_single", "aliases", "random")

    def __init__(self, type: str, signature: str, *, kernel: Callable[..., Any], infer: Callable[..., Any],
                 cpu: Callable[..., Any] | None, grad: Mapping[str, Callable[..., Any]] | None, promotes: bool,
                 random: bool):
        self.type = type
        self.inputs, self.outputs = parse_signature(signature)
        self.results: tuple[Slot, ...] = tuple(slot for slot in self.outputs if not slot.file_only)
        self.kernel, self.infer = _with_keywords(kernel), infer
        self.host_kernel = self.kernel if cpu is None else _accelerated(self.kernel, cpu)  # for NumPy arrays
        self.promotes = promotes  # its first two inputs are brought to one dtype
        self.random = random  # a second run gives other values: never folded, merged or reordered
        self.attributes = _attributes_of(kernel)
        self.defaults = {k: p.default for k, p in self.attributes.items() if p.default is not inspect.Parameter.empty}
        self.is_plain = not any(slot.many or slot.optional for slot in self.inputs)
        self.is_single = len(self.results) == 1 and not self.results[0].many and not self.results[0].alias
        names = [slot.name for slot in self.inputs]
        self.aliases = tuple((i, names.index(s.alias)) for i, s in enumerate(self.results) if s.alias)
        self.gradient = Gradient(self, grad) if grad else None

    def __repr__(self) -> str:
        return f"<operator {self.type}>"

    def __reduce__(self):
        return find, (self.type,)

    def infer_specs(self, specs: tuple, attrs: dict[str, Any]) -> tuple:
        """The specs of the results, always as a tuple."""
        inferred = self.infer(*specs, **attrs)
        return (inferred,) if isinstance(inferred, Spec) else tuple(inferred)


def _accelerated(kernel: Callable[..., Any], cpu: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel for NumPy arrays: the accelerated one, or the plain one where that declines."""

    @functools.wraps(kernel)
    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        results = cpu(*inputs, **attrs)
        return kernel(xp, *inputs, **attrs) if results is NotImplemented else results

    return call


def _attributes_of(kernel: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(kernel).parameters.values()
    return {_attribute_name(p.name): p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _attribute_name(parameter: str) -> str:
    """`lambda_` stands for an attribute that is called by a keyword of Python."""
    return parameter[:-1] if keyword.iskeyword(parameter[:-1]) else parameter


def _with_keywords(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, taking attributes that are called by keywords under the names it gives them."""
    names = [p for p in inspect.signature(kernel).parameters if keyword.iskeyword(p[:-1])]
    if not names:
        return kernel
    renamed = {name[:-1]: name for name in names}

    @functools.wraps(kernel)
    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        return kernel(xp, *inputs, **{renamed.get(k, k): v for k, v in attrs.items()})

    return call


_registry: dict[str, Operator] = {}


def operator(type: str, signature: str, *, kernel: Callable[..., Any], infer: Callable[..., Any],
             cpu: Callable[..., Any] | None = None, grad: Mapping[str, Callable[..., Any]] | None = None,
             promotes: bool = False, random: bool = False) -> Operator:
    """Declares an operator and puts it into the registry; a type is declared once."""
    if type in _registry:
        raise ValueError(f"The operator {type!r} is declared twice.")
    declared = Operator(type, signature, kernel=kernel, infer=infer, cpu=cpu, grad=grad, promotes=promotes,
                        random=random)
    _registry[type] = declared
    return declared


def find(type: str) -> Operator:
    """The operator of this type; NotImplementedError, naming it, when there is none."""
    found = _registry.get(type)
    if found is None:
        raise NotImplementedError(
            f"The operator {type!r} is not known here. A Program that uses it cannot run; "
            f"docs/operators.md says how to declare one."
        )
    return found


def is_declared(type: str) -> bool:
    """True when there is an operator of this type."""
    return type in _registry


def all_operators() -> tuple[Operator, ...]:
    """Every declared operator, by type."""
    return tuple(_registry[type] for type in sorted(_registry))
