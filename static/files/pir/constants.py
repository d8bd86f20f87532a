"""Values that a file gives itself: operations that make them, and what may become an attribute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....core.dtype import DType, convert_dtype
from .json_file import TensorType
from .table import translate
from .values import Constant, Translation

_LARGEST_CONSTANT = 1 << 28  # elements


def _keep_constant(t: Translation, values: list[Any], shape: tuple[int, ...], dtype: DType) -> None:
    """A value that the file gives: an operation that makes it, and what may become an attribute."""
    if any(size < 0 for size in shape) or math.prod(shape) > _LARGEST_CONSTANT:
        t.fail(f"a constant of shape {list(shape)} cannot be")
    made, number = t.declare(0), t.op.results[0][0]
    if not made:
        t.fail("a constant is a tensor")
    if not dtype.is_differentiable and not any(isinstance(v, complex) for v in values):
        if any(not math.isfinite(v) for v in values):
            t.fail(f"a constant of dtype {dtype.name} is not finite")
        values = [int(v) for v in values]
    if number not in t.fetches and math.prod(shape) <= 1 << 12:
        t.constants[number] = Constant(values, shape, dtype)
    if len(values) == 1:
        value = complex(values[0]) if isinstance(values[0], complex) else float(values[0])
        op = t.block.append("fill_constant", {}, {"Out": made}, {
            "shape": list(shape), "dtype": dtype, "value": value,
            "str_value": "" if isinstance(values[0], float) else str(values[0])})
    else:
        with np.errstate(all="ignore"):
            array = np.asarray(values).astype(dtype.dtype).reshape(shape)
        op = t.block.append("assign_value", {}, {"Out": made}, {
            "shape": list(shape), "dtype": dtype, "values": array})
    t.made.append(op)


def full(t: Translation) -> None:
    """The same number everywhere."""
    value = t.op.attributes.get("value")
    if isinstance(value, bool) or not isinstance(value, (int, float, complex)):
        value = int(value) if isinstance(value, bool) else t.fail("its value is no number")
    _keep_constant(t, [value], tuple(t.attribute("shape", list)), t.attribute("dtype", DType))


def full_int_array(t: Translation) -> None:
    """A vector of whole numbers."""
    values = t.attribute("value", list)
    if not all(type(value) is int for value in values):
        t.fail("its values are no whole numbers")
    _keep_constant(t, values, (len(values),), t.attribute("dtype", DType))


def assign_value(t: Translation) -> None:
    """Any numbers."""
    values, shape = t.attribute("values", list), tuple(t.attribute("shape", list))
    if not all(type(size) is int for size in shape) or math.prod(shape) != len(values):
        t.fail(f"a constant of shape {list(shape)} does not have {len(values)} values")
    if any(not isinstance(value, (bool, int, float, complex)) for value in values):
        t.fail("its values are no numbers")
    _keep_constant(t, values, shape, t.attribute("dtype", DType))


def empty(t: Translation) -> None:
    """Room for numbers, which are 0 here until something is written there."""
    shape, attrs = t.constants.get(t.operand(0)), {"shape": [], "dtype": t.attribute("dtype", DType), "value": 0.0}
    if shape is not None:
        attrs["shape"] = shape.numbers()
    inputs = {} if shape is not None else {"ShapeTensor": [t.tensor(t.operand(0))]}
    t.append("fill_constant", inputs, {"Out": t.declare(0)}, attrs)


def full_with_tensor(t: Translation) -> None:
    """The same number everywhere, where a tensor says how many."""
    inputs, attrs = {}, {"shape": [], "dtype": t.attribute("dtype", DType)}
    value, shape = t.constants.get(t.operand(0)), t.constants.get(t.operand(1))
    if value is not None and len(value.values) == 1:
        attrs["value"] = float(value.values[0])
    else:
        inputs["ValueTensor"] = [t.tensor(t.operand(0))]
    if shape is not None:
        attrs["shape"] = shape.numbers()
    else:
        inputs["ShapeTensor"] = [t.tensor(t.operand(1))]
    t.append("fill_constant", inputs, {"Out": t.declare(0)}, attrs)


def full_like(t: Translation) -> None:
    """The same number everywhere, as many as a tensor has; `fill_any_like` takes a number that the file gives only."""
    value = t.constants.get(t.operand(1))
    if value is not None or not t.operand(1):
        return translate(t, "full_like")
    number, given = t.operand(0), t.tensor(t.operand(1))
    sizes = t.variable(t.fresh(f"shape_{number}"), TensorType(
        "tensor", convert_dtype("int32"), (len(t.block.var(t.tensor(number)).shape),)), True)
    t.append("shape", {"Input": [t.tensor(number)]}, {"Out": [sizes]}, {})
    made = t.declare(0)
    dtype = t.block.var(made[0])._dtype
    if t.block.var(given)._dtype is not dtype:
        value_there = given
        given = t.variable(t.fresh(f"{given}.value"), TensorType("tensor", dtype, t.block.var(given).shape), True)
        t.cast(value_there, given)
    t.append("fill_constant", {"ShapeTensor": [sizes], "ValueTensor": [given]}, {"Out": made},
             {"shape": [], "dtype": dtype})


def shape64(t: Translation) -> None:
    """Sizes as 64-bit numbers; `shape` gives 32."""
    number, of_type = t.result(0)
    narrow = t.variable(t.fresh(f"shape_{number}"), TensorType(
        "tensor", convert_dtype("int32"), of_type.shape if isinstance(of_type, TensorType) else ()), True)
    t.append("shape", {"Input": [t.tensor(t.operand(0))]}, {"Out": [narrow]}, {})
    t.cast(narrow, t.declare(0)[0])


def arange(t: Translation) -> None:
    """A range, whose ends have the dtype of the result here."""
    dtype, ends = t.attribute("dtype", DType), []
    for index in range(3):
        number = t.operand(index)
        given, constant = t.tensor(number), t.constants.get(number)
        if t.block.var(given)._dtype is not dtype:
            made = t.variable(t.fresh(f"{given}.end"), TensorType("tensor", dtype, (1,)), True)
            if constant is not None and len(constant.values) == 1:
                t.made.append(t.block.append("fill_constant", {}, {"Out": [made]}, {
                    "shape": [1], "dtype": dtype, "value": float(constant.values[0]), "str_value": ""}))
            else:
                t.cast(given, made)
            given = made
        ends.append([given])
    t.append("range", dict(zip(("Start", "End", "Step"), ends, strict=True)), {"Out": t.declare(0)}, {})
