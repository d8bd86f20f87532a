"""`paddle.base.io`: readers by the path of older code."""

from ..io.dataloader.feeding.from_generator import PyReader
from ..io.dataloader.loader import DataLoader

__all__ = ["DataLoader", "PyReader"]
