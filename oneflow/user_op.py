"""`user_op_builder`: operators applied by OneFlow's names of types, slots and attributes, as scripts' own layers do it.

A table says which functions of this face the types are; there are those that published scripts apply.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from . import math
from .array.shapes import reshape
from .layers.normalization import batch_normalized
from .linalg import matmul


def _normalization(x: Any, moving_mean: Any, moving_variance: Any, gamma: Any, beta: Any, axis: int = -1,
                   epsilon: float = 1e-5, training: bool = False, momentum: float = 0.9) -> Any:
    axis %= len(x.shape)
    return batch_normalized(x, axis, moving_mean, moving_variance, gamma, beta, training, momentum, epsilon)


def _reshape(values: Any, shape: Any) -> Any:
    return reshape(values, list(shape))


def _matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0) -> Any:
    product = matmul(a, b, transpose_a, transpose_b)
    return product if alpha == 1.0 else product * alpha


_FUNCTIONS: dict[str, Callable[..., Any]] = {"normalization": _normalization, "reshape": _reshape, "matmul": _matmul}
_FUNCTIONS |= {function.__name__: function for function in (
    math.abs, math.acos, math.acosh, math.asin, math.asinh, math.atan, math.atanh, math.ceil, math.cos, math.cosh,
    math.erf, math.erfc, math.exp, math.expm1, math.floor, math.gelu, math.log, math.log1p, math.log_sigmoid,
    math.negative, math.reciprocal, math.relu, math.rint, math.round, math.rsqrt, math.sigmoid, math.sign, math.sin,
    math.sinh, math.softplus, math.sqrt, math.square, math.tan, math.tanh)}
_OWN = {"in": "values"}  # slots that are no names of Python's


class UserOp:
    """An operator that was built: `InferAndTryRun()` applies it."""

    def __init__(self, builder: UserOpBuilder):
        self._builder = builder
        self._result: Any = None

    def InferAndTryRun(self) -> UserOp:
        """Applies the operator; itself."""
        self._result = self._builder.apply()
        return self

    def RemoteBlobList(self) -> list[Any]:
        """The first result, in a list."""
        return [self._result]

    def SoleOutputBlob(self) -> Any:
        """The result."""
        return self._result


class UserOpBuilder:
    """Collects what an operator is applied to; `Build` gives the operator."""

    def __init__(self, name: str | None):
        self._name, self._type = name, ""
        self._inputs: dict[str, Any] = {}
        self._attributes: dict[str, Any] = {}

    def Op(self, op_type_name: str) -> UserOpBuilder:
        """The operator's type; NotImplementedError for one that the table does not have."""
        if op_type_name not in _FUNCTIONS:
            raise NotImplementedError(f"user_op_builder({self._name!r}).Op({op_type_name!r}): that operator is not "
                                      "applied by its type. Call the function that applies it. By their types go: "
                                      f"{', '.join(sorted(_FUNCTIONS))}.")
        self._type = op_type_name
        return self

    def Input(self, input_name: str, input_blob_list: Sequence[Any]) -> UserOpBuilder:
        """The blob of a slot, in a list."""
        if len(input_blob_list) != 1:
            raise ValueError(f"user_op_builder({self._name!r}).Input({input_name!r}): must be a list with one blob. "
                             f"Received {len(input_blob_list)}.")
        self._inputs[_OWN.get(input_name, input_name)] = input_blob_list[0]
        return self

    def Output(self, output_name: str, num: int = 1) -> UserOpBuilder:
        """A result that OneFlow is to make; here it is the first one that the operator gives."""
        return self

    def Attr(self, attr_name: str, attr_value: Any, attr_type_name: str | None = None) -> UserOpBuilder:
        """An attribute."""
        self._attributes[attr_name] = attr_value
        return self

    SetAttr = Attr

    def Build(self) -> UserOp:
        """The operator; ValueError where inputs are missing, or something is none of its inputs and attributes."""
        function = inspect.signature(_FUNCTIONS[self._type]) if self._type else None
        if function is None:
            raise ValueError(f"user_op_builder({self._name!r}): call Op(type) before Build().")
        try:
            function.bind(**self._inputs, **self._attributes)
        except TypeError as error:
            raise ValueError(f"user_op_builder({self._name!r}): {self._type} takes {', '.join(function.parameters)}. "
                             f"Received {', '.join([*self._inputs, *self._attributes])}.") from error
        return UserOp(self)

    def apply(self) -> Any:
        """Applies the operator."""
        return _FUNCTIONS[self._type](**self._inputs, **self._attributes)


def user_op_builder(op_name: str | None = None) -> UserOpBuilder:
    """A builder of an operator that is applied by its type.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
    ...     op = flow.user_op_builder("first").Op("relu").Input("x", [x]).Output("y").Build()
    ...     return op.InferAndTryRun().RemoteBlobList()[0]
    >>> job(np.array([-1, 1], np.float32)).tolist()
    [0.0, 1.0]
    """
    return UserOpBuilder(op_name)
