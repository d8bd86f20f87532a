"""`flow.data`: sets of data for job functions."""

from .mnist import load_mnist

__all__ = ["load_mnist"]
