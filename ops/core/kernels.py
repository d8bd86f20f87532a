"""Which kernel computes an operator: all kernels that may, and the one question that chooses among them.

Beside each declaration stands a `Kernels`. It holds the kernel on array namespaces, which computes everything, and
those of engines: the ones that the declaration names, and the ones that others register later (`register_kernel`). It
answers one question: what computes the operator for arrays like these?

- Eager code asks by the dtype of the first input: `of_dtype[dtype]` is a `Choice`, made once, which knows what small
  arrays are computed with, and from how many elements on an engine is asked.
- A plan asks once for each operation, `select(specs, attrs, place)`, and binds the answer: a `Selection`.

Engines are asked in this order: registered ones, the latest first; then those of the declaration, as it names them. An
engine's kernel may decline, by returning NotImplemented, what cannot be told from shapes and dtypes (how arrays lie in
memory, an index out of range): the next is asked, and the kernel on namespaces at last. 16-bit floats on the host are
computed in float32 by any of them, and bfloat16 on a device by the kernel on namespaces (`narrow.py`). Choices end when
a flag of engines changes or a kernel is registered.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from ...backend import devices, engines
from ...backend.kernels.narrow_floats import LEAST as LEAST_OF_NARROW
from ...backend.selected_rows import SelectedRows
from ...core.errors import no_order
from . import narrow, native
from .spec import spec_of

if TYPE_CHECKING:
    from .operator import Operator

ANY, ONE, TWO, ONE_AND_OPTIONAL = 0, 1, 2, 3
_SINGLE, _PROMOTES, _OPTIONAL, _WRITES, _A_LIST, _SEVERAL, _LISTS, _VIEW = 1, 2, 4, 8, 16, 32, 64, 128
_NEVER = sys.maxsize
_KEPT_ANSWERS = 256  # of a rule `when`, by shapes, dtypes and attributes


class EngineKernel:
    """A kernel of an engine: `kernel(*inputs, **attributes)`, without the namespace that the plain kernel takes.

    It is asked where an input has `least` elements, and where `when(*specs, **attributes)` says so. One that `declines`
    gives NotImplemented itself where that does not say so: eager code asks it at once. `line(attributes)` gives what a
    line of a plan calls in its place with all inputs and no attributes, or None where there is nothing for these.
    """

    def __init__(self, engine: str, kernel: Callable[..., Any], least: int = 0,
                 when: Callable[..., bool] | None = None, declines: bool = False,
                 line: Callable[[Mapping[str, Any]], Callable[..., Any] | None] | None = None):
        self.engine, self.kernel, self.least, self.when, self.declines = engine, kernel, least, when, declines
        self.line = line
        self._answers: dict[tuple, bool] = {}

    def __repr__(self) -> str:
        return f"<kernel {getattr(self.kernel, '__name__', '?')} of {self.engine}>"

    def takes(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> bool:
        """Whether it is to be asked for these arrays."""
        least = self.least
        if least and not any([_size_of(x) >= least for x in inputs]):
            return False
        return self.when is None or self.wants(inputs, attrs)

    def wants(self, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> bool:
        """What `when` says of these arrays: it is asked once for the same shapes, dtypes and attributes."""
        assert self.when is not None
        try:
            key = (*[x if x is None else (x.shape, x.dtype) for x in inputs], *attrs.items())
            found = self._answers.get(key)
        except (AttributeError, TypeError):  # an input, or an attribute, is a list
            return self.when(*map(spec_of, inputs), **attrs)
        if found is None:
            if len(self._answers) >= _KEPT_ANSWERS:
                self._answers.clear()
            found = self._answers[key] = self.when(*map(spec_of, inputs), **attrs)
        return found

    def takes_specs(self, specs: Sequence[Any], attrs: Mapping[str, Any]) -> bool | None:
        """The same for specs; None where a size that matters is not known."""
        flat = [s for spec in specs for s in (spec if type(spec) is list else (spec,)) if s is not None]
        if not all(spec.is_known for spec in flat) and (self.least or self.when):
            return None
        if self.least and not any(_size_of(spec) >= self.least for spec in specs):
            return False
        return self.when is None or self.when(*specs, **attrs)


def by(engine: str, kernel: Callable[..., Any], least: int = 0, when: Callable[..., bool] | None = None,
       declines: bool = False,
       line: Callable[[Mapping[str, Any]], Callable[..., Any] | None] | None = None) -> EngineKernel:
    """What a declaration writes for a kernel of an engine: `engines=[by(ONEDNN, _convolution)]`."""
    return EngineKernel(engine, kernel, least, when, declines, line)


def at_first_call(load: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """The kernel that `load` gives, which imports it: at the first call."""
    found: list[Callable[..., Any]] = []

    @wraps(load)
    def call(*args: Any, **attrs: Any) -> Any:
        if not found:
            found.append(load())
        return found[0](*args, **attrs)

    return call


def with_an_axis(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """`kernel`, which works along an axis, of values of no dimensions as well: they count as one of one element."""
    @wraps(kernel)
    def call(xp: Any, x: Any, *others: Any, **attrs: Any) -> Any:
        if x.ndim or attrs.get("flatten"):  # which makes an axis
            return kernel(xp, x, *others, **attrs)
        result = kernel(xp, x.reshape(1), *[other.reshape(1) for other in others], **attrs)
        return tuple(part.reshape(()) for part in result) if isinstance(result, tuple) else result.reshape(())

    wrapped: Any = call
    wrapped.__kwdefaults__ = kernel.__kwdefaults__  # where an operator finds the defaults of its attributes
    return wrapped


def _size_of(x: Any) -> int:
    """The elements of an array or a spec; of a list those of the largest."""
    if x is None:
        return 0
    if type(x) is list or type(x) is tuple:
        return max(map(_size_of, x), default=0)
    return x.size


class Choice:
    """What computes an operator on arrays of the host whose first has a certain dtype.

    - `direct`: the function of NumPy that does it for small arrays where no attribute is given, or None;
    - `with_number`: {attribute: function}, those that do it where one attribute is given, a number, which they take as
      the second operand; empty where there are none;
    - `small(xp, *inputs, **attributes)`: the kernel for inputs of less than `least` elements each; optional ones behind
      the last that is given may be left out;
    - `large(xp, *inputs, **attributes)`: the kernel where an input has as many;
    - `engine(*inputs, **attributes)`: what `large` asks before `small`, where it does nothing else; or None;
    - `kernel(xp, *inputs, **attributes)`: one of both, for who has not looked at the sizes.
    """

    __slots__ = ("direct", "with_number", "engine", "small", "least", "large", "kernel")

    def __init__(self, direct: Any, small: Callable[..., Any], least: int, large: Callable[..., Any],
                 kernel: Callable[..., Any], with_number: Mapping[str, Any] | None = None,
                 engine: Callable[..., Any] | None = None):
        self.direct, self.small, self.least, self.large, self.kernel = direct, small, least, large, kernel
        self.with_number, self.engine = dict(with_number or {}), engine


class Selection(NamedTuple):
    """What a plan binds for an operation.

    `engines`: kernels to be asked first, in order, on inputs and attributes; what `lines` has for one of them stands in
    its place, and is called with all inputs alone. `function`: what then computes it from the
    inputs alone; where that is None `kernel(xp, *inputs, **attributes)` does. That is the compiled form, where there is
    one and no engine has a line of its own: it asks the engines itself for what it leaves, as in eager code.
    """

    engines: tuple[Callable[..., Any], ...]
    function: Callable[..., Any] | None
    kernel: Callable[..., Any]
    lines: tuple[Callable[..., Any] | None, ...] = ()


class _Choices(dict):
    """Choices by dtype, made when they are first asked for."""

    def __init__(self, kernels: Kernels):
        super().__init__()
        self._kernels = kernels

    def __missing__(self, dtype: Any) -> Choice:
        found = self[dtype] = self._kernels._choose(dtype, self)
        return found


class Kernels:
    """The kernels of one operator.

    `plain(xp, *inputs, **attributes)` computes everything; `function`, where there is one, does what it does without
    attributes on the host; `declared` are those of engines. `arity` tells who is in a hurry what the inputs are, of an
    operator that gives one value: ONE or TWO, or ONE_AND_OPTIONAL, which the kernel may be called without; else ANY.
    `traits` says the rest to the compiled form, as bits: one result, inputs that are brought to one dtype, that may be
    missing, that are written; one repeated result, several single ones; repeated inputs; a view as the result.
    """

    __slots__ = ("operator", "plain", "function", "declared", "registered", "of_dtype", "of_device", "arity", "traits")

    def __init__(self, operator: Operator, plain: Callable[..., Any], function: Callable[..., Any] | None,
                 declared: Sequence[EngineKernel]):
        self.operator, self.plain, self.function = operator, plain, function
        self.declared = tuple(declared)
        self.registered: tuple[EngineKernel, ...] = ()
        self.arity, self.traits = _arity(operator), _traits(operator)
        self.forget()
        _all.append(self)

    def forget(self) -> None:
        """Ends the choices that were made."""
        self.of_dtype = _Choices(self)
        self.of_device: dict[Any, Callable[..., Any]] = {}

    def on_host(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        """Computes on arrays of the host."""
        return self.of_dtype[_dtype_of_first(inputs)].kernel(xp, *inputs, **attrs)

    def usable(self, place: str, device: str | None = None) -> list[EngineKernel]:
        """The kernels of engines that may be asked for arrays at a place, or of a kind of device, in order."""
        return [k for k in (*self.registered, *self.declared) if engines.is_usable(k.engine, place, device)]

    def for_device(self, xp: Any) -> Callable[..., Any]:
        """The kernel for arrays of a device, those of the namespace `xp`; None is one that only a run knows."""
        if xp is None:
            return self.on_device if self.usable(engines.GPU) else self._plain_on_device
        found = self.of_device.get(xp)
        if found is None:
            usable, plain = self.usable(engines.GPU, devices.device_type_with(xp).name), self._plain_on_device
            found = self.of_device[xp] = _asking(usable, plain) if usable else plain
        return found

    def _plain_on_device(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        if self.operator.ordered and getattr(_dtype_of_first(inputs), "kind", "") == "c":
            self._refusing(xp, *inputs)
        if not _WITH_ROWS.isdisjoint(map(type, inputs)):
            inputs = tuple(map(_whole, inputs))  # a device's functions, unlike NumPy's, do not ask what they are given
        if narrow.rounds_on_device(self.operator, _dtype_of_first(inputs)):
            return narrow.rounded(self.operator, self.plain, xp, inputs, attrs)
        return self.plain(xp, *inputs, **attrs)

    def on_device(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        """Computes on arrays of a device."""
        return self.for_device(xp)(xp, *inputs, **attrs)

    def select(self, specs: Sequence[Any], attrs: Mapping[str, Any], place: str = engines.CPU) -> Selection:
        """What computes the operator for arrays of these specs: what sizes tell is asked now, where they are known.

        An input of which nothing is known is `...` among the specs.
        """
        usable, are_known = self.usable(place), not any(map(_is_unknown, specs))
        if place == engines.GPU:  # the kind of device is known when it runs
            return Selection((), None, self.on_device if usable else self._plain_on_device)
        takes = [k.takes_specs(specs, attrs) if are_known else None for k in usable]
        faster = [k for k, taken in zip(usable, takes, strict=True) if taken]
        if specs and _is_unknown(specs[0]):
            return Selection((), None, self.on_host)
        first = _dtype_of(specs)
        dtype = None if first is None else first.dtype
        if None in takes or dtype is not None and narrow.rounds(self.operator, dtype):
            return Selection((), None, self.of_dtype[dtype].kernel)
        defaults = self.operator.defaults
        is_plain = all(name in defaults and defaults[name] == value for name, value in attrs.items())
        function = native.form_of_function(self._function_for(dtype)) if is_plain else None
        lines = [None if k.line is None else k.line(attrs) for k in faster]
        if any(lines) or not self._form:
            return Selection(tuple([k.kernel for k in faster]), function, self.plain, tuple(lines))
        kernel = self.plain if not faster else _asking(faster, self.plain)
        return Selection((), None if faster else function, native.form_of(self._form, kernel))

    def _choose(self, dtype: Any, choices: _Choices) -> Choice:
        """What computes on arrays of the host whose first has this dtype."""
        if self.operator.ordered and dtype is not None and dtype.kind == "c":
            return Choice(None, self._refusing, _NEVER, self._refusing, self._refusing)
        if dtype is not None and narrow.rounds(self.operator, dtype):
            kernel = self._rounding(choices)
            return Choice(None, kernel, 0, kernel, kernel)
        function = self._function_for(dtype)
        if function is not None and dtype is not None and narrow.is_narrow(dtype) and not self.registered:
            return self._narrow_choice(function, choices)
        usable = self.usable(engines.CPU)
        compiled = self._form
        function, plain = native.form_of_function(function), native.form_of(compiled, self.plain)
        with_number = {name: native.form_of_function(f) for name, f in self.operator.with_number.items()
                       } if dtype is not None and dtype.kind == "f" else None
        if not usable:
            return Choice(function, plain, _NEVER, plain, plain, with_number)
        least = min(kernel.least for kernel in usable)
        kernel = _asking(usable, plain)
        large = kernel if len(usable) > 1 or not usable[0].least else _with_fallback(usable[0], plain)
        if least and len(usable) == 1 and usable[0].when is None and self.arity in (ONE, TWO):
            kernel = (_by_size if self.arity == ONE else _by_sizes)(function, plain, least, usable[0].kernel)
        is_asked = usable[0].when is not None and not usable[0].declines
        engine = usable[0].kernel if len(usable) == 1 and not is_asked else None
        if engine is None and plain is not self.plain:  # engines are asked for what the form leaves
            large = kernel = native.form_of(compiled, _asking(usable, self.plain))
        elif getattr(plain, "takes_any_size", False):  # of a form alone
            large, kernel = native.form_of(compiled, large), native.form_of(compiled, kernel)
        return Choice(function, plain, least, large, kernel, with_number, engine)

    def _refusing(self, xp: Any, *inputs: Any, **attrs: Any) -> Any:
        raise no_order(_dtype_of_first(inputs))

    @property
    def _form(self) -> str:
        """The name of the compiled form; "" where there is none, or something was registered, which is asked first."""
        return self.operator.compiled if native.module is not None and not self.registered else ""

    def _function_for(self, dtype: Any) -> Any:
        """The function of NumPy that does it without attributes for arrays of a dtype, or None."""
        kinds = self.operator.ufunc_for
        return self.function if not kinds or dtype is not None and dtype.kind in kinds else None

    def _narrow_choice(self, function: Any, choices: _Choices) -> Choice:
        """Large arrays of 16-bit floats are brought to float32 by loops, small ones by NumPy's function itself."""
        rounding, plain = self._rounding(choices), self.plain

        def kernel(xp: Any, *inputs: Any, **attrs: Any) -> Any:
            is_large = any([x.size >= LEAST_OF_NARROW for x in inputs])
            return (rounding if is_large else plain)(xp, *inputs, **attrs)

        return Choice(function, plain, LEAST_OF_NARROW, rounding, kernel)

    def _rounding(self, choices: _Choices) -> Callable[..., Any]:
        def rounding(xp: Any, *inputs: Any, **attrs: Any) -> Any:
            wide = choices[narrow.FLOAT32].kernel
            return narrow.rounded(self.operator, wide, xp, inputs, attrs)

        return rounding


