"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.sparse.nn`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import functional as functional
from proa.sparse.nn.activation import LeakyReLU as LeakyReLU, ReLU as ReLU, ReLU6 as ReLU6, Softmax as Softmax
from proa.sparse.nn.conv import Conv2D as Conv2D, Conv3D as Conv3D, SubmConv2D as SubmConv2D, SubmConv3D as SubmConv3D
from proa.sparse.nn.norm import BatchNorm as BatchNorm, SyncBatchNorm as SyncBatchNorm
from proa.sparse.nn.pooling import MaxPool3D as MaxPool3D

