"""`paddle.distributed.fleet.dataset`: sets of samples in slots, by their older path."""

from ....io.multi_slot.dataset import DatasetBase, FileInstantDataset, InMemoryDataset, QueueDataset

__all__ = ["DatasetBase", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
