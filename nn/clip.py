"""Clipping gradients before an update: by value, by norm, by the norm of all together.

Each takes and gives (parameter, gradient) pairs of any trace; parameters with `need_clip=False` pass unchanged.
"""

from __future__ import annotations

from typing import Any

from ..core.errors import AssertedError
from ..ops.math.clip import clip
from ..ops.math.elementwise import maximum
from ..ops.math.reduce import sum as total
from ..ops.math.unary import sqrt, square
from ..ops.optim.merged import scale_all, total_square
from ..ops.optim.row_updates import held_values, with_held_values

Pairs = list[tuple[Any, Any]]


def clip_by_norm(x: Any, max_norm: float, name: str | None = None) -> Any:
    """x scaled down to the Euclidean norm `max_norm` where its own exceeds that.

    >>> import proa as paddle
    >>> paddle.nn.clip.clip_by_norm(paddle.to_tensor([3.0, 4.0], "float64"), 1.0).numpy().round(2).tolist()
    [0.6, 0.8]
    """
    return ClipGradByNorm(max_norm).clipped(x)


class ClipGradBase:
    """Base of the clippers."""

    def __call__(self, params_grads: Pairs) -> Pairs:
        """The pairs with clipped gradients; those without a gradient are left out."""
        return self._dygraph_clip(params_grads)

    def _dygraph_clip(self, params_grads: Pairs) -> Pairs:
        """The same, under the name by which it is defined and called in code for Paddle."""
        return [(p, self.clipped(g) if getattr(p, "need_clip", True) else g) for p, g in params_grads if g is not None]

    def _static_clip(self, params_grads: Pairs) -> Pairs:
        """As `_dygraph_clip`, of variables of a Program."""
        return self._dygraph_clip(params_grads)

    def clipped(self, gradient: Any) -> Any:
        """One gradient, clipped."""
        raise NotImplementedError


class ClipGradByValue(ClipGradBase):
    """Each element brought between min (by default -max) and max.

    >>> import proa as paddle
    >>> clip = paddle.nn.ClipGradByValue(1.0)
    >>> w = paddle.nn.Linear(1, 2).weight
    >>> clip([(w, paddle.to_tensor([[4.0, -0.5]]))])[0][1].tolist()
    [[1.0, -0.5]]
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=[w], grad_clip=clip)
    """

    _may_be_asked_twice = True  # by a step that finds out late that it cannot be taken in one call

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -self.max if min is None else float(min)
        if self.min > self.max or self.max == 0 == self.min:
            raise AssertedError(f"ClipGradByValue(max, min): max must exceed min, which is -max unless given. Received "
                                f"max={max}, min={min}.")

    def clipped(self, gradient: Any) -> Any:
        """One gradient, clipped."""
        if self.min <= 0 <= self.max:  # so that rows that are not held stay zero
            return with_held_values(gradient, clip(held_values(gradient), self.min, self.max))
        return clip(gradient, self.min, self.max)

    def __repr__(self) -> str:
        return f"ClipGradByValue(min={self.min}, max={self.max})"


class ClipGradByNorm(ClipGradBase):
    """Each gradient whose Euclidean norm exceeds clip_norm scaled down to it.

    >>> import proa as paddle
    >>> clip = paddle.nn.ClipGradByNorm(1.0)
    >>> w = paddle.nn.Linear(1, 1).weight
    >>> clip([(w, paddle.full([1, 1], 4.0))])[0][1].tolist()
    [[1.0]]
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=[w], grad_clip=clip)
    """

    _may_be_asked_twice = True  # by a step that finds out late that it cannot be taken in one call

    def __init__(self, clip_norm: float):
        self.clip_norm = float(clip_norm)

    def clipped(self, gradient: Any) -> Any:
        """One gradient, clipped."""
        held = held_values(gradient)
        norm = sqrt(total(square(abs(held) if held.dtype.is_complex else held)))
        return with_held_values(gradient, held * (self.clip_norm / maximum(norm, self.clip_norm)))

    def __repr__(self) -> str:
        return f"ClipGradByNorm(clip_norm={self.clip_norm})"


