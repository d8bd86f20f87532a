"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.hapi`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import callbacks as callbacks
from proa.hapi.flops import flops as flops
from proa.hapi.model import Model as Model
from proa.hapi.summary import summary as summary

