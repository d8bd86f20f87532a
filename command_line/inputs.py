"""What the commands are told of a model's inputs: shapes, files and sequences, each by the input's name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click


def specs_of(predictor: Any) -> dict[str, Any]:
    """The shape and dtype of each input, as the model says them."""
    return {name: predictor._model.variables[name].spec for name in predictor.get_input_names()}


def by_name(given: Sequence[str], names: Sequence[str], option: str) -> dict[str, str]:
    """What `NAME=VALUE` options give for each name; a VALUE alone belongs to the first name that has none."""
    found: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or name not in names:
            if equals and not os.path.exists(item):
                raise click.UsageError(f"{option} {item}: there is no input {name!r}. The inputs are {list(names)}.")
            name, value = next((name for name in names if name not in found), ""), item
        if not name or name in found:
            raise click.UsageError(f"{option} {item}: more values than inputs, which are {list(names)}.")
        found[name] = value
    return found


def _whole_numbers(option: str, text: str, example: str) -> list[int]:
    try:
        numbers = [int(size) for size in text.split(",")]
    except ValueError:
        raise click.UsageError(f"{option} {text}: whole numbers with commas between them, please: {example}.") from None
    if min(numbers) < 0:
        raise click.UsageError(f"{option} {text}: {min(numbers)} is negative.")
    return numbers


def shapes_of(specs: Mapping[str, Any], given: Sequence[str]) -> dict[str, list[int]]:
    """The shape of each input: as given (`1,3,224,224`), else the model's own with 1 for what it leaves open."""
    shapes = {name: [size if size >= 0 else 1 for size in spec.shape] for name, spec in specs.items()}
    for name, text in by_name(given, list(specs), "--shape").items():
        shapes[name] = _whole_numbers("--shape", text, "1,3,224,224")
    return shapes


@contextlib.contextmanager
def sizes_taken_as_one(specs: Mapping[str, Any], shapes: Sequence[str]) -> Iterator[None]:
    """What goes wrong within the block says which inputs have no `--shape`, and sizes that the model leaves open."""
    told = by_name(shapes, list(specs), "--shape")
    unsaid = {name: list(spec.shape) for name, spec in specs.items()
              if name not in told and min(spec.shape, default=0) < 0}
    try:
        yield
    except (ValueError, IndexError) as error:
        if not unsaid:
            raise
        shown = ", ".join(f"{name} {shape}" for name, shape in unsaid.items())
        raise ValueError(f"the model leaves sizes open ({shown}), and does not run with 1 for each of them: give "
                         f"--shape {next(iter(unsaid))}=SIZES. It said: {error}") from error


def lods_of(predictor: Any, given: Sequence[str]) -> dict[str, list[list[int]]]:
    """The offsets of the sequences that inputs are, level by level, by the inputs' names."""
    from ..static.run.lod_tensor import fault_in

    levels = levels_of(predictor)
    if given and not levels:
        raise click.UsageError(f"--lod {given[0]}: no input of the model is made of sequences.")
    lods = {}
    for name, text in by_name(given, list(levels), "--lod").items():
        lods[name] = [_whole_numbers("--lod", level, "0,2,5") for level in text.split("/")]
        fault = fault_in(lods[name], None)
        if not fault and len(lods[name]) > levels[name]:
            fault = f"the input {name!r} has {levels[name]} level{'s' if levels[name] > 1 else ''} of sequences"
        if fault:
            raise click.UsageError(f"--lod {text}: {fault}.")
    return lods


def levels_of(predictor: Any) -> dict[str, int]:
    """How many levels of sequences each input has that is made of them."""
    variables = ((name, predictor._model.variables[name]) for name in predictor.get_input_names())
    return {name: len(variable.lod) for name, variable in variables if variable.lod}


def run(predictor: Any) -> None:
    """Runs a Predictor whose inputs are there; what it says of sequences that are not told names the option."""
    from ..inference.model import UntoldSequencesError

    try:
        predictor.run()
    except UntoldSequencesError as error:
        options = " ".join(f"--lod {name}=0,2,5" for name in error.inputs)
        raise ValueError(f"the model uses its inputs {error.inputs} as sequences: say where each begins, and where the "
                         f"last one ends, such as {options} for two rows and three.") from error
