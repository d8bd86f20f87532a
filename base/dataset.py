"""`paddle.base.dataset`: sets of samples in text files, by the path of older code."""

from ..io.multi_slot.dataset import DatasetFactory, InMemoryDataset, QueueDataset

__all__ = ["DatasetFactory", "InMemoryDataset", "QueueDataset"]
