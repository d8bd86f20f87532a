"""What a converted function is called with: which arguments are tensors, what they look like, and the cache key."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core import nest
from ...core.signatures import signature_of
from ...dygraph.value import EagerValue
from ...ops.array.creation import to_tensor
from ...static.ir.input_spec import InputSpec
from ...static.ir.variable import Variable
from ..errors import CallError


class Bound(NamedTuple):
    """A call's arguments, defaults filled in, which were `given`, their leaves, and the leaves that are tensors."""

    arguments: dict[str, Any]
    given: frozenset[str]
    leaves: list[Any]
    tensors: list[EagerValue]


class FunctionInputs:
    """The parameters of a function (without `self`) and the specs a user gave for them."""

    def __init__(self, function: Callable, input_spec: Sequence[Any] | None, skip_first: bool):
        parameters = _parameters(function)
        self.signature = inspect.Signature(parameters[1:] if skip_first else parameters)
        self.name = getattr(function, "__qualname__", repr(function))
        self.input_spec = None if input_spec is None else self._by_name(input_spec)

    def _by_name(self, specs: Any) -> dict[str, Any]:
        if not isinstance(specs, (list, tuple)):
            raise TypeError(f"input_spec must be a list or tuple of InputSpec. Received {type(specs).__name__}.")
        names = [p.name for p in self.signature.parameters.values()
                 if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY)]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values())
        if len(specs) > len(names) and not variadic:
            raise ValueError(
                f"input_spec gives {len(specs)} specs for the {len(names)} arguments of {self.name}: {names}."
            )
        by_name = dict(zip(names, specs, strict=False))
        if len(specs) > len(names):
            rest = next(p.name for p in self.signature.parameters.values() if p.kind is p.VAR_POSITIONAL)
            by_name[rest] = tuple(specs[len(names):])
        return by_name

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> Bound:
        """A call's arguments; NumPy arrays become Tensors."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise CallError(f"{self.name}(): {error}. Its arguments: {self.signature}.") from None
        given = frozenset(bound.arguments)
        bound.apply_defaults()
        arguments = {name: nest.map_structure(_as_tensor, value) for name, value in bound.arguments.items()}
        leaves = nest.flatten(list(arguments.values()))
        return Bound(arguments, given, leaves, [leaf for leaf in leaves if isinstance(leaf, EagerValue)])

    def specs(self, bound: Bound | None) -> dict[str, Any]:
        """The arguments with each tensor as an InputSpec of its own name: the user's, or one after the tensor.

        A tensor that the user's does not fit has one after itself, and so a Program of its own.
        """
        given = self.input_spec
        specs: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            value = bound.arguments.get(name) if bound is not None else None
            if given is not None and name in given:
                spec = nest.map_structure(_spec_of, given[name])
                specs[name] = _named(spec if bound is None else _matched(spec, value, name in bound.given), name)
            elif bound is not None:
                specs[name] = _named(nest.map_structure(_spec_of, value), name)
            elif parameter.default is not parameter.empty:
                specs[name] = parameter.default
            elif parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise ValueError(f"input_spec says nothing of the argument {name!r} of {self.name}.")
        return specs

    def call_arguments(self, arguments: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Positional and keyword arguments from arguments by name."""
        bound = inspect.BoundArguments(self.signature, arguments)
        return bound.args, bound.kwargs


def _parameters(function: Callable) -> list[inspect.Parameter]:
    """Of a compiled function that does not tell what it takes: anything."""
    try:
        return list(signature_of(function).parameters.values())
    except ValueError:
        return [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)]


def _matched(spec: Any, value: Any, given: bool) -> Any:
    """The user's spec for an argument where its value fits it, otherwise what the value is.

    Of an argument that the call leaves to its default, a plain value in `spec` takes the default's place.
    """
    def matched(leaf: Any, spec: Any) -> Any:
        if not isinstance(leaf, EagerValue):
            return leaf if given or isinstance(spec, InputSpec) else spec
        if not isinstance(spec, InputSpec) or len(spec.shape) != leaf.ndim:
            return _spec_of(leaf)
        fits = spec.dtype is leaf.dtype and all(a in (-1, b) for a, b in zip(spec.shape, leaf.shape, strict=True))
        sizes = [a if a == -1 else b for a, b in zip(spec.shape, leaf.shape, strict=True)]
        return InputSpec(spec.shape if fits else sizes, leaf.dtype, spec.name, leaf.stop_gradient)

    try:
        return nest.map_structure(matched, value, spec)
    except ValueError:  # another structure than the spec's
        return nest.map_structure(_spec_of, value)


def _as_tensor(value: Any) -> Any:
    return to_tensor(value) if isinstance(value, np.ndarray) else value


def _spec_of(value: Any) -> Any:
    if isinstance(value, (EagerValue, Variable)):
        return InputSpec(list(value.shape), value.dtype, stop_gradient=value.stop_gradient)
    if isinstance(value, np.ndarray):
        return InputSpec.from_numpy(value)
    return value


def _named(spec: Any, name: str) -> Any:
    """Each InputSpec with a name: its own, or by its place in the argument."""
    names = nest.leaf_names(spec, name)

    def named(leaf: Any) -> Any:
        own = next(names)
        if not isinstance(leaf, InputSpec):
            return leaf
        return InputSpec(list(leaf.shape), leaf.dtype, leaf.name or own, leaf.stop_gradient)

    return nest.map_structure(named, spec)


def stops_in(specs: dict[str, Any]) -> tuple[bool, ...]:
    """Which of the tensors stop gradients."""
    return tuple(leaf.stop_gradient for leaf in nest.leaves(list(specs.values())) if isinstance(leaf, InputSpec))


def cache_key(specs: Any) -> Hashable:
    """What tells one Program of a function from another: specs by shape and dtype, other values by value."""
    if isinstance(specs, dict):
        return (type(specs), tuple((k, cache_key(v)) for k, v in specs.items()))
    if isinstance(specs, (list, tuple)):
        return (type(specs), tuple(cache_key(v) for v in specs))
    if isinstance(specs, (set, frozenset)):
        return (type(specs), frozenset(map(cache_key, specs)))
    if isinstance(specs, InputSpec):
        return (specs.shape, specs.dtype, specs.name)
    try:
        hash(specs)
    except TypeError:
        return ("id", id(specs))
    return (type(specs), repr(specs) if isinstance(specs, (float, complex)) else specs)
