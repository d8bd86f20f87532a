"""The names by which inference code speaks of element types, places and precisions."""

from __future__ import annotations

import enum
from typing import NoReturn

from ..core.dtype import DType, convert_dtype


class DataType(enum.IntEnum):
    """The element types of inputs and outputs.

    >>> import proa as paddle
    >>> paddle.inference.get_num_bytes_of_data_type(paddle.inference.DataType.INT64)
    8
    """

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8


class PlaceType(enum.IntEnum):
    """Where a Predictor's tensors are."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(enum.IntEnum):
    """In which precision a Predictor computes; Float32 is the one that is supported."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


class XpuConfig:
    """Not supported: RuntimeError.

    >>> import proa as paddle
    >>> paddle.inference.XpuConfig()
    Traceback (most recent call last):
        ...
    RuntimeError: XpuConfig(): Kunlun's devices are not supported.
    """

    def __init__(self) -> None:
        raise RuntimeError("XpuConfig(): Kunlun's devices are not supported.")


def data_type_of(dtype: DType) -> DataType:
    """The DataType of an element type; TypeError where it has no name."""
    try:
        return DataType[dtype.name.upper()]
    except KeyError:
        raise TypeError(f"There is no inference.DataType of {dtype.name}.") from None


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """How many bytes one element takes.

    >>> import proa as paddle
    >>> paddle.inference.get_num_bytes_of_data_type(paddle.inference.DataType.FLOAT32)
    4
    """
    return int(convert_dtype(DataType(dtype).name.lower()).dtype.itemsize)


def get_version() -> str:
    """The version of proa, as the lines `version: …` and `backend: …`.

    >>> import proa as paddle
    >>> paddle.inference.get_version().split(":")[0]
    'version'
    """
    from ..version import full_version

    return f"version: {full_version}\nbackend: proa\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """(0, 0, 0): there is no TensorRT.

    >>> import proa as paddle
    >>> paddle.inference.get_trt_compile_version()
    (0, 0, 0)
    """
    return 0, 0, 0


def get_trt_runtime_version() -> tuple[int, int, int]:
    """(0, 0, 0): there is no TensorRT.

    >>> import proa as paddle
    >>> paddle.inference.get_trt_runtime_version()
    (0, 0, 0)
    """
    return 0, 0, 0


def convert_to_mixed_precision(model_file: str, params_file: str, mixed_model_file: str, mixed_params_file: str,
                               mixed_precision: PrecisionType, backend: PlaceType, keep_io_types: bool = True,
                               black_list: set[str] | None = None, **kwargs: object) -> NoReturn:
    """Not supported: NotImplementedError. A CPU gains nothing from a 16-bit model here.

    >>> import proa as paddle
    >>> from proa.inference import PlaceType, PrecisionType, convert_to_mixed_precision
    >>> convert_to_mixed_precision("net.pdmodel", "net.pdiparams", "half.pdmodel", "half.pdiparams",
    ...                            PrecisionType.Half, PlaceType.CPU)
    Traceback (most recent call last):
        ...
    NotImplementedError: convert_to_mixed_precision: models are run in the precision that they were saved in....
    """
    raise NotImplementedError(
        "convert_to_mixed_precision: models are run in the precision that they were saved in. Save a model of 16-bit "
        "parameters after paddle.amp.decorate(level='O2').")
