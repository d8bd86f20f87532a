"""A global function's parameters: what their annotations declare, and arrays checked against that."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core.dtype import DType
from ..typing import Numpy, Placeholder


@dataclasses.dataclass(frozen=True)
class Argument:
    """One array that a call takes: what it is called in errors, and what is declared of it.

    `depth`: of the lists around it, each with one item; then it may be smaller than declared.
    """

    label: str
    shape: tuple[int, ...]
    dtype: DType
    depth: int = 0

    def describe(self) -> str:
        """What is wanted, for errors."""
        inside = f"shape {list(self.shape)}, dtype {self.dtype.name}"
        return f"a list with an array of {inside} or smaller" if self.depth else f"an array of {inside}"

    def array(self, value: Any) -> np.ndarray:
        """The array in the declared dtype; TypeError and ValueError name the argument, what came and what is wanted."""
        if type(value) is np.ndarray and value.dtype == self.dtype.dtype and value.shape == self.shape \
                and not self.depth:
            return value
        for _ in range(self.depth):
            if not isinstance(value, (list, tuple)) or len(value) != 1:
                had = f"a list of {len(value)}" if isinstance(value, (list, tuple)) else _described(value)
                raise TypeError(f"{self.label}: takes {self.describe()}: a list with one item, since there is one "
                                f"device. Received {had}.")
            value = value[0]
        if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
            raise TypeError(f"{self.label}: takes {self.describe()}. Received a list of arrays; join them, or declare "
                            "the argument as ListNumpy.Placeholder.")
        array = value.numpy() if not isinstance(value, np.ndarray) and hasattr(value, "numpy") else np.asarray(value)
        if array.shape != self.shape and not (self.depth and self._holds(array.shape)):
            raise ValueError(f"{self.label}: takes {self.describe()}. Received {_described(array)}.")
        if array.dtype == self.dtype.dtype:
            return array
        if not np.can_cast(array.dtype, self.dtype.dtype, "same_kind"):
            raise TypeError(f"{self.label}: takes {self.describe()}. Received {_described(array)}. Convert it with "
                            f".astype(numpy.{self.dtype.name}).")
        return array.astype(self.dtype.dtype)

    def _holds(self, shape: tuple[int, ...]) -> bool:
        return len(shape) == len(self.shape) and _count(shape) <= _count(self.shape)


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {list(value.shape)}, dtype {value.dtype}"
    return type(value).__name__


class Arguments:
    """What a function takes: a nest of Arguments for each parameter, and the flat list of them."""

    def __init__(self, function: Callable[..., Any]):
        self.name = function.__name__
        self.signature = inspect.signature(function, eval_str=True)
        self.nests = [self._declared(parameter) for parameter in self.signature.parameters.values()]
        self.flat: list[Argument] = list(_leaves(self.nests))
        self.parameters = list(self.signature.parameters)
        self._is_flat = all(isinstance(nest, Argument) for nest in self.nests)

    def _declared(self, parameter: inspect.Parameter) -> Any:
        label = f"{self.name}({parameter.name})"
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"{label}: a global function takes no *args and **kwargs, nor keyword-only arguments.")
        if parameter.annotation is not parameter.empty:
            return _of_annotation(label, parameter.annotation)
        if parameter.default is not parameter.empty:  # as scripts of OneFlow 0.1 declare it
            return _of_default(label, parameter.default)
        raise TypeError(f"{label}: a parameter of a global function is annotated with what it takes, such as "
                        "oneflow.typing.Numpy.Placeholder((32, 784), dtype=flow.float).")

    def values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values that were given for the flat arguments; TypeError where there are too many or few."""
        if kwargs or len(args) != len(self.nests):
            try:
                bound = self.signature.bind(*args, **kwargs).arguments
                args = tuple(bound[name] for name in self.parameters)
            except (TypeError, KeyError) as error:
                raise TypeError(f"{self.name}() takes {len(self.nests)} arguments: {', '.join(self.parameters)}. "
                                f"Received {len(args)} and {sorted(kwargs)}.") from error
        if self._is_flat:
            return list(args)
        return [value for nest, value in zip(self.nests, args, strict=True) for value in _values(nest, value)]

    def filled(self, values: list[Any]) -> list[Any]:
        """What the function is called with: its parameters, with a value for each flat argument."""
        left = iter(values)
        return [_filled(nest, left) for nest in self.nests]


def _of_annotation(label: str, annotation: Any) -> Any:
    if inspect.isclass(annotation) and issubclass(annotation, Placeholder):
        return Argument(label, annotation.shape, annotation.dtype, annotation.depth)
    if typing.get_origin(annotation) is tuple and typing.get_args(annotation):
        return tuple(_of_annotation(f"{label}[{n}]", part) for n, part in enumerate(typing.get_args(annotation)))
    raise TypeError(f"{label}: is annotated with {annotation!r}. It takes oneflow.typing.Numpy.Placeholder(shape, "
                    "dtype), ListNumpy.Placeholder(shape, dtype), or a typing.Tuple of such.")


def _of_default(label: str, default: Any) -> Any:
    if isinstance(default, (tuple, list)):
        return type(default)(_of_default(f"{label}[{n}]", part) for n, part in enumerate(default))
    if isinstance(default, dict):
        return {key: _of_default(f"{label}[{key!r}]", part) for key, part in default.items()}
    if isinstance(default, TensorDef):
        return Argument(label, default.shape, default.dtype, default.depth)
    raise TypeError(f"{label}: has the default {default!r}. Annotate it with "
                    "oneflow.typing.Numpy.Placeholder(shape, dtype).")


def _leaves(nest: Any) -> Iterator[Argument]:
    if isinstance(nest, Argument):
        yield nest
    else:
        for part in nest.values() if isinstance(nest, dict) else nest:
            yield from _leaves(part)


def _values(nest: Any, value: Any) -> list[Any]:
    if isinstance(nest, Argument):
        return [value]
    kind = dict if isinstance(nest, dict) else (tuple, list)
    if not isinstance(value, kind) or len(value) != len(nest) or isinstance(nest, dict) and set(nest) != set(value):
        label = next(_leaves(nest)).label.rsplit("[", 1)[0]
        wanted = f"a dict of {sorted(nest)}" if isinstance(nest, dict) else f"a tuple of {len(nest)} arrays"
        raise TypeError(f"{label}: takes {wanted}. Received {_described(value)}.")
    pairs = [(part, value[key]) for key, part in nest.items()] if isinstance(nest, dict) else zip(
        nest, value, strict=True)
    return [each for part, item in pairs for each in _values(part, item)]


def _filled(nest: Any, left: Iterator[Any]) -> Any:
    if isinstance(nest, Argument):
        return next(left)
    if isinstance(nest, dict):
        return {key: _filled(part, left) for key, part in nest.items()}
    return type(nest)(_filled(part, left) for part in nest)


class TensorDef:
    """An argument declared as a parameter's default, as in scripts of OneFlow 0.1."""

    depth = 0

    def __init__(self, shape: Any, dtype: Any = None, name: str | None = None, batch_axis: Any = 0):
        declared = Numpy.Placeholder(shape) if dtype is None else Numpy.Placeholder(shape, dtype)
        self.shape, self.dtype, self.name = declared.shape, declared.dtype, name


class FixedTensorDef(TensorDef):
    """An array: `def job(x=flow.FixedTensorDef((2, 3)))`."""


class MirroredTensorDef(TensorDef):
    """A list with an array a device: `def job(x=flow.MirroredTensorDef((2, 3)))`."""

    depth = 1
