"""`paddle.common_ops_import`: the names that code which defines operations imports from here."""

from __future__ import annotations

from typing import Any

from .core import dtype as dt
from .core.param_attr import ParamAttr
from .dygraph.tensor import Tensor
from .framework import core
from .static.building.argument_checks import check_dtype, check_type, check_variable_and_dtype
from .static.building.layer_helper import LayerHelper
from .static.building.mode import default_main_program, in_dynamic_mode
from .static.ir.variable import Variable as _Variable
from .static.run.places import device_guard

in_dygraph_mode = in_dynamic_mode
VarDesc = core.VarDesc


class _Kinds(type):
    """A class to which belongs what functions are given: Tensors in eager mode, Variables in static mode."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor if in_dynamic_mode() else _Variable)


class Variable(_Variable, metaclass=_Kinds):
    """What `isinstance` calls a value in the mode at hand: a Tensor in eager mode, a Variable of a Program otherwise.

    >>> import proa as paddle
    >>> isinstance(paddle.ones([1]), paddle.common_ops_import.Variable)
    True
    """


def convert_dtype(dtype: Any) -> str:
    """The name of a dtype, however it is given; TypeError for what is none.

    >>> import proa as paddle
    >>> paddle.common_ops_import.convert_dtype(paddle.int64)
    'int64'
    """
    return dt.convert_dtype(dtype).name


def convert_np_dtype_to_dtype_(np_dtype: Any) -> dt.DType:
    """The dtype that an array's dtype, a class of numbers or a name means.

    >>> import proa as paddle
    >>> paddle.common_ops_import.convert_np_dtype_to_dtype_("float32")
    paddle.float32
    """
    return dt.convert_dtype(np_dtype)


__all__ = ["LayerHelper", "ParamAttr", "VarDesc", "Variable", "check_dtype", "check_type",
           "check_variable_and_dtype", "convert_dtype", "convert_np_dtype_to_dtype_", "core",
           "default_main_program", "device_guard", "in_dygraph_mode"]