class ClipGradByGlobalNorm(ClipGradBase):
    """All gradients scaled down together when the Euclidean norm of all of them exceeds clip_norm.

    Pascanu et al., On the difficulty of training recurrent neural networks, 2013.

    >>> import proa as paddle
    >>> w = paddle.nn.Linear(1, 1).weight
    >>> pairs = paddle.nn.ClipGradByGlobalNorm(1.0)([(w, paddle.full([1, 1], 4.0))])
    >>> pairs[0][1].tolist()
    [[1.0]]
    """

    _may_be_asked_twice = True  # by a step that finds out late that it cannot be taken in one call

    def __init__(self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False):
        self.clip_norm, self.group_name, self.auto_skip_clip = float(clip_norm), group_name, auto_skip_clip

    def _dygraph_clip(self, params_grads: Pairs) -> Pairs:
        square = self.square(params_grads)
        if square is None:
            return params_grads
        return self.scaled([(p, g) for p, g in params_grads if g is not None], square)

    def square(self, params_grads: Pairs) -> Any:
        """The square of the norm of all gradients that are clipped, a 0-d value; None where there are none."""
        held = _clipped_values(params_grads)
        return total_square(held) if held else None

    def scaled(self, params_grads: Pairs, square: Any) -> Pairs:
        """The pairs with gradients clipped by the norm with this square."""
        held = _clipped_values(params_grads)
        scale = self.clip_norm / maximum(sqrt(square), self.clip_norm)
        clipped = iter(scale_all(held, scale) if held else ())
        return [(p, g if g is None or not getattr(p, "need_clip", True) else with_held_values(g, next(clipped)))
                for p, g in params_grads]

    def __repr__(self) -> str:
        return f"ClipGradByGlobalNorm(global_clip_norm={self.clip_norm})"


def merge_selected_rows(x: Any, name: str | None = None) -> Any:
    """A gradient that holds rows (`Embedding(sparse=True)`) with each row once, those looked up several times summed;
    another one as it is. `paddle.nn.clip.merge_selected_rows`, as clippers that users write call it.

    >>> import proa as paddle
    >>> paddle.nn.clip.merge_selected_rows(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """
    return with_held_values(x, held_values(x))


def get_tensor_from_selected_rows(x: Any, name: str | None = None) -> Any:
    """The values of the rows that a gradient holds, each row once; a gradient that holds no rows is itself.

    >>> import proa as paddle
    >>> table = paddle.nn.Embedding(5, 3, sparse=True)
    >>> table(paddle.to_tensor([1, 1, 2])).sum().backward()
    >>> paddle.nn.clip.get_tensor_from_selected_rows(table.weight.grad).tolist()
    [[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]
    """
    return held_values(x)


def _squared_l2_norm(x: Any) -> Any:
    """The sum of the squares of x, of shape [1], as clippers that users write for Paddle ask for it."""
    return total_square([held_values(x)]).reshape([1])


def _clipped_values(params_grads: Pairs) -> list[Any]:
    return [held_values(g) for p, g in params_grads if g is not None and getattr(p, "need_clip", True)]


class BaseErrorClipAttr:
    """Base of what clips the gradient of a Program's variable where it is computed."""


class ErrorClipByValue(BaseErrorClipAttr):
    """Brings each element of a variable's gradient between min (by default -max) and max, where it is computed.

    `variable.error_clip = ErrorClipByValue(max)`, and `callbacks=[error_clip_callback]` of `append_backward`, which
    the optimizers' `minimize` gives. The clipped gradient is what flows on.
    """

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def _append_clip_op(self, block: Any, grad_name: str) -> None:
        block.append_op(type="clip", inputs={"X": [grad_name]}, outputs={"Out": [grad_name]},
                        attrs={"min": self.min, "max": self.max})

    def __repr__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"


def error_clip_callback(block: Any, context: dict[str, Any]) -> None:
    """Clips the gradients that an operation has just computed of variables with an `error_clip`."""
    made = context["__current_op_desc__"].output_arg_names()
    for name in [name for name in made if name in context]:
        variable = block.find_var(context[name])
        clip = None if variable is None else variable.error_clip
        if clip is not None:
            clip._append_clip_op(block, name)
