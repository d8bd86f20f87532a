"""Predictor: runs a saved model on arrays that are handed over by name.

A model is read and compiled once. What depends on its parameters alone (packed weights, folded batch norms) is
computed at the first run and kept. `clone` shares all of this, so that each thread may have a Predictor of its own.
"""

from __future__ import annotations

import copy
import io
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import backend
from ..backend.threads import set_num_threads
from ..core.dtype import from_numpy_dtype
from ..core.place import Place
from ..dygraph.tensor import Tensor as EagerTensor
from ..dygraph.tensor import new_tensor
from ..ops.core.spec import Spec
from ..static.compiler import Plan, compile_plan, kept_plans
from ..static.compiler.frozen_weight import FrozenWeight, may_be_frozen
from ..static.compiler.plan import kept_plan
from ..static.files.inference_model import (
    MODEL_SUFFIX,
    PARAMS_SUFFIX,
    folder_state,
    is_program_file,
    program_file,
    read_parameters,
    read_program,
)
from ..static.ir.frame import feed_names, fetch_names
from ..static.ir.program import Program
from ..static.ir.shape_inference import for_inputs, infer_again, misfits
from ..static.ir.transform import for_evaluation, persistable_names
from ..static.ir.variable import OffsetsVariable, Variable
from ..static.run.executor import in_dtype, offsets_given
from ..static.run.lod_tensor import Lod, fault_in, fitting, innermost
from .config import Config
from .types import DataType, data_type_of


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

    def __init__(self, variable: Variable, place: Place, is_input: bool):
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
        self._take(data._array if isinstance(data, EagerTensor) else np.asarray(data))

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
        return self._array

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


class Model:
    """A Program with its parameters at a place, compiled: what a Predictor and its clones share."""

    def __init__(self, program: Program, parameters: dict[str, np.ndarray], place: Place):
        self.inputs, self.outputs = feed_names(program), fetch_names(program)
        self.program = for_evaluation(program, framed=False)
        self.block = self.program.global_block()
        self.place, self.xp = place, backend.namespace_at(place)
        self._specs = {name: self.block.var(name).spec for name in self.inputs}
        self._values: dict[str, Any] = dict(parameters)
        self._plans: dict[Any, tuple[Plan, list[Any], list[tuple[str, ...]]]] = {}
        if not self.program.has_lod:
            self._plans[()] = self._prepared(self.program, ())

    def _prepared(self, program: Program, levels: Sequence[str]) -> tuple[Plan, list[Any], list[tuple[str, ...]]]:
        """The plan of a Program, the parameters that it takes, and the names of its outputs' offsets.

        `levels`: the names of the offsets that are given with the inputs.
        """
        lods = [offsets_given(program, name, frozenset([*self.inputs, *levels])) for name in self.outputs]
        fetches = [*self.outputs, *dict.fromkeys(level for lod in lods for level in lod)]
        plan, names = _compiled(program, [*self.inputs, *levels], fetches)
        missing = [name for name in names if name not in self._values]
        unset = sorted({v.of for v in map(self.block.find_var, missing) if isinstance(v, OffsetsVariable)})
        if unset:
            raise ValueError(f"The model uses its inputs {unset} as sequences: tell with set_lod(offsets) where each "
                             "begins.")
        if missing:
            raise ValueError(f"The model needs values for {missing}: neither inputs nor among its parameters.")
        packed = plan.form.packed if self.xp is np else ()
        return plan, [self._placed(name, name in packed) for name in names], lods

    def _placed(self, name: str, is_packed: bool) -> Any:
        """A parameter as a plan takes it: of a weight that is packed at its first use no array is left then."""
        value = self._values[name]
        if type(value) is FrozenWeight:
            return value if is_packed else value.array()
        value = backend.as_place(value, self.place)
        self._values[name] = value = FrozenWeight(value) if is_packed and may_be_frozen(value) else value
        return value

    def __call__(self, arrays: Sequence[Any], offsets: dict[str, Any]) -> list[tuple[Any, Lod]]:
        """The outputs' arrays, with their LoDs, of the inputs' and the offsets that are given with them.

        Other sizes than the file's, which the operators take, get a plan of their own.
        """
        given = [Spec(array.shape, spec.dtype) for array, spec in zip(arrays, self._specs.values(), strict=True)]
        key = (*misfits(self._specs, given).items(), *offsets)
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._prepared(for_inputs(self.program, self._specs, given), [*offsets])
        plan, parameters, lods = found
        results = plan(self.xp, [*arrays, *offsets.values(), *parameters])
        count = len(self.outputs)
        names = dict.fromkeys(level for lod in lods for level in lod)
        made = {name: backend.to_numpy(a).tolist() for name, a in zip(names, results[count:], strict=False)}
        return [(self.xp.asarray(result), fitting([made[level] for level in lod], result))
                for result, lod in zip(results[:count], lods, strict=True)]


    def plan_for(self, shapes: Sequence[tuple[int, ...]]) -> Plan:
        """The plan of a run on inputs of these shapes."""
        given = {name: Spec(shape, spec.dtype) for shape, (name, spec) in zip(shapes, self._specs.items(), strict=True)}
        return self._prepared(infer_again(copy.deepcopy(self.program), given), ())[0]


