"""random_crop: a part of each sample, of one shape, at a place of its own.

The places come from a seed that is a value of the Program and goes on with each run, by C++'s std::minstd_rand, as in
Paddle 1.x: the same crops there and here.
"""

from typing import Any

from ...core.minimal_standard import Numbers
from ..core.operator import Ints, operator
from ..core.spec import Spec


def _random_crop(xp, x, seed, *, shape: Ints, startup_seed: int = 0):
    start, kept, sizes = int(seed.reshape(-1)[0]), x.ndim - len(shape), tuple(shape)
    samples = x.reshape(-1, *x.shape[kept:])
    result = xp.empty((len(samples), *sizes), x.dtype)
    for number, sample in enumerate(samples):
        numbers = Numbers(start)
        numbers.skip(number * len(sizes))
        places = [numbers.up_to(whole - part) for whole, part in zip(x.shape[kept:], sizes, strict=True)]
        result[number] = sample[tuple(slice(place, place + part) for place, part in zip(places, sizes, strict=True))]
    numbers = Numbers(start)
    numbers.skip(len(samples) * len(sizes))
    return result.reshape(*x.shape[:kept], *sizes), xp.full((1,), numbers.next(), "int64")


def _infer(x: Spec, seed: Spec, *, shape: Any, startup_seed: int = 0) -> tuple[Spec, Spec]:
    kept = x.rank - len(shape)
    if kept < 1 or any(whole not in (-1, part) and whole < part
                       for whole, part in zip(x.shape[kept:], shape, strict=True)):
        raise ValueError(f"random_crop(x, shape): shape must have fewer dimensions than x, and sizes of at most x's "
                         f"last ones. Received x.shape={list(x.shape)}, shape={list(shape)}.")
    return Spec((*x.shape[:kept], *shape), x.dtype), seed


random_crop_op = operator("random_crop", "X, Seed -> Out, SeedOut=Seed", kernel=_random_crop, infer=_infer,
                          lod="first")
