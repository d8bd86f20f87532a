"""What Paddle's own tools call of a Tensor, by names with an underscore: copies, shared parts, gradients handed over.

Packages that keep many parameters in one buffer, or move weights about, use them. Knows values and what is a view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.aliasing import owner_of
from .value import EagerValue, share_memory
from .views import part_from_views

if TYPE_CHECKING:
    from typing_extensions import Self


class Buffers(EagerValue):
    """Methods for those who look after the memory of Tensors themselves."""

    __slots__ = ()

    def _copy_to(self, place: Any, blocking: bool) -> Self:
        """Its elements in a place, of this name; nothing is shared, and no gradient flows.

        >>> import proa as paddle
        >>> paddle.ones([2])._copy_to(paddle.CPUPlace(), True).tolist()
        [1.0, 1.0]
        """
        here: Any = self.detach()
        copied: Self = here._moved(place).clone()
        copied.name, copied.persistable = self.name, self.persistable
        return copied

    def _share_buffer_to(self, dst: EagerValue) -> None:
        """Gives `dst` the elements, shape and dtype of this Tensor; updates of either (an optimizer's) change both.

        >>> import proa as paddle
        >>> x, y = paddle.ones([3]), paddle.zeros([2])
        >>> x._share_buffer_to(y)
        >>> y.tolist(), y._is_shared_buffer_with(x)
        ([1.0, 1.0, 1.0], True)
        """
        share_memory(self, dst)

    def _share_underline_tensor_to(self, dst: EagerValue) -> None:
        """As `_share_buffer_to`."""
        share_memory(self, dst)

    def _is_shared_buffer_with(self, src: EagerValue) -> bool:
        """Whether the two Tensors have their elements in one memory, as a view and what it is a view of."""
        return owner_of(self._array) is owner_of(src._array)

    def _is_shared_underline_tensor_with(self, src: EagerValue) -> bool:
        """As `_is_shared_buffer_with`."""
        return owner_of(self._array) is owner_of(src._array)

    def _numel(self) -> int:
        """How many elements it has, as a number.

        >>> import proa as paddle
        >>> paddle.ones([2, 3])._numel()
        6
        """
        return int(self._array.size)

    def _slice(self, begin: int, end: int) -> Self:
        """Rows `begin` to `end` without a gradient, sharing the elements: what is written to them is written here.

        >>> import proa as paddle
        >>> x = paddle.zeros([3])
        >>> x._slice(1, 3)[0] = 5.0
        >>> x.tolist()
        [0.0, 5.0, 0.0]
        """
        return self.detach()[begin:end]

    def _clear(self) -> None:
        """Lets go of the elements: it has none from now on.

        >>> import proa as paddle
        >>> x = paddle.ones([2])
        >>> x._clear()
        >>> x.shape
        [0]
        """
        self._replace(np.empty(0, self._array.dtype))
        part_from_views(self)
        self.__dict__["_cleared"] = self._array

    def _clear_data(self) -> None:
        """As `_clear`."""
        self._clear()

    def _copy_gradient_from(self, src: Self) -> None:
        """The elements of `src` become the gradient.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> x._copy_gradient_from(paddle.to_tensor([7.0, 8.0]))
        >>> x.grad.tolist()
        [7.0, 8.0]
        """
        self.grad = src.detach()

    def _zero_grads(self) -> None:
        """Sets the gradient to zeros where there is one."""
        gradient: Any = self.grad
        if gradient is not None:
            gradient.zero_()

    def _grad_name(self) -> str:
        """The gradient's name, empty where there is none."""
        return "" if self.grad is None else self.grad.name

    def _grad_value(self) -> Self | None:
        """The gradient, or None."""
        return self.grad

    def _reset_grad_inplace_version(self, set_to_zero: bool = False) -> None:
        """With `set_to_zero` its gradient counts as not changed in place; else nothing is done."""
        if set_to_zero and self.grad is not None:
            self.grad._version = 0

    def _inplace_version(self) -> int:
        """As `inplace_version`."""
        return self._version

    def _use_gpudnn(self, use_gpudnn: bool) -> Self:
        """Itself: there are no two kernels to choose from."""
        return self
