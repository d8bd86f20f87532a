"""`paddle.hub`: models of a folder that says in `hubconf.py` which there are."""

from .hapi.hub import help, list, load

__all__ = ["help", "list", "load"]
