"""Parameter: a Tensor that is trained, and what makes a value of any face one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.param_attr import ParamAttr
from ..core.unique_name import generate
from ..ops.core.trace import grad_mode
from .printing import format_tensor
from .tensor import Tensor
from .value import EagerValue

if TYPE_CHECKING:
    from typing_extensions import Self


class EagerParameter(EagerValue):
    """A value that is trained: a leaf with a name, a learning-rate factor, a regularizer and a clipping switch."""

    is_parameter = True
    optimize_attr: dict[str, float]
    regularizer: Any
    need_clip: bool
    do_model_average: Any

    @classmethod
    def of_array(cls, array: Any, attr: ParamAttr) -> Self:
        """A Parameter of the values in `array`, described by `attr`.

        Its array is a view, of memory that nothing else sees once `array` is forgotten: updates write in place.
        """
        parameter = cls.__new__(cls)
        parameter._array, parameter._edge, parameter._source = array.view(), None, None
        parameter._described(attr)
        return parameter

    def _described(self, attr: ParamAttr) -> None:
        self._name = attr.name
        self.persistable = True
        self.optimize_attr = {"learning_rate": attr.learning_rate}
        self.regularizer = attr.regularizer
        self.need_clip = attr.need_clip
        self.do_model_average = attr.do_model_average
        self.trainable = attr.trainable

    @property
    def trainable(self) -> bool:
        """True when optimizers change it: the opposite of stop_gradient."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{self.name}.trainable: must be True or False. Received {value!r}.")
        self.stop_gradient = not value

    def set_initializer(self, make: Any) -> None:
        """Keeps what gives the values, a function without arguments, for `initialize`."""
        self.__dict__["_make_values"] = make

    def initialize(self) -> None:
        """Fills a parameter that was made within a `LazyGuard`; any other has its values already and keeps them."""
        make = self.__dict__.pop("_make_values", None)
        if make is not None:
            with grad_mode(False):
                self._replace(make()._array.view())

    def __deepcopy__(self, memo: dict[Any, Any]) -> Self:
        result = self._copied(memo)
        result._name = self.name + generate("_deepcopy")  # of its own: an optimizer's state goes by the name
        assert isinstance(result, EagerParameter)
        return result

    def __repr__(self) -> str:
        return f"Parameter containing:\n{format_tensor(self)}"

    __str__ = __repr__



class Parameter(EagerParameter, Tensor):
    """The parameter that is a Tensor."""

    __slots__ = ()

    _shown_as = "paddle.base.framework.EagerParamBase"

    def __init__(self, shape: Any, dtype: Any, **kwargs: Any):
        """A Parameter of zeros, which the maker fills; `name`, `trainable` and the like as in ParamAttr.

        >>> import proa as paddle
        >>> w = paddle.base.framework.EagerParamBase([2, 3], "float32", name="w", need_clip=False)
        >>> w.name, w.shape, w.trainable
        ('w', [2, 3], True)
        """
        if shape is None or dtype is None:
            raise ValueError(f"Parameter(shape, dtype): both must be given. Received shape={shape}, dtype={dtype}.")
        sizes = [int(size) for size in shape]
        if any(size < 0 for size in sizes):
            raise ValueError(f"Parameter(shape): sizes must not be negative. Received {sizes}.")
        super().__init__(dtype=dtype, dims=sizes)
        self._described(_attr_of(kwargs))

    def _set_grad_ivar(self, value: Any) -> None:
        """The gradient is `value`: what packages that compute it themselves call."""
        self.grad = value

    @property
    def block(self) -> None:
        """None: a Parameter with a value is in no block. Initializers are handed this beside it, and pass it over."""
        return None

    @classmethod
    def from_tensor(cls, tensor: Tensor, **kwargs: Any) -> Parameter:
        """A Parameter with the values of `tensor`; `name`, `trainable` and the like as in ParamAttr.

        >>> import proa as paddle
        >>> paddle.base.framework.EagerParamBase.from_tensor(paddle.ones([2]), trainable=False).stop_gradient
        True
        """
        return cls.of_array(tensor._array, _attr_of(kwargs))


def _attr_of(kwargs: dict[str, Any]) -> ParamAttr:
    learning_rate = kwargs.pop("optimize_attr", {"learning_rate": 1.0})["learning_rate"]
    return ParamAttr(kwargs.pop("name", None) or generate("_eager_param_base"), learning_rate=learning_rate, **kwargs)


EagerParamBase = Parameter
