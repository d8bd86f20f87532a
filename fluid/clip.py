"""`fluid.clip`: gradients clipped before an update, or where they are computed, with the arguments of Paddle 1.x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.lazy import listed
from ..nn import clip as base
from ..nn.clip import ErrorClipByValue, error_clip_callback
from ..ops.core.trace import current_trace
from ..static.building.mode import default_main_program

Pairs = list[tuple[Any, Any]]


class GradientClipBase(base.ClipGradBase):
    """Base of the clippers. `need_clip(parameter)` tells which parameters' gradients are clipped: all without it."""

    def __init__(self, need_clip: Callable[[Any], bool] | None = None, **options: Any):
        if need_clip is not None and not callable(need_clip):
            raise TypeError(f"{type(self).__name__}(need_clip): must be a function of a parameter. "
                            f"Received {type(need_clip).__name__}.")
        self._need_clip_func = need_clip
        super().__init__(**options)

    def __call__(self, params_grads: Pairs) -> Pairs:
        """The pairs with clipped gradients, those of the other parameters as they were."""
        needs = self._need_clip_func
        if needs is None:
            return super().__call__(params_grads)
        clipped = iter(super().__call__([pair for pair in params_grads if needs(pair[0])]))
        return [next(clipped) if needs(pair[0]) else pair for pair in params_grads]


class GradientClipByValue(GradientClipBase, base.ClipGradByValue):
    """Each element brought between min (by default -max) and max.

    >>> import proa.fluid as fluid
    >>> fluid.clip.GradientClipByValue(0.5)
    ClipGradByValue(min=-0.5, max=0.5)
    """

    def __init__(self, max: float, min: float | None = None, need_clip: Callable[[Any], bool] | None = None):
        super().__init__(need_clip, max=max, min=min)


class GradientClipByNorm(GradientClipBase, base.ClipGradByNorm):
    """Each gradient whose Euclidean norm exceeds clip_norm scaled down to it."""

    def __init__(self, clip_norm: float, need_clip: Callable[[Any], bool] | None = None):
        super().__init__(need_clip, clip_norm=clip_norm)


class GradientClipByGlobalNorm(GradientClipBase, base.ClipGradByGlobalNorm):
    """All gradients scaled down together when the Euclidean norm of all of them exceeds clip_norm.

    Parameters whose own clippers (`set_gradient_clip`) name one `group_name` are clipped together.
    """

    def __init__(self, clip_norm: float, group_name: str = "default_group",
                 need_clip: Callable[[Any], bool] | None = None):
        super().__init__(need_clip, clip_norm=clip_norm, group_name=group_name)


def set_gradient_clip(clip: Any, param_list: Any = None, program: Any = None) -> None:
    """Gives parameters, by default all of a Program (the default main one), a clipper of their own.

    It is used by optimizers that are not given one. `param_list`: parameters or their names. TypeError for what is no
    clipper, and for what is neither.
    """
    if not isinstance(clip, base.ClipGradBase):
        raise TypeError(f"set_gradient_clip(clip): must be a fluid.clip.GradientClipBy…. Received "
                        f"{type(clip).__name__}.")
    block = (program or default_main_program()).global_block()
    parameters = block.all_parameters() if param_list is None else [
        block.var(item) if isinstance(item, str) else item for item in param_list]
    for parameter in parameters:
        if not getattr(parameter, "is_parameter", False):
            raise TypeError(f"set_gradient_clip(param_list): must hold parameters or their names. Received "
                            f"{parameter!r}.")
        setattr(parameter, "gradient_clip_attr", clip)


def append_gradient_clip_ops(param_grads: Pairs) -> Pairs:
    """The pairs, each gradient clipped as its parameter's own clipper says; those of one group together.

    ValueError where the clippers of a group have different norms.
    """
    groups: dict[Any, list[int]] = {}
    clips: dict[Any, Any] = {}
    for index, (parameter, gradient) in enumerate(param_grads):
        clip = getattr(parameter, "gradient_clip_attr", None)
        if clip is None or gradient is None:
            continue
        key = ("group", clip.group_name) if isinstance(clip, base.ClipGradByGlobalNorm) else index
        first = clips.setdefault(key, clip)
        if getattr(first, "clip_norm", None) != getattr(clip, "clip_norm", None):
            raise ValueError(f"set_gradient_clip: the parameters of the group {clip.group_name!r} must have one "
                             f"clip_norm. Received {first.clip_norm} and {clip.clip_norm}, of {parameter.name!r}.")
        groups.setdefault(key, []).append(index)
    found = list(param_grads)
    with current_trace().updating():
        for key, indices in groups.items():
            clipped = clips[key]([param_grads[index] for index in indices])
            for index, pair in zip(indices, clipped, strict=True):
                found[index] = pair
    return found


ClipByValue, ClipByNorm, ClipByGlobalNorm = GradientClipByValue, GradientClipByNorm, GradientClipByGlobalNorm

__all__ = ["ErrorClipByValue", "GradientClipBase", "GradientClipByGlobalNorm", "GradientClipByNorm",
           "GradientClipByValue", "append_gradient_clip_ops", "error_clip_callback", "set_gradient_clip"]
__dir__ = listed(__name__)
