"""What a declaration says of an operator besides what it computes: effects, what it moves, cost, mixed precision, LoD.

Everyone who wants to know such a thing of an operator asks its declaration; nobody keeps lists of operators. The words
that a declaration may use stand here, with what each means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Shapes = Sequence[Any]
"""By slot: the shape of a value as a tuple, a list of these for a repeated slot, None for one that is not there."""
Cost = Callable[[Shapes, Shapes, dict[str, Any]], int]
"""Of the inputs' and results' shapes and the attributes: how many arithmetic operations, or bytes, a run takes."""

EFFECTS = {
    "random": "a second run gives other values",
    "prints": "it writes to the terminal",
    "raises": "it is there to raise an error",
    "calls": "it calls code of the user's, which may do anything",
    "reads": "it reads what may change between runs: a file, a state of the process",
    "writes": "it changes something that is none of its results: a file, a state of the process",
    "communicates": "it sends to other processes, or waits for them",
}
"""What an operator may do besides giving results, or depend on besides its inputs and attributes."""

FAILS = {
    "shapes": "shapes and dtypes that do not fit, as its rule `infer` does",
    "values": "values too: an index out of range, a matrix that is singular",
    "never": "nothing",
}
"""What the kernel of an operator refuses."""

PRECISIONS = {
    "white": "worth it and safe: matrix products and convolutions; in 16 bits",
    "gray": "in the dtype of its inputs, the wider one where they differ",
    "black": "16 bits lose too much: sums, exponentials, losses; in float32, but at level O2 as gray",
    "slow": "in float32 at every level: its gradient is slower in 16 bits than in 32",
    "norm": "the dtype of what it normalizes, its first input; scale, bias and statistics stay in float32",
    "norm black": "as norm, and black",
    "keep": "no dtype is changed for its sake",
}
"""What mixed precision does to the inputs of an operator."""

LODS = {
    "share": "the results that have as many rows as the first input have its LoD",
    "first": "the first result has it; what the operator gives beside that, statistics say, has none",
    "rows": "as `share`, unless its attributes `dim` and `reduce_all` reduce the first dimension: the rows themselves",
    "joined": "as `share`, but along the first dimension, by its attribute `axis`: the sequences of one input behind "
              "those of the other, if each has as many levels",
    "drop": "the results have none",
}
"""What becomes of the LoD (the lengths of sequences whose rows lie one behind the other) of an operator's inputs."""


def effects_of(type: str, text: str) -> frozenset[str]:
    """The words of a declaration's `effects`. ValueError for one that has no meaning."""
    found = frozenset(text.replace(",", " ").split())
    unknown = sorted(found - EFFECTS.keys())
    if unknown:
        raise ValueError(f"operator({type!r}, effects): {unknown} are none of {sorted(EFFECTS)}.")
    return found


def checked_word(type: str, parameter: str, word: str, known: dict[str, str]) -> str:
    """The word. ValueError for one that has no meaning."""
    if word not in known:
        raise ValueError(f"operator({type!r}, {parameter}): must be one of {sorted(known)}. Received {word!r}.")
    return word


def free(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """Nothing."""
    return 0


def one_a_result(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """An operation for each element of the results."""
    return sum(math.prod(shape) for shape in outputs if isinstance(shape, tuple))


def matrix_product(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """Of a matrix product: 2 · results · the length of each inner product."""
    x = inputs[0]
    inner = x[-2] if attrs.get("trans_x") and len(x) > 1 else x[-1]
    return 2 * math.prod(outputs[0]) * inner


def convolution(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """2 · results · what one filter looks at; the filter is the second input, [out, in / groups, …]."""
    return 2 * math.prod(outputs[0]) * math.prod(inputs[1][1:])


def transposed_convolution(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """2 · what is given · what one filter looks at: as the convolution that this is the gradient of."""
    return 2 * math.prod(inputs[0]) * math.prod(inputs[1][1:])


def filter_gradient(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """As the convolution: its input and the gradient of its result give the filter's gradient."""
    return 2 * math.prod(inputs[1]) * math.prod(outputs[0][1:])
