"""What files have in the place of operators of ours alone, by families of these: see `own_codec.py`."""

from . import layers, losses, matrices, parts, positions, recurrent, shapes
from .registry import FORMS

__all__ = ["FORMS", "layers", "losses", "matrices", "parts", "positions", "recurrent", "shapes"]
