"""A network run once on made-up inputs, with note taken of what each layer took and gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..core import nest
from ..core.dtype import convert_dtype, get_default_dtype_object
from ..core.unique_name import generate
from ..dygraph.tensor import Tensor
from ..jit.static_function import enable_to_static, is_enabled
from ..nn import Layer
from ..ops.core.trace import grad_mode
from ..ops.random.draws import uniform_array
from ..static.building.data import data
from ..static.building.mode import default_main_program, in_static_mode, program_guard
from ..static.program import Program


class Call(NamedTuple):
    """A layer, the inputs (a tuple) and the outputs of one call."""

    layer: Layer
    inputs: tuple[Any, ...]
    outputs: Any


def made_up(sizes: Any, dtypes: Any) -> list[Any]:
    """Tensors of random numbers: `sizes` is a shape, an InputSpec, or a list of these; unknown sizes are 1.

    They are drawn from 0 to 1 and converted, so an integer is 0, as in Paddle: what is drawn afterwards is the same.
    What is a tuple of shapes within such a list becomes a tuple of Tensors: an LSTM's states.
    """
    if isinstance(sizes, (list, tuple)) and not _is_shape(sizes):
        each = list(sizes)
    else:
        each = [sizes]
    kinds = list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes] * len(each)
    if len(kinds) != len(each):
        raise ValueError(f"dtypes: there must be one for each of {len(each)} inputs. Received {len(kinds)}.")
    return [_of_size(size, kind) for size, kind in zip(each, kinds, strict=True)]


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(v is None or isinstance(v, (int, np.integer)) for v in value)


def _of_size(size: Any, dtype: Any) -> Any:
    if isinstance(size, (int, np.integer)):
        size = (size,)
    if isinstance(size, (list, tuple)) and size and all(isinstance(part, (list, tuple)) for part in size):
        return tuple(_of_size(part, dtype) for part in size)
    if not _is_shape(size):
        if not hasattr(size, "shape"):
            raise TypeError(f"input_size: must be a shape, an InputSpec, or a list of these. Received {size!r}.")
        dtype = size.dtype if dtype is None else dtype
        size = size.shape
    shape = [1 if n is None or n == -1 else int(n) for n in size]
    if any(n <= 0 for n in shape):
        raise ValueError(f"input_size: sizes must be over 0, or None or -1 for any. Received {list(size)}.")
    drawn = uniform_array(np, tuple(shape), get_default_dtype_object())
    return Tensor(drawn, convert_dtype("float32" if dtype is None else dtype))


def observed(net: Layer, inputs: Sequence[Any], layers: Sequence[Layer]) -> list[list[Call]]:
    """Runs the network, in evaluation mode and without a gradient; each layer's calls, by the end of its first.

    It runs as it was written: a Program does not call layers.
    """
    calls: dict[int, list[Call]] = {}

    def note(layer: Layer, given: Any, outputs: Any) -> None:
        calls.setdefault(id(layer), []).append(Call(layer, given if isinstance(given, tuple) else (given,), outputs))

    hooks = [layer.register_forward_post_hook(note) for layer in layers]
    converts = is_enabled()
    modes = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    try:
        net.eval()
        enable_to_static(False)
        with grad_mode(False), _beside_the_program():
            net(*(nest.map_structure(_declared, list(inputs)) if in_static_mode() else inputs))
    finally:
        enable_to_static(converts)
        for hook in hooks:
            hook.remove()
        for layer, training in modes:
            layer.training = training
    return list(calls.values())


@contextmanager
def _beside_the_program() -> Iterator[None]:
    """In static mode: within the block operations are appended to a copy of the Program, which is forgotten."""
    if not in_static_mode():
        yield
        return
    with program_guard(default_main_program().clone(), Program()):
        yield


def _declared(value: Any) -> Any:
    """In the place of a Tensor an input of a Program, of its shape and dtype."""
    return data(generate("observed"), list(value.shape), value.dtype) if isinstance(value, Tensor) else value


def leaf_layers(net: Layer) -> list[Layer]:
    """The layers that hold no others, and those that hold parameters of their own, each once."""
    found: list[Layer] = []
    for layer in net.sublayers(include_self=True):
        if not layer.sublayers():
            found.append(layer)
    return found


def count(values: Sequence[Any]) -> int:
    """The number of elements of all."""
    return sum(int(np.prod(v.shape)) for v in values)
