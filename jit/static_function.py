"""StaticFunction: what `to_static` makes of a function, a Program for each kind of call, kept and reused."""

from __future__ import annotations

import functools
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..core import nest
from ..core.collection import resting
from ..core.dtype import get_default_dtype_object
from ..core.forks import unforked
from ..dygraph.value import EagerValue
from ..nn import Layer
from ..nn.layer import mode_changes
from ..ops.core.backward import Output
from ..ops.core.trace import state
from ..static.ir.input_spec import InputSpec
from ..static.ir.program import Program
from .convert.ignoring import is_marked
from .convert.reporting import CONVERSIONS, tell
from .errors import ConversionError, StopsAsked, UnfitTensorsError, line_of
from .tracing.accounts import Account, account
from .tracing.concrete_program import ConcreteProgram
from .tracing.fallback import reason_of, warn_of_programs, warn_once
from .tracing.function_inputs import FunctionInputs, cache_key, stops_in
from .tracing.open_sizes import OpenSizes, rank_of, stands_for
from .tracing.program_cache import ProgramCache

_enabled = [True]
_RECENT = 64
_VARIANTS = 8  # Programs for one kind of call, where the state that the function rebinds changes its kind
_COUNTED = 2  # of them, where it is a plain number that the function reads and changes
_REFUSALS = 4  # kinds of calls that could not become a Program, after which no other is tried


def _converted(function: Callable) -> Callable:
    """The function as conversion makes it; what conversion needs is imported when something is converted."""
    from .convert.functions import convert

    return convert(function)


def _reference(instance: Any, callback: Callable | None = None) -> Callable[[], Any]:
    """A weak reference; to an object that allows none, a function that gives it."""
    try:
        return weakref.ref(instance, callback)
    except TypeError:
        return lambda: instance


def _named(function: Callable) -> Any:
    """What is to be found under a function's name in its module; None where nothing is."""
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found


def _numbers_that_go_on(variants: list[ConcreteProgram]) -> list[str]:
    """What the latest Programs read as plain numbers, and change: where each of them met another value."""
    if len(variants) < _COUNTED:
        return []
    latest = [program.numbers_read_and_changed for program in variants[-_COUNTED:]]
    return [shown for place, (shown, value) in latest[-1].items()
            if len({numbers[place][1] for numbers in latest if place in numbers}) == _COUNTED]


def _always() -> bool:
    return True


