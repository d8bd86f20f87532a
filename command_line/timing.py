"""`proa bench`: how long a model takes."""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Sequence

import click

from .inputs import by_name, levels_of, lods_of, run, shapes_of, sizes_taken_as_one, specs_of
from .models import predictor_of, size_of
from .options import lod_option, params_file_option
from .told import ToldCommand


@click.command("bench", cls=ToldCommand)
@click.argument("model", type=click.Path())
@click.option("--shape", "shapes", multiple=True, metavar="[NAME=]SIZES",
              help="An input's shape, 1,3,224,224. Sizes that the model leaves open are 1 otherwise.")
@lod_option
@params_file_option
@click.option("--runs", default=50, show_default=True, type=click.IntRange(1), help="Runs that are timed.")
@click.option("--threads", type=click.IntRange(1), help="Threads to compute with.")
def command(model: str, shapes: Sequence[str], lods: Sequence[str], params_file: str | None, runs: int,
            threads: int | None) -> None:
    """Time a model: loading it, the first run, and those that follow.

    An input of sequences is one sequence of all its rows without --lod.
    """
    import numpy as np

    from .. import inference  # noqa: F401  (so that Python's import of it is no part of the loading)
    from ..backend.threads import get_num_threads, set_num_threads

    if threads:
        set_num_threads(threads)
    start = time.perf_counter()
    predictor = predictor_of(model, params_file)
    loaded = time.perf_counter()
    draw, specs = np.random.default_rng(0), specs_of(predictor)
    sizes, sequences = shapes_of(specs, shapes), lods_of(predictor, lods)
    told = [*by_name(shapes, list(specs), "--shape")]
    for name, lod in sequences.items():  # as many rows as the sequences have, unless somebody says how many
        if name not in told and specs[name].shape[0] < 0:
            sizes[name][0] = lod[-1][-1]
    for name, spec in specs.items():
        shape, dtype = sizes[name], spec.dtype.dtype
        if math.prod(shape) * max(dtype.itemsize, 4) > sys.maxsize:
            raise MemoryError(f"No array has the shape {shape} of the input {name!r}.")
        drawn = dtype if dtype.name == "float64" else np.float32
        array = draw.random(shape, drawn) if spec.dtype.is_floating else np.zeros(shape, dtype)
        predictor.get_input_handle(name).copy_from_cpu(array.astype(dtype, copy=False))
        lod = sequences.get(name) or _one_sequence(levels_of(predictor).get(name, 0), shape)
        if lod:
            predictor.get_input_handle(name).set_lod(lod)
        click.echo(f"{name}: {spec.dtype.name}{shape}{f' in sequences {lod}' if lod else ''}")
    times = []
    with sizes_taken_as_one(specs, shapes):
        for _ in range(runs + 1):
            before = time.perf_counter()
            run(predictor)
            times.append(time.perf_counter() - before)
    first, rest = times[0], times[1:]
    click.echo(f"threads        {get_num_threads()}\n"
               f"load           {_ms(loaded - start)} ms\n"
               f"first run      {_ms(first)} ms\n"
               f"median run     {_ms(statistics.median(rest))} ms of {runs}, "
               f"from {_ms(min(rest))} to {_ms(max(rest))}\n"
               f"runs a second  {_short(1 / statistics.median(rest))}\n"
               f"peak memory    {_peak()}")


def _one_sequence(levels: int, shape: list[int]) -> list[list[int]]:
    """The offsets of one sequence of all rows, at each of the levels."""
    return [[0, 1]] * (levels - 1) + [[0, shape[0] if shape else 1]] if levels else []


def _ms(seconds: float) -> str:
    return _short(seconds * 1e3)


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def _peak() -> str:
    """The most memory that the process held, where the system tells it."""
    try:
        import resource
    except ImportError:  # not on Windows
        return "not told by this system"
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size_of(most * (1 if sys.platform == "darwin" else 1024))
