"""Predictor: runs a saved model on arrays that are handed over by name.

A model is read and compiled once. What depends on its parameters alone (packed weights, folded batch norms) is
computed at the first run and kept. `clone` shares all of this, so that each thread may have a Predictor of its own.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import backend
from ..backend.memory import usual_pages
from ..backend.threads import set_num_threads
from ..core.byte_reader import open_reader, source_name
from ..core.collection import staying
from ..core.dtype import from_numpy_dtype
from ..core.forks import unforked
from ..core.place import Place
from ..static.files.model_files import (
    MODEL_SUFFIX,
    PARAMS_SUFFIX,
    QUANTIZED_WEIGHTS,
    folder_state,
    is_program_file,
    older_files,
    program_file,
    read_values,
)
from ..static.run.fed_dtype import in_dtype
from ..static.run.lod_tensor import Lod, fault_in, innermost
from . import opened
from .config import Config
from .model import Model
from .stored_values import values_as_needed
from .types import DataType, data_type_of

if TYPE_CHECKING:
    from ..static.ir.variable import Variable
    from .opening import Source


class Tensor:
    """An input or output of a Predictor: got by name, filled before a run or read after it.

    >>> import proa as paddle
    >>> from proa import inference
    >>> import numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "net")
    >>> paddle.jit.save(paddle.nn.Softmax(), path, input_spec=[paddle.static.InputSpec([None, 2], name="x")])
    >>> predictor = inference.create_predictor(inference.Config(path + ".pdmodel", path + ".pdiparams"))
    >>> given = predictor.get_input_handle("x")
    >>> given.copy_from_cpu(np.ones((3, 2), "float32"))
    >>> predictor.run()
    True
    >>> found = predictor.get_output_handle(predictor.get_output_names()[0])
    >>> found.shape(), found.type(), found.copy_to_cpu()[0].tolist()
    ([3, 2], <DataType.FLOAT32: 0>, [0.5, 0.5])
    """

    def __init__(self, variable: Variable | opened.Described, place: Place, is_input: bool):
        self._variable, self._place, self._is_input = variable, place, is_input
        self._shape: list[int] | None = None
        self._array: Any = None
        self._lod: Lod = []

    @property
    def name(self) -> str:
        """The name in the Program."""
        return self._variable.name

    def copy_from_cpu(self, data: Any) -> None:
        """Takes a copy of a NumPy array; TypeError where its dtype does not fit the model."""
        self._take(np.array(data, order="C"))

    def share_external_data(self, data: Any) -> None:
        """Takes an array or a Tensor without copying it: it must not change until the run is over."""
        self._take(data if type(data) is np.ndarray else _array_of(data))

    def _take(self, array: Any) -> None:
        if not self._is_input:
            raise RuntimeError(f"{self.name!r} is an output of the model: it is read with copy_to_cpu().")
        if self._shape is not None and int(np.prod(self._shape)) == array.size:
            array = array.reshape(self._shape)
        self._array = backend.as_place(in_dtype(self._variable, array), self._place)

    def reshape(self, shape: int | Sequence[int]) -> None:
        """The shape of what is handed over from now on, where it has as many elements."""
        self._shape = [shape] if isinstance(shape, int) else [int(size) for size in shape]
        if self._array is not None and self._array.size == int(np.prod(self._shape)):
            self._array = self._array.reshape(self._shape)

    def copy_to_cpu(self) -> np.ndarray:
        """A NumPy array of its own; RuntimeError before the run that fills an output."""
        return backend.to_numpy(self._value()).copy()

    def _value(self) -> Any:
        if self._array is None:
            raise RuntimeError(f"{self.name!r} has no value yet: " + (
                "hand it over with copy_from_cpu(array)." if self._is_input else "call predictor.run() first."))
        return self._array.view()  # an array stands for its values, and these may change until the next run

    def shape(self) -> list[int]:
        """The sizes; those of the model, -1 where any will do, while there is no value."""
        if self._array is None:
            return list(self._shape or self._variable.shape)
        return list(self._array.shape)

    def type(self) -> DataType:
        """The element type."""
        return data_type_of(self._variable.dtype if self._array is None else from_numpy_dtype(self._array.dtype))

    def lod(self) -> Lod:
        """The offsets of the sequences that its rows are, level by level; empty where it has none."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Divides the rows of an input into sequences, by offsets: [[0, 2, 5]] are two rows and three.

        An input that the model does not take as sequences keeps it to itself. ValueError for offsets that do not add
        up, for more levels than such an input has, and for an output.
        """
        found = [[int(offset) for offset in level] for level in lod]
        fault = fault_in(found, None)
        if not self._is_input:
            fault = f"{self.name!r} is an output of the model"
        elif len(found) > len(self._variable.lod) > 0:
            fault = f"the model's input {self.name!r} has lod_level {len(self._variable.lod)}"
        if fault:
            raise ValueError(f"inference.Tensor.set_lod(lod): {fault}. Received {lod}.")
        self._lod = found

    def _offsets(self) -> dict[str, Any]:
        """The offsets by the names that they have in the Program; ValueError where they are of other rows."""
        fault = fault_in(self._lod, len(self._value())) if self._lod else ""
        if fault:
            raise ValueError(f"{self.name!r}: its LoD does not add up: {fault}. Received {self._lod}.")
        return {level.name: backend.as_place(np.asarray(offsets, "int64"), self._place)
                for level, offsets in innermost(self._variable.lod, self._lod)}


class Predictor:
    """Runs a model: `create_predictor(config)`. One thread at a time may use it; others take a `clone()`.

    >>> import proa as paddle
    >>> from proa import inference
    >>> import numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "net")
    >>> paddle.jit.save(paddle.nn.Softmax(), path, input_spec=[paddle.static.InputSpec([None, 2], name="x")])
    >>> predictor = inference.create_predictor(inference.Config(path + ".pdmodel", path + ".pdiparams"))
    >>> predictor.get_input_names()
    ['x']
    >>> [found.tolist() for found in predictor.run([np.ones((1, 2), "float32")])]
    [[[0.5, 0.5]]]
    """

    def __init__(self, model: Model):
        self._model = model
        self._inputs = {name: Tensor(model.variables[name], model.place, True) for name in model.inputs}
        self._outputs = {name: Tensor(model.variables[name], model.place, False) for name in model.outputs}

    def get_input_names(self) -> list[str]:
        """The names of the inputs, in the order in which the model takes them."""
        return list(self._model.inputs)

    def get_output_names(self) -> list[str]:
        """The names of the outputs, in order."""
        return list(self._model.outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """The input of this name, to be filled; ValueError where there is none."""
        return _handle(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """The output of this name, to be read after a run; ValueError where there is none."""
        return _handle(self._outputs, name, "output")

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Runs the model on what the input handles hold, and gives True; the outputs are in the output handles.

        With `inputs`, a list of Tensors or arrays in the order of the names, it takes these and gives a list of
        Tensors. RuntimeError where an input has no value.
        """
        handles = self._inputs.values()
        if inputs is not None:
            if len(inputs) != len(self._inputs):
                raise ValueError(f"Predictor.run(inputs): the model takes {self.get_input_names()}. "
                                 f"Received {len(inputs)} inputs.")
            for handle, value in zip(handles, inputs, strict=True):
                handle.share_external_data(value)
        offsets = {name: level for handle in handles if handle._lod for name, level in handle._offsets().items()}
        results = self._model([handle._value() for handle in handles], offsets)
        for output, (array, lod) in zip(self._outputs.values(), results, strict=True):
            output._array, output._lod = array, lod
        return True if inputs is None else _as_tensors([array for array, _ in results])

    def describe(self, shapes: Mapping[str, Sequence[int]]) -> str:
        """A table of what a run on inputs of these shapes does and costs, operation by operation.

        ValueError for an input without a shape, and where the operators do not take the shapes.
        """
        missing = [name for name in self._inputs if name not in shapes]
        if missing:
            raise ValueError(f"Predictor.describe(shapes): a shape for each input, please: {missing} have none.")
        return str(self._model.plan_for([tuple(shapes[name]) for name in self._inputs]))

    def clone(self) -> Predictor:
        """A Predictor of the same model with handles of its own, for another thread. Parameters are shared."""
        return Predictor(self._model)

    def clear_intermediate_tensor(self) -> None:
        """Is without effect: values between operations are freed while the model runs."""

    def try_shrink_memory(self) -> int:
        """Lets go of the outputs' values; 0, the number of bytes that are known to be freed."""
        for output in self._outputs.values():
            output._array = None
        return 0

    def register_output_hook(self, hook: Callable[..., Any]) -> NoReturn:
        """Not supported: NotImplementedError. Operators are fused, so that many outputs never exist."""
        raise NotImplementedError("Predictor.register_output_hook: operators are fused, so that many of their outputs "
                                  "never exist. Fetch the values with paddle.static.Executor.")


