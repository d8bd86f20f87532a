"""`paddle.inference`: saved models run by name of input and output."""

from .config import Config
from .predictor import Predictor, PredictorPool, Tensor, create_predictor
from .types import (
    DataType,
    PlaceType,
    PrecisionType,
    XpuConfig,
    convert_to_mixed_precision,
    get_num_bytes_of_data_type,
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)

__all__ = [
    "Config", "DataType", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor", "XpuConfig",
    "convert_to_mixed_precision", "create_predictor", "get_num_bytes_of_data_type", "get_trt_compile_version",
    "get_trt_runtime_version", "get_version",
]
