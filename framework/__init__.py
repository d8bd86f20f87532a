"""`paddle.framework`: names that Paddle code reaches by this path."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.absent import asked_of
from ..core.dtype import DType as dtype
from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.flags import get_flags, set_flags
from ..core.param_attr import ParamAttr
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place, expected_place
from ..core.random import seed
from ..device import CustomPlace, IPUPlace, XPUPlace
from ..dygraph.engine import grad
from ..dygraph.guards import no_grad
from ..dygraph.parameter import EagerParamBase
from ..static.building.layer_helper import LayerHelper
from ..static.building.mode import disable_static, enable_static, in_dynamic_mode
from ..static.ir.block import Block
from ..static.ir.graph import IrGraph
from ..static.ir.program import Program
from ..static.variable import Parameter
from . import core, io, random
from .async_io import async_save, clear_async_save_task_queue
from .io import load, save
from .tracer import TRACER


def use_pir_api() -> bool:
    """False: Programs are those of `.pdmodel` files.

    >>> import proa as paddle
    >>> paddle.framework.use_pir_api()
    False
    """
    return False


def in_pir_mode() -> bool:
    """False, as `use_pir_api`."""
    return False


def in_dynamic_or_pir_mode() -> bool:
    """True while operations run at once."""
    return in_dynamic_mode()


@contextmanager
def _no_check_dy2st_diff() -> Iterator[None]:
    """Changes nothing: code asks for it around what Paddle would refuse when a Program is made of it."""
    yield


def disable_signal_handler() -> None:
    """Is without effect: proa handles no signals.

    >>> import proa as paddle
    >>> paddle.disable_signal_handler()
    """


def _current_expected_place() -> Place:
    """Where new tensors are made."""
    return expected_place()


_current_expected_place_ = _current_expected_place


def _dygraph_tracer() -> Any:
    """What runs operators at once; None where a Program is written."""
    return TRACER if in_dynamic_mode() else None


__all__ = [
    "Block", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "EagerParamBase", "IPUPlace", "IrGraph",
    "LayerHelper", "ParamAttr", "Parameter", "Program", "XPUPlace", "disable_signal_handler", "disable_static", "dtype",
    "enable_static", "get_default_dtype", "get_flags", "grad", "in_dynamic_mode", "in_dynamic_or_pir_mode",
    "in_pir_mode", "load", "no_grad", "save", "seed", "set_default_dtype", "set_flags", "use_pir_api",
]
__getattr__ = asked_of(__name__)
