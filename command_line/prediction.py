"""`proa predict`: a model's outputs for arrays and pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import click

from .inputs import by_name, lods_of, run, specs_of
from .models import numpy_arrays, predictor_of
from .options import Numbers, lod_option, params_file_option
from .told import ToldCommand

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")


@click.command("predict", cls=ToldCommand)
@click.argument("model", type=click.Path())
@click.option("--input", "inputs", multiple=True, required=True, metavar="[NAME=]FILE",
              help="An array (.npy, .npz with the inputs' names) or a picture, for each input.")
@lod_option
@params_file_option
@click.option("--size", type=Numbers(2, are_sizes=True), metavar="HEIGHT,WIDTH",
              help="What a picture is resized to where the model leaves it open.")
@click.option("--mean", default="0,0,0", show_default=True, type=Numbers(3), metavar="R,G,B",
              help="Subtracted from a picture's channels, of 0 to 1.")
@click.option("--std", default="1,1,1", show_default=True, type=Numbers(3, divide=True), metavar="R,G,B",
              help="Then divides them.")
@click.option("--output", type=click.Path(), metavar="FILE.npz",
              help="Where all outputs are written, by name.")
@click.option("--top", default=5, show_default=True, type=click.IntRange(1),
              help="How many of the largest of each row are shown.")
def command(model: str, inputs: Sequence[str], lods: Sequence[str], params_file: str | None, size: list[float] | None,
            mean: list[float], std: list[float], output: str | None, top: int) -> None:
    """Run a model on files."""
    import numpy as np

    predictor = predictor_of(model, params_file)
    specs = specs_of(predictor)
    sequences = lods_of(predictor, lods)
    values = _values(inputs, specs, size, (mean, std))
    missing = [name for name in specs if name not in values]
    if missing:
        raise click.UsageError(f"--input: no value for {missing}. The inputs are {list(specs)}.")
    for name, value in values.items():
        predictor.get_input_handle(name).copy_from_cpu(value)
    for name, lod in sequences.items():
        predictor.get_input_handle(name).set_lod(lod)
    run(predictor)
    results = {name: predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()}
    for name, array in results.items():
        click.echo(f"{name}: {array.dtype}{list(array.shape)}")
        for row in _rows(array)[:8]:
            click.echo("  " + _shown(row, top))
    if output:
        from ..core.files import atomic_write

        with atomic_write(output) as file:
            np.savez(file, **results)


def _values(inputs: Sequence[str], specs: dict[str, Any], size: list[float] | None,
            scaling: tuple[list[float], list[float]]) -> dict[str, Any]:
    """The array of each input that is given."""
    if len(inputs) == 1 and inputs[0].endswith(".npz") and os.path.isfile(inputs[0]):
        return numpy_arrays(inputs[0])
    values = {}
    for name, file in by_name(inputs, list(specs), "--input").items():
        if not os.path.isfile(file):
            raise FileNotFoundError(f"there is no file {file!r} for the input {name!r}.")
        is_picture = file.lower().endswith(_PICTURES)
        values[name] = _picture(file, specs[name], size, *scaling) if is_picture else _array(file)
    return values


def _array(file: str) -> Any:
    """The array of a .npy file."""
    with open(file, "rb") as opened:
        if opened.read(6) != b"\x93NUMPY":
            raise ValueError(f"--input {file}: this is no array (.npy), and its name is no picture's "
                             f"({', '.join(_PICTURES)}).")
    return numpy_arrays(file)[""]


def _picture(file: str, spec: Any, size: list[float] | None, mean: list[float], std: list[float]) -> Any:
    """A picture as [1, C, H, W] of the size that the model wants, or that is asked for, or that it has."""
    import numpy as np

    from ..vision.image import pillow

    Image = pillow("a picture")
    if spec.rank != 4 or spec.shape[1] not in (1, 3):
        raise ValueError(f"a picture is [N, 1 or 3, H, W], and the model's input is {list(spec.shape)}. Give an array.")
    image = _opened(Image, file).convert("RGB" if spec.shape[1] == 3 else "L")
    if size and any(own not in (-1, asked) for own, asked in zip(spec.shape[2:], size, strict=True)):
        raise click.UsageError(f"--size {size[0]:g},{size[1]:g}: the model takes pictures of {list(spec.shape[2:])} "
                               "alone, where -1 is any size.")
    height, width = (int(asked) if own < 0 else own for own, asked in zip(
        spec.shape[2:], size or (image.height, image.width), strict=True))
    array = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR))
    if spec.dtype.name == "uint8":
        return np.atleast_3d(array).transpose(2, 0, 1)[None]
    channels = np.atleast_3d(array / 255.0)
    scaled = (channels - mean[:channels.shape[2]]) / std[:channels.shape[2]]
    return scaled.transpose(2, 0, 1)[None].astype(spec.dtype.name)


def _opened(Image: ModuleType, file: str) -> Any:
    """A file's picture, upright, of 8 bits a channel."""
    import numpy as np
    from PIL import ImageOps

    try:
        with Image.open(file) as opened:
            image = ImageOps.exif_transpose(opened)
            if image.mode.startswith("I;16") or image.mode == "I" and opened.format == "PNG":
                return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))  # `convert` would cut them at 255
    except (OSError, SyntaxError) as error:  # so Pillow tells of a broken PNG
        raise ValueError(f"--input {file}: this is no picture, or a damaged one: {error}.") from error
    if image.mode in ("I", "F"):
        raise ValueError(f"--input {file}: nothing says which number of {image.mode!r} is white. Give an array.")
    return image


def _rows(array: Any) -> Any:
    return array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)


def _shown(row: Any, top: int) -> str:
    """The largest of a row with their places, or the whole of a short one."""
    import numpy as np

    if len(row) <= top or row.dtype.kind not in "fiu":
        return " ".join(f"{value:.6g}" if row.dtype.kind == "f" else str(value) for value in row[:20])
    places = np.argsort(row, kind="stable")[::-1][:top]
    return "  ".join(f"{place}: {row[place]:.6g}" for place in places)