def _dtype_of_first(inputs: Sequence[Any]) -> Any:
    """The dtype of the first array; None where there is none."""
    first = inputs[0] if inputs else None
    if type(first) is list or type(first) is tuple:
        first = first[0] if first else None
    return getattr(first, "dtype", None)


def _arity(operator: Operator) -> int:
    slots = operator.inputs
    if not operator.is_single or not slots or slots[0].optional or slots[0].many:
        return ANY
    if operator.lists:
        return ANY
    if operator.is_plain:
        return {1: ONE, 2: TWO}.get(len(slots), ANY)
    with_defaults = len(inspect.unwrap(operator.kernel).__defaults__ or ())  # the kernel's inputs that may be left out
    are_optional = all(slot.optional for slot in slots[1:]) and with_defaults >= len(slots) - 1
    return ONE_AND_OPTIONAL if are_optional else ANY


def _traits(operator: Operator) -> int:
    many = [slot.many for slot in operator.results]
    return (_SINGLE * operator.is_single | _PROMOTES * operator.promotes | _OPTIONAL * (not operator.is_plain)
            | _WRITES * bool(operator.aliases) | _A_LIST * (many == [True])
            | _SEVERAL * (len(many) > 1 and True not in many) | _LISTS * operator.has_lists
            | _VIEW * (operator.written is not None))


