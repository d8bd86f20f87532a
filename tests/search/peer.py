"""A third judge: PaddlePaddle 2.6.2 runs the program itself, eagerly, and trains it as here."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from . import comparing, loading, stages
from .oracle import Oracle, OracleError

#: Features that PaddlePaddle runs otherwise without an error: gradients through views, eager loops that change their
#: arguments, sums in 16 bits.
WITHOUT = frozenset("recorded amp float16 views static_control".split())

#: What docs/differences.md names: the gradient of remainders, recomputation of what wants none, integers times floats.
KNOWN = re.compile(
    r" %|remainder|mod\(|0\.7\b|L1Decay|rescale_grad|recompute\(|grad_outputs|heaviside|\[:0\]|pos_weight|"
    r"int(8|16|32|64)'\)+ \*|int(8|16|32|64)'\) (\+|\*) np|to_tensor\(\d\) \*|dtype='(bool|int64)'\) \*|"
    r"Geometric|Bernoulli\(.*entropy|unfold|as_strided|diagonal_scatter|diag_embed|GaussianNLL|softmax_mask_fuse|"
    r"lstsq|parameters_to_vector"
)


def difference(oracle: Oracle, source: str, dtype: str) -> tuple[str, str] | None:
    """The kind of what differs and its text; None where nothing does, where both fail, or where it is known."""
    if KNOWN.search(source):
        return None
    folder = tempfile.mkdtemp(prefix="search")
    module = loading.Module(source, "peer")
    way = stages.Way(dtype=dtype)
    try:
        with warnings.catch_warnings(), stages.dtype_of_numbers(dtype), np.errstate(all="ignore"), stages.time_limit(9):
            warnings.simplefilter("ignore")
            return _differs(oracle, module, way, Path(folder))
    finally:
        module.close()
        shutil.rmtree(folder, ignore_errors=True)


def _differs(oracle: Oracle, module: loading.Module, way: stages.Way, folder: Path) -> tuple[str, str] | None:
    try:
        expected, wrong = _trained(module, way, None), ""
    except stages.Invalid as error:
        expected, wrong = None, str(error)
        if re.search("is not finite, or large|took more than", wrong):
            return None
    try:
        _write(folder, module, way, expected)
    except Exception as error:  # nor can it be made here
        return "error here", str(error) if not wrong else wrong
    try:
        found = oracle.ask(str(folder))
    except OracleError:  # it takes less, which tells nothing of numbers
        return None
    if expected is None:
        return "error here", wrong
    found = {key: array for key, array in found.items() if "_dropout_state" not in key}
    text = comparing.difference(found, expected, way.precision)
    if text:  # a gradient that is None here and zeros there
        expected = _trained(module, way, json.loads((folder / "with_gradient.json").read_text("utf-8")))
        text = comparing.difference(found, expected, way.precision)
    return ("value", text) if text else None


def _trained(module: loading.Module, way: stages.Way, zeros: Any) -> stages.Trained:
    def eager() -> stages.Trained:
        net = module.net()
        (net.train if module.TRAIN else net.eval)()
        return stages.train(module, net, way, zeros=zeros)

    return stages._eagerly(eager)


def _write(folder: Path, module: loading.Module, way: stages.Way, expected: stages.Trained | None) -> None:
    """What PaddlePaddle is given: the program, its parameters, the arguments of every step."""
    (folder / "program.py").write_text(module.source, "utf-8")
    arrays = {"begun " + name: array for name, array in _begun(module.net()).items()}
    for step in range(stages.STEPS):
        held = loading.leaves(loading.arrays(module, loading.TRAINING, 100 + step))
        for n, array in enumerate(held):
            arrays[f"step {step} {n}"] = array.astype(way.dtype) if array.dtype.kind == "f" else array
    np.savez(folder / "given.npz", **arrays)
    said = {"dtype": way.dtype, "steps": stages.STEPS, "count": len(held)}
    said["zeros"] = expected.given if expected is not None else {}
    (folder / "given.json").write_text(json.dumps(said), "utf-8")


def _begun(net: Any) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in [*net.named_parameters(), *net.named_buffers()]}
