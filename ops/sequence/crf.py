"""Conditional random fields over chains of tags: linear_chain_crf, their cost; crf_decoding, the best tags.

The score of tags y for rows x is start[y₁] + end[yₙ] + Σ xₜ[yₜ] + Σ moves[yₜ₋₁, yₜ]; `Transition` [D + 2, D] holds the
scores of a start, of an end, and of moves. Rows are packed, with the offsets of the sequences, or padded, with lengths.
After "Conditional Random Fields" (Lafferty et al., 2001).
"""

from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import crf as crf_loops
from ...core import dtype as dt
from ..array.gather import add_at
from ..core.gradient import differentiable_once
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .offsets import last_of, levels_of
from .steps import Steps, sequences_of


def _steps(xp: Any, what: str, emission: Any, lod: list, length: Any) -> Steps:
    if length is None:
        return Steps.packed(xp, last_of(what, lod, len(emission)))
    size = emission.shape[1]
    if length.size and (int(length.min()) < 0 or int(length.max()) > size):
        raise ValueError(f"{what}(length): must lie in [0, {size}], the padded size. Received "
                         f"{length.reshape(-1).tolist()}.")
    return Steps.padded(xp, length, size)


def _rows(emission: Any) -> Any:
    """All rows one behind the other."""
    return emission.reshape(-1, emission.shape[-1])


def _tags(xp: Any, what: str, label: Any, steps: Steps, x: Any) -> Any:
    """The tags of all rows, in range wherever a sequence has a row of the emission."""
    tags, count = label.reshape(-1).astype("int64"), x.shape[1]
    if tags.size != len(x):
        raise ValueError(f"{what}(label): must have a tag for each of the {len(x)} rows of the emission. Received "
                         f"{tags.size}.")
    used = xp.concatenate([tags[rows] for _, _, rows in steps] or [tags[:0]])
    if used.size and (int(used.min()) < 0 or int(used.max()) >= count):
        raise ValueError(f"{what}(label): tags must lie in [0, {count}), the columns of the emission. "
                         f"Received tags from {int(used.min())} to {int(used.max())}.")
    return tags


def _cost(xp, emission, transition, label, lod, length=None):
    steps = _steps(xp, "linear_chain_crf", emission, lod, length)
    x = _rows(emission)
    tags = _tags(xp, "linear_chain_crf", label, steps, x)
    start, end, moves = transition[0], transition[1], transition[2:]
    highest, shift = x.max(1, keepdims=True), moves.max()
    exps, move_exps = xp.exp(x - highest), xp.exp(moves - shift)
    alpha = xp.zeros_like(x)
    cost = xp.zeros((len(steps.lengths), 1), x.dtype)
    state = tag = None
    for _, count, rows in steps:
        now = tags[rows]
        score = x[rows][xp.arange(count), now][:, None]
        if state is None:
            first = start + x[rows]
            top = first.max(1, keepdims=True)
            state = xp.exp(first - top)
            score = score + start[now][:, None]
        else:
            state = (state[:count] @ move_exps) * exps[rows]
            top = highest[rows] + shift
            score = score + moves[tag[:count], now][:, None]
        total = state.sum(1, keepdims=True)
        state = state / total
        alpha[rows], tag = state, now
        cost[:count] += xp.log(total) + top - score
    if state is not None:
        top = end.max()
        cost += xp.log(alpha[steps.last] @ xp.exp(end - top))[:, None] + top - end[tags[steps.last]][:, None]
    sequences = (len(lod[-1]) - 1) if length is None else len(emission)
    result = steps.by_sequence(cost, xp.empty((sequences, 1), x.dtype))
    return result, alpha.reshape(emission.shape), exps.reshape(emission.shape), xp.exp(transition)


