"""What `.pdiparams.info` says of each parameter and buffer of a model, and the values made again by it.

PaddlePaddle reads of an entry what it writes itself: `structured_name`, `stop_gradient` and, for parameters alone,
`trainable`. The rest is ours, is there only where it is not what it is by default, and is passed over there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ...core.param_attr import ParamAttr
from ...core.unique_name import generate
from ...dygraph.parameter import Parameter
from ...dygraph.tensor import Tensor, new_tensor
from ...nn import Layer
from ...regularizer import L1Decay, L2Decay
from ...static.ir.program import Program
from ...static.ir.variable import ParameterVariable, Variable

_REGULARIZERS = {kind.__name__: kind for kind in (L1Decay, L2Decay)}

Info = dict[str, dict[str, Any]]


class StructuredNames:
    """What the values of a Layer are called in it, and which of them its `state_dict` leaves out."""

    def __init__(self, layer: Layer | None):
        self._names: dict[int, dict[str, None]] = {}
        self._kept: set[int] = set()
        if layer is None:
            return
        state = layer.state_dict()
        for structured, value in (*layer.named_parameters(), *layer.named_buffers(), *state.items()):
            self._names.setdefault(id(value), {})[structured] = None
        self._kept.update(map(id, state.values()))

    def entries(self, values: Mapping[str, Any]) -> Info:
        """What is written of values by their names in Programs, in the Layer's order."""
        order = {key: number for number, key in enumerate(self._names)}
        names = sorted(values, key=lambda name: (order.get(id(values[name]), len(order)), name))
        return {name: self._entry(name, values[name]) for name in names}

    def _entry(self, name: str, value: Tensor) -> dict[str, Any]:
        """What is written of a value that the Program knows by `name`; one of no Layer keeps that name."""
        names = list(self._names.get(id(value), {name: None}))
        entry: dict[str, Any] = {"structured_name": names[-1], "stop_gradient": bool(value.stop_gradient)}
        if len(names) > 1:
            entry["structured_names"] = names
        if isinstance(value, Parameter):
            entry.update(trainable=bool(value.trainable), **_attributes(name, value))
        elif id(value) not in self._kept:
            entry["persistable"] = False
        return entry


def _attributes(name: str, value: Parameter) -> dict[str, Any]:
    """What an optimizer asks a parameter for, where it is not the default."""
    found: dict[str, Any] = {}
    if value.optimize_attr["learning_rate"] != 1.0:
        found["learning_rate"] = float(value.optimize_attr["learning_rate"])
    if not value.need_clip:
        found["need_clip"] = False
    kind = type(value.regularizer)
    if kind in _REGULARIZERS.values():
        found["regularizer"] = [kind.__name__, value.regularizer.coeff]
    elif value.regularizer is not None:
        warnings.warn(f"jit.save: the regularizer {value.regularizer!r} of {name!r} is not kept in the files: they "
                      f"hold those of {', '.join(_REGULARIZERS)} alone.", stacklevel=2)
    return found


class LoadedValues:
    """The values of a model's Programs, made again from arrays as the entries of its info file say."""

    def __init__(self, programs: Iterable[Program], info: Info):
        self._info = info
        variables = [v for p in programs for v in p.list_vars()]
        self._variables: dict[str, list[Variable]] = {}
        for variable in variables:
            if variable.persistable:
                self._variables.setdefault(variable.name, []).append(variable)
        # Files of proa mark parameters, and what feeds and fetches; what PaddlePaddle's jit.save writes has no marks.
        self._marked = any(v.is_parameter or v.kind in ("feed", "fetch") and v.stop_gradient for v in variables)
        self._written = {name for p in programs for b in p.blocks for op in b.ops for name in op.output_arg_names}

    def names(self, name: str) -> list[str]:
        """What a value is called in the Layer that was saved: once, or several times where it is shared."""
        entry = self._info.get(name, {})
        return entry.get("structured_names") or [entry.get("structured_name", name)]

    def in_order(self, names: Iterable[str]) -> list[str]:
        """The names in the order of the entries, which is that of the Layer; those without one behind."""
        order = {name: number for number, name in enumerate(self._info)}
        return sorted(names, key=lambda name: order.get(name, len(order)))

    def value(self, name: str, array: Any) -> Tensor:
        """A parameter or a buffer, with a name of its own; the Programs are told which of these it is."""
        entry = self._info.get(name, {})
        fresh = generate(name.rpartition("_")[0] or name)
        if not self._is_parameter(name):
            return _buffer(fresh, array, entry)
        for variable in self._variables[name]:
            if not variable.is_parameter:
                variable.block.add_var(ParameterVariable(variable.block, name, variable.shape, variable.dtype,
                                                         trainable=not variable.stop_gradient))
        trainable = name not in self._written and not (
            self._marked and all(v.stop_gradient for v in self._variables[name]))
        kind, coeff = entry.get("regularizer", (None, None))
        return Parameter.of_array(array, ParamAttr(
            fresh, learning_rate=entry.get("learning_rate", 1.0), trainable=entry.get("trainable", trainable),
            regularizer=_REGULARIZERS[kind](coeff) if kind in _REGULARIZERS else None,
            need_clip=entry.get("need_clip", True)))

    def _is_parameter(self, name: str) -> bool:
        """Whether a value is trained, or may be, and no buffer."""
        entry, variables = self._info.get(name), self._variables[name]
        if not variables[0].dtype.is_differentiable or entry is not None and "trainable" not in entry:
            return False
        # Trained for sure, or told by a mark: older files of proa have entries like those of frozen parameters for
        # buffers.
        trained = entry is not None and entry["trainable"]
        return trained or not self._marked or any(v.is_parameter for v in variables)


def _buffer(name: str, array: Any, entry: dict[str, Any]) -> Tensor:
    tensor = new_tensor(array)
    tensor.name, tensor.persistable = name, entry.get("persistable", True)
    if tensor.dtype.is_differentiable:
        tensor.stop_gradient = entry.get("stop_gradient", True)
    return tensor
