"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.utils`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import cpp_extension as cpp_extension, dlpack as dlpack, download as download, gast as gast, plot as plot, signal as signal, sysconfig as sysconfig, unique_name as unique_name
from proa.utils.deprecation import deprecated as deprecated
from proa.utils.installation import require_version as require_version, run_check as run_check, try_import as try_import
from proa.utils.plot import Ploter as Ploter
from proa.utils.structures import assert_same_structure as assert_same_structure, flatten as flatten, is_sequence as is_sequence, map_structure as map_structure, pack_sequence_as as pack_sequence_as