def _cost_by_loops(emission, transition, label, lod, length=None):
    x = _rows(emission)
    if not crf_loops.takes("cost", *x.shape, x, transition):
        return NotImplemented
    steps = _steps(np, "linear_chain_crf", emission, lod, length)
    tags = _tags(np, "linear_chain_crf", label, steps, x)
    found, alpha, exps, _ = crf_loops.cost(x, transition, tags, steps.first, steps.lengths)
    sequences = (len(lod[-1]) - 1) if length is None else len(emission)
    result = steps.by_sequence(found[:, None], np.empty((sequences, 1), x.dtype))
    return result, alpha.reshape(emission.shape), exps.reshape(emission.shape), np.exp(transition)


def _exponentials_of_moves(xp: Any, transition: Any) -> Any:
    """exp of the scores of moves, less the highest of them: the file's exponentials may have overflown."""
    return xp.exp(transition[2:] - transition[2:].max())


def _slopes(xp, emission, transition, label, alpha, exps, grad, lod, length=None):
    """The gradients of emission and transition: tags' probabilities less the tags that are there."""
    steps = _steps(xp, "linear_chain_crf", emission, lod, length)
    alpha, exps = _rows(alpha), _rows(exps)
    tags, size = label.reshape(-1).astype("int64"), alpha.shape[1]
    found, move_exps = xp.zeros_like(alpha), _exponentials_of_moves(xp, transition)
    weight = grad[steps.order]
    ending = xp.exp(transition[1] - transition[1].max())
    beta = ending / (alpha[steps.last] @ ending)[:, None]
    left, right, before, after, weights = [], [], [], [], []
    for t, count, rows in steps.back():
        own = weight[:count] * alpha[rows] * beta[:count]
        own[xp.arange(count), tags[rows]] -= weight[:count, 0]
        found[rows] = own
        if t == 0:
            break
        earlier = steps.rows(t - 1)[:count] if count > 1 else steps.first[:count] + (t - 1)
        arriving = exps[rows] * beta[:count]
        leaving = arriving @ move_exps.T
        total = (alpha[earlier] * leaving).sum(1, keepdims=True)
        beta[:count] = leaving / total
        left.append(alpha[earlier])
        right.append(arriving * (weight[:count] / total))
        before.append(tags[earlier])
        after.append(tags[rows])
        weights.append(weight[:count, 0])
    of_moves = xp.zeros((size, size), alpha.dtype)
    if left:
        of_moves = move_exps * (xp.concatenate(left).T @ xp.concatenate(right))
        taken = xp.zeros(size * size, alpha.dtype)
        add_at(xp, taken, xp.concatenate(before) * size + xp.concatenate(after), xp.concatenate(weights))
        of_moves -= taken.reshape(size, size)
    ends = xp.stack([found[steps.first].sum(0), found[steps.last].sum(0)])
    return found.reshape(emission.shape), xp.concatenate([ends, of_moves])


def _slopes_by_loops(emission, transition, label, alpha, exps, grad, lod, length=None):
    alpha, exps, move_exps = _rows(alpha), _rows(exps), _exponentials_of_moves(np, transition)
    if not crf_loops.takes("slopes", *alpha.shape, transition, alpha, exps, move_exps, grad):
        return NotImplemented
    steps = _steps(np, "linear_chain_crf", emission, lod, length)
    tags = _tags(np, "linear_chain_crf", label, steps, alpha)
    found, of_moves = crf_loops.slopes(alpha, exps, move_exps, transition[1], tags, steps.first, steps.lengths,
                                       grad[steps.order, 0])
    ends = np.stack([found[steps.first].sum(0), found[steps.last].sum(0)])
    return found.reshape(emission.shape), np.concatenate([ends, of_moves])


def _check(what: str, emission: Spec, transition: Spec, lod: list, length: Any) -> None:
    if length is None:
        levels_of(f"{what}(input)", lod or [])
    rank, wanted = (2, "[rows, tags], packed") if length is None else (3, "[batch, size, tags]")
    if emission.rank != rank or transition.rank != 2:
        raise ValueError(f"{what}(input): must be {wanted}, and the transition [tags + 2, tags]. "
                         f"Received {list(emission.shape)} and {list(transition.shape)}.")
    tags = transition.shape[1]
    if transition.shape[0] != tags + 2 or emission.shape[-1] not in (-1, tags):
        raise ValueError(f"{what}(input, param_attr): for {emission.shape[-1]} tags the transition must be [tags + 2, "
                         f"tags]. Received {list(transition.shape)}.")


