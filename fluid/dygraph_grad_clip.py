"""`fluid.dygraph_grad_clip`: what clips gradients in dynamic mode, given to an optimizer's `minimize(grad_clip=…)`."""

from ..core.lazy import listed
from ..nn import ClipGradByGlobalNorm as GradClipByGlobalNorm
from ..nn import ClipGradByNorm as GradClipByNorm
from ..nn import ClipGradByValue

__all__ = ["GradClipByGlobalNorm", "GradClipByNorm", "GradClipByValue"]
__dir__ = listed(__name__)


class GradClipByValue(ClipGradByValue):
    """Every element cut to [min_value, max_value]; with one argument, to [-min_value, min_value].

    >>> import proa.fluid as fluid
    >>> clip = fluid.dygraph_grad_clip.GradClipByValue(-1.0, 2.0)
    >>> clip.min, clip.max
    (-1.0, 2.0)
    """

    def __init__(self, min_value: float, max_value: float | None = None):
        low, high = (-abs(min_value), abs(min_value)) if max_value is None else (min_value, max_value)
        super().__init__(high, low)
