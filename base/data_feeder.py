"""`paddle.base.data_feeder`: DataFeeder; checks of what functions are given, by the path of older code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common_ops_import import convert_dtype
from ..io.dataloader.feeding.data_feeder import DataFeeder, DataToLoDTensorConverter
from ..static.building.argument_checks import check_dtype, check_shape, check_type, check_variable_and_dtype


def convert_float_to_uint16(data: Any, data_format: str = "NCHW") -> np.ndarray:
    """The bits of numbers as bfloat16, cut off; the order of dimensions, `data_format`, changes nothing.

    >>> import numpy, proa as paddle
    >>> bits = paddle.base.data_feeder.convert_float_to_uint16(numpy.float32([1, 2]))
    >>> bits.tolist(), paddle.base.data_feeder.convert_uint16_to_float(bits).tolist()
    ([16256, 16384], [1.0, 2.0])
    """
    return (np.asarray(data, "float32").view("uint32") >> 16).astype("uint16")


def convert_uint16_to_float(data: Any) -> np.ndarray:
    """The numbers whose bits as bfloat16 these are, as float32."""
    return (np.asarray(data, "uint16").astype("uint32") << 16).view("float32")


__all__ = ["DataFeeder", "DataToLoDTensorConverter", "check_dtype", "check_shape", "check_type",
           "check_variable_and_dtype", "convert_dtype", "convert_float_to_uint16", "convert_uint16_to_float"]
