"""`paddle.audio`: spectra of sound as layers, wave files, sets of recordings in their published files."""

from . import backends, datasets, features, functional
from .backends.wave_backend import info, load, save

__all__ = ["backends", "datasets", "features", "functional", "info", "load", "save"]
