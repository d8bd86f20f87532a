"""The table of flags: switches that outlive a call, each declared once with its default and its meaning.

Set with `set_flags`, or with an environment variable of the same name before the import. All are declared here, so
that each can be set before the module that heeds it is loaded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .paddle_flags import DEFAULTS

_declared: dict[str, tuple[Any, str]] = {}
_watched: dict[str, list[Callable[[], None]]] = {}
values: dict[str, Any] = {}  # read directly where a call must cost nothing


def _parse(default: Any, text: str) -> Any:
    if isinstance(default, bool):
        return text.strip().lower() in ("1", "true", "on", "yes")
    return type(default)(text)


def default(name: str) -> Any:
    """What a flag is where nobody has set it."""
    return _declared[name][0]


def set_default(name: str, value: Any) -> None:
    """Gives a flag another default; one that somebody has set to something else stays as it is."""
    old, meaning = _declared[name]
    _declared[name] = (value, meaning)
    if values[name] == old:
        set_flags({name: value})


def watch(name: str, changed: Callable[[], None]) -> None:
    """Has `changed()` called whenever the flag has been given another value."""
    _watched.setdefault(name, []).append(changed)


def declare(name: str, default: Any, meaning: str) -> None:
    """Declares a flag; the environment overrides the default."""
    _declared[name] = (default, meaning)
    values[name] = _parse(default, os.environ[name]) if name in os.environ else default


def _check(name: str) -> None:
    if name not in _declared and name not in DEFAULTS:
        raise ValueError(f"There is no flag {name!r}. Known flags: {', '.join(sorted(_declared))}.")


def get_flag(name: str) -> Any:
    """The value of one flag; of one of PaddlePaddle's own that was not set what it is there."""
    _check(name)
    return values[name] if name in values else DEFAULTS[name]


def get_flags(flags: str | Iterable[str]) -> dict[str, Any]:
    """The values of the named flags, by name; ValueError for an unknown one.

    >>> from proa.core.flags import get_flags
    >>> get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': False}
    """
    names = [flags] if isinstance(flags, str) else list(flags)
    return {name: get_flag(name) for name in names}


def set_flags(flags: dict[str, Any]) -> None:
    """Sets flags by name; nothing is set when one of them is unknown.

    Those of PaddlePaddle that direct its own kernels and memory (FLAGS_cudnn_deterministic) are kept, and change
    nothing.

    >>> import proa as paddle
    >>> paddle.set_flags({"FLAGS_check_nan_inf": False})
    >>> paddle.get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': False}
    """
    if not isinstance(flags, dict):
        raise TypeError(f"set_flags(flags): flags must be a dict of names and values. Received {type(flags).__name__}.")
    for name in flags:
        _check(name)
    given = {name: type(_declared[name][0])(value) if name in _declared else value for name, value in flags.items()}
    changed = [name for name, value in given.items() if name in _watched and values[name] != value]
    values.update(given)
    for name in changed:
        for listener in _watched[name]:
            listener()


@contextlib.contextmanager
def flags_guard(flags: dict[str, Any]) -> Iterator[None]:
    """Sets flags for a block and puts the old values back afterwards."""
    old = get_flags(flags)
    set_flags(flags)
    try:
        yield
    finally:
        set_flags(old)


declare("FLAGS_check_nan_inf", False,
        "In eager execution, raise at the operator that first produces a NaN or an infinity.")
declare("FLAGS_check_nan_inf_level", 0,
        "With FLAGS_check_nan_inf: 0 raises at a NaN or an infinity, a higher number prints where it is and goes on.")
declare("FLAGS_retain_grad_for_all_tensor", False,
        "Every Tensor that this thread computes keeps its gradient in `grad`, as after `retain_grads()`.")
declare("FLAGS_cpu_engines", "onednn,loops,panels",
        "The engines that may stand in for NumPy on the host, by name: onednn, loops, panels; empty for NumPy alone.")
declare("FLAGS_gpu_engines", "",
        "The engines that may stand in for CuPy on a device, by name: those that were added.")
declare("FLAGS_kernel_cache_dir", "",
        "The folder that keeps compiled kernels; empty for proa/kernels in the user's cache folder.")
declare("FLAGS_kernel_cache_megabytes", 64, "How much compiled kernels may take on disk; 0 keeps none.")
declare("FLAGS_kernel_after_elements", 1 << 23,
        "How much NumPy computes in place of a kernel before that is compiled, a call counting as 65536 elements; "
        "0 compiles at once.")
declare("FLAGS_kept_panels_megabytes", 512,
        "How much memory eager convolutions and products may take for weights in the order that they want; 0: none.")
declare("FLAGS_to_static_shapes", 4, "After how many shapes of its arguments a function of to_static gets a Program "
        "that leaves open the sizes which changed; 0: never, each shape has its own.")
declare("FLAGS_keep_plans", True,
        "Keep compiled Programs on disk, where kernels are kept, so that the next process need not compile them.")
declare("FLAGS_loaded_memory_limit_mb", 0,
        "How many megabytes the values of a run of a loaded model may take at a time, where its loader is told nothing "
        "else; 0: as many as there are.")
declare("FLAGS_loaded_loop_limit", 0, "How many rounds all loops of a run of a loaded model may take together, where "
        "its loader is told nothing else; 0: any number.")
declare("FLAGS_verify_passes", False, "Check a Program's operations after every pass of the compiler.")
declare("FLAGS_keep_freed_megabytes", 512,
        "How much freed memory the process keeps for its next arrays; 0 leaves the C library as it is.")
