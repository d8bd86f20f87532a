"""`proa inspect`: what is in a file."""

from __future__ import annotations

import collections
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import click

from ..core.files import CorruptFileError
from .inputs import shapes_of, sizes_taken_as_one, specs_of
from .models import (
    absent_values,
    model_file,
    no_model,
    numpy_arrays,
    predictor_of,
    size_of,
    stored_shapes,
    table,
    values_file,
)
from .options import params_file_option
from .told import ToldCommand


@click.command("inspect", short_help="Show what is in a model or a file of parameters.", cls=ToldCommand)
@click.argument("file", type=click.Path())
@click.option("--cost", is_flag=True, help="What a run does and costs, operation by operation.")
@click.option("--shape", "shapes", multiple=True, metavar="[NAME=]SIZES",
              help="An input's shape for --cost, 1,3,224,224. Sizes that the model leaves open are 1 otherwise.")
@params_file_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(file: str, cost: bool, shapes: Sequence[str], params_file: str | None, as_json: bool) -> None:
    """Show what a model or a file of parameters holds, and whether the model's parameters are whole.

    FILE: a model's prefix, .pdmodel, .json of PaddlePaddle 3, or folder; or .pdparams, .pdopt, .safetensors, .pt, .npz.
    """
    if shapes and not cost:
        raise click.UsageError("--shape is for --cost, which is not there.")
    model = model_file(file, params_file)
    if model is None and (not os.path.isfile(file) or file.endswith(".onnx")):
        raise no_model(file)
    if model is None and (cost or params_file is not None):
        raise click.UsageError(f"{'--cost' if cost else '--params-file'} is for models, and {file!r} is none.")
    found = _model(model, params_file) if model is not None else _state(file)
    if cost and not found.get("damage"):
        predictor = predictor_of(file, params_file)
        specs = specs_of(predictor)
        with sizes_taken_as_one(specs, shapes):
            found["cost"] = predictor.describe(shapes_of(specs, shapes))
    click.echo(json.dumps(found, indent=1) if as_json else _shown(found))
    if found.get("damage"):
        raise ValueError(found["damage"])


def _model(file: str, params: str | None) -> dict[str, Any]:
    """What a model's Program says, also where it cannot run here."""
    from ..ops.core.operator import is_declared
    from ..static.files.inference_model import program_desc

    with open(file, "rb") as opened:
        data = opened.read()
    desc, is_json = program_desc(data, file), data[:64].lstrip()[:1] == b"{"
    counts = collections.Counter(op.type for block in desc.blocks for op in block.ops)
    ends = sorted(desc.blocks[0].ops, key=_column)
    inputs = [name for op in ends if op.type == "feed" for slot in op.outputs for name in slot.arguments]
    outputs = [name for op in ends if op.type == "fetch" for slot in op.inputs for name in slot.arguments]
    variables = {var.name: _variable(var) for var in desc.blocks[0].vars}
    known = {"feed", "fetch"}
    parameters = [_variable(var) for var in desc.blocks[0].vars if var.persistable and var.name not in known]
    stored = stored_shapes(desc)
    values = values_file(file, params, list(stored)) if stored else ""
    return {
        "file": file, "version": None if is_json else desc.version.version, "blocks": len(desc.blocks),
        "inputs": [variables[name] for name in inputs], "outputs": [variables[name] for name in outputs],
        "operators": dict(counts.most_common()),
        "unsupported": sorted(type for type in counts if type not in known and not is_declared(type)),
        "parameters": len(parameters), "numbers": sum(math.prod(p["shape"]) for p in parameters),
        "bytes": sum(p["bytes"] for p in parameters),
        "values": values,
        "damage": absent_values(file, values, list(stored)) or (_damage(values, stored) if values else ""),
    }


def _column(op: Any) -> int:
    """The place of an input or output among them, which is another than that of its operator."""
    return next((attr.i for attr in op.attrs if attr.name == "col"), 0)


def _damage(values: str, shapes: dict[str, list[int]]) -> str:
    """The first thing wrong with a model's values: damaged, missing, or another model's. "" where nothing is."""
    from ..static.format.tensor_stream import each_combined, read_stream

    names = sorted(shapes)
    try:
        found = ((name, read_stream(os.path.join(values, name))) for name in names) if os.path.isdir(values) \
            else each_combined(values, names)
        for name, tensor in found:
            there, here = list(tensor.array.shape), shapes[name]
            fits = len(there) == len(here) and all(size in (-1, given) for size, given in zip(here, there, strict=True))
            if not fits and [size for size in there if size != 1] != [size for size in here if size != 1]:
                return (f"{values}: variable {name!r}: the file has the shape {there}, the model {here}. The file "
                        "belongs to another model.")
    except (CorruptFileError, OSError) as error:
        return str(error)
    return ""


def _variable(var: Any) -> dict[str, Any]:
    """Name, shape, dtype and size of a variable of a file; without the latter for what is no tensor."""
    from ..core.dtype import from_number

    tensor = var.type.lod_tensor.tensor
    if not tensor.HasField("data_type"):
        return {"name": var.name, "shape": [], "dtype": "", "bytes": 0}
    dtype, shape = from_number(tensor.data_type), list(tensor.dims)
    width = 2 if dtype.name == "bfloat16" else dtype.dtype.itemsize
    return {"name": var.name, "shape": shape, "dtype": dtype.name, "bytes": max(math.prod(shape), 0) * width}


def _state(file: str) -> dict[str, Any]:
    """The arrays of a file of parameters, by their keys."""
    from ..framework.io import load

    found = numpy_arrays(file) if file.endswith((".npz", ".npy")) else load(file, return_numpy=True)
    rows = [{"name": name, "shape": list(array.shape), "dtype": str(array.dtype), "bytes": array.nbytes}
            for name, array in _arrays(found, "")]
    return {"file": file, "values": rows, "numbers": sum(math.prod(row["shape"]) for row in rows),
            "bytes": sum(row["bytes"] for row in rows)}


def _arrays(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if hasattr(value, "nbytes"):
        yield name, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, item in items:
        yield from _arrays(item, f"{name}.{key}" if name else str(key))


def _shown(found: dict[str, Any]) -> str:
    size = f"{found['numbers']:,} numbers, {size_of(found['bytes'])}"
    if "operators" not in found:
        rows = [(row["name"], row["shape"], row["dtype"]) for row in found["values"]]
        return "\n".join([found["file"], *([table(rows)] if rows else []), f"{len(rows)} arrays: {size}"])
    ends = [(title, row["name"], row["shape"], row["dtype"]) for title, key in (("input", "inputs"),
            ("output", "outputs")) for row in found[key]]
    counts = ", ".join(f"{type} {count}" for type, count in found["operators"].items())
    blocks = "1 block" if found["blocks"] == 1 else f"{found['blocks']} blocks"
    release = "Paddle 3, as 2.6.2 has it" if found["version"] is None else f"Paddle {_version(found['version'])}"
    lines = [f"{found['file']}: {release}, {blocks}",
             *([table(ends)] if ends else []), f"parameters: {found['parameters']}, {size}",
             f"operators: {sum(found['operators'].values())}: {counts}"]
    if found["unsupported"]:
        lines.append(f"not supported here: {', '.join(found['unsupported'])}")
    return "\n".join([*lines, *(["", found["cost"]] if "cost" in found else [])])


def _version(number: int) -> str:
    """2006002 is 2.6.2; 0 was written by a build that says no version."""
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}" if number else "of an unknown version"