def _array_of(data: Any) -> Any:
    with unforked():
        from ..dygraph.tensor import Tensor as EagerTensor  # not to be imported for arrays

    return data._array if isinstance(data, EagerTensor) else np.asarray(data)


def _as_tensors(arrays: Sequence[Any]) -> list[Any]:
    with unforked():
        from ..dygraph.tensor import new_tensor

    return [new_tensor(array) for array in arrays]


def _handle(handles: dict[str, Tensor], name: str, what: str) -> Tensor:
    if name not in handles:
        raise ValueError(f"The model has no {what} {name!r}. Its {what}s: {list(handles)}.")
    return handles[name]


class PredictorPool:
    """`size` Predictors of one model, one for each thread: `pool.retrieve(number)`.

    >>> import proa as paddle
    >>> from proa import inference
    >>> import numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "net")
    >>> paddle.jit.save(paddle.nn.Softmax(), path, input_spec=[paddle.static.InputSpec([None, 2], name="x")])
    >>> pool = inference.PredictorPool(inference.Config(path + ".pdmodel", path + ".pdiparams"), 2)
    >>> first, second = pool.retrieve(0), pool.retrieve(1)  # for two threads
    >>> second.run([np.ones((1, 2), "float32")])[0].tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, config: Config, size: int = 1):
        if size < 1:
            raise ValueError(f"PredictorPool(size): must be at least 1. Received {size!r}.")
        first = create_predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrieve(self, idx: int) -> Predictor:
        """The Predictor of this number; IndexError where there is none."""
        return self._predictors[idx]

    retrive = retrieve  # Paddle's name


def create_predictor(config: Config) -> Predictor:
    """Reads the model of a Config and makes it ready to run.

    Raises FileNotFoundError and CorruptFileError, naming the file, and NotImplementedError for an operator that is
    not known here.

    >>> import numpy, tempfile, proa as paddle
    >>> prefix = tempfile.mkdtemp() + "/net"
    >>> paddle.jit.save(paddle.nn.ReLU(), prefix, input_spec=[paddle.static.InputSpec([None, 2], name="x")])
    >>> predictor = paddle.inference.create_predictor(paddle.inference.Config(prefix + ".pdmodel", ""))
    >>> predictor.get_input_handle("x").copy_from_cpu(numpy.array([[-1.0, 2.0]], "float32"))
    >>> predictor.run()
    True
    >>> predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu().tolist()
    [[0.0, 2.0]]
    """
    if not isinstance(config, Config):
        raise TypeError(f"create_predictor(config): must be an inference.Config. Received {type(config).__name__}.")
    content, name, values = _files(config)
    if config._threads is not None:
        set_num_threads(config._threads)
    with unforked(), staying(), usual_pages():
        return Predictor(_opened(content, name, values, config))


_Values = Callable[[list[str]], dict[str, Any]]
"""What reads the values of these names."""


def _files(config: Config) -> tuple[bytes, str, _Values]:
    """The content of a model's file, what errors call it, and what reads the values beside it."""
    if config._buffers is not None:
        model, values = map(io.BytesIO, config._buffers)
        return config._buffers[0], source_name(model), functools.partial(read_values, values)
    if config.prog_file():
        return *_content(config.prog_file()), functools.partial(values_as_needed, config.params_file())
    folder = config.model_dir()
    if not folder:
        raise ValueError("create_predictor(config): the Config names no model. Use Config(model_file, params_file).")
    if os.path.isfile(program_file(folder)):
        return *_content(program_file(folder)), functools.partial(values_as_needed, folder + PARAMS_SUFFIX)
    if os.path.isfile(os.path.join(folder, "__model__")):
        program, place = older_files(folder, None, None)
        read = values_as_needed if os.path.isfile(place) else folder_state
        return *_content(program), functools.partial(read, place)
    if os.path.isfile(folder):
        beside = os.path.splitext(folder)[0] + PARAMS_SUFFIX
        raise NotADirectoryError(f"Config({folder!r}): one path is that of a folder, and this is a file. Give the file "
                                 f"of the parameters, too: Config({folder!r}, {beside!r}).")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [name for name in names if name.endswith(MODEL_SUFFIX)] or [
        name for name in names if is_program_file(os.path.join(folder, name))]
    if len(found) != 1:
        raise FileNotFoundError(f"There is no model in the folder {folder!r}: no __model__, and not one *.pdmodel or "
                                "*.json with its *.pdiparams.")
    file = os.path.join(folder, found[0])
    return *_content(file), functools.partial(values_as_needed, os.path.splitext(file)[0] + PARAMS_SUFFIX)


