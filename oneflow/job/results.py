"""What a global function returns: blobs, checked against its annotation, and arrays given in their places."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.one_number import as_number
from ...static.ir.variable import Variable
from ..typing import Bundle, Callback, Numpy, is_result


class LocalBlob(np.lib.mixins.NDArrayOperatorsMixin):
    """A value that a job without an annotation gives: `numpy()` is the array, whose attributes it has too."""

    is_dynamic = False

    def __init__(self, array: np.ndarray):
        self._array = array

    def numpy(self, parallel_id: int | None = None) -> np.ndarray:
        """The array; one of a single element can be made a number."""
        return as_number(self._array)

    def numpy_list(self) -> list[np.ndarray]:
        """The arrays of all devices: one."""
        return [self._array]

    ndarray, ndarray_list = numpy, numpy_list

    def parallel_num(self) -> int:
        """The number of devices."""
        return 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._array, dtype) if copy or dtype is not None else self._array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = [x._array if isinstance(x, LocalBlob) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_array":
            raise AttributeError(name)
        return getattr(self._array, name)

    def __getitem__(self, index: Any) -> Any:
        return self._array[index]

    def __len__(self) -> int:
        return len(self._array)

    def __float__(self) -> float:
        return float(self._array.item())

    def __int__(self) -> int:
        return int(self._array.item())

    def __bool__(self) -> bool:
        return bool(self._array)

    def __repr__(self) -> str:
        return repr(self._array)

    def __str__(self) -> str:
        return str(self._array)

    def __format__(self, spec: str) -> str:
        return format(self._array.item() if spec else self._array, spec)


class FutureBlobs:
    """What a call of a job without an annotation gives: `get()`, or `async_get(callback)`."""

    def __init__(self, value: Any):
        self._value = value

    def get(self) -> Any:
        """The value: LocalBlobs, nested as the job returned its blobs."""
        return self._value

    def async_get(self, callback: Callable[[Any], Any]) -> None:
        """Calls `callback` with the value, before it returns."""
        callback(self._value)


def check_annotation(name: str, annotation: Any) -> None:
    """Raises TypeError for a return annotation that a global function cannot have."""
    if annotation is inspect.Signature.empty or annotation is None:
        return
    if typing.get_origin(annotation) in (Callback, Bundle):
        annotation = typing.get_args(annotation)[0]
    if not _is_of_results(annotation):
        raise TypeError(f"{name}(): its result is annotated with {annotation!r}. It may be oneflow.typing.Numpy, "
                        "ListNumpy, a typing.Tuple, List or Dict of them, a Callback[…] or Bundle[…] of such, or None.")


def _is_of_results(annotation: Any) -> bool:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (tuple, list):
        return bool(parts) and all(part is ... or _is_of_results(part) for part in parts)
    if origin is dict:
        return _is_of_results(parts[1])
    return is_result(annotation)


class Results:
    """Makes what a call gives of the arrays of the blobs that the function returned."""

    def __init__(self, name: str, returned: Any, annotation: Any):
        self._name, self._returned = name, returned
        self.is_callback = typing.get_origin(annotation) is Callback
        inner = typing.get_args(annotation)[0] if self.is_callback else annotation
        self.is_future = annotation is inspect.Signature.empty and returned is not None
        if annotation is None and returned is not None:
            self._refuse("None")
        self._forms = [] if returned is None else list(self._leaves(returned, inner))
        self.names = [name for name, _ in self._forms]
        self._single = self._forms[0][1] if isinstance(returned, Variable) else None

    def _refuse(self, wanted: str) -> None:
        raise TypeError(f"{self._name}(): is annotated to return {wanted}, and returned {_shown(self._returned)}.")

    def _leaves(self, value: Any, annotation: Any) -> Any:
        """Names of blobs, with what makes a result of an array: in the order of `nest.leaves`."""
        origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
        bundled = origin is Bundle or annotation is inspect.Signature.empty
        if isinstance(value, Variable):
            if not bundled and not is_result(annotation):
                self._refuse(_named(annotation))
            yield value.name, _form(annotation, parts)
        elif isinstance(value, (tuple, list)):
            if not bundled and (origin is not type(value) or origin is tuple and ... not in parts
                                and len(parts) != len(value)):
                self._refuse(_named(annotation))
            for n, item in enumerate(value):
                inner = annotation if bundled else parts[0] if origin is list or ... in parts else parts[n]
                yield from self._leaves(item, inner)
        elif isinstance(value, dict):
            if not bundled and origin is not dict:
                self._refuse(_named(annotation))
            for item in value.values():
                yield from self._leaves(item, annotation if bundled else parts[1])
        else:
            raise TypeError(f"{self._name}(): a global function returns blobs, and tuples, lists and dicts of them. "
                            f"Received {_shown(value)}.")

    def give(self, arrays: list[np.ndarray]) -> Any:
        """What the call returns."""
        if self._single is not None:
            value = self._single(arrays[0])
        elif self._returned is None:
            return None
        else:
            left = iter(form(array) for (_, form), array in zip(self._forms, arrays, strict=True))
            value = _rebuilt(self._returned, left)
        if self.is_callback:
            return lambda callback: callback(value)
        return FutureBlobs(value) if self.is_future else value


def _rebuilt(value: Any, left: Any) -> Any:
    if isinstance(value, Variable):
        return next(left)
    if isinstance(value, dict):
        return {key: _rebuilt(item, left) for key, item in value.items()}
    return type(value)(_rebuilt(item, left) for item in value)


def _as_it_is(array: np.ndarray) -> np.ndarray:
    return as_number(array)


def _in_a_list(array: np.ndarray) -> list[np.ndarray]:
    return [array]


def _in_lists(array: np.ndarray) -> list[list[np.ndarray]]:
    return [[array]]


_FORMS: dict[int, Callable[[np.ndarray], Any]] = {0: _as_it_is, 1: _in_a_list, 2: _in_lists}


def _form(annotation: Any, parts: tuple) -> Callable[[np.ndarray], Any]:
    if annotation is inspect.Signature.empty:
        return LocalBlob
    return _FORMS[(parts[0] if parts else annotation).depth]


def form_of(annotation: Any) -> Callable[[np.ndarray], Any]:
    """What makes the argument of a callback of an array, by its annotation."""
    return _form(annotation if annotation is inspect.Signature.empty or is_result(annotation) else Numpy, ())


def _named(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) if inspect.isclass(annotation) else repr(annotation)  # type: ignore[return-value]


def _shown(value: Any) -> str:
    if isinstance(value, Variable):
        return f"a blob of shape {list(value.shape)}"
    if isinstance(value, (tuple, list, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    return type(value).__name__
