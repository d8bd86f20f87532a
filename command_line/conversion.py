"""`proa convert`: models as ONNX or `.pdmodel`, parameters in other frameworks' files and back."""

from __future__ import annotations

import os
from typing import Any

import click

from .models import model_file, no_model, numpy_arrays
from .told import ToldCommand

_SUFFIXES = {name: f".{name}" for name in ("onnx", "pdmodel", "safetensors", "pdparams", "npz")}


@click.command("convert", short_help="Write a model or parameters in another format.", cls=ToldCommand)
@click.argument("file", type=click.Path())
@click.option("--to", "to", type=click.Choice(list(_SUFFIXES)), required=True, help="The format that is written.")
@click.option("--output", type=click.Path(), metavar="FILE",
              help="Beside FILE, with the format's suffix, if not given.")
@click.option("--opset", default=11, show_default=True, help="The least version of ONNX's operators.")
def command(file: str, to: str, output: str | None, opset: int) -> None:
    """Write a model as ONNX or .pdmodel, or parameters as safetensors, .pdparams or .npz.

    FILE: a model's prefix, .pdmodel, or .json of PaddlePaddle 3; parameters: .pdparams, .safetensors, .pt, .npz.
    """
    if file.endswith(".onnx"):
        raise no_model(file)
    stem = os.path.splitext(file)[0] if os.path.isfile(file) else file.rstrip("/")
    target = output or stem + _SUFFIXES[to]
    if os.path.exists(target) and os.path.exists(file) and os.path.samefile(target, file):
        raise ValueError(f"--output: {target!r} is the file that is read.")
    if to == "onnx":
        from ..interchange.onnx import export

        if model_file(file) is None:
            raise no_model(file)
        export(file, target, opset_version=opset)
    elif to == "pdmodel":
        target = _model(file, target)
    else:
        _write(_state(file), to, target)
    click.echo(f"{target} was written.")


def _model(file: str, target: str) -> str:
    """Writes the model of any release as PaddlePaddle 2.6.2 has it."""
    from ..jit.files.save_load import load, save

    found = model_file(file)
    if found is None:
        raise no_model(file)
    if os.path.exists(target) and os.path.samefile(found, target):
        raise ValueError(f"--output: {target!r} is the file that is read.")
    is_older = os.path.basename(found) == "__model__"
    save(load(os.path.dirname(found) if is_older else os.path.splitext(found)[0]), target.removesuffix(".pdmodel"))
    return target


def _state(file: str) -> dict[str, Any]:
    """A dict of arrays by name."""
    import numpy as np

    if file.endswith(".npz") and os.path.isfile(file):
        return numpy_arrays(file)
    from ..framework.io import load

    state = load(file, return_numpy=True)
    if not isinstance(state, dict) or not all(isinstance(value, np.ndarray) for value in state.values()):
        raise TypeError(f"{file!r} is no dict of arrays by name: what else it holds would be lost.")
    return state


def _write(state: dict[str, Any], to: str, target: str) -> None:
    import numpy as np

    from ..core.files import atomic_write
    from ..framework.io import save

    if to == "npz":
        with atomic_write(target) as file:
            np.savez(file, **state)
        return
    from ..dygraph.tensor import new_tensor

    save({name: new_tensor(array) for name, array in state.items()}, target)
