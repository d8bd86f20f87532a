"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.jit`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import api as api, dy2static as dy2static, sot as sot
from proa.jit.api import to_static as to_static
from proa.jit.convert.ignoring import ignore_module as ignore_module, not_to_static as not_to_static
from proa.jit.convert.reporting import set_code_level as set_code_level, set_verbosity as set_verbosity
from proa.jit.errors import FallbackWarning as FallbackWarning
from proa.jit.files.save_load import load as load, save as save
from proa.jit.program_translator import ProgramTranslator as ProgramTranslator
from proa.jit.static_function import StaticFunction as StaticFunction, enable_to_static as enable_to_static
from proa.jit.traced_layer import TracedLayer as TracedLayer
from proa.jit.translated_layer import TranslatedLayer as TranslatedLayer