def _quick_key(args: tuple) -> Any:
    """What tells a call whose arguments are all Tensors from another; None for any other call."""
    key = []
    for arg in args:
        if not isinstance(arg, EagerValue):
            return None
        key.append((arg._array.shape, arg._array.dtype))
    return tuple(key)


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Turns conversion on or off for the process; when off, decorated functions run as they were written.

    >>> import proa as paddle
    >>> paddle.jit.enable_to_static(False)  # everything runs as it is written
    >>> paddle.jit.enable_to_static(True)
    """
    _enabled[0] = bool(enable_to_static_bool)


def is_enabled() -> bool:
    """Whether decorated functions run as Programs."""
    return _enabled[0]


class StaticFunction:
    """A function that runs as a compiled Program. As a method it is bound to its object as any function is.

    With `full_graph`, what cannot become a Program is an error; otherwise the function then runs as it was written,
    after a FallbackWarning.
    """

    def __init__(self, function: Callable[..., Any], input_spec: Sequence[Any] | None = None, instance: Any = None,
                 full_graph: bool = False):
        functools.update_wrapper(self, function)
        self._function, self._input_spec, self._full_graph = function, input_spec, full_graph
        self._instance = None if instance is None else _reference(instance)
        self._training = True  # of a function that no Layer has: a Layer tells itself
        self._bound: dict[Any, StaticFunction] = {}  # by id, of objects that cannot keep it themselves
        self._programs = ProgramCache(self._last_key, self._forget)
        self._variants: dict[Any, list[ConcreteProgram]] = {}
        self._refused: set[Any] = set()  # kinds of calls that run as written
        self._sizes = OpenSizes()
        self._by_stops = False  # the function asks which tensors stop gradients: each kind has its own Program
        # By quick key; with the state of layers' modes, and the mixed precision, for which each was made; and a check.
        self._recent: dict[Any, tuple[int, Callable, Any, Callable[[], bool], dict[str, Any]]] = {}
        self.last_call: dict[str, Any] | None = None  # its arguments, with specs for tensors
        self._lock = threading.RLock()
        if not self.is_property:
            self._tell("decorated")

    def _tell(self, event: str) -> None:
        account(lambda: Account(self._function, line_of(self._function), {}, event=event))

    def __get__(self, instance: Any, owner: Any = None) -> StaticFunction:
        if instance is None:
            return self
        # Kept by the object, as cached properties are, so that both go together whatever the Programs refer to.
        held = getattr(instance, "__dict__", None)
        held, key = (self._bound, id(instance)) if held is None else (held, f"_static_{self._function.__name__}")
        found = held.get(key)
        if found is not None and found._function is self._function and found.instance is instance:
            return found
        made = type(self)(self._function, self._input_spec, instance, self._full_graph)
        with self._lock:  # another thread may have been first
            if held.get(key) is found:
                held[key] = made
            return held[key]

    def __reduce__(self) -> Any:
        """By name where the name leads back here, otherwise as what `to_static` is to be applied to again."""
        instance, name = self.instance, self._function.__name__
        if self._instance is not None and isinstance(getattr(type(instance), name, None), StaticFunction):
            return getattr, (instance, name)
        if self._instance is None and _named(self._function) is self:
            return self._function.__qualname__
        if _named(self._function) is not self._function:
            raise pickle.PicklingError(
                f"{line_of(self._function)}: the function is not to be found as {self.__module__}."
                f"{self._function.__qualname__}; define it at the top of a module to pickle it.")
        return type(self), (self._function, self._input_spec, instance, self._full_graph)

    def __copy__(self) -> StaticFunction:
        return type(self)(self._function, self._input_spec, self.instance, self._full_graph)

    def __deepcopy__(self, memo: dict[Any, Any]) -> StaticFunction:
        instance = memo.get(id(self.instance), self.instance)
        return type(self)(self._function, self._input_spec, instance, self._full_graph)

    def __repr__(self) -> str:
        return f"<to_static {self.dygraph_function!r}>"

    # What it is

    is_property = False  # whether it gives a value that a model has, instead of computing with tensors

    @property
    def dygraph_function(self) -> Callable[..., Any]:
        """The function as it was written, bound where this one is."""
        instance = self.instance
        return self._function if instance is None else self._function.__get__(instance)

    @property
    def instance(self) -> Any:
        """The object it is bound to, or None."""
        return None if self._instance is None else self._instance()

    class_instance = instance

    @functools.cached_property
    def function_spec(self) -> FunctionInputs:
        """Its parameters and their specs."""
        return FunctionInputs(self._function, self._input_spec, skip_first=self._instance is not None)

    @property
    def code(self) -> str:
        """The source that conversion made of it; its own where it is left as it is."""
        from .convert.functions import generated_source

        return generated_source(self._function if is_marked(self) else _converted(self._function))

    @property
    def concrete_program(self) -> ConcreteProgram:
        """Its Program: the only one, the last one, or the one that `input_spec` describes."""
        if not state.trace.computes:
            raise RuntimeError(f"{self._function.__qualname__}.concrete_program, inputs and outputs are only available "
                               "in dynamic mode. Call paddle.disable_static() first.")
        if self._input_spec is not None or not self._programs:
            return self.program_of(self.function_spec.specs(None))
        return list(self._programs.values())[-1]

    def concrete_program_specify_input_spec(self, input_spec: Sequence[Any] | None = None) -> ConcreteProgram:
        """The Program for arguments of these specs, or as `concrete_program` without them."""
        if input_spec is None:
            return self.concrete_program
        given = StaticFunction(self._function, input_spec, self.instance, True)
        return given.program_of(given.function_spec.specs(None))

    @property
    def main_program(self) -> Program:
        """The Program itself."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Any]:
        """The variables of the Program that the tensor arguments are."""
        return self.concrete_program.inputs

    @property
    def outputs(self) -> list[Any]:
        """The variables of the Program that are returned."""
        return self.concrete_program.outputs

    @property
    def program_cache(self) -> ProgramCache:
        """Every Program made so far, by the kind of call; `last()` is that of the last call."""
        return self._programs

    def _last_key(self) -> Any:
        return None if self.last_call is None else self._key(self.last_call)

    def _forget(self) -> None:
        """Leaves nothing of former calls, whose Programs are gone."""
        self._variants.clear()
        self._recent.clear()
        self._refused.clear()
        self._sizes = OpenSizes()

    def get_traced_count(self) -> int:
        """How many Programs there are."""
        return sum(len(variants) for variants in self._variants.values())

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> tuple[ConcreteProgram, ConcreteProgram]:
        """The Program for a call with these arguments, and what runs it on a list of Tensors: the same here."""
        found = self.program_of(self.function_spec.specs(self.function_spec.bind(args, kwargs)))
        return found, found

    def train(self) -> None:
        """Makes dropout and batch norm in the function what they are in training; RuntimeError for a Layer's method."""
        self._set_mode(True, "train")

    def eval(self) -> None:
        """Makes dropout and batch norm in the function what they are in evaluation; RuntimeError for a Layer's method.

        >>> import proa as paddle
        >>> f = paddle.jit.to_static(lambda x: paddle.nn.functional.dropout(x, 0.5))
        >>> f.eval()
        >>> f(paddle.ones([2])).tolist()
        [1.0, 1.0]
        """
        self._set_mode(False, "eval")

    def _set_mode(self, training: bool, name: str) -> None:
        if isinstance(self.instance, Layer):
            raise RuntimeError(f"{self._function.__qualname__}.{name}(): it is a method of a Layer, which tells the "
                               f"mode of all its methods. Call {name}() of the Layer.")
        self._training = training
        self._recent.clear()

    def position_of(self, result: EagerValue) -> int | None:
        """Which of the outputs a Tensor is that a call returned, with gradients; None for any other Tensor."""
        edge = result._edge
        if not isinstance(edge, Output):
            return None
        ran = getattr(edge.node, "function", None)
        found = (program for variants in self._variants.values() for program in variants if program.run is ran)
        return next((program.position_of(edge.index) for program in found), None)

    def rollback(self) -> Callable[..., Any]:
        """Puts the function back as it was written, and gives it."""
        instance = self.instance
        name = self._function.__name__
        if instance is not None and instance.__dict__.get(name) is self:
            del instance.__dict__[name]
        if instance is not None and isinstance(getattr(instance, name, None), StaticFunction):  # the class decorates it
            instance.__dict__[name] = self.dygraph_function
        return self.dygraph_function

    def _receiver(self) -> tuple:
        if self._instance is None:
            return ()
        instance = self._instance()
        if instance is None:
            raise ReferenceError(f"The object whose method {self._function.__qualname__} was, is no more.")
        return (instance,)

    # Running it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the Program for these arguments, made at the first such call; inside another, becomes part of that."""
        if not state.trace.computes:
            self._tell("called within another")
            function = self._function if is_marked(self) else _converted(self._function)
            return function(*self._receiver(), *args, **kwargs)
        if not _enabled[0]:
            self._tell("called as written")
            return self._as_written(*args, **kwargs)
        key = _quick_key(args) if not kwargs else None
        known = self._recent.get(key) if key is not None else None
        if known is not None and known[0] == mode_changes[0] and known[2] is state.trace.precision and known[3]():
            self.last_call = known[4]
            try:
                return known[1](args)
            except UnfitTensorsError as error:
                return self._otherwise(error, args, kwargs)
        return self._call(key, args, kwargs)

    def _as_written(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*self._receiver(), *args, **kwargs)

    def _otherwise(self, error: UnfitTensorsError, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a call gives whose Tensors its Program cannot run with: what the function as it was written does."""
        if self._full_graph:
            raise error
        result = self._as_written(*args, **kwargs)
        warn_once(self._function, reason_of(error))
        return result

    def _call(self, quick: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call of a kind that is not among the recent ones."""
        self._tell("called")
        version = mode_changes[0]
        bound = self.function_spec.bind(args, kwargs)
        specs = self.function_spec.specs(bound)
        kind = self._key(specs)
        self.last_call = specs
        concrete, reason = self._open_program(kind, specs, bound.tensors), None
        if concrete is None:
            concrete, reason = self._try_program(kind, specs, bound.tensors)
        if concrete is not None:
            runs_again = not concrete.slots and not concrete.main_program.ungradable
            runs_again &= len(bound.tensors) == len(args)  # a default may be a tensor too, and is not in them
            self._remember(quick, version, concrete if runs_again else None, specs)
            try:
                return concrete(bound.tensors)
            except UnfitTensorsError as error:
                return self._otherwise(error, args, kwargs)
        result = self._as_written(*args, **kwargs)  # an error of the user's own comes from here
        if reason is not None:
            self._refused.add(kind)
            account(lambda: Account(self._function, line_of(self._function), specs, reason=reason))
            warn_once(self._function, reason)
        self._remember(quick, version, lambda given: self._as_written(*given), specs)
        return result

    def _open_program(self, kind: Any, specs: dict[str, Any], tensors: Sequence[EagerValue]) -> ConcreteProgram | None:
        """A Program for many shapes, where calls have had so many that another one is not traced for each further one;
        None where these shapes are to have their own.

        What it returns is compared with what a Program for known sizes does; where it cannot stand for such, or
        cannot be made, each shape goes on having its own.
        """
        if kind in self._variants or self._refused or is_marked(self):
            return None
        rest = self._key(nest.map_structure(lambda leaf: rank_of(leaf) if isinstance(leaf, InputSpec) else leaf, specs))
        with self._lock:
            opened = self._sizes.opened(rest, kind, specs)
            if opened is None:
                return None
            exact = next((self._variants[k][-1] for k in self._sizes.kinds(rest) if k in self._variants), None)
            try:
                with resting():
                    concrete = self._program(self._key(opened), opened, whole=False, wide_sizes=True)
                    if exact is not None and stands_for(concrete, exact):
                        concrete.prepare(tensors)
                        return concrete
                    why = "its results or what it changes would not be those of a Program for one shape"
            except Exception as error:  # a Program for these very sizes has no such trouble, or raises it
                why = reason_of(error)
            tell(CONVERSIONS, f"{line_of(self._function)}: each shape goes on having a Program of its own: {why}")
            self._sizes.close(rest)
            self._variants.pop(self._key(opened), None)
            self._programs.pop(self._key(opened), None)
            return None

    def _try_program(self, kind: Any, specs: dict[str, Any],
                     tensors: Sequence[EagerValue]) -> tuple[ConcreteProgram | None, str | None]:
        """The Program, ready to run, or why there can be none; neither where that is known already."""
        if is_marked(self) or kind in self._refused or len(self._refused) >= _REFUSALS and not self._programs:
            return None, None
        try:
            with resting():
                concrete = self._program(kind, specs, self._full_graph)
                concrete.prepare(tensors)
        except Exception as error:
            if self._full_graph:
                raise
            return None, reason_of(error)
        return concrete, None

    def _remember(self, quick: Any, version: int, run: Callable | None, specs: dict[str, Any]) -> None:
        if quick is not None and run is not None and not self._by_stops:
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[quick] = version, run, state.trace.precision, getattr(run, "holds", _always), specs

    def program_of(self, specs: dict[str, Any]) -> ConcreteProgram:
        """The Program for arguments of these specs, traced when there is none yet."""
        return self._program(self._key(specs), specs, whole=True)

    def _key(self, specs: dict[str, Any]) -> Any:
        instance = self.instance
        modes = tuple(layer.training for layer in instance.sublayers(include_self=True)) if isinstance(
            instance, Layer) else ()
        stops = self._by_stops and stops_in(specs)
        return cache_key(specs), modes, state.trace.precision, get_default_dtype_object(), self._training, stops

    def _program(self, key: Any, specs: dict[str, Any], whole: bool, wide_sizes: bool = False) -> ConcreteProgram:
        with unforked(), self._lock:
            variants = self._variants.get(key, [])
            for found in variants:
                if (whole or not found.main_program.stands_for_arrays) and found.fits():
                    self._programs[key] = found
                    return found
            counting = _numbers_that_go_on(variants)
            if len(variants) >= _VARIANTS or counting:
                if not self._full_graph:
                    raise self._changing(variants[-1])
                warn_of_programs(self._function, counting)
            again = [name for found in variants for name in found.changed()]
            if len(variants) >= _VARIANTS:
                variants.pop(0)
            try:
                made = ConcreteProgram(self._function, self._to_trace(), self.function_spec, specs, self._receiver(),
                                       whole, self._training, wide_sizes, self._by_stops)
            except StopsAsked:
                self._by_stops = True
                return self._program(self._key(specs), specs, whole, wide_sizes)
            self._variants.setdefault(key, []).append(made)
            self._programs[key] = made
            account(lambda: Account(self._function, line_of(self._function), specs, made, list(dict.fromkeys(again))))
            return made

    def _to_trace(self) -> Callable:
        return _converted(self._function)

    def _changing(self, last: ConcreteProgram) -> ConversionError:
        names: Any = [f"`{name}`" for name in last.changed()]
        if names:
            return ConversionError(
                line_of(self._function), f"what {', '.join(names)} holds is another value in call after call, and "
                "each would need a Program of its own.",
                "Keep it in a tensor, such as a buffer, or give it as an argument.")
        names = dict.fromkeys(f"`{slot.shown}`" for slot in last.slots)
        return ConversionError(
            line_of(self._function), f"what {', '.join(names)} holds has another shape, dtype or nesting in call "
            "after call, and each would need a Program of its own.",
            "Keep it at one shape, or give it as an argument and return it.")


class PropertyFunction(StaticFunction):
    """A method that gives a value, such as a number or a name: it runs as it was written, and has no Program."""

    is_property = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function as it was written."""
        return self._as_written(*args, **kwargs)

    def program_of(self, specs: dict[str, Any]) -> ConcreteProgram:
        """RuntimeError: there is none."""
        raise RuntimeError(f"{line_of(self._function)}: a function that is decorated with to_static(property=True) has "
                           "no Program: it gives a value. Leave `property` out for one that computes with tensors.")


class HookedFunction(StaticFunction):
    """A Layer's `forward` between the layer's hooks, as a call of the layer runs it: what a file of the layer holds."""

    unhooked: StaticFunction  # the one that is called

    def position_of(self, result: EagerValue) -> int | None:
        """Which of the outputs a Tensor is that `forward` returned and no hook has changed."""
        return self.unhooked.position_of(result)

    def _to_trace(self) -> Callable:
        from .convert.functions import converted_callable

        forward = super()._to_trace()

        def between_hooks(layer: Layer, *args: Any, **kwargs: Any) -> Any:
            return layer.__call_with_hooks__(functools.partial(forward, layer), args, kwargs, converted_callable)

        return between_hooks
