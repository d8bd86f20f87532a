"""`paddle.base.data_feeder`: DataFeeder; checks of what functions are given, by the path of older code."""

from __future__ import annotations

from ..common_ops_import import convert_dtype
from ..io.dataloader.feeding.data_feeder import DataFeeder, DataToLoDTensorConverter
from ..static.building.argument_checks import check_dtype, check_shape, check_type, check_variable_and_dtype

__all__ = ["DataFeeder", "DataToLoDTensorConverter", "check_dtype", "check_shape", "check_type",
           "check_variable_and_dtype", "convert_dtype"]
