"""`fluid.incubate.fleet`: training by many processes, as 1.x has it."""

from typing import TYPE_CHECKING

from ....core.lazy import attach

if TYPE_CHECKING:
    from . import base, collective, parameter_server, utils
else:
    __getattr__, __dir__ = attach(__name__)
