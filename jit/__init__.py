"""`to_static`, `save` and `load`: functions and Layers as Programs, and back. The public names of `paddle.jit`."""

from .api import to_static
from .ignoring import ignore_module, not_to_static
from .save_load import load, save
from .static_function import StaticFunction, enable_to_static
from .translated_layer import TranslatedLayer

__all__ = ["StaticFunction", "TranslatedLayer", "enable_to_static", "ignore_module", "load", "not_to_static", "save",
           "to_static"]
