"""StaticFunction: what `to_static` makes of a function, a Program for each kind of call, kept and reused."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..core import nest
from ..core.forks import unforked
from ..dygraph.tensor import Tensor
from ..nn import Layer
from ..nn.layer import mode_changes
from ..ops.trace import grad_mode, state, using
from ..static.compiler import Plan
from ..static.input_spec import InputSpec
from ..static.program import Program, Variable
from ..static.trace import ProgramTrace
from .capture import CaptureTrace
from .function_inputs import FunctionInputs, cache_key
from .program_function import ProgramFunction

_enabled = [True]
_RECENT = 64


def _converted(function: Callable) -> Callable:
    """The function as conversion makes it; what conversion needs is imported when something is converted."""
    from .conversion import convert

    return convert(function)


def _quick_key(args: tuple) -> Any:
    """What tells a call whose arguments are all Tensors from another; None for any other call."""
    key = []
    for arg in args:
        if not isinstance(arg, Tensor):
            return None
        key.append((arg._array.shape, arg._array.dtype))
    return tuple(key)


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Turns conversion on or off for the process; when off, decorated functions run as they were written."""
    _enabled[0] = bool(enable_to_static_bool)


class ConcreteProgram:
    """One Program of a function: for tensors of certain shapes and dtypes, other arguments of certain values."""

    def __init__(self, function: Callable, inputs: FunctionInputs, specs: dict[str, Any], receiver: tuple):
        self.function = function
        trace = CaptureTrace()
        self.main_program: Program = trace.main
        arguments = nest.map_structure(lambda leaf: _input_variable(trace, leaf), specs)
        args, kwargs = inputs.call_arguments(arguments)
        with using(trace), grad_mode(True):
            result = function(*receiver, *args, **kwargs)
        self.inputs = [leaf for leaf in nest.leaves(list(arguments.values())) if isinstance(leaf, Variable)]
        self.specs = [leaf for leaf in nest.leaves(list(specs.values())) if isinstance(leaf, InputSpec)]
        self.result = nest.map_structure(lambda leaf: _output_variable(trace, leaf), result)
        self.outputs = [leaf for leaf in nest.leaves(self.result) if isinstance(leaf, Variable)]
        self.captured = trace.captured
        names = [v.name for v in self.inputs]
        self.run = ProgramFunction(self.main_program, [*names, *self.captured], [v.name for v in self.outputs])
        self._outer = list(self.captured.values())
        self._gives_one = isinstance(self.result, Variable)

    def plan(self) -> Plan:
        """What a run without gradients does: printed, a table of its operations and what they cost."""
        return self.run.plan()

    @property
    def parameters(self) -> list[Tensor]:
        """The Tensors that the function uses without being given them."""
        return list(self.captured.values())

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """What the function returns for these inputs: its structure, with Tensors for the Program's outputs."""
        results = self.run([*tensors, *self._outer])
        if self._gives_one:
            return results[0]
        values = iter(results)
        return nest.map_structure(lambda leaf: next(values) if isinstance(leaf, Variable) else leaf, self.result)


def _input_variable(trace: CaptureTrace, leaf: Any) -> Any:
    if not isinstance(leaf, InputSpec):
        return leaf
    block = trace.main.global_block()
    name = leaf.name or "input"
    while block.has_var(name):
        name += "_1"
    return block.create_var(name, leaf.shape, leaf.dtype, is_data=True, stop_gradient=not leaf.dtype.is_differentiable)


def _output_variable(trace: CaptureTrace, leaf: Any) -> Any:
    return trace.lift(leaf, "a value that the function returns") if isinstance(leaf, (Tensor, Variable)) else leaf


