"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.nn.initializer`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.nn.initializer.assign import Assign as Assign, Bilinear as Bilinear, Dirac as Dirac
from proa.nn.initializer.fan import KaimingNormal as KaimingNormal, KaimingUniform as KaimingUniform, XavierNormal as XavierNormal, XavierUniform as XavierUniform, calculate_gain as calculate_gain
from proa.nn.initializer.initializer import Initializer as Initializer, set_global_initializer as set_global_initializer
from proa.nn.initializer.older_names import ConstantInitializer as ConstantInitializer, MSRAInitializer as MSRAInitializer, NormalInitializer as NormalInitializer, NumpyArrayInitializer as NumpyArrayInitializer, TruncatedNormalInitializer as TruncatedNormalInitializer, UniformInitializer as UniformInitializer, XavierInitializer as XavierInitializer
from proa.nn.initializer.orthogonal import Orthogonal as Orthogonal
from proa.nn.initializer.simple import Constant as Constant, Normal as Normal, TruncatedNormal as TruncatedNormal, Uniform as Uniform

