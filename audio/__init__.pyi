"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.audio`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import backends as backends, datasets as datasets, features as features, functional as functional
from proa.audio.backends.wave_backend import info as info, load as load, save as save

