"""`to_static`, `save` and `load`: functions and Layers as Programs, and back. The public names of `paddle.jit`."""

from typing import TYPE_CHECKING

from ..core.lazy import attach
from . import api, dy2static
from .api import to_static
from .convert.ignoring import ignore_module, not_to_static
from .convert.reporting import set_code_level, set_verbosity
from .errors import FallbackWarning
from .files.save_load import load, save
from .program_translator import ProgramTranslator
from .static_function import StaticFunction, enable_to_static
from .traced_layer import TracedLayer
from .translated_layer import TranslatedLayer

if TYPE_CHECKING:
    from . import sot
else:
    __getattr__, __dir__ = attach(__name__)

__all__ = ["FallbackWarning", "ProgramTranslator", "StaticFunction", "TracedLayer", "TranslatedLayer",
           "enable_to_static", "ignore_module", "load", "not_to_static", "save", "set_code_level", "set_verbosity",
           "to_static"]
