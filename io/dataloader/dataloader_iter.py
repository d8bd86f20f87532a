"""What goes over a DataLoader's batches, by the name under which packages of Paddle's recognize it."""

from .iterator import Watched

_DataLoaderIterBase = Watched
