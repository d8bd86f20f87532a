"""Cases of `tests/fixtures/fluid/*.npz`: calls of single operators under PaddlePaddle 1.8.5."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "fixtures" / "fluid"


@dataclass
class Call:
    """A call and its answers: values by slot; offsets by slot, the outermost level first."""

    label: str
    type: str = ""
    attrs: dict = field(default_factory=dict)
    sources: list = field(default_factory=list)
    wanted: list = field(default_factory=list)
    inputs: dict = field(default_factory=dict)
    lods: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    output_lods: dict = field(default_factory=dict)
    weights: dict = field(default_factory=dict)
    grads: dict = field(default_factory=dict)

    def __str__(self):
        return self.label


def cases(name):
    """The calls of a fixture."""
    with np.load(FOLDER / f"{name}.npz") as arrays:
        return [_call(label, told, arrays) for label, told in json.loads(arrays["index"].tobytes()).items()]


def _call(label, told, arrays):
    call = Call(label, told["type"], told["attrs"], told["sources"], told["wanted"])
    values = {"in": call.inputs, "out": call.outputs, "weight": call.weights, "grad": call.grads}
    for key, name in sorted(told["arrays"].items()):
        kind, slot, *_ = key.split("/")
        if kind in values:
            values[kind][slot] = arrays[name]
        else:  # level by level
            (call.lods if kind == "in_lod" else call.output_lods).setdefault(slot, []).append(arrays[name])
    return call
