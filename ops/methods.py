"""The one table of methods that Tensor and Variable share, filled from the families of operators.

A name here is a method of both classes, the first argument being `self`. The forms that work in place (`x.add_(y)`)
are made from the plain ones: applied to another name of the value (`_alias`), the result takes the value's place
(`_rebind`); each class defines both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import (
    along_axis,
    closeness,
    creation,
    diagonal,
    elementwise,
    gather,
    indexing,
    joining,
    linalg,
    manipulation,
    masking,
    random,
    rearrange,
    reduce,
    scan,
    search,
    slicing,
    stats,
    unary,
)


def _in_place(function: Callable) -> Callable:
    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._rebind(function(self._alias(), *args, **kwargs))

    method.__name__ = method.__qualname__ = function.__name__ + "_"
    method.__doc__ = f"As `{function.__name__}`, in place: the result becomes this tensor's value."
    return method


def _plain(module: Any, names: str) -> dict[str, Callable]:
    return {name: getattr(module, name) for name in names.split()}


METHODS: dict[str, Any] = {
    **elementwise.SYNTAX,
    "__matmul__": linalg.matmul,
    "__rmatmul__": linalg.reverse_matmul,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "T": property(manipulation.reversed_axes, doc="The value with its dimensions in reverse order."),
    "__invert__": unary.bitwise_not,
    "__abs__": unary.abs,
    "astype": elementwise.cast,
    **_plain(creation, "zeros_like ones_like full_like"),
    **_plain(elementwise, "add subtract multiply divide floor_divide mod remainder floor_mod pow maximum minimum equal "
             "not_equal less_than less_equal greater_than greater_equal logical_and logical_or logical_xor bitwise_and "
             "bitwise_or bitwise_xor scale neg cast"),
    **_plain(unary, "exp expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh cosh "
             "tanh asinh acosh atanh abs sign floor ceil round trunc frac erf logical_not bitwise_not isnan isinf "
             "isfinite stanh"),
    **_plain(manipulation, "reshape view transpose t moveaxis swapaxes squeeze unsqueeze flatten expand expand_as "
             "broadcast_to tile clone fill_ zero_"),
    **_plain(rearrange, "flip reverse roll rot90 tril triu repeat_interleave as_complex as_real real imag"),
    **_plain(reduce, "sum mean max min amax amin prod any all numel count_nonzero argmax argmin"),
    **_plain(scan, "cumsum cumprod cummax cummin logcumsumexp"),
    **_plain(joining, "concat stack split chunk unbind unstack"),
    **_plain(linalg, "matmul mm bmm mv dot inner outer tensordot addmm"),
    **_plain(gather, "gather gather_nd scatter scatter_nd_add index_select index_add"),
    **_plain(along_axis, "index_sample take_along_axis put_along_axis"),
    **_plain(masking, "where nonzero index_put masked_select masked_fill"),
    **_plain(slicing, "strided_slice"),
    **_plain(stats, "logsumexp var std nansum nanmean median quantile norm dist"),
    **_plain(search, "sort argsort topk kthvalue mode unique bincount histogram bucketize"),
    **_plain(closeness, "isclose allclose equal_all is_empty clip"),
    **_plain(diagonal, "diagonal trace kron cross diag_embed"),
    **_plain(random, "bernoulli multinomial uniform_ normal_"),
}

_IN_PLACE = ("add subtract multiply divide floor_divide mod remainder pow scale neg cast exp log sqrt rsqrt square "
             "reciprocal sin cos tan tanh abs floor ceil round trunc erf reshape transpose squeeze unsqueeze flatten "
             "tril triu cumsum cumprod scatter index_add index_put put_along_axis masked_fill "
             "clip")

METHODS.update({f"{name}_": _in_place(METHODS[name]) for name in _IN_PLACE.split()})
