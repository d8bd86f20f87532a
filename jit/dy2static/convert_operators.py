"""Names of `paddle.jit.dy2static.convert_operators`: what converted code does, as functions to call by hand.

They stay plain Python for Python values. The state of branches and loops is read by a getter and written by a setter,
both for all variables at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..operators import and_ as _and
from ..operators import assert_stmt, if_stmt, len_, load, not_, staging, while_stmt
from ..operators import or_ as _or
from ..operators import print_ as convert_print
from ..operators import range_ as convert_range
from ..operators.iteration import enumerate_ as convert_enumerate
from ..operators.iteration import zip_ as convert_zip

__all__ = ["convert_assert", "convert_enumerate", "convert_ifelse", "convert_len", "convert_load",
           "convert_logical_and", "convert_logical_not", "convert_logical_or", "convert_print", "convert_range",
           "convert_shape", "convert_var_dtype", "convert_while_loop", "convert_zip"]


def convert_ifelse(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], get_args: Callable[[], tuple],
                   set_args: Callable[[tuple], Any], return_name_ids: Sequence[str] | None = None,
                   push_pop_names: Sequence[str] | None = None) -> Any:
    """`true_fn()` if `pred` else `false_fn()`: the result of the one that ran.

    For a tensor of a Program both are traced, and what they leave in the state (`get_args()`, whose names are
    `return_name_ids`) is merged into it; the result is then that state, or its only value.

    >>> import proa as paddle
    >>> paddle.jit.dy2static.convert_ifelse(True, lambda: 1, lambda: 2, tuple, lambda state: None)
    1
    """
    if not staging.is_symbolic(pred):
        return true_fn() if pred else false_fn()
    if_stmt(pred, _Branch(true_fn), _Branch(false_fn), get_args, set_args, _names(get_args, return_name_ids),
            len(get_args()))
    state = get_args()
    return state[0] if len(state) == 1 else state


def convert_while_loop(cond: Callable[[], Any], body: Callable[[], Any], getter: Callable[[], tuple],
                       setter: Callable[[tuple], Any], return_name_ids: Sequence[str] | None = None,
                       push_pop_names: Sequence[str] | None = None) -> None:
    """`while cond(): body()`, where both work on the state that `getter` reads and `setter` writes."""
    while_stmt(cond, _Branch(body), getter, setter, _names(getter, return_name_ids))


class _Branch:
    """A function without arguments as a branch: its result is left aside, its state is what counts."""

    def __init__(self, function: Any):
        self._body = function
        self.__code__ = function.__code__

    def __call__(self) -> None:
        self._body()


def _names(getter: Callable[[], tuple], given: Sequence[str] | None) -> tuple[str, ...]:
    names = list(given or ())
    count = len(getter())
    return tuple(names[:count] + [f"variable {i}" for i in range(len(names), count)])


def convert_logical_and(x_func: Callable[[], Any], y_func: Callable[[], Any]) -> Any:
    """`x_func() and y_func()`."""
    return _and(x_func(), y_func)


def convert_logical_or(x_func: Callable[[], Any], y_func: Callable[[], Any]) -> Any:
    """`x_func() or y_func()`."""
    return _or(x_func(), y_func)


def convert_logical_not(x: Any) -> Any:
    """`not x`."""
    return not_(x)


def convert_len(var: Any) -> Any:
    """`len(var)`."""
    return len_(var)


def convert_shape(x: Any) -> Any:
    """`x.shape`."""
    return staging.sizes(x) if staging.is_symbolic(x) else x.shape


def convert_load(x: Any) -> Any:
    """The value of a variable; UnboundLocalError where it has none."""
    return load(x)


def convert_assert(cond: Any, message: str = "") -> None:
    """`assert cond, message`."""
    if not assert_stmt(cond, lambda: message):
        raise AssertionError(message)


def convert_var_dtype(var: Any, dtype: str) -> Any:
    """`bool(var)`, `int(var)` or `float(var)`: `dtype` is that name. A tensor of a Program is cast."""
    kinds: dict[str, tuple[Callable[[Any], Any], str]] = {
        "bool": (bool, "bool"), "int": (int, "int64"), "float": (float, "float32")}
    if dtype not in kinds:
        raise ValueError(f"convert_var_dtype(dtype): must be 'bool', 'int' or 'float'. Received {dtype!r}.")
    kind, name = kinds[dtype]
    return staging.cast(var, name) if staging.is_symbolic(var) else kind(var)
