"""The types that variables and attributes of operators have in `.pdmodel` files: what reading and writing share."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtype import DType
from ...core.var_type import VarType
from ...ops.core.operator import Double, Long, Longs, Operator, find, is_declared
from ..format import attributes as at
from ..format import messages as pb

PY_LAYER = "pylayer"  # the type of a forward of the user's own
KINDS: dict[str, Any] = {each.kind: each.value for each in VarType}
_FIELDS = {KINDS[kind]: name for kind, name in {
    "tensor": "lod_tensor", "array": "tensor_array", "selected_rows": "selected_rows", "sparse_coo": "sparse_coo",
    "sparse_csr": "sparse_csr"}.items()}
KIND_NAMES = {number: kind for kind, number in KINDS.items()}
_ANNOTATIONS: dict[Any, int] = {
    bool: at.BOOLEAN, int: at.INT, Long: at.LONG, float: at.FLOAT, Double: at.FLOAT64, str: at.STRING, DType: at.INT,
    list[int]: at.INTS, Longs: at.LONGS, list[float]: at.FLOATS, list[str]: at.STRINGS, list[bool]: at.BOOLEANS,
}
CONVERT: dict[int, Callable[[Any], Any]] = {
    at.BOOLEAN: bool, at.INT: int, at.LONG: int, at.FLOAT: float, at.FLOAT64: float, at.STRING: str, at.INTS: int,
    at.LONGS: int, at.FLOATS: float, at.STRINGS: str, at.BOOLEANS: bool,
}


def annotated_type(op_type: str, name: str) -> tuple[int | None, bool]:
    """The type in files of an operator's attribute (None: its declaration gives none), and whether it is a dtype."""
    if name == "sub_block":
        return at.BLOCK, False
    if not is_declared(op_type):
        op_type = op_type.removesuffix("_grad")  # which has the attributes of the operator that it is the gradient of
    return annotated_types(find(op_type)).get(name, (None, False)) if is_declared(op_type) else (None, False)


@functools.cache
def annotated_types(operator: Operator) -> dict[str, tuple[int | None, bool]]:
    """The same of each attribute that a declaration has."""
    return {name: annotated(parameter.annotation) for name, parameter in operator.attributes.items()}


def annotated(annotation: Any) -> tuple[int | None, bool]:
    """The type in files of what is annotated so, and whether it is an element type."""
    if isinstance(annotation, types.UnionType):
        annotation = next(a for a in typing.get_args(annotation) if a is not type(None))
    if typing.get_origin(annotation) is Sequence:
        annotation = list[typing.get_args(annotation)[0]]  # type: ignore[misc]
    return _ANNOTATIONS.get(annotation), annotation is DType


def tensor_field(kind: pb.VarType) -> Any:
    """The part of a variable's type that holds element type and shape; None for a type without."""
    name = _FIELDS.get(kind.type)
    return None if name is None else getattr(kind, name)
