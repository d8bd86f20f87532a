"""Records of what decodes text."""

import itertools

import numpy as np
from proa.ops.sequence import viterbi
from records import Record, floats


def _best(with_ends):
    """Every path tried."""
    def reference(potentials, transitions, lengths):
        found = [_best_path(one, transitions, int(length), with_ends) for one, length in zip(potentials, lengths)]
        paths = np.zeros((len(found), int(lengths.max())), np.int64)
        for row, (_, path) in zip(paths, found):
            row[: len(path)] = path
        return np.array([score for score, _ in found], potentials.dtype), paths

    return reference


def _best_path(potentials, transitions, length, with_ends):
    def score(path):
        total = sum(potentials[step, tag] for step, tag in enumerate(path))
        total += sum(transitions[one, other] for one, other in zip(path, path[1:]))
        return total + (transitions[-1, path[0]] + transitions[-2, path[-1]] if with_ends else 0)

    return max((score(path), path) for path in itertools.product(range(potentials.shape[1]), repeat=length))


def _record(with_ends, lengths):
    return Record(
        "viterbi_decode", lambda p, t, n: viterbi.viterbi_decode(p, t, n, with_ends),
        [floats(3, 4, 4), floats(4, 4, seed=1), np.array(lengths)], _best(with_ends), data_dependent=True,
        label=f"{with_ends}_{max(lengths)}")


RECORDS = [_record(True, [4, 2, 1]), _record(False, [1, 4, 3]), _record(True, [1, 2, 2])]
