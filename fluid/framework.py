"""`fluid.framework`: Programs, what they are made of, and what is asked about the mode, places and the version."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ..base.framework import switch_main_program, switch_startup_program
from ..common_ops_import import convert_np_dtype_to_dtype_
from ..core.dtype import convert_dtype
from ..core.flags import get_flags, set_flags
from ..core.lazy import listed
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place, expected_place
from ..device import is_compiled_with_cuda
from ..dygraph.parameter import EagerParamBase  # noqa: F401 - as Paddle 2.0 to 2.4 had it here
from ..static.building.mode import default_main_program, default_startup_program, name_scope, program_guard
from ..static.ir.block import Block
from ..static.ir.name_scopes import current_path as _full_name_scope  # noqa: F401 - code for 1.x asks for it here
from ..static.ir.operation import Operation as Operator
from ..static.program import Program
from ..static.run.places import cpu_places, cuda_places, device_guard
from ..utils.installation import check_version
from . import unique_name
from .dygraph.complex_variable import ComplexVariable
from .dygraph.tracer import TRACER
from .dygraph.varbase import ParamBase, VarBase
from .later_names import later
from .mode import compute, computing
from .variable import Parameter, Variable

EMPTY_VAR_NAME, TEMP_VAR_NAME = "@EMPTY@", "@TEMP@"
GRAD_VAR_SUFFIX, ZERO_VAR_SUFFIX, CONTROL_DEP_VAR_PREFIX = "@GRAD", "@ZERO", "__control_var"


def in_dygraph_mode() -> bool:
    """True within `fluid.dygraph.guard()`, and after `fluid.enable_dygraph()`.

    >>> import proa.fluid as fluid
    >>> fluid.in_dygraph_mode()
    False
    """
    return computing()


def cuda_pinned_places(device_count: int | None = None) -> list[CUDAPinnedPlace]:
    """So many CUDAPinnedPlaces; RuntimeError where CUDA cannot be used."""
    return [CUDAPinnedPlace() for _ in cuda_places(None if device_count is None else list(range(device_count)))]


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raises unless 1.8.5, whose API this is, lies between the versions; 0.0.0, an installation from source, too.

    >>> import proa.fluid as fluid
    >>> fluid.require_version("1.6.0")
    """
    check_version("1.8.5", min_version, max_version)


def load_op_library(lib_filename: str) -> NoReturn:
    """Raises NotImplementedError: libraries of operators in C++ are not supported."""
    raise NotImplementedError(f"load_op_library({lib_filename!r}): operators are declared in Python here, as "
                              "docs/operators.md says; or use fluid.layers.py_func.")


def generate_control_dev_var_name() -> str:
    """A name for a variable that only says which of two operations is first."""
    return f"{CONTROL_DEP_VAR_PREFIX}@{random.random()}"


def _dygraph_only_(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of functions that only compute at once."""
    return _asked_of_mode(func, True, "computes at once: call it within fluid.dygraph.guard()")


def _dygraph_not_support_(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of functions that only write Programs."""
    return _asked_of_mode(func, False, "writes a Program: call it outside of fluid.dygraph.guard()")


def _asked_of_mode(func: Callable[..., Any], computes: bool, rule: str) -> Callable[..., Any]:
    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        if computing() != computes:
            raise AssertionError(f"{func.__name__}: {rule}.")
        return func(*args, **kwargs)

    return called


def _cpu_num() -> int:
    """How many places of the CPU `cpu_places()` gives: the environment's CPU_NUM, or 1."""
    return len(cpu_places())


def _get_var(name: str, program: Program | None = None) -> Variable:
    """The variable of this name of the Program's outermost block, by default of the default main Program."""
    found: Any = (program or default_main_program()).global_block().var(name)
    return found


def _current_expected_place() -> Place:
    """Where values are made."""
    return expected_place()


def _dygraph_tracer() -> Any:
    """What runs operators at once; None where a Program is written."""
    return TRACER if computing() else None


def _var_base_to_np(var_base: VarBase) -> np.ndarray:
    """A value's elements as an array."""
    return var_base.numpy()


def _varbase_creator(type: Any = None, name: str | None = None, shape: Any = None, dtype: Any = None,
                     persistable: bool | None = None, **kwargs: Any) -> VarBase:
    """An empty value of dynamic mode, which an operator of `core.ops` writes its result to."""
    made = VarBase(np.zeros(shape or [0], convert_dtype("float32" if dtype is None else dtype).dtype), name=name)
    made.persistable, made.stop_gradient = bool(persistable), False
    return made


@contextlib.contextmanager
def _dygraph_guard(tracer: Any) -> Iterator[None]:
    """Operators are computed at once within the block, or written to a Program where `tracer` is None."""
    with compute(tracer is not None):
        yield


def grad_var_name(var_name: str) -> str:
    """The name of a variable's gradient.

    >>> import proa.fluid as fluid
    >>> fluid.framework.grad_var_name("w")
    'w@GRAD'
    """
    return var_name + GRAD_VAR_SUFFIX


__all__ = ["Block", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "ComplexVariable", "Operator", "ParamBase", "Parameter",
           "Program", "Variable", "convert_np_dtype_to_dtype_", "cpu_places", "cuda_pinned_places", "cuda_places",
           "default_main_program", "default_startup_program", "device_guard", "get_flags", "grad_var_name",
           "in_dygraph_mode", "is_compiled_with_cuda", "load_op_library", "name_scope", "program_guard",
           "require_version", "set_flags", "switch_main_program", "switch_startup_program", "unique_name"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
