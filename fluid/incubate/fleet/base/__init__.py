"""`fleet.base`: what a process is among others."""

from typing import TYPE_CHECKING

from .....core.lazy import attach

if TYPE_CHECKING:
    from . import fleet_base, mode, role_maker
else:
    __getattr__, __dir__ = attach(__name__)
