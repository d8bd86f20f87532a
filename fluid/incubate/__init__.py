"""`fluid.incubate`: what 1.x had on trial."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import data_generator, fleet
else:
    __getattr__, __dir__ = attach(__name__)
