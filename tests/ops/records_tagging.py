"""Records of conditional random fields, chunks, and of what compares and decodes sequences; references try all ways."""

import itertools

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.loss import ctc, sample_logits
from proa.ops.sequence import beam_search, chunk_eval, crf, ctc_align, edit_distance
from records import Record, floats, ints

OFFSETS = np.array([0, 3, 3, 4, 8])
LENGTHS = np.array([3, 1, 4])
TAGS = 3
ROWS = int(OFFSETS[-1])


def score(rows, transition, tags):
    """Of one way through the rows of a sequence."""
    moves = sum(transition[2 + a, b] for a, b in itertools.pairwise(tags))
    return sum(row[tag] for row, tag in zip(rows, tags, strict=True)) + transition[0, tags[0]] + transition[
        1, tags[-1]] + moves


def ways(rows):
    return itertools.product(range(TAGS), repeat=len(rows))


def cost(rows, transition, tags):
    if not len(rows):
        return 0.0
    return np.log(sum(np.exp(score(rows, transition, way)) for way in ways(rows))) - score(rows, transition, tags)


def best(rows, transition):
    return list(max(ways(rows), key=lambda way: score(rows, transition, way))) if len(rows) else []


def split(values, offsets):
    return np.split(values, offsets[1:-1])


def packed_costs(x, transition, label, offsets):
    return np.array([[cost(*case)] for case in zip(
        split(x, offsets), itertools.repeat(transition), split(label.ravel(), offsets), strict=False)])


def padded_costs(x, transition, label, length):
    return np.array([[cost(rows[:n], transition, tags.ravel()[:n])]
                     for rows, tags, n in zip(x, label, length.ravel(), strict=True)])


def packed_paths(x, transition, label, offsets):
    found = np.array(sum((best(rows, transition) for rows in split(x, offsets)), []))[:, None]
    return (found == label).astype("int64")


def padded_paths(x, transition, length):
    found = np.zeros(x.shape[:2], "int64")
    for n, (rows, count) in enumerate(zip(x, length.ravel(), strict=True)):
        found[n, :count] = best(rows[:count], transition)
    return found


EMISSION, TRANSITION, LABEL = floats(ROWS, TAGS), floats(TAGS + 2, TAGS, seed=1), ints(ROWS, 1, high=TAGS)
PADDED, PADDED_LABEL = floats(3, 4, TAGS, seed=2), ints(3, 4, 1, high=TAGS, seed=3)


def slopes(x, transition, label, grad, offsets):
    """The gradients of linear_chain_crf's inputs by its gradient operator."""
    _, *kept, _ = apply(crf.linear_chain_crf_op, x, transition, label, [offsets], None)
    return list(apply(crf.crf_grad_op, x, transition, label, *kept, grad, [offsets], None))