class StaticFunction:
    """A function that runs as a compiled Program. As a method it is bound to its object as any function is."""

    def __init__(self, function: Callable, input_spec: Sequence[Any] | None = None, instance: Any = None,
                 full_graph: bool = True):
        functools.update_wrapper(self, function)
        self._function, self._input_spec, self._full_graph = function, input_spec, full_graph
        self._instance = None if instance is None else weakref.ref(instance)
        self._bound: weakref.WeakKeyDictionary[Any, StaticFunction] = weakref.WeakKeyDictionary()
        self._programs: dict[Any, ConcreteProgram] = {}
        self._recent: dict[Any, tuple[int, ConcreteProgram]] = {}  # by quick key, with the state of layers' modes
        self._lock = threading.RLock()

    def __get__(self, instance: Any, owner: Any = None) -> StaticFunction:
        if instance is None:
            return self
        bound = self._bound.get(instance)
        if bound is None:
            bound = self._bound[instance] = StaticFunction(self._function, self._input_spec, instance, self._full_graph)
        return bound

    def __reduce__(self) -> Any:
        if self._instance is not None:
            return getattr, (self._instance(), self._function.__name__)
        return self._function.__qualname__

    def __deepcopy__(self, memo: dict) -> StaticFunction:
        if self._instance is None:
            return StaticFunction(self._function, self._input_spec, None, self._full_graph)
        instance = memo.get(id(self._instance()), self._instance())
        return StaticFunction(self._function, self._input_spec, instance, self._full_graph)

    # What it is

    @property
    def dygraph_function(self) -> Callable:
        """The function as it was written, bound where this one is."""
        instance = self.instance
        return self._function if instance is None else self._function.__get__(instance)

    @property
    def instance(self) -> Any:
        """The object it is bound to, or None."""
        return None if self._instance is None else self._instance()

    class_instance = instance

    @functools.cached_property
    def inputs(self) -> FunctionInputs:
        """Its parameters and their specs."""
        return FunctionInputs(self._function, self._input_spec, skip_first=self._instance is not None)

    @property
    def code(self) -> str:
        """The source that conversion made of it."""
        from .conversion import generated_source

        return generated_source(_converted(self._function))

    @property
    def concrete_program(self) -> ConcreteProgram:
        """Its Program: the only one, the last one, or the one that `input_spec` describes."""
        if self._input_spec is not None or not self._programs:
            return self.program_of(self.inputs.specs(None))
        return list(self._programs.values())[-1]

    @property
    def main_program(self) -> Program:
        """The Program itself."""
        return self.concrete_program.main_program

    @property
    def program_cache(self) -> dict[Any, ConcreteProgram]:
        """Every Program made so far."""
        return self._programs

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> ConcreteProgram:
        """The Program for a call with these arguments."""
        return self.program_of(self.inputs.specs(self.inputs.bind(args, kwargs)))

    def rollback(self) -> Callable:
        """Puts the function back as it was written, and gives it."""
        instance = self.instance
        if instance is not None and instance.__dict__.get(self._function.__name__) is self:
            del instance.__dict__[self._function.__name__]
        return self.dygraph_function

    # Running it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the Program for these arguments, made at the first such call; inside another, becomes part of that."""
        if isinstance(state.trace, ProgramTrace):
            receiver = () if self._instance is None else (self.instance,)
            return _converted(self._function)(*receiver, *args, **kwargs)
        if not _enabled[0]:
            return self.dygraph_function(*args, **kwargs)
        key = _quick_key(args) if not kwargs else None
        known = self._recent.get(key) if key is not None else None
        if known is not None and known[0] == mode_changes[0]:
            return known[1](args)
        version = mode_changes[0]
        bound = self.inputs.bind(args, kwargs)
        concrete = self.program_of(self.inputs.specs(bound))
        if key is not None:
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[key] = version, concrete
        return concrete(bound.tensors)

    def program_of(self, specs: dict[str, Any]) -> ConcreteProgram:
        """The Program for arguments of these specs, traced when there is none yet."""
        instance = self.instance
        modes = tuple(layer.training for layer in instance.sublayers(include_self=True)) if isinstance(
            instance, Layer) else ()
        key = (cache_key(specs), modes)
        with unforked(), self._lock:
            found = self._programs.get(key)
            if found is None:
                receiver = () if self._instance is None else (instance,)
                found = self._programs[key] = ConcreteProgram(_converted(self._function), self.inputs, specs, receiver)
            return found
