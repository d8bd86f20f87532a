"""What code a Program was made from: sublayers, layers' hooks and `forward`s, functions of classes.

A hook that is registered, `net.sub.forward = other`, `Sub.forward = other`: a Program that was made before does not
fit any more. Layers count what happens to them (`mode_changes`), so that theirs is asked for only when that has moved;
classes do not, and what was taken from them is compared at each run. Knows layers and Surroundings; runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn import Layer
from .locations import ABSENT
from .surroundings import Surroundings
from .value_guards import Reads, is_code

_HOOKS = ("_forward_pre_hooks", "_forward_post_hooks")


class LayerGuard:
    """The class of a layer, its sublayers and hooks, and functions that are set on it."""

    __slots__ = ("layer", "kind", "held", "functions", "shown")

    def __init__(self, layer: Layer, held: list[tuple[dict, dict]], functions: list[tuple[str, Any]], shown: str):
        self.layer, self.kind, self.held, self.functions = layer, type(layer), held, functions
        self.shown = shown

    def holds(self) -> bool:
        """Whether all is as it was."""
        own = self.layer.__dict__
        return (type(self.layer) is self.kind and all(own.get(key, ABSENT) is value for key, value in self.functions)
                and all(_same_items(*each) for each in self.held))


class CodeGuards:
    """Of one Program. `called`: the layers whose hooks run around it, since it is made of their `forward`."""

    def __init__(self, surroundings: Surroundings, reads: Reads, called: tuple):
        code = _Code(surroundings, reads)
        self._classes = [(kind, name, getattr(kind, name)) for kind, name in code.of_classes()]
        self._methods = list(code.classmethods())
        self._layers = [code.of_layer(layer, any(layer is one for one in called)) for layer in surroundings.layers]

    def classes_hold(self) -> bool:
        """Whether classes have the functions that they had."""
        for kind, name, value in self._classes:
            if getattr(kind, name, None) is not value:
                return False
        for kind, name, value in self._methods:
            if kind.__dict__.get(name) is not value:
                return False
        return True

    def layers_hold(self) -> bool:
        """Whether layers have the functions and hooks that they had."""
        return all(guard.holds() for guard in self._layers)

    def changed(self) -> list[str]:
        """What does not hold, as the user's code calls it."""
        classes = [f"{kind.__name__}.{name}" for kind, name, value in self._classes
                   if getattr(kind, name, None) is not value]
        return classes + [guard.shown for guard in self._layers if not guard.holds()]


def _same_items(now: dict, before: dict) -> bool:
    """Whether both hold the same under the same keys in the same order."""
    return len(now) == len(before) and all(
        a == b and now[a] is before[b] for a, b in zip(now, before, strict=True))


class _Code:
    """Which functions of classes and layers a trace may have met: those that have run, or are named in what has."""

    def __init__(self, surroundings: Surroundings, reads: Reads):
        self._surroundings, self._codes, self._names = surroundings, reads.codes, reads.names()

    def of_classes(self) -> Iterator[tuple[type, str]]:
        """Classes and the names of functions in them; of this package's own layers `forward` alone."""
        own = {type(layer) for layer in self._surroundings.layers
               if self._surroundings.of_class(type(layer)) is None}
        for kind in sorted(own, key=lambda kind: kind.__qualname__):
            yield kind, "forward"
        for kind in self._surroundings.classes():
            for name, value in self._functions_of(kind):
                if not isinstance(value, classmethod):  # which its class gives anew each time
                    yield kind, name

    def classmethods(self) -> Iterator[tuple[type, str, Any]]:
        """Classes with the names of methods of the class in them, and these."""
        for kind in self._surroundings.classes():
            for name, value in vars(kind).items():
                if isinstance(value, classmethod) and name in self._names:
                    yield kind, name, value

    def of_layer(self, layer: Layer, is_called: bool) -> LayerGuard:
        """The guard of a layer, with its hooks unless they run around the Program."""
        form, contents = self._surroundings.noted[id(layer.__dict__)]
        held = [contents[name] for name in ("_sub_layers", *(() if is_called else _HOOKS))]
        before = [(mapping, self._surroundings.contents_of(mapping) or dict(mapping)) for mapping in held]
        users = self._surroundings.of_class(type(layer)) is not None
        names = {"forward", *(name for name, _ in self._functions_of(type(layer)))}
        names |= {key for key, value in contents.items()
                  if is_code(value) and not key.startswith("_static_") and (key in self._names or not users)}
        functions = [(name, contents.get(name, ABSENT)) for name in sorted(names)]
        return LayerGuard(layer, before, functions, form.format("forward").removesuffix(".forward"))

    def _functions_of(self, kind: type) -> Iterator[tuple[str, Any]]:
        for each in kind.__mro__:
            if self._surroundings.of_class(each) is not None:
                for name, value in vars(each).items():
                    function = _function_of(value)
                    has_run = getattr(function, "__code__", ABSENT) in self._codes
                    if function is not None and (has_run or name in self._names):
                        yield name, value


def _function_of(value: Any) -> Any:
    """What runs for an attribute of a class: of a method, a property, a StaticFunction; None for anything else."""
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    return getattr(value, "_function", value) if is_code(value) else None
