"""What an operator is given when it is appended: variables by slots, brought to one dtype and into line."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType, bool_, get_default_dtype_object, int64
from ...ops.core.operator import Operator
from ...ops.math.casting import cast
from ..ir.variable import Variable
from .tensor_arrays import ArrayVariable


def converted(x: Variable, dtype: DType) -> Variable:
    """The variable in a dtype; what was a number of Python stays one."""
    made = cast(x, dtype)
    made.is_number = x.is_number
    return made


def counted(op: Operator, x: Variable, y: Variable, truths: set[str]) -> tuple[Variable, Variable]:
    """What an operator computes with in the place of truth values of Python: 1 and 0, as in `bool(a) + bool(b)`."""
    if x.dtype is not bool_ or op.gradient is None or truths.isdisjoint((x.name, y.name)):
        return x, y
    return cast(x, int64), cast(y, int64)


def beside_a_number(dtype: DType, numbers: DType) -> DType:
    """What a tensor and a number of Python become, of which only a run knows the number: the tensor's, where it can."""
    if numbers.is_floating and not dtype.is_differentiable:
        return get_default_dtype_object()
    return int64 if dtype is bool_ else dtype


def aligned_at_first(op: Operator, inputs: tuple, attrs: dict[str, Any]) -> dict[str, Any]:
    """How Python's operators of 1.x's variables meet: a row of unknown size, at the first dimension of the other."""
    if [slot.name for slot in op.inputs] != ["X", "Y"] or op.defaults.get("axis") != -1:
        return attrs
    x, y = inputs
    of_rows = 0 < y.ndim < x.ndim or 0 < x.ndim < y.ndim and x.shape[0] == -1
    return {**attrs, "axis": 0} if of_rows and y.shape[0] == -1 else attrs


def refuse_lists(op: Operator, values: list[Variable]) -> None:
    """TypeError where one is a list of a Program, of which an operator takes the items alone."""
    for value in values:
        if isinstance(value, ArrayVariable):
            raise TypeError(
                f"{op.type}: received a list whose length is known only when the program runs. Join its items with "
                "paddle.stack or paddle.concat, take one of them, or loop over them.")


def spec_of(value: Any) -> Any:
    """The Spec of what stands in a slot: a list of them for a list, None for nothing."""
    if isinstance(value, list):
        return [v.spec for v in value]
    return None if value is None else value.spec


def flat(inputs: tuple) -> list[Variable]:
    """The variables of all slots."""
    flat: list[Variable] = []
    for value in inputs:
        if value is not None:
            flat.extend(value if isinstance(value, list) else [value])
    return flat


def names_of(value: Any) -> list[str]:
    """The names of what stands in a slot."""
    if value is None:
        return []
    return [v.name for v in value] if isinstance(value, list) else [value.name]