def slopes_by_differences(x, transition, label, grad, offsets):
    results = []
    for n in range(2):
        found = np.zeros((x, transition)[n].shape)
        for index in np.ndindex(found.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [x.copy(), transition.copy()]
                moved[n][index] += step
                ends.append((packed_costs(*moved, label, offsets) * grad).sum())
            found[index] = (ends[0] - ends[1]) / 2e-5
        results.append(found)
    return results


def chunk_list(tags, types):
    """(begin, end, type) of the chunks of one sequence in the scheme IOB."""
    found, begin, last = [], None, None
    for n, tag in enumerate([*tags, 2 * types]):
        kind, position = divmod(tag, 2)
        if begin is not None and (kind != last or position == 0):
            found.append((begin, n, last))
            begin = None
        if begin is None and kind < types:
            begin, last = n, kind
    return found


def chunks(inferred, label, offsets):
    counts = np.zeros(3)
    for own, true in zip(split(inferred.ravel(), offsets), split(label.ravel(), offsets), strict=True):
        own, true = chunk_list(own, 2), chunk_list(true, 2)
        counts += len(own), len(true), len(set(own) & set(true))
    precision, recall = counts[2] / counts[0], counts[2] / counts[1]
    f1 = 2 * precision * recall / (precision + recall)
    return [*(np.array([v], "float32") for v in (precision, recall, f1)), *(np.array([int(n)]) for n in counts)]


def distance(a, b):
    if not len(a) or not len(b):
        return max(len(a), len(b))
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


def distances(hyps, refs, hyps_offsets, refs_offsets):
    found = [distance(list(a), list(b)) for a, b in zip(
        split(hyps.ravel(), hyps_offsets), split(refs.ravel(), refs_offsets), strict=True)]
    return [np.array(found, "float32")[:, None], np.array([len(found)])]


def aligned(x, offsets):
    found = [[k for k, _ in itertools.groupby(part) if k != 0] for part in split(x.ravel(), offsets)]
    return [np.array(sum(found, []))[:, None], np.append(0, np.cumsum([len(f) for f in found]))]


def align(x, offsets):
    found, _, lod = apply(ctc_align.ctc_align_op, x, [offsets], None)
    return [found, *lod]


def padded_aligned(x, length):
    out, lengths = np.full(x.shape, 7), []
    for n, (row, count) in enumerate(zip(x, length.ravel(), strict=True)):
        found = [k for k in row[:count] if k != 0]
        out[n, :len(found)] = found
        lengths.append([len(found)])
    return [out, np.array(lengths)]


def best_beginnings(before, before_scores, ids, scores, outer, inner, beam=2, end=1):
    """One step of a beam search, row by row."""
    chosen = {}
    for begin, stop in itertools.pairwise(inner[outer]):
        found = []
        for row in range(begin, stop):
            if before[row, 0] == end:
                found.append((before_scores[row, 0], row, end))
            else:
                found += [(s, row, word) for s, word in zip(scores[row], ids[row], strict=True)]
        best = sorted(found, key=lambda item: -item[0])[:beam]
        if any(word != end or before[row, 0] != end for _, row, word in best):
            for item in best:
                chosen.setdefault(item[1], []).append(item)
    rows = [item for row in range(len(before)) for item in chosen.get(row, [])]
    counts = [len(chosen.get(row, [])) for row in range(len(before))]
    return [np.array([[word] for _, _, word in rows]), np.array([[s] for s, _, _ in rows]),
            np.array([row for _, row, _ in rows], "int32"), inner[outer], np.append(0, np.cumsum(counts))]


def search(before, before_scores, ids, scores, outer, inner):
    found = apply(beam_search.beam_search_op, before, before_scores, ids, scores, [outer, inner], beam_size=2, end_id=1)
    return [*found[:3], *found[3]]


def sampled(logits, labels, samples, probabilities):
    """Logits of the samples less the logarithms of what is expected."""
    rows = np.arange(len(logits))[:, None]
    return [logits[rows, samples] - np.log(probabilities), np.broadcast_to(np.arange(labels.shape[1]), labels.shape)]


def packed_ctc(x, label, rows, places):
    """The loss of each sequence over all of its paths."""
    found = []
    for part, wanted in zip(split(x, rows), split(label.ravel(), places), strict=True):
        chances = np.exp(part) / np.exp(part).sum(1, keepdims=True)
        total = sum(np.prod([chances[t, s] for t, s in enumerate(path)])
                    for path in itertools.product(range(x.shape[1]), repeat=len(part))
                    if [k for k, _ in itertools.groupby(path) if k] == wanted.tolist())
        found.append([-np.log(total)])
    return np.array(found)


def ctc_rows(slope, weight, offsets):
    return np.concatenate([slope[:n, k] * weight[k] for k, n in enumerate(np.diff(offsets))])


OUTER, INNER = np.array([0, 2, 5]), np.arange(6)
BEFORE = np.array([[3], [1], [4], [2], [5]])
SAMPLES = np.array([[1, 0, 4, 5], [3, 0, 3, 5], [2, 1, 4, 2]])
INFERRED = np.where(np.arange(ROWS)[:, None] % 3 == 1, ints(ROWS, 1, high=5, seed=7), ints(ROWS, 1, high=5, seed=8))
RECORDS = [
    Record("linear_chain_crf", lambda x, w, label, offsets: apply(
        crf.linear_chain_crf_op, x, w, label, [offsets], None)[0],
        [EMISSION, TRANSITION, LABEL, OFFSETS], packed_costs, second=False, batched=()),
    Record("linear_chain_crf", lambda x, w, label, length: apply(
        crf.linear_chain_crf_op, x, w, label, [], length)[0],
        [PADDED, TRANSITION, PADDED_LABEL, LENGTHS[:, None]], padded_costs, "padded", second=False, batched=()),
    Record("linear_chain_crf_slopes", slopes, [EMISSION, TRANSITION, LABEL, floats(4, 1, seed=5), OFFSETS],
           slopes_by_differences, differentiable=(), batched=(), tolerance=1e-8),
    Record("crf_decoding", lambda x, w, label, offsets: apply(crf.crf_decoding_op, x, w, label, [offsets], None),
           [EMISSION, TRANSITION, LABEL, OFFSETS], packed_paths, batched=(), float32=False),
    Record("crf_decoding", lambda x, w, length: apply(crf.crf_decoding_op, x, w, None, [], length),
           [PADDED, TRANSITION, LENGTHS[:, None]], padded_paths, "padded", batched=(), float32=False),
    Record("chunk_eval", lambda found, label, offsets: list(apply(
        chunk_eval.chunk_eval_op, found, label, [offsets], None, num_chunk_types=2, chunk_scheme="IOB")),
        [INFERRED, ints(ROWS, 1, high=5, seed=7), OFFSETS], chunks, batched=(), tolerance=1e-6),
    Record("edit_distance", lambda hyps, refs, a, b: list(apply(
        edit_distance.edit_distance_op, hyps, refs, [a], [b], None, None)),
        [ints(8, 1, high=3), ints(7, 1, high=3, seed=1), OFFSETS, np.array([0, 2, 4, 4, 7])], distances, batched=()),
    Record("ctc_align", align, [ints(ROWS, 1, high=3, seed=2), OFFSETS], aligned, batched=(), data_dependent=True),
    Record("ctc_align", lambda x, length: list(apply(
        ctc_align.ctc_align_op, x, [], length, merge_repeated=False, padding_value=7)[:2]),
        [ints(3, 4, high=3, seed=3), LENGTHS[:, None]], padded_aligned, "padded", batched=()),
    Record("beam_search", search,
           [BEFORE, floats(5, 1), ints(5, 3, high=9, seed=4), floats(5, 3, seed=1), OUTER, INNER], best_beginnings,
           differentiable=(), batched=(), data_dependent=True),
    Record("sample_logits", lambda x, label, samples, chances: list(apply(
        sample_logits.sample_logits_op, x, label, samples, chances, use_customized_samples=True, num_samples=3,
        remove_accidental_hits=False)[:2]),
        [floats(3, 6), SAMPLES[:, :1].copy(), SAMPLES, floats(3, 4, low=0.1, high=0.9, seed=2)], sampled,
        differentiable=(0,), batched=()),
    Record("warpctc", lambda x, label, rows, places: apply(
        ctc.warpctc_op, x, label, None, None, [rows], [places])[0],
        [floats(9, 3, seed=6), np.array([[1], [2], [2], [1]], "int32"), np.array([0, 4, 7, 9]), np.array([0, 2, 3, 4])],
        packed_ctc, "packed", second=False, batched=()),
    Record("warpctc_rows", lambda slope, weight, offsets: apply(
        ctc.warpctc_rows_op, slope, weight, [offsets], norm_by_times=False),
        [floats(4, 3, 2), floats(3, 1, seed=1), np.array([0, 4, 6, 9])], ctc_rows, batched=(), data_dependent=True,
        differentiable=()),
]
