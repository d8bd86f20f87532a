"""`fluid.dataset`: datasets of text files, by which an Executor trains."""

from ..core.lazy import listed
from ..io.multi_slot.dataset import DatasetBase, DatasetFactory, FileInstantDataset, InMemoryDataset, QueueDataset

__all__ = ["DatasetBase", "DatasetFactory", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
__dir__ = listed(__name__)