def _infer_cost(emission, transition, label, lod, length=None):
    _check("linear_chain_crf", emission, transition, lod, length)
    sequences = emission.shape[0] if length is not None else sequences_of(lod)
    return Spec((sequences, 1), emission.dtype), emission, emission, transition


def _gradients(g, Emission, Transition, Label, Alpha, EmissionExps, lod, Length):
    return apply(crf_grad_op, Emission, Transition, Label, Alpha, EmissionExps, g, lod, Length)


crf_grad_op = operator(
    "linear_chain_crf_slopes",
    "Emission, Transition, Label, Alpha, EmissionExps, Grad, lod^Emission, Length? -> "
    "EmissionGrad, TransitionGrad", kernel=_slopes, engines=[by(LOOPS, _slopes_by_loops)],
    infer=lambda emission, transition, *_: (emission, transition),
    fails="values", only_here=True,
    grad=differentiable_once("Emission, Transition, Alpha, EmissionExps, Grad", "linear_chain_crf"))
linear_chain_crf_op = operator(
    "linear_chain_crf",
    "Emission, Transition, Label, lod^Emission, Length? -> LogLikelihood, Alpha&, EmissionExps&, TransitionExps&",
    kernel=_cost, engines=[by(LOOPS, _cost_by_loops)], infer=_infer_cost,
    grad={"Emission, Transition": _gradients}, fails="values", lod="drop")
"""What the tags cost, -log of their probability: [sequences, 1]."""


def _best(xp, emission, transition, label, lod, length=None):
    steps = _steps(xp, "crf_decoding", emission, lod, length)
    x, (start, end), moves = _rows(emission), transition[:2], transition[2:]
    origin, path = xp.zeros(x.shape, "int64"), xp.zeros(len(x), "int64")
    score = xp.zeros((len(steps.lengths), x.shape[1]), x.dtype)
    for t, count, rows in steps:
        if t == 0:
            score = start + x[rows]
            continue
        arriving = score[:count, :, None] + moves
        origin[rows] = arriving.argmax(1)
        score[:count] = arriving.max(1) + x[rows]
    tag = (score + end).argmax(1)
    for _, count, rows in steps.back():
        path[rows] = tag[:count]
        tag[:count] = origin[rows][xp.arange(count), tag[:count]]
    return _found(xp, path, steps, emission, label, length)


def _best_by_loops(emission, transition, label, lod, length=None):
    x = _rows(emission)
    if not crf_loops.takes("best", *x.shape, x, transition) or np.isnan(x.sum() + transition.sum()):
        return NotImplemented  # which of several NaN is the largest, NumPy says
    steps = _steps(np, "crf_decoding", emission, lod, length)
    return _found(np, crf_loops.best(x, transition, steps.first, steps.lengths), steps, emission, label, length)


def _found(xp, path, steps, emission, label, length):
    """What the operator gives for these best tags."""
    if label is not None:
        inside = xp.zeros(len(path), bool)
        for _, _, rows in steps:
            inside[rows] = True
        path = ((path == label.reshape(-1)) & inside).astype("int64")
    return path.reshape(emission.shape[:-1] if length is not None else (-1, 1))


def _infer_best(emission, transition, label, lod, length=None):
    _check("crf_decoding", emission, transition, lod, length)
    return Spec((emission.shape[0], 1) if length is None else emission.shape[:-1], dt.int64)


crf_decoding_op = operator(
    "crf_decoding", "Emission, Transition, Label?, lod^Emission, Length? -> ViterbiPath", kernel=_best,
    engines=[by(LOOPS, _best_by_loops)], infer=_infer_best, fails="values")
"""The tags of the highest score; with labels, 1 where the best tag is the label, else 0."""
