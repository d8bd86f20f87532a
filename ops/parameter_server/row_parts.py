"""split_byref, split_selected_rows, fake_init, ref_by_trainer_id: parts of values, as parameter servers hold them."""

import numpy as np

from ...backend.selected_rows import SelectedRows
from ...core import dtype as dt
from ...core.dtype import DType
from ..core.infer import same
from ..core.operator import Ints, Longs, operator
from ..core.spec import Spec


def _split(xp, x, *, sections: Ints = (), num: int = 0):
    return list(xp.split(x, np.cumsum(sections)[:-1].tolist()))


def _parts(x, *, sections=(), num=0):
    if x.shape and x.shape[0] >= 0 and sum(sections) != x.shape[0]:
        raise ValueError(f"split_byref(sections): must add up to the {x.shape[0]} rows. Received {list(sections)}.")
    return [Spec((rows, *x.shape[1:]), x.dtype) for rows in sections],


def _split_rows(xp, x, *, height_sections: Longs = ()):
    bounds = np.concatenate([[0], np.cumsum(height_sections)]).tolist()
    if not isinstance(x, SelectedRows):
        return list(xp.split(x, bounds[1:-1]))
    rows = x.merge()
    cuts = np.searchsorted(rows.rows, bounds).tolist()
    return [SelectedRows(rows.rows[low:high] - begin, rows.values[low:high], end - begin, merged=True)
            for low, high, begin, end in zip(cuts, cuts[1:], bounds, bounds[1:], strict=False)]


def _fake_init(xp, *, shape: Longs = (), dtype: DType = dt.float32):
    return xp.broadcast_to(xp.zeros((), dtype.dtype), tuple(shape))


def _of_trainer(xp, x, trainer):
    return x[int(trainer.reshape(-1)[0])].copy()


split_op = operator("split_byref", "X -> Out*~X", kernel=_split, infer=_parts, moves=True)
"""The rows of a value in parts of `sections` rows."""
split_rows_op = operator("split_selected_rows", "X -> Out*~X", kernel=_split_rows, lod="drop",
                         infer=lambda x, *, height_sections=(): _parts(x, sections=height_sections), moves=True)
"""As `split_byref`, of a gradient that has some rows alone; each part counts its rows from 0."""
fake_init_op = operator("fake_init", "-> Out", kernel=_fake_init,
                        infer=lambda *, shape=(), dtype=dt.float32: Spec(tuple(shape), dtype))
"""What stands on a trainer for a table that lives on servers: zeros, which take no memory."""
of_trainer_op = operator("ref_by_trainer_id", "X*, TrainerId -> Out", kernel=_of_trainer, fails="values",
                         infer=lambda x, trainer: same(x[0]))
"""The value of X at the place TrainerId."""

__all__ = ["fake_init_op", "of_trainer_op", "split_op", "split_rows_op"]
