"""`paddle.base.reader`: what gives batches, by the path of older code."""

from ..io.dataloader.feeding.data_feeder import DataFeeder
from ..io.dataloader.feeding.from_generator import GeneratorLoader, PyReader
from ..io.dataloader.loader import DataLoader

__all__ = ["DataFeeder", "DataLoader", "GeneratorLoader", "PyReader"]