_all: list[Kernels] = []


def _forget_all() -> None:
    for kernels in _all:
        kernels.forget()


engines.generation.on_change(_forget_all)


def _is_unknown(spec: Any) -> bool:
    return spec is ... or type(spec) is list and ... in spec


def _dtype_of(inputs: Sequence[Any]) -> Any:
    """The dtype of the first input, or of the first of these; None where there is none, or no array."""
    first = inputs[0] if inputs else None
    if type(first) is list or type(first) is tuple:
        first = first[0] if first else None
    return getattr(first, "dtype", None)


def _with_fallback(faster: EngineKernel, plain: Callable[..., Any]) -> Callable[..., Any]:
    """One engine's kernel for inputs that are large enough, or the plain one where that is not asked or declines."""
    kernel = faster.kernel
    if faster.when is not None and not faster.declines:
        def call_when(xp: Any, *inputs: Any, **attrs: Any) -> Any:
            results = kernel(*inputs, **attrs) if faster.wants(inputs, attrs) else NotImplemented
            return plain(xp, *inputs, **attrs) if results is NotImplemented else results

        return call_when

    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        results = kernel(*inputs, **attrs)
        return plain(xp, *inputs, **attrs) if results is NotImplemented else results

    return call


def _by_size(function: Any, plain: Callable[..., Any], least: int, faster: Callable[..., Any]) -> Callable[..., Any]:
    """Of an operator of one input: one engine's kernel where that is large, or the plain one."""
    def call(xp: Any, x: Any, **attrs: Any) -> Any:
        if x.size >= least:
            results = faster(x, **attrs)
            if results is not NotImplemented:
                return results
        return plain(xp, x, **attrs) if attrs or function is None else function(x)

    return call


