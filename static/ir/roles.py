"""What operations are for in training, as attributes say it: where gradients start, which gradients are of parameters.

Programs that PaddlePaddle wrote say the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from .block import Block
from .operation import LOSS_ROLE, Operation


def starts_gradients(op: Operation) -> bool:
    """Whether an operation makes the gradient of the loss with respect to itself."""
    return op.is_backward and bool(op.attrs.get("op_role", 0) & LOSS_ROLE)


def gradients_given(op: Operation) -> list[tuple[str, str]]:
    """The parameters, by name, whose gradients an operation of a backward pass gives, with these."""
    names = op.attrs.get("op_role_var") or () if op.is_backward else ()
    return list(zip(names[::2], names[1::2], strict=True))


def gradients_of_parameters(block: Block) -> Iterator[tuple[int, str, str]]:
    """The places of operations that give parameters' gradients, with the parameters and these, by name.

    Those of parameters that are no one's own (`is_distributed`) are left out.
    """
    for place, op in enumerate(block.ops):
        for parameter, gradient in gradients_given(op):
            variable = block.find_var(parameter)
            if variable is not None and not getattr(variable, "is_distributed", False):
                yield place, parameter, gradient
