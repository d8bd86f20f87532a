"""The one door from converted code to programs: what is symbolic, and how it is staged.

Everything that operators ask of `static` is asked here, so that they can be tested without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.debugging import assert_value, print_value
from ...ops.manipulation import shape
from ...static import control_flow
from ...static.program import Variable


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when the program runs."""
    return isinstance(value, Variable)


def is_tensor(value: Any) -> bool:
    """Whether a value can leave a branch or a loop of a program: symbolic, or a tensor with a value."""
    return isinstance(value, Variable) or (hasattr(value, "dtype") and hasattr(value, "stop_gradient"))


def cond(test: Any, true_function: Callable[[], list], false_function: Callable[[], list]) -> list:
    """One of two lists of results, of equal length, by a symbolic test; both functions are traced."""
    return list(control_flow.cond(test, true_function, false_function) or ())


def while_loop(test: Callable[..., Any], body: Callable[..., list], loop_vars: list) -> list:
    """The loop variables after `body` has been applied to them as long as `test` holds."""
    return list(control_flow.while_loop(test, body, loop_vars))


def logical_and(x: Any, y: Any) -> Any:
    """Both, of two symbolic values."""
    return x.logical_and(y)


def logical_or(x: Any, y: Any) -> Any:
    """Either, of two symbolic values."""
    return x.logical_or(y)


def logical_not(x: Any) -> Any:
    """The opposite of a symbolic value."""
    return x.logical_not()


def cast(x: Any, dtype: str) -> Any:
    """A symbolic value in another element type."""
    return x.astype(dtype)


def length(x: Any) -> Any:
    """The size of the first dimension: an int where it is known, otherwise symbolic."""
    return shape(x)[0] if x.shape[0] < 0 else x.shape[0]


def sizes(x: Any) -> list[Any]:
    """The shape of a symbolic value: ints where they are known, otherwise symbolic scalars."""
    return [shape(x)[axis] if size < 0 else size for axis, size in enumerate(x.shape)]


def check(test: Any, message: str | None, where: str) -> None:
    """A run-time check that a symbolic test holds: an AssertionError with the message and the user's place."""
    assert_value(test, message=f"{where}: {message or 'the assertion does not hold'}")


def show(values: list) -> None:
    """Prints values whenever the program runs: each symbolic one behind the others before it."""
    said: list[str] = []
    for value in values:
        if is_symbolic(value):
            print_value(value, " ".join(said), summarize=-1)
            said = []
        else:
            said.append(str(value))
    if said:
        print(*said)
