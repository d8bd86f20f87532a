"""The cost of tags by a conditional random field, its slopes, and the best tags, as loops over packed rows of float32.

Sequences are told by their first rows and lengths, none of them empty. `moves` holds exp of the scores of moves, less
their largest, `shift`; what is summed over all tags at a row is kept as shares, `alpha`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops, threads
from ..loops.names import exp, log, parallel
from ..recurrent.calling import run

_LEAST = 1 << 14  # of rows times moves, from which compiled code is worth it
_FLOAT32 = np.dtype("float32")


@loops.kernel
def _cost(x, start, end, scores, moves, ending, shifts, tags, first, lengths, alpha, exps, cost, size, count, work):
    for s in parallel(count, work):
        total = 0.0
        for t in range(lengths[s]):
            row = first[s] + t
            at = row * size
            tag = tags[row]
            top = x[at]
            for j in range(size):
                top = max(top, x[at + j])
            for j in range(size):
                exps[at + j] = exp(x[at + j] - top)
            total -= x[at + tag]
            if t == 0:
                highest = start[0] + x[at]
                for j in range(size):
                    highest = max(highest, start[j] + x[at + j])
                for j in range(size):
                    alpha[at + j] = exp(start[j] + x[at + j] - highest)
                total += highest - start[tag]
            else:
                for j in range(size):
                    alpha[at + j] = 0.0
                for i in range(size):
                    p = alpha[at - size + i]
                    for j in range(size):
                        alpha[at + j] += p * moves[i * size + j]
                for j in range(size):
                    alpha[at + j] *= exps[at + j]
                total += top + shifts[0] - scores[tags[row - 1] * size + tag]
            sum_of = 0.0
            for j in range(size):
                sum_of += alpha[at + j]
            for j in range(size):
                alpha[at + j] /= sum_of
            total += log(sum_of)
        last = first[s] + lengths[s] - 1
        ends = 0.0
        for j in range(size):
            ends += alpha[last * size + j] * ending[j]
        cost[s] = total + log(ends) + shifts[1] - end[tags[last]]


@loops.kernel
def _slopes(alpha, exps, moves, ending, tags, first, lengths, weights, found, sums, taken, scratch, size, count, work,
            parts):
    for part in parallel(parts, work):
        own = part * size * size
        b = part * 2 * size
        c = b + size
        for s in range(part, count, parts):
            w = weights[s]
            n = lengths[s]
            for m in range(n):
                row = first[s] + n - 1 - m
                at = row * size
                if m == 0:
                    ends = 0.0
                    for j in range(size):
                        ends += alpha[at + j] * ending[j]
                    for j in range(size):
                        scratch[b + j] = ending[j] / ends
                for j in range(size):
                    found[at + j] = w * alpha[at + j] * scratch[b + j]
                found[at + tags[row]] -= w
                if m < n - 1:
                    before = at - size
                    for j in range(size):
                        scratch[c + j] = exps[at + j] * scratch[b + j]
                    total = 0.0
                    for i in range(size):
                        leaving = 0.0
                        for j in range(size):
                            leaving += scratch[c + j] * moves[i * size + j]
                        scratch[b + i] = leaving
                        total += leaving * alpha[before + i]
                    factor = w / total
                    for i in range(size):
                        p = alpha[before + i] * factor
                        for j in range(size):
                            sums[own + i * size + j] += p * scratch[c + j]
                    for j in range(size):
                        scratch[b + j] /= total
                    taken[own + tags[row - 1] * size + tags[row]] += w


@loops.kernel
def _best(x, start, end, moves, first, lengths, origin, scores, path, size, count, work):
    for s in parallel(count, work):
        old = scores + s * 2 * size
        new = old + size
        n = lengths[s]
        for t in range(n):
            at = (first[s] + t) * size
            if t == 0:
                for j in range(size):
                    old[j] = start[j] + x[at + j]
            else:
                for j in range(size):
                    new[j] = old[0] + moves[j]
                    origin[at + j] = 0
                for i in range(1, size):
                    for j in range(size):
                        value = old[i] + moves[i * size + j]
                        better = value > new[j]
                        origin[at + j] = i if better else origin[at + j]
                        new[j] = value if better else new[j]
                for j in range(size):
                    old[j] = new[j] + x[at + j]
        tag = 0
        for j in range(1, size):
            tag = j if old[j] + end[j] > old[tag] + end[tag] else tag
        for m in range(n):
            row = first[s] + n - 1 - m
            path[row] = tag
            tag = origin[row * size + tag] if m < n - 1 else tag


def takes(way: str, rows: int, size: int, *arrays: Any) -> bool:
    """Whether generated loops compute it for so many rows and tags with these arrays: "cost", "slopes", "best"."""
    work = rows * size * size
    return (work >= _LEAST and loops.is_ready() and all(a.dtype is _FLOAT32 and a.flags.aligned for a in arrays)
            and {"cost": _cost, "slopes": _slopes, "best": _best}[way].is_due(work))


def _whole(*arrays: Any) -> list[Any]:
    return [np.ascontiguousarray(a) for a in arrays]


def cost(x: Any, transition: Any, tags: Any, first: Any, lengths: Any) -> tuple[Any, Any, Any, Any]:
    """The cost of each sequence's tags; shares, exponentials of the rows, and of the moves."""
    size, count = x.shape[1], len(first)
    x, start, end, scores = _whole(x, transition[0], transition[1], transition[2:])
    shifts = np.array([scores.max(), end.max()], np.float32)
    moves, ending = np.exp(scores - shifts[0]), np.exp(end - shifts[1])
    alpha, exps, found = np.zeros_like(x), np.zeros_like(x), np.empty(count, np.float32)
    run(_cost, x, start, end, scores, moves, ending, shifts, tags, *_whole(first, lengths), alpha, exps, found, size,
        count, int(x.size * size // max(count, 1)))
    return found, alpha, exps, moves


def slopes(alpha: Any, exps: Any, moves: Any, end: Any, tags: Any, first: Any, lengths: Any,
           weights: Any) -> tuple[Any, Any]:
    """The gradients of the rows, and of the scores of moves, for these gradients of the costs."""
    size, count = alpha.shape[1], len(first)
    parts = max(1, min(threads.get_num_threads(), count))
    alpha, exps, moves, weights = _whole(alpha, exps, moves, weights)
    found = np.zeros_like(alpha)
    sums, taken = np.zeros((parts, size, size), np.float32), np.zeros((parts, size, size), np.float32)
    run(_slopes, alpha, exps, moves, np.exp(end - end.max()), tags, *_whole(first, lengths), weights, found, sums,
        taken, np.empty((parts, 2, size), np.float32), size, count, int(alpha.size * size // parts), parts)
    return found, moves * sums.sum(0) - taken.sum(0)


def best(x: Any, transition: Any, first: Any, lengths: Any) -> Any:
    """The tags of the highest score at each row, the first of equal ones; 0 where no sequence has the row."""
    size, count = x.shape[1], len(first)
    x, start, end, moves = _whole(x, transition[0], transition[1], transition[2:])
    path = np.zeros(len(x), np.int64)
    run(_best, x, start, end, moves, *_whole(first, lengths), np.empty(x.shape, np.int64),
        np.empty((count, 2, size), np.float32), path, size, count, int(x.size * size // max(count, 1)))
    return path
