"""`paddle.base.data_feeder`: checks of what functions are given, by the path under which packages import them."""

from __future__ import annotations

from ..common_ops_import import convert_dtype
from ..static.building.argument_checks import check_dtype, check_shape, check_type, check_variable_and_dtype

__all__ = ["check_dtype", "check_shape", "check_type", "check_variable_and_dtype", "convert_dtype"]
