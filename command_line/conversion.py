"""`proa convert`: models as ONNX or `.pdmodel`, parameters in other frameworks' files and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from .models import model_file, model_files, no_model, numpy_arrays
from .options import params_file_option
from .told import ToldCommand

_SUFFIXES = {name: f".{name}" for name in ("onnx", "pdmodel", "safetensors", "pdparams", "npz")}
_MODELS = ("onnx", "pdmodel")
_OF_MODEL = (".pdmodel", ".pdiparams", ".pdiparams.info")


@click.command("convert", short_help="Write a model or parameters in another format.", cls=ToldCommand)
@click.argument("file", type=click.Path())
@click.option("--to", "to", type=click.Choice(list(_SUFFIXES)), required=True, help="The format that is written.")
@click.option("--output", type=click.Path(), metavar="FILE",
              help="Beside FILE, with the format's suffix, if not given.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@params_file_option
@click.option("--opset", default=11, show_default=True, type=click.IntRange(7),
              help="The least version of ONNX's operators.")
def command(file: str, to: str, output: str | None, force: bool, params_file: str | None, opset: int) -> None:
    """Write a model as ONNX or .pdmodel, or parameters as safetensors, .pdparams or .npz.

    FILE: a model's prefix, .pdmodel, .json of PaddlePaddle 3, or folder; or .pdparams, .safetensors, .pt, .npz.
    """
    if file.endswith(".onnx"):
        raise no_model(file)
    found = model_file(file, params_file)
    is_of_model = to in _MODELS or params_file is not None or found is not None and _is_older(found)
    if is_of_model:
        read: tuple[str, ...] = model_files(file, params_file)
    elif os.path.isdir(file) or os.path.isfile(file):
        read = (file,)
    else:
        read = ()
    target = _named(output, to) if output is not None else _stem(file) + _SUFFIXES[to]
    written = [target] if to != "pdmodel" else [target.removesuffix(".pdmodel") + suffix for suffix in _OF_MODEL]
    check_written(written, read, force)
    if to == "onnx":
        from ..interchange.onnx import export

        program, values = read
        is_usual = program.endswith((".pdmodel", ".json")) and values in ("", _usual_values(program))
        export(program if is_usual else _loaded(program, values), target, opset_version=opset)
    elif to == "pdmodel":
        from ..jit.files.save_load import save

        save(_loaded(*read), written[0].removesuffix(".pdmodel"))
    else:
        _write(_values(*read) if is_of_model else _state(file), to, target)
    click.echo(f"{target} was written.")


def _named(output: str, to: str) -> str:
    """A name with the format's suffix, which the others do without; a wrong call for one that is another format's."""
    if os.path.basename(output) in ("", ".", ".."):
        raise click.UsageError(f"--output: {output!r} is no name of a file. Give FOLDER/NAME.")
    suffix = os.path.splitext(output)[1]
    if suffix in _SUFFIXES.values() and suffix != _SUFFIXES[to]:
        raise click.UsageError(f"--output: {output!r} is a name for the format {suffix[1:]}, and --to says {to}.")
    return output if suffix == _SUFFIXES[to] or to in ("npz", "pdparams") else output + _SUFFIXES[to]


def _is_older(program: str) -> bool:
    return os.path.basename(program) == "__model__"


def _usual_values(program: str) -> str:
    return os.path.splitext(program)[0] + ".pdiparams"


def _stem(file: str) -> str:
    """What a file is called without its suffix; of a folder, its name."""
    if os.path.isfile(file):
        return os.path.splitext(file)[0]
    is_named = os.path.basename(file.rstrip("/")) not in ("", ".", "..")
    return file.rstrip("/") if is_named else os.path.join(file, os.path.basename(os.path.abspath(file)))


def check_written(written: Sequence[str], read: Sequence[str], force: bool, named: str = "--output") -> None:
    """An error where files would be replaced that are read, or that are there already and nobody said `--force`.

    `named`: by which argument of the command they are named.
    """
    there = [target for target in written if os.path.exists(target)]
    for target in there:
        if any(os.path.exists(source) and os.path.samefile(target, source) for source in read):
            raise click.UsageError(f"{named}: {target!r} is a file that is read. Give another name.")
        if not os.path.isfile(target):
            raise click.UsageError(f"{named}: {target!r} is there, and is no file.")
    if there and not force:
        raise FileExistsError(f"{there[0]!r} is there already: --force replaces it; {named} names another.")


def _loaded(program: str, values: str) -> Any:
    """The layer that a model's files make."""
    from ..jit.files.save_load import load

    if not _is_older(program) and values in ("", _usual_values(program)):
        return load(os.path.splitext(program)[0])
    folder = os.path.join(os.path.dirname(os.path.abspath(program)), "")
    return load(folder, model_filename=os.path.basename(program),
                params_filename=os.path.abspath(values) if values else None)


def _values(program: str, values: str) -> dict[str, Any]:
    """A model's values, by the names of its variables."""
    from ..static.files.inference_model import read_parameters, read_program

    return read_parameters(values, read_program(program))


def _state(file: str) -> dict[str, Any]:
    """A dict of arrays by name."""
    if file.endswith(".npz") and os.path.isfile(file):
        return numpy_arrays(file)
    from ..framework.io import load

    state = load(file, return_numpy=True)
    if not _is_of_arrays(state):
        entries = state.items() if isinstance(state, dict) else ()
        within = [key for key, value in entries if value and _is_of_arrays(value)]
        way = f" Such a dict is its {within[0]!r}: paddle.save(paddle.load({file!r})[{within[0]!r}], " \
              "'x.pdparams') takes it out." if within else ""
        raise TypeError(f"{file!r} is no dict of arrays by name: what else it holds would be lost.{way}")
    return state


def _is_of_arrays(state: Any) -> bool:
    import numpy as np

    return isinstance(state, dict) and all(isinstance(value, np.ndarray) for value in state.values())


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
