"""`fleet.parameter_server`: workers that compute gradients, and servers that keep the parameters."""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from . import distribute_transpiler, pslib, version
else:
    __getattr__, __dir__ = attach(__name__)
