"""What PaddlePaddle 1.8.5 computed for operators on sequences: `fixtures/fluid/sequences.npz`, by make_sequences.py."""

import json
from pathlib import Path

import numpy as np
import proa as paddle

FILE = np.load(Path(__file__).parents[1] / "fixtures" / "fluid" / "sequences.npz")
ARRAYS = {name: FILE[name] for name in FILE.files}


class Case(dict):
    """One call, shown by what tells it from others."""

    def __str__(self):
        lods = [v["lod"] for v in self["inputs"].get("X", [])]
        words = [self["type"], self["label"], *self["attrs"].values(), *lods]
        return "-".join(str(word).replace(" ", "") for word in words if word not in ("", [], {}))


ALL = [Case(case) for case in json.loads(str(ARRAYS["cases"]))]


def cases(type):
    """Those of an operator."""
    return [case for case in ALL if case["type"] == type]


def arrays_of(value):
    """The rows of a value of the file."""
    return ARRAYS[value["data"]]


def lod_of(value):
    """Its offsets as arrays."""
    return [np.array(offsets, "int64") for offsets in value["lod"]]


def offsets_of(value):
    """Its offsets as Tensors."""
    return [paddle.to_tensor(offsets) for offsets in lod_of(value)]
