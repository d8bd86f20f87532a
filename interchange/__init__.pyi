"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.interchange`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import onnx as onnx
from proa.interchange.pytorch import load_pytorch as load_pytorch
from proa.interchange.pytorch_state import from_pytorch as from_pytorch
from proa.interchange.safetensors import load_safetensors as load_safetensors, save_safetensors as save_safetensors

