"""One of several functions, as branches within branches: `case` and `switch_case`."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from .control_flow import cond


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[..., Any]]], default: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The result of the first function whose condition is true, otherwise of `default` (or the last function).

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.case([(x.sum() > 0, lambda: x + 1)], default=lambda: x - 1)
    >>> import numpy as np
    >>> static.Executor().run(main, {"x": np.ones((1, 2), "float32")}, [y])[0].tolist()
    [[2.0, 2.0]]
    """
    pairs = list(pred_fn_pairs)
    if not pairs:
        raise ValueError("case(pred_fn_pairs): give at least one pair of a condition and a function.")
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError("case(pred_fn_pairs): each must be a pair of a condition and a function. "
                            f"Received {pair!r}.")
    if default is None:
        default = pairs.pop()[1]
    if not pairs:
        return default()
    (pred, function), rest = pairs[0], pairs[1:]
    return cond(pred, function, lambda: case(rest, default) if rest else default())


def switch_case(branch_index: Any, branch_fns: Any, default: Callable[..., Any] | None = None,
                name: str | None = None) -> Any:
    """The result of the function at `branch_index` (an integer tensor), otherwise of `default` (or the last one).

    `branch_fns`: functions, pairs of an index and a function, or a dict of these. In a Program they are called once
    each, from the last to the first, then `default`, as in Paddle: parameters without names get the same ones.
    Raises TypeError and ValueError for what is no index, no function, or there twice.

    >>> import proa as paddle
    >>> paddle.static.nn.switch_case(paddle.to_tensor(1), [lambda: 10, lambda: 20, lambda: 30])
    20
    """
    if not hasattr(branch_index, "dtype"):
        raise TypeError(f"switch_case(branch_index): must be an integer tensor. Received {branch_index!r}.")
    if branch_index.dtype.is_differentiable or branch_index.dtype.name == "bool":
        raise TypeError("switch_case(branch_index): must be an integer tensor. "
                        f"Received dtype {branch_index.dtype.name}.")
    items = _indexed_functions(branch_fns)
    if default is None:
        items = sorted(items, key=lambda item: item[0])
        default = items.pop()[1]
    pairs = [(branch_index == index, function) for index, function in items]
    return case(pairs[::-1], default) if pairs else default()


def _indexed_functions(branch_fns: Any) -> list[tuple[int, Callable]]:
    """The functions of `switch_case` with their indices, in the order given."""
    given = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    items: list[tuple[Any, Any]] = list(enumerate(given)) if all(map(callable, given)) else [
        (item[0], item[1]) if isinstance(item, (list, tuple)) and len(item) == 2 else (None, item) for item in given]
    if not items:
        raise ValueError("switch_case(branch_fns): give at least one function.")
    for index, function in items:
        if not isinstance(index, numbers.Integral) or not callable(function):
            raise TypeError(f"switch_case(branch_fns): must be functions, or pairs of an int and a function. "
                            f"Received {(index, function)!r}.")
    if len({index for index, _ in items}) < len(items):
        raise ValueError("switch_case(branch_fns): each index must occur once. "
                         f"Received {[index for index, _ in items]}.")
    return items
