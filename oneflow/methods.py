"""The one table of methods that this face's tensors and the values of a Graph share, filled from its functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..ops.array import creation as made
from ..ops.array.reshape import reversed_axes
from ..ops.math import casting
from ..ops.random import sampling
from .charge import flowing
from .functions import activations, arithmetic, arrays, choosing, creation, norms, products, reductions, single


def _plain(module: Any, names: str) -> dict[str, Callable]:
    return {name: getattr(module, name) for name in names.split()}


def in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The form of a function that gives its result to its first argument, in that one's dtype."""
    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(self._alias(), *args, **kwargs)
        return self._rebind(result if result.dtype is self.dtype else casting.cast(result, self.dtype))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As `{function.__name__}`, in place: the result becomes this tensor's value."
    return flowing(method)


METHODS: dict[str, Any] = {
    **arithmetic.SYNTAX,
    "__matmul__": products.matmul,
    "__rmatmul__": products.reverse_matmul,
    "__getitem__": choosing.getitem,
    "__setitem__": choosing.setitem,
    "T": property(flowing(reversed_axes), doc="The value with its dimensions in reverse order."),
    **_plain(arithmetic, "add sub subtract mul multiply div divide true_divide floor_divide fmod remainder maximum "
             "minimum eq ne lt le gt ge atan2 logaddexp lerp bitwise_and bitwise_or bitwise_xor bitwise_not"),
    **_plain(single, "abs sign floor ceil square exp expm1 log log2 log10 log1p sqrt rsqrt reciprocal erf erfc sin cos "
             "tan sinh cosh tanh asin acos atan asinh acosh atanh arcsin arccos arctan arcsinh arccosh arctanh trunc "
             "isnan isinf isfinite neg negative lgamma digamma erfinv logical_not logical_and logical_or logical_xor "
             "round pow clamp clip clamp_min clamp_max cast addcmul addcdiv sigmoid frac exp2 conj"),
    **_plain(reductions, "sum mean prod all any amax amin max min argmax argmin sort argsort topk median var std "
             "logsumexp nansum quantile cumsum cumprod softmax log_softmax bincount unique trace mode"),
    "norm": norms.norm,
    **_plain(arrays, "reshape view reshape_as view_as permute transpose swapaxes swapdims movedim t squeeze unsqueeze "
             "flatten expand expand_as broadcast_to broadcast_like repeat tile repeat_interleave narrow select flip "
             "roll tril triu diag unfold as_strided split chunk tensor_split vsplit hsplit unbind allclose isclose "
             "clone"),
    **_plain(choosing, "nonzero argwhere masked_fill masked_select gather scatter scatter_add index_select index_add "
             "gather_nd"),
    "diagonal": arrays.diagonal_,
    "where": flowing(lambda self, condition, other: choosing.where(condition, self, other)),
    "in_top_k": flowing(lambda self, predictions, k: choosing.in_top_k(self, predictions, k)),
    "equal": arrays.equal,
    **_plain(products, "matmul mm bmm mv dot addmm baddbmm inverse cross det"),
    **_plain(activations, "relu gelu selu silu mish softplus softsign"),
    "bernoulli": creation.bernoulli,
    "multinomial": creation.multinomial,
    "fill_": flowing(lambda self, value: self._rebind(made.full_like(self, value))),
    "uniform_": flowing(lambda self, a=0.0, b=1.0: self._rebind(casting.cast(
        sampling.uniform(list(self.shape), "float32", float(a), float(b)), self.dtype))),
    "normal_": flowing(lambda self, mean=0.0, std=1.0, **_: self._rebind(casting.cast(
        sampling.gaussian(list(self.shape), float(mean), float(std)), self.dtype))),
    "exponential_": flowing(lambda self, lambd=1.0, generator=None: sampling.exponential_(self, lambd)),
    "bernoulli_": flowing(lambda self, p=0.5, generator=None: self._rebind(
        sampling.bernoulli(made.full_like(self, p)))),
}

_IN_PLACE = ("add sub subtract mul multiply div divide floor_divide fmod remainder pow clamp clip clamp_min clamp_max "
             "abs sign floor ceil square exp log sqrt rsqrt reciprocal sin cos tanh sigmoid relu neg round trunc "
             "erfinv lerp addcmul addcdiv masked_fill scatter scatter_add index_add tril triu squeeze unsqueeze "
             "transpose logical_not logical_and logical_or logical_xor eq ne lt le gt ge silu")

METHODS.update({f"{name}_": in_place(METHODS[name], f"{name}_") for name in _IN_PLACE.split()})
METHODS.update({f"__i{name}__": in_place(METHODS[f"__{name}__"], f"__i{name}__")
                for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")})
