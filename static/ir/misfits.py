"""Inputs that are not as a Program says: which, and what they are. Knows specs, and no Program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...ops.core.spec import Spec


class MisfitInputsError(ValueError):
    """Inputs that operators do not take; it says which, what they are declared as, and what was received."""


def misfits(specs: Mapping[str, Spec], values: Sequence[Any]) -> dict[str, Spec]:
    """Of inputs that are not as their specs say, what they are: sizes that differ are left open, -1.

    `values`: the inputs in order, with a shape and a dtype.
    """
    return {name: _opened(spec, value) for (name, spec), value in zip(specs.items(), values, strict=True)
            if not _fits(spec, value)}


def tell(error: Exception, what: str, declared: Mapping[str, Sequence[int]],
         received: Mapping[str, Sequence[int]]) -> None:
    """Puts before an operator's error which inputs have other sizes than declared; `what` is how they are given."""
    if received and len(error.args) == 1 and not isinstance(error, MisfitInputsError):
        told = "; ".join(f"{name!r} takes shape {list(declared[name])} (-1: any size), and received {list(shape)}"
                         for name, shape in received.items())
        error.args = (f"{what}: {told}, which an operator does not take: {error.args[0]}",)


def _fits(spec: Spec, value: Any) -> bool:
    shape = value.shape
    return value.dtype is spec.dtype and len(shape) == len(spec.shape) and all(
        a in (-1, b) for a, b in zip(spec.shape, shape, strict=True))


def _opened(spec: Spec, value: Any) -> Spec:
    """Counted from the last dimension, the sizes that are those of the spec are known."""
    sizes = tuple(value.shape)
    known = (*(-1,) * (len(sizes) - len(spec.shape)), *spec.shape[max(len(spec.shape) - len(sizes), 0):])
    return Spec(tuple(a if a == b else -1 for a, b in zip(known, sizes, strict=True)), value.dtype)