def _compiled(program: Program, feeds: list[str], fetches: list[str]) -> tuple[Plan, list[str]]:
    """The plan of a Program and the names that it reads beyond the feeds: as an earlier process kept them, or anew."""
    def again() -> tuple[Plan, list[str], list[str]]:
        return compile_plan(program, feeds, fetches)

    key = kept_plans.key_of(program, ("predictor", feeds, fetches))
    kept = kept_plans.read(key)
    if kept is not None:
        form, names = kept
        return kept_plan(form, lambda: again()[0]), names
    plan, names, _ = again()
    kept_plans.write(key, (plan.form, names))
    return plan, names


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
        self._inputs = {name: Tensor(model.block.var(name), model.place, True) for name in model.inputs}
        self._outputs = {name: Tensor(model.block.var(name), model.place, False) for name in model.outputs}

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
        return True if inputs is None else [new_tensor(array) for array, _ in results]

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
    program, parameters = _read(config)
    if config._threads is not None:
        set_num_threads(config._threads)
    return Predictor(Model(program, parameters, config.place()))


def _read(config: Config) -> tuple[Program, dict[str, np.ndarray]]:
    limits = config.memory_limit_mb(), config.loop_limit()
    if config._buffers is not None:
        model, values = config._buffers
        program = read_program(io.BytesIO(model), *limits)
        return program, read_parameters(io.BytesIO(values), program)
    if config.prog_file():
        return _pair(config.prog_file(), config.params_file(), limits)
    folder = config.model_dir()
    if not folder:
        raise ValueError("create_predictor(config): the Config names no model. Use Config(model_file, params_file).")
    if os.path.isfile(program_file(folder)):
        return _pair(program_file(folder), folder + PARAMS_SUFFIX, limits)
    if os.path.isfile(os.path.join(folder, "__model__")):
        program = read_program(os.path.join(folder, "__model__"), *limits)
        return program, folder_state(folder, persistable_names(program))
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [name for name in names if name.endswith(MODEL_SUFFIX)] or [
        name for name in names if is_program_file(os.path.join(folder, name))]
    if len(found) != 1:
        raise FileNotFoundError(f"There is no model in the folder {folder!r}: no __model__, and not one *.pdmodel or "
                                "*.json with its *.pdiparams.")
    file = os.path.join(folder, found[0])
    return _pair(file, os.path.splitext(file)[0] + PARAMS_SUFFIX, limits)


def _pair(model: str, params: str, limits: tuple[int | None, int | None]) -> tuple[Program, dict[str, np.ndarray]]:
    program = read_program(model, *limits)
    return program, read_parameters(params, program)
