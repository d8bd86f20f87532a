"""edit_distance: how many insertions, deletions and substitutions make one sequence another.

After "Binary codes capable of correcting deletions, insertions, and reversals" (Levenshtein, 1966).
"""

from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from .offsets import last_of, levels_of
from .steps import sequences_of


def distance(a: np.ndarray, b: np.ndarray) -> int:
    """Between two sequences."""
    places = np.arange(len(b) + 1)
    row = places.copy()
    for n, element in enumerate(a, 1):
        changed = np.minimum(row[1:] + 1, row[:-1] + (b != element))
        # An insertion adds 1 to the place before: the least of all (value - place) so far, at this place.
        row = np.minimum.accumulate(np.append(n, changed) - places) + places
    return int(row[-1])


def _sequences(what: str, values: Any, lod: list, lengths: Any) -> list[np.ndarray]:
    array = to_numpy(values)
    if lengths is None:
        levels_of(what, lod)
        nothing = not int(lod[-1][-1])  # what stands in place of rows then (ctc_align) is of no sequence
        return np.split(array.reshape(-1), to_numpy(last_of(what, lod, 0 if nothing else len(values)))[1:-1])
    sizes = to_numpy(lengths).reshape(-1)
    rows = array.reshape(len(sizes), -1)
    if sizes.size and (sizes.min() < 0 or sizes.max() > rows.shape[1]):
        raise ValueError(f"{what}: lengths must lie in [0, {rows.shape[1]}], the padded size. "
                         f"Received {sizes.tolist()}.")
    return [row[:size] for row, size in zip(rows, sizes, strict=True)]


def _edit_distance(xp, hyps, refs, hyps_lod, refs_lod, hyps_length=None, refs_length=None, *,
                   normalized: bool = False):
    found = _sequences("edit_distance(input)", hyps, hyps_lod, hyps_length)
    wanted = _sequences("edit_distance(label)", refs, refs_lod, refs_length)
    if len(found) != len(wanted):
        raise ValueError(f"edit_distance(input, label): must have equally many sequences. Received {len(found)} and "
                         f"{len(wanted)}.")
    if normalized and not all(map(len, wanted)):
        raise ValueError("edit_distance(label, normalized=True): a distance is divided by the length of its label, "
                         f"which must not be 0. Received the lengths {[len(w) for w in wanted]}.")
    far = [distance(a, b) / (len(b) if normalized else 1) for a, b in zip(found, wanted, strict=True)]
    return xp.asarray(far, "float32").reshape(-1, 1), xp.asarray([len(far)], "int64")


def _infer(hyps, refs, hyps_lod, refs_lod, hyps_length=None, refs_length=None, *, normalized=False):
    if (hyps_length is None) != (refs_length is None):
        raise ValueError("edit_distance(input_length, label_length): both must be given, or none.")
    if hyps_length is None:
        levels_of("edit_distance(input)", hyps_lod or [])
        levels_of("edit_distance(label)", refs_lod or [])
    sequences = sequences_of(hyps_lod) if hyps_length is None else hyps.shape[0]
    return Spec((sequences, 1), dt.float32), Spec((1,), dt.int64)


edit_distance_op = operator(
    "edit_distance", "Hyps, Refs, hyps_lod^Hyps, refs_lod^Refs, HypsLength?, RefsLength? -> Out, SequenceNum",
    kernel=_edit_distance, infer=_infer, fails="values", lod="drop")
"""The distance of each sequence, [sequences, 1], and their number."""
