"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.inference`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.inference.config import Config as Config
from proa.inference.predictor import Predictor as Predictor, PredictorPool as PredictorPool, Tensor as Tensor, create_predictor as create_predictor
from proa.inference.types import DataType as DataType, PlaceType as PlaceType, PrecisionType as PrecisionType, XpuConfig as XpuConfig, convert_to_mixed_precision as convert_to_mixed_precision, get_num_bytes_of_data_type as get_num_bytes_of_data_type, get_trt_compile_version as get_trt_compile_version, get_trt_runtime_version as get_trt_runtime_version, get_version as get_version

