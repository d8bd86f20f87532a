"""`fluid.contrib.reader`: readers for training by several processes."""

from .distributed_reader import distributed_batch_reader

__all__ = ["distributed_batch_reader"]
