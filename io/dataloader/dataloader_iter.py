"""What goes over a DataLoader's batches and what it reads, by the names under which Paddle's packages know them."""

from .collate import default_collate_fn, default_convert_fn
from .iterator import Watched

__all__ = ["default_collate_fn", "default_convert_fn"]

_DataLoaderIterBase = Watched


class _DatasetKind:
    """What `DataLoader.dataset_kind` may be: of a dataset that is read by index, and of one that is a stream."""

    MAP = 0
    ITER = 1
