"""`fluid.dataset`: datasets of text files, by which an Executor trains."""

from ..io.multi_slot.dataset import DatasetBase, DatasetFactory, FileInstantDataset, InMemoryDataset, QueueDataset

__all__ = ["DatasetBase", "DatasetFactory", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
