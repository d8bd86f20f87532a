"""The best sequence of tags: viterbi_decode."""

from typing import Any

from ...core import dtype as dt
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import in_dtype


def _viterbi(xp, input, transition, length, *, include_bos_eos_tag: bool = True):
    steps, tags = input.shape[1:]
    longest = int(length.max()) if length.size else 0
    if longest > steps or (length.size and int(length.min()) < 1):
        raise ValueError(f"viterbi_decode(lengths): each must be from 1 to {steps}, the steps of potentials. "
                         f"Received {length.tolist()}.")
    best = input[:, 0] + (transition[-1] if include_bos_eos_tag else 0)
    came_from = []
    for step in range(1, longest):
        through = best[:, :, None] + transition
        going = (step < length)[:, None]
        came_from.append(xp.where(going, through.argmax(1), xp.arange(tags)))
        best = xp.where(going, through.max(1) + input[:, step], best)
    best = best + (transition[-2] if include_bos_eos_tag else 0)
    return best.max(1), _walked_back(xp, best.argmax(1), came_from, length)


def _walked_back(xp, last, came_from, length):
    """The tags (batch, longest) that end with `last`; 0 behind a sequence's end."""
    tags = [last]
    rows = xp.arange(last.shape[0])
    for pointers in reversed(came_from):
        tags.append(pointers[rows, tags[-1]])
    path = xp.stack(tags[::-1], 1)[:, : len(came_from) + 1]
    return xp.where(xp.arange(path.shape[1]) < length[:, None], path, 0).astype(xp.int64)


def _infer_viterbi(input, transition, length, *, include_bos_eos_tag=True):
    return Spec((input.shape[0],), input.dtype), Spec((input.shape[0], -1), dt.int64)


viterbi_decode_op = operator("viterbi_decode", "Input, Transition, Length -> Scores, Path", kernel=_viterbi,
                             infer=promoting(_infer_viterbi), adapted=lambda input, transition, length, **attrs: (
                                 (input, transition, in_dtype(length, dt.int64)), attrs), fails="values", lod="drop")


def viterbi_decode(potentials: Any, transition_params: Any, lengths: Any, include_bos_eos_tag: bool = True,
                   name: str | None = None) -> tuple[Any, Any]:
    """(scores, paths): for each sequence the tags of the highest sum of potentials and transitions, and that sum.

    `potentials` (batch, steps, tags) are the tags' scores at each step, `transition_params` (tags, tags) those of going
    from a tag (row) to the next (column), and `lengths` (batch,) int64 says how many steps of each sequence count.
    `scores` is (batch,), `paths` int64 (batch, longest length) with 0 behind a sequence's end. With
    `include_bos_eos_tag` the last row is added at the first step and the last but one at the last, as scores of
    starting and stopping with each tag. No gradients. ValueError for shapes or lengths that do not fit.
    `paddle.text.viterbi_decode`; "Error Bounds for Convolutional Codes", Viterbi 1967.

    >>> import proa as paddle
    >>> potentials = paddle.to_tensor([[[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]])
    >>> stay = paddle.to_tensor([[1.5, 0.0], [0.0, 1.5]])
    >>> scores, paths = paddle.text.viterbi_decode(potentials, stay, paddle.to_tensor([3]), False)
    >>> scores.tolist(), paths.tolist()
    ([7.0], [[0, 0, 0]])
    """
    _check_shapes(tuple(potentials.shape), tuple(transition_params.shape), tuple(lengths.shape), include_bos_eos_tag)
    return apply(viterbi_decode_op, potentials, transition_params, lengths, include_bos_eos_tag=include_bos_eos_tag)


def _check_shapes(potentials: tuple, transitions: tuple, lengths: tuple, with_ends: bool) -> None:
    """ValueError unless they fit; a size of -1 fits all."""
    received = f"Received shapes {list(potentials)}, {list(transitions)} and {list(lengths)}."
    if (len(potentials), len(transitions), len(lengths)) != (3, 2, 1):
        raise ValueError("viterbi_decode(potentials, transition_params, lengths): the dimensions are "
                         f"(batch, steps, tags), (tags, tags) and (batch,). {received}")
    tags = {potentials[2], *transitions} - {-1}
    if len(tags) > 1:
        raise ValueError("viterbi_decode(transition_params): must have a row and a column for each tag of potentials. "
                         + received)
    if len({potentials[0], lengths[0]} - {-1}) > 1:
        raise ValueError(f"viterbi_decode(lengths): must have one length for each sequence. {received}")
    if with_ends and min(tags, default=2) < 2:
        raise ValueError("viterbi_decode(include_bos_eos_tag=True): the last two tags are stop and start, so there "
                         f"must be two at least. {received}")