def _content(path: str) -> tuple[bytes, str]:
    with open_reader(path) as reader:
        return reader.take(reader.remaining), reader.name


def _opened(content: bytes, name: str, values: _Values, config: Config) -> Model:
    """The model of a file's content: as an earlier process kept it, or from its Program."""
    limits, place = (config.memory_limit_mb(), config.loop_limit()), config.place()
    if QUANTIZED_WEIGHTS in content:
        values = _dequantized(values, content, name, limits)
    key = opened.key_of(content, limits)
    kept = opened.read(key)
    if kept is not None:
        model = Model(kept.inputs, kept.outputs, values(kept.parameters), place,
                      lambda: _source(content, name, limits))
        model.take(kept)
        return model
    source = _source(content, name, limits)
    inputs, outputs = ([source.variables[each] for each in names] for names in (source.inputs, source.outputs))
    model = Model(inputs, outputs, values(source.parameters), place, lambda: source)
    if not source.program.has_lod:
        prepared = source.prepared(source.program, (), is_of_file=key is not None and source.is_described)
        model.prepare(prepared)
        found = source.opened(prepared)
        if found is not None:
            opened.write(key, found)
    return model


def _dequantized(values: _Values, content: bytes, name: str, limits: tuple[int | None, int | None]) -> _Values:
    """What reads the values of a model whose weights may be whole numbers, with scales in its Program."""
    def read(names: list[str]) -> dict[str, Any]:
        from ..static.files.whole_weights import as_floats  # for files of this kind

        return as_floats(_source(content, name, limits).program, values(names))

    return read


def _source(content: bytes, name: str, limits: tuple[int | None, int | None]) -> Source:
    with unforked():
        from ..static.files.model_program import program_of_model  # for what is not kept
        from .opening import Source

    return Source(program_of_model(content, name, *limits))
