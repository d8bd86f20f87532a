"""append_backward and gradients: gradients of a Program, as operations behind those that they are of."""

from __future__ import annotations

from typing import Any

from .autodiff.backward import check_variables, gradients_of_parameters, named_derivatives
from .autodiff.recompute import recompute
from .building.trace import GradientTrace
from .ir.variable import Variable


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None,
) -> list[Variable | None]:
    """Appends the gradients of the sum of `targets` with respect to `inputs`, and gives them; None where there is none.

    They are named `x@GRAD` for an input x, and so are those of the values between. What an in-place operation has
    changed since is read as it was, except parameters and other persistable values: these are read as they are.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2]); x.stop_gradient = False
    ...     [g] = paddle.static.gradients(x * x, x)
    >>> g.shape
    (2,)
    """
    for name, given in (("targets", targets), ("inputs", inputs)):
        values = given if isinstance(given, (list, tuple)) else [given]
        if not all(hasattr(value, "block") for value in values) or not values and name == "targets":
            raise TypeError(f"gradients({name}): must be a Variable, or a list of them. Received {given!r}.")
    targets = list(targets) if isinstance(targets, (list, tuple)) else [targets]
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    given = target_gradients
    starts = list(given) if isinstance(given, (list, tuple)) else [given] * len(targets)
    for start in starts:
        if start is not None and not hasattr(start, "block"):
            raise TypeError(f"gradients(target_gradients): must be a Variable or None, or a list of them. "
                            f"Received {start!r}.")
    for target, start in zip(targets, starts, strict=False):
        if start is not None and not _fits(start.shape, target.shape):
            raise ValueError(f"gradients(target_gradients): each must have the shape of its target. Received "
                             f"{list(start.shape)} for {target.name} of {list(target.shape)}.")
    check_variables("gradients", "no_grad_set", no_grad_set)
    return named_derivatives(GradientTrace(targets[0].block.program), targets, inputs, starts, no_grad_set)


def _fits(start: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether sizes may be equal: -1 is one that only a run knows, and one element has any number of dimensions."""
    return {*start, *target} <= {1} or len(start) == len(target) and all(
        a == b or -1 in (a, b) for a, b in zip(start, target, strict=True))


def append_backward(loss: Variable, parameter_list: Any = None, no_grad_set: Any = None, callbacks: Any = None,
                    checkpoints: Any = None, distop_context: Any = None) -> list[tuple[Variable, Variable]]:
    """Appends the gradient of `loss`, or of the sum of its elements, and gives (parameter, gradient) pairs.

    `parameter_list`: Variables or names, of what is computed between too; all trainable parameters by default.
    `no_grad_set`: no gradient flows through these. The gradient of `w` is named `w@GRAD`, and so are those of the
    values between; a later call in the same Program has `grad/` before names that are taken. A parameter that
    has been updated before is read as it is then.
    `callbacks`: called for each operation of the backward pass with `block=` and `context=`, which tells the names of
    variables by those of their gradients, and the operation by '__current_op_desc__'.
    `checkpoints`: Variables or names, between which the values of the forward pass are not kept for the backward one
    but computed again (`autodiff/recompute.py`).
    Raises TypeError when the loss is no Variable, and for lists of something else than Variables or names.

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     loss = static.nn.fc(x, 1).mean()
    ...     pairs = static.append_backward(loss)
    >>> [gradient.shape for parameter, gradient in pairs]
    [(2, 1), (1,)]
    """
    if distop_context is not None:
        raise NotImplementedError("append_backward(distop_context): Programs over several devices are not supported. "
                                  "Leave it None.")
    if not isinstance(loss, Variable):
        raise TypeError(f"append_backward(loss): loss must be a Variable. Received {type(loss).__name__}.")
    trace, block = GradientTrace(loss.block.program), loss.block
    last = block.ops[-1] if block.ops else None
    pairs = gradients_of_parameters(trace, loss, parameter_list, no_grad_set, callbacks)
    if checkpoints is not None:
        begin = next((number + 1 for number, op in enumerate(block.ops) if op is last), 0)
        recompute(block, begin, checkpoint_names(checkpoints))
    return pairs


def checkpoint_names(checkpoints: Any) -> list[str]:
    """The names of checkpoints; TypeError for something else than a list of Variables or names."""
    if not isinstance(checkpoints, (list, tuple)) or not all(isinstance(c, (str, Variable)) for c in checkpoints):
        raise TypeError(f"checkpoints: must be a list of Variables or of names. Received {checkpoints!r}.")
    return [item if isinstance(item, str) else item.name for item in checkpoints]
