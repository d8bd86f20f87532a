"""The compiled form of the common case, `_dispatch.c`, where it has been built; what it means stands in Python.

It is optional: who has no compiler loses nothing but time. `PROA_NATIVE=0` in the environment leaves it out.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ...backend import float_errors, in_order, products
from ...backend.loops import steps
from ...backend.numpy_1 import IS_OLD
from ...backend.threads import team

_INTERFACE = 46  # of the code in C, with which it agrees

_KINDS = tuple(map(np.dtype, ("float32", "float64", "int64", "int32", "bool", "uint8", "int8", "int16", "float16",
                              "complex64", "complex128")))  # as `_native.h` counts them

obstacle = ""
"""Why the compiled form is not in use; empty where it is."""


def _loaded() -> ModuleType | None:
    global obstacle
    if os.environ.get("PROA_NATIVE", "1").strip().lower() in ("0", "false", "off", "no"):
        obstacle = "off: PROA_NATIVE says so"
        return None
    try:
        found = importlib.import_module(f"{__package__}._dispatch")
    except ImportError as error:
        obstacle = "not built" if isinstance(error, ModuleNotFoundError) else f"cannot be used: {error}"
        return None
    if getattr(found, "INTERFACE", None) != _INTERFACE:
        obstacle = "built from other sources: install proa anew"
        return None
    try:
        core = importlib.import_module("numpy.core" if IS_OLD else "numpy._core")
        probe = np.zeros((3, 2), "float32")
        found.serve_team(team)
        found.serve_quiet(float_errors.variable, float_errors.QUIET, float_errors.begin, float_errors.end,
                          np.ufunc)
        found.serve_arrays(core._multiarray_umath._ARRAY_API, np.ndarray, _KINDS, probe, probe.flags.num)
    except (TypeError, AttributeError, ValueError) as error:
        obstacle = f"cannot be used: {error}"
        return None
    return found


module: ModuleType | None = _loaded()
if module is not None:
    products.shared.append(module.shared_product)
    steps.served.append(module.run_passes)
    steps.made.append(module.code_of_steps)
    in_order.turning.append((module.copied_in_order, module.copied_as, module.turn_into))


def apply_under(trace: Any, op: Any, inputs: tuple, attrs: dict[str, Any]) -> Any:
    """`trace.apply(op, inputs, attrs)`, by the compiled form where that is in use: for traces around another one."""
    return trace.apply(op, inputs, attrs) if module is None else module.apply_under(trace, op, inputs, attrs)


def give_up(why: str) -> None:
    """Leaves the compiled form out in this process."""
    global module, obstacle
    module, obstacle = None, why
    products.shared.clear()
    steps.served.clear()
    steps.made.clear()
    in_order.turning.clear()


def form_of(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled form of that name in the place of a kernel, which computes the rest; the kernel without it."""
    if module is None or not name:
        return kernel
    found = module.form(name, kernel, False, np)
    if found is None:
        raise ValueError(f"compiled={name!r}: there is no such form in the files of C beside this one.")
    return found


def form_of_function(function: Any) -> Any:
    """The compiled form of a function of NumPy, where there is one; else the function, or None, itself."""
    if module is None or function is None:
        return function
    return module.form(function.__name__, function, True, np) or function
