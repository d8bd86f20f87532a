"""`paddle.io.reader`: where packages find the DataLoader and the kinds of dataset that it tells apart."""

from . import BatchSampler, DataLoader, IterableDataset, Subset
from .dataloader.dataloader_iter import _DatasetKind

__all__ = ["BatchSampler", "DataLoader", "IterableDataset", "Subset", "_DatasetKind"]
