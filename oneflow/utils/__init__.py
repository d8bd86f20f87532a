"""`flow.utils`."""

from . import data
