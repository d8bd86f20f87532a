"""The eager trace of Paddle 2.0 to 2.4, where no Tensor is without dimensions: a sum of all elements has shape [1].

Scripts of that time write `loss.numpy()[0]` and `paddle.concat([loss, other])`. Gradients are computed as ever, by
`EAGER`, whose Tensors these are.
"""

from __future__ import annotations

from typing import Any

from ..core.place import Place
from ..ops.array.reshape import reshape_op
from ..ops.core.operator import Operator
from .eager import EagerTrace
from .parameter import Parameter
from .tensor import Tensor
from .value import EagerValue


class OneElementTrace(EagerTrace):
    """Gives what has no dimensions as a Tensor of shape [1]."""

    least_rank = 1

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Runs the kernel and records the application when an input wants a gradient."""
        result = super().apply(op, inputs, attrs)
        if isinstance(result, EagerValue):
            return self._given(result)
        if type(result) is tuple:
            return tuple([list(map(self._given, part)) if type(part) is list else self._given(part)
                          for part in result])
        return list(map(self._given, result)) if type(result) is list else result

    def _given(self, result: Any) -> Any:
        if type(result) is not Tensor or result._array.ndim:
            return result
        return super().apply(reshape_op, (result, None, None), {"shape": [1]})

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> EagerValue:
        """A Tensor of the array, with a dimension at least."""
        return super().constant(array if array.ndim else array.reshape(1), place, stop_gradient)


ONE_ELEMENT = OneElementTrace(Tensor, Parameter)
