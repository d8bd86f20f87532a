"""`paddle.base.backward`: gradients of Programs by the path of older code."""

from __future__ import annotations

import re
from typing import Any

from ..static.backward import append_backward, gradients
from ..static.building.mode import program_guard


def calc_gradient(targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None) -> Any:
    """As `gradients`; for one input the gradient itself.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [2]); x.stop_gradient = False
    ...     g = paddle.base.backward.calc_gradient(x * x, x)
    >>> g.shape
    (2,)
    """
    found = gradients(targets, inputs, target_gradients, no_grad_set)
    return found[0] if len(found) == 1 else found


def _append_grad_suffix_(name: str) -> str:
    """The name of a variable's gradient."""
    return f"{name}@GRAD"


def _strip_grad_suffix_(name: str) -> str:
    """The name of the variable whose gradient this is, of whatever order and of a renamed part too.

    >>> from proa.base.backward import _strip_grad_suffix_
    >>> _strip_grad_suffix_("grad/x@GRAD@RENAME@1"), _strip_grad_suffix_("x@GRAD_slice_0@GRAD")
    ('x', 'x@GRAD_slice_0')
    """
    found = re.search(r"@GRAD(?=@|$)", name)
    return re.sub("^(grad/)+", "", name[:found.start()] if found else name)


def _as_list(x: Any) -> list[Any]:
    """A list as it is, another sequence as a list, one value as a list of it, and None as an empty one."""
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


__all__ = ["append_backward", "calc_gradient", "gradients", "program_guard"]