def _by_sizes(function: Any, plain: Callable[..., Any], least: int, faster: Callable[..., Any]) -> Callable[..., Any]:
    """Of an operator of two inputs: one engine's kernel where one of them is large, or the plain one."""
    def call(xp: Any, x: Any, y: Any, **attrs: Any) -> Any:
        if x.size >= least or y.size >= least:
            results = faster(x, y, **attrs)
            if results is not NotImplemented:
                return results
        return plain(xp, x, y, **attrs) if attrs or function is None else function(x, y)

    return call


_WITH_ROWS = {SelectedRows, list}


def _whole(value: Any) -> Any:
    """An input with whole matrices in place of some of their rows."""
    if type(value) is list:
        return [_whole(item) for item in value]
    return value.to_dense() if type(value) is SelectedRows else value


def _asking(usable: Sequence[EngineKernel], plain: Callable[..., Any]) -> Callable[..., Any]:
    """Several engines' kernels one after the other, then the plain one."""
    if len(usable) == 1 and not usable[0].least:
        return _with_fallback(usable[0], plain)

    def call(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        for faster in usable:
            if faster.takes(inputs, attrs):
                results = faster.kernel(*inputs, **attrs)
                if results is not NotImplemented:
                    return results
        return plain(xp, *inputs, **attrs)

    return call


def register_kernel(operator: Operator, engine: str, kernel: Callable[..., Any], *, least: int = 0,
                    when: Callable[..., bool] | None = None) -> None:
    """Registers an engine's kernel of an operator: eager code and plans use it from their next call on.

    `kernel(*inputs, **attributes)` takes arrays of the place that the engine is for, changes no input that has no
    alias, and returns NotImplemented for what it leaves to the next kernel. It is asked before those that are there,
    where an input has `least` elements, and where `when(*specs, **attributes)`, which is asked once for the same
    shapes, dtypes and attributes, is true. Raises ValueError for an engine that is not known: `engines.add` adds one.
    """
    engines.find(engine)
    kernels = operator.kernels
    kernels.registered = (EngineKernel(engine, kernel, least, when), *kernels.registered)
    engines.generation.changed()
