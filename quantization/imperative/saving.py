"""Saved models whose operators know the scales of their inputs and results, as engines for whole numbers read them.

The scale of an input that was rounded becomes an attribute of the operator that reads it (`X0_threshold`); that of a
result, which moving_average_abs_max_scale has followed, one of the operator that gives it (`Out0_threshold`,
`out_threshold`), and what followed it is taken out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.files import atomic_group
from ...jit.files.save_load import save
from ...nn.layer import Layer
from ...ops.quant.abs_max import fake_abs_max_op, fake_channels_op, scale_op
from ...ops.quant.linear_quantize import fake_quantize_op
from ...static.files.inference_model import read_parameters, read_program, stream_array
from ...static.files.model_files import MODEL_SUFFIX, PARAMS_SUFFIX
from ...static.format.attributes import python_to_attr
from ...static.format.program_file import read_program_desc, serialize_program_desc
from ...static.format.tensor_stream import write_combined

_ROUNDS = (fake_abs_max_op.type, fake_channels_op.type, fake_quantize_op.type)


def save_with_scales(model: Layer, path: str, input_spec: Any = None, **config: Any) -> None:
    """`jit.save`, and the scales as attributes."""
    save(model, path, input_spec, **config)
    desc = read_program_desc(path + MODEL_SUFFIX)
    values = read_parameters(path + PARAMS_SUFFIX, read_program(path + MODEL_SUFFIX))
    for block in desc.blocks:
        _Scales(block, values).write()
    kept = sorted(name for name in values if any(name in _inputs(op) for block in desc.blocks for op in block.ops))
    for block in desc.blocks:
        for n in reversed(range(len(block.vars))):
            if block.vars[n].name in values and block.vars[n].name not in kept:
                del block.vars[n]
    with atomic_group() as group:
        with group.open(path + MODEL_SUFFIX) as file:
            file.write(serialize_program_desc(desc))
        with group.open(path + PARAMS_SUFFIX) as file:
            write_combined(file, [stream_array(values[name]) for name in kept])


def _inputs(op: Any) -> list[str]:
    return [name for slot in op.inputs for name in slot.arguments]


def _places(slots: Any, name: str) -> list[str]:
    """What an operator calls a value: its slot and the place in it, `X0`."""
    return [f"{slot.parameter}{n}" for slot in slots for n, one in enumerate(slot.arguments) if one == name]


def _argument(slots: Any, slot: str) -> str:
    return next(entry.arguments[0] for entry in slots if entry.parameter == slot)


def _set(op: Any, name: str, value: Any) -> None:
    for n, attr in enumerate(op.attrs):
        if attr.name == name:
            del op.attrs[n]
            break
    python_to_attr(op.attrs.add(), name, value)


class _Scales:
    """The operators of a block, and which one makes each value."""

    def __init__(self, block: Any, values: dict[str, np.ndarray]):
        self.block, self.values = block, values
        self.makers: dict[str, Any] = {}
        for op in block.ops:
            for slot in op.outputs:
                for name in slot.arguments:
                    self.makers.setdefault(name, op)

    def write(self) -> None:
        """Puts the scales where they belong, and takes out what followed them."""
        for op in self.block.ops:
            if op.type not in (*_ROUNDS, scale_op.type, "fetch"):
                self._describe_inputs(op)
        for op in self.block.ops:
            if op.type == scale_op.type:
                self._describe_result(op)
        for n in reversed(range(len(self.block.ops))):
            if self.block.ops[n].type == scale_op.type:
                del self.block.ops[n]

    def _describe_inputs(self, op: Any) -> None:
        for name in _inputs(op):
            maker = self.makers.get(name)
            if maker is not None and (maker.type in _ROUNDS or maker.type == scale_op.type):
                for place in _places(op.inputs, name):
                    _set(op, f"{place}_threshold", self._scale(maker))
                _set(op, "with_quant_attr", True)

    def _describe_result(self, follower: Any) -> None:
        source, shown = _argument(follower.inputs, "X"), _argument(follower.outputs, "Out")
        maker, scale = self.makers.get(source), self._scale(follower)
        if maker is not None and maker.type != "feed":
            for place in _places(maker.outputs, source):
                _set(maker, f"{place}_threshold", scale)
            _set(maker, "out_threshold", scale)
            _set(maker, "with_quant_attr", True)
        for op in self.block.ops:
            for slot in op.inputs:
                for n, name in enumerate(slot.arguments):
                    if name == shown:
                        slot.arguments[n] = source

    def _scale(self, op: Any) -> Any:
        """The scale that an operator rounds by, or follows: a number, or one for each channel."""
        if op.type in (fake_abs_max_op.type, fake_channels_op.type):
            weight = np.abs(self.values[_argument(op.inputs, "X")])
            if op.type == fake_abs_max_op.type:
                return float(weight.max())
            axis = next((attr.i for attr in op.attrs if attr.name == "quant_axis"), 0)
            return np.moveaxis(weight, axis, 0).reshape(weight.shape[axis], -1).max(1).tolist()
        scale = self.values[_argument(op.inputs, "InScale")]
        return float(scale.item()) if scale.size == 1 else scale.tolist()
