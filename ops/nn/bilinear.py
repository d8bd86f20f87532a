"""bilinear: the bilinear form of two vectors, one for each feature of the result: bilinear_tensor_product."""

from typing import Any

from ..array.gradient_shapes import sum_to
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.einsum import einsum_op


def _bilinear(xp, x, y, weight, bias=None):
    count, left, right = weight.shape
    between = (x @ weight.transpose(1, 0, 2).reshape(left, count * right)).reshape(-1, count, right)
    result = (between @ y[:, :, None])[:, :, 0]
    return result if bias is None else result + bias.reshape(1, -1)


def _infer(x, y, weight, bias=None):
    wanted = (x.shape[-1], y.shape[-1])
    if x.rank != 2 or y.rank != 2 or weight.rank != 3 or (-1 not in wanted and tuple(weight.shape[1:]) != wanted):
        raise ValueError(
            f"bilinear(x1, x2, weight): x1 must be [N, a], x2 [N, b] and weight [features, a, b]. Received "
            f"x1.shape={list(x.shape)}, x2.shape={list(y.shape)}, weight.shape={list(weight.shape)}."
        )
    return Spec((x.shape[0] if x.shape[0] >= 0 else y.shape[0], weight.shape[0]), x.dtype)


def _sum(equation: str, *operands: Any) -> Any:
    return apply(einsum_op, list(operands), equation=equation)


bilinear_op = operator("bilinear_tensor_product", "X, Y, Weight, Bias? -> Out", kernel=_bilinear,
                       infer=promoting(_infer), grad={
    "X": lambda g, Y, Weight: _sum("nk,kab,nb->na", g, Weight, Y),
    "Y": lambda g, X, Weight: _sum("nk,kab,na->nb", g, Weight, X),
    "Weight": lambda g, X, Y: _sum("nk,na,nb->kab", g, X, Y),
    "Bias": lambda g, Bias_shape: sum_to(g, Bias_shape)})
