"""What 1.x runs saved models with: `fluid.core.AnalysisConfig`, `create_paddle_predictor`, `PaddleTensor`."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.lazy import listed
from ..inference import Config, Predictor, create_predictor
from ..inference.predictor import Tensor


class AnalysisConfig(Config):
    """Which model a predictor runs: a folder with `__model__`, or the files of Program and parameters."""


class NativeConfig:
    """As AnalysisConfig, by its fields: `model_dir`, or the files `prog_file` and `param_file`."""

    def __init__(self) -> None:
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu, self.device, self.fraction_of_gpu_memory = False, 0, -1.0
        self.specify_input_name, self._threads = False, 1

    def cpu_math_library_num_threads(self) -> int:
        """How many threads compute."""
        return self._threads

    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads: int) -> None:
        """Sets how many threads compute."""
        self._threads = int(cpu_math_library_num_threads)

    def _analysis(self) -> AnalysisConfig:
        config = AnalysisConfig(self.prog_file, self.param_file) if self.prog_file else AnalysisConfig(self.model_dir)
        config.set_cpu_math_library_num_threads(self._threads)
        if self.use_gpu:
            config.enable_use_gpu(100, self.device)
        else:
            config.disable_gpu()
        return config


class PaddleDType(enum.Enum):
    """What the elements of a PaddleTensor are."""

    FLOAT32, INT64, INT32 = 0, 1, 2

    def __int__(self) -> int:
        return self.value

    def of(self, array: np.ndarray) -> np.ndarray:
        """The array with elements of this type."""
        return array.astype(self.name.lower(), copy=False)


class PaddleBuf:
    """The elements of a PaddleTensor."""

    def __init__(self, data: Any = ()):
        self.reset(data)

    def reset(self, data: Any) -> None:
        """Replaces them."""
        array = np.asarray(data)
        self._array = array.astype("float32") if array.dtype == "float64" else array

    def _dtype(self) -> PaddleDType:
        return PaddleDType.__members__.get(self._array.dtype.name.upper(), PaddleDType.FLOAT32)

    def empty(self) -> bool:
        """Whether there are none."""
        return not self._array.size

    def tolist(self, dtype: str = "float32") -> list[Any]:
        """As a flat list of numbers of this dtype."""
        return self._array.reshape(-1).astype(dtype).tolist()

    def float_data(self) -> list[float]:
        """As a flat list of floats."""
        return [float(n) for n in self._array.reshape(-1)]

    def int64_data(self) -> list[int]:
        """As a flat list of ints."""
        return [int(n) for n in self._array.reshape(-1)]

    int32_data = int64_data

    def length(self) -> int:
        """How many bytes they take."""
        return int(self._array.nbytes)


class PaddleTensor:
    """A value that is handed to a predictor, or that it gave: its name, shape, offsets and elements.

    >>> import numpy, proa.fluid as fluid
    >>> fluid.core.PaddleTensor(numpy.ones((2, 3), "float32"), "x").shape
    [2, 3]
    """

    def __init__(self, data: Any = (), name: str = ""):
        array = np.asarray(data)
        self.name, self.shape, self.lod = name, list(array.shape), []  # type: str, list[int], list[list[int]]
        self.data, self._dtype = PaddleBuf(array), None  # type: PaddleBuf, PaddleDType | None

    @property
    def dtype(self) -> PaddleDType:
        """What its elements are: what it was set to, or what its data has."""
        return self._dtype or self.data._dtype()

    @dtype.setter
    def dtype(self, dtype: PaddleDType) -> None:
        self._dtype = dtype

    def as_ndarray(self) -> np.ndarray:
        """The value as an array."""
        return self.dtype.of(self.data._array).reshape(self.shape)


class PaddlePredictor:
    """A saved model: `run` takes and gives PaddleTensors; or set inputs by name, `zero_copy_run`, read outputs."""

    def __init__(self, predictor: Predictor):
        self._predictor = predictor

    def run(self, inputs: Sequence[PaddleTensor]) -> list[PaddleTensor]:
        """The outputs for inputs in order, or by the names that they bear."""
        names = self._predictor.get_input_names()
        if len(inputs) != len(names):
            raise ValueError(f"PaddlePredictor.run(inputs): the model takes {names}. Received {len(inputs)} values.")
        for name, value in zip(names, inputs, strict=True):
            handle = self._predictor.get_input_handle(value.name if value.name in names else name)
            handle.copy_from_cpu(value.as_ndarray())
            if value.lod:
                handle.set_lod(value.lod)
        self._predictor.run()
        return [self._read(name) for name in self._predictor.get_output_names()]

    def _read(self, name: str) -> PaddleTensor:
        handle = self._predictor.get_output_handle(name)
        made = PaddleTensor(handle.copy_to_cpu(), name)
        made.lod = [list(level) for level in handle.lod()]
        return made

    def get_input_names(self) -> list[str]:
        """The names of the inputs."""
        return self._predictor.get_input_names()

    def get_output_names(self) -> list[str]:
        """The names of the outputs."""
        return self._predictor.get_output_names()

    def get_input_tensor(self, name: str) -> Tensor:
        """An input, to be set."""
        return self._predictor.get_input_handle(name)

    def get_output_tensor(self, name: str) -> Tensor:
        """An output, to be read."""
        return self._predictor.get_output_handle(name)

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """The shapes that the inputs were declared with, by name; -1 is any size."""
        return {name: list(self._predictor.get_input_handle(name)._variable.shape) for name in self.get_input_names()}

    def zero_copy_run(self) -> None:
        """Computes the outputs of the inputs that were set."""
        self._predictor.run()

    def clone(self) -> PaddlePredictor:
        """Another one of the same model, with inputs and outputs of its own."""
        return PaddlePredictor(self._predictor.clone())


def create_paddle_predictor(config: AnalysisConfig | NativeConfig) -> PaddlePredictor:
    """What runs a saved model."""
    return PaddlePredictor(create_predictor(config._analysis() if isinstance(config, NativeConfig) else config))


__all__ = ["AnalysisConfig", "NativeConfig", "PaddleBuf", "PaddleDType", "PaddlePredictor", "PaddleTensor",
           "create_paddle_predictor"]
__dir__ = listed(__name__)
