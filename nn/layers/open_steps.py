"""A cell taken through steps whose number only a run knows: plain Python over Tensors, with one `while`.

It is converted, as code of the user's is; a Layer that calls it asks the trace in charge for that (`staged`).
"""

from __future__ import annotations

from typing import Any

from ...core import nest
from ...ops.array.concat_split import stack
from ...ops.array.full import full
from ...ops.array.rearrange import flip
from ...ops.array.reshape import unsqueeze
from ...ops.array.unknown_sizes import size_at
from ...ops.math.casting import cast


def through_open_steps(cell: Any, axis: int, is_reverse: bool, inputs: Any, states: Any, lengths: Any,
                       kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Takes a cell through steps whose number only a run knows, one or more: the outputs, steps first, and states."""
    steps = size_at(next(nest.leaves(inputs)), axis)
    done = full([], 0, "int32")
    outputs, states = step_at(steps - 1 if is_reverse else done, cell, axis, inputs, states, lengths, kwargs)
    taken = {n: [leaf] for n, leaf in enumerate(nest.flatten(outputs))}
    done = done + 1
    while done < steps:
        t = steps - 1 - done if is_reverse else done
        outputs, states = step_at(t, cell, axis, inputs, states, lengths, kwargs)
        for n, leaf in enumerate(nest.flatten(outputs)):
            taken[n].append(leaf)
        done = done + 1
    joined = [stack(taken[n], 0) for n in range(len(taken))]
    return nest.pack(outputs, [flip(each, [0]) if is_reverse else each for each in joined]), states


def step_at(t: Any, cell: Any, axis: int, inputs: Any, states: Any, lengths: Any,
            kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The outputs of step t, and the states behind it."""
    here = nest.map_structure(lambda x: x[t] if axis == 0 else x[:, t], inputs)
    outputs, new = cell(here, states, **kwargs)
    return outputs, new if lengths is None else _unless_beyond(lengths, t, new, states)


def _unless_beyond(lengths: Any, t: Any, new: Any, old: Any) -> Any:
    """The new states where step t lies within the sequence, elsewhere the old ones."""

    def chosen(new: Any, old: Any) -> Any:
        inside = unsqueeze(cast(lengths > t, new.dtype), list(range(1, len(new.shape))))
        return new * inside + old * (1.0 - inside)

    return nest.map_structure(chosen, new, old)
