"""`paddle.save` and `paddle.load`: state dicts, Tensors, nested objects and Programs as single files.

This is the lowest place that knows Tensors and Programs alike.
"""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from ..core.files import atomic_write
from ..core.safe_pickle import dump_state, load_state
from ..dygraph.tensor import Tensor, new_tensor
from ..nn import Layer
from ..static.io import MODEL_SUFFIX, program_bytes, read_parameters, read_program
from ..static.program import Program
from ..static.scope import ScopeTensor
from ..static.format.params_info import read_params_info

NAME_TABLE = "StructuredToParameterName@@"
