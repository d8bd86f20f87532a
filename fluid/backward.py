"""`fluid.backward`: gradients of a Program, as operations."""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed
from ..static import backward as of_2
from ..static.backward import append_backward
from .later_names import later

__all__ = ["append_backward", "calc_gradient", "gradients"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)


def calc_gradient(targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None) -> Any:
    """As `gradients`; where there is one input, its gradient and no list.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.backward import calc_gradient
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [2])
    ...     x.stop_gradient = False
    ...     calc_gradient(fluid.layers.square(x), x).shape
    (2,)
    """
    found = of_2.gradients(targets, inputs, target_gradients, no_grad_set)
    return found[0] if len(found) == 1 else found


def gradients(targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None) -> list[Any]:
    """The gradients of the sum of `targets` with respect to `inputs`, as `paddle.static.gradients` gives them.

    None stands where there is none; where that would be all of one input, the list is empty, as in Paddle 1.x.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [2])
    ...     fluid.gradients(fluid.layers.square(x), x)
    []
    """
    found = of_2.gradients(targets, inputs, target_gradients, no_grad_set)
    return [] if len(found) == 1 and found[0] is None else found
