"""`flow.data`: sets of data for job functions."""

from ..refused import explaining
from .mnist import load_mnist

__all__ = ["load_mnist"]
__getattr__ = explaining(__name__)
