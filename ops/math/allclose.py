"""Comparison of whole tensors and with a tolerance: isclose, allclose, equal_all, is_empty."""

from typing import Any

from ...core import dtype as dt
from ..array.full import is_value
from ..core.infer import broadcast_shapes
from ..core.operator import Operator, operator
from ..core.spec import Spec
from ..core.trace import apply


def _isclose(xp, x, y, rtol_tensor=None, atol_tensor=None, *, rtol: str = "1e-05", atol: str = "1e-08",
             equal_nan: bool = False):
    rtol = float(rtol) if rtol_tensor is None else rtol_tensor.item()
    return xp.isclose(x, y, rtol, float(atol) if atol_tensor is None else atol_tensor.item(), equal_nan)


def _allclose(xp, x, y, rtol_tensor=None, atol_tensor=None, *, rtol: str = "1e-05", atol: str = "1e-08",
              equal_nan: bool = False):
    return _isclose(xp, x, y, rtol_tensor, atol_tensor, rtol=rtol, atol=atol, equal_nan=equal_nan).all()


isclose_op = operator("isclose", "Input, Other, Rtol?, Atol? -> Out", kernel=_isclose,
                      infer=lambda x, y, *_, **__: Spec(
                          broadcast_shapes("isclose(x, y)", x.shape, y.shape), dt.bool_), lod="drop")
allclose_op = operator("allclose", "Input, Other, Rtol?, Atol? -> Out", kernel=_allclose,
                       infer=lambda *_, **__: Spec((), dt.bool_), lod="drop")
equal_all_op = operator("equal_all", "X, Y -> Out", kernel=lambda xp, x, y: xp.asarray(
    x.shape == y.shape and bool((x == y).all())), infer=lambda x, y: Spec((), dt.bool_))
is_empty_op = operator("is_empty", "X -> Out", kernel=lambda xp, x: xp.asarray(x.size == 0),
                       infer=lambda x: Spec((), dt.bool_), lod="drop")


def _compared(op: Operator, x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """The operator, which takes tolerances as texts, or as tensors of one element."""
    tensors = [one if is_value(one) else None for one in (rtol, atol)]
    texts = {name: str(one) for name, one in (("rtol", rtol), ("atol", atol)) if not is_value(one)}
    return apply(op, x, y, *tensors, **texts, equal_nan=equal_nan)


def isclose(x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
            name: str | None = None) -> Any:
    """|x - y| <= atol + rtol * |y|, element by element.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.isclose(x, y).tolist()
    [True, True]
    """
    return _compared(isclose_op, x, y, rtol, atol, equal_nan)


def allclose(x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
             name: str | None = None) -> Any:
    """True when all elements are close: |x - y| <= atol + rtol · |y|, a 0-d bool.

    NaN is close to nothing, unless `equal_nan` says that it is to NaN.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.00001])
    >>> paddle.allclose(x, y).item(), paddle.allclose(x, y, rtol=0.0).item()
    (True, False)
    """
    return _compared(allclose_op, x, y, rtol, atol, equal_nan)


def equal_all(x: Any, y: Any, name: str | None = None) -> Any:
    """True when x and y have one shape and equal elements.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.equal_all(x, y).tolist()
    True
    """
    return apply(equal_all_op, x, y)


def is_empty(x: Any, name: str | None = None) -> Any:
    """True when x has no elements.

    >>> import proa as paddle
    >>> paddle.is_empty(paddle.zeros([0, 3])).item()
    True
    """
    return apply(is_empty_op, x)
