"""Operations element by element, transpositions and softplus with what was fused to them."""

from typing import Any

from ..array.reshape import squeeze_op, transpose_op
from ..core.decomposition import decomposition
from ..core.operator import Operator
from ..core.trace import apply
from ..math.elementwise import add_op, divide_op, multiply_op, scale_op, subtract_op
from ..nn.activation import softplus
from .activations import activated, finished, refuse_whole_numbers

_BINARY = {op.type: op for op in (add_op, subtract_op, multiply_op, divide_op)}


def _declare(of: Operator) -> None:
    type = f"fused_{of.type}"

    @decomposition(type, "X, Y -> Out")
    def _fused(x: Any, y: Any, *, axis: int = -1, fuse_activation: str = "", fuse_alpha: float | None = None,
               fuse_beta: float | None = None, fused_output_scale: float = 1.0, fused_unsqueeze2_axes: Any = (),
               mkldnn_data_type: str = "") -> Any:
        refuse_whole_numbers(type, mkldnn_data_type)
        return finished(type, apply(of, x, y, axis=axis), fuse_activation, fuse_alpha, fuse_beta, fused_output_scale,
                        [], fused_unsqueeze2_axes)


for _of in _BINARY.values():
    _declare(_of)


@decomposition("grad_add", "X, Y -> Out")
def _grad_add(x: Any, y: Any, *, axis: int = -1) -> Any:
    """What a backward Program adds up gradients by where `FLAGS_max_inplace_grad_add` allows it."""
    return apply(add_op, x, y, axis=axis)


@decomposition("fused_transpose", "X -> Out, XShape?&")
def _fused_transpose(x: Any, *, axis: Any, fused_squeeze2_axes: Any = (), fused_unsqueeze2_axes: Any = (),
                     fused_reshape2_shape: Any = (), scale: float = 1.0, shift: float = 0.0,
                     output_data_type: str = "") -> tuple:
    refuse_whole_numbers("fused_transpose", {"fp32": ""}.get(output_data_type, output_data_type))
    x = apply(squeeze_op, x, axes=list(fused_squeeze2_axes)) if fused_squeeze2_axes else x
    x = apply(transpose_op, x, axis=list(axis))
    x = x if (scale, shift) == (1.0, 0.0) else apply(scale_op, x, scale=scale, bias=shift)
    return finished("fused_transpose", x, "", None, None, 1.0, fused_reshape2_shape, fused_unsqueeze2_axes), None


@decomposition("fused_softplus", "X -> Out")
def _fused_softplus(x: Any, *, beta: float = 1.0, threshold: float = 20.0, fuse_activation: str = "",
                    fuse_alpha: float | None = None, fuse_beta: float | None = None) -> Any:
    return activated("fused_softplus", softplus(x, beta, threshold), fuse_activation, fuse_alpha, fuse_beta)


def _functors(x: Any, y: Any, *, functor_list: list[str], axis: int = -1, scale: float = 0.0) -> tuple:
    """The operation on two and the one on one, the outer one first."""
    if len(functor_list) != 2 or len({*functor_list} & _BINARY.keys()) != 1:
        raise NotImplementedError(f"fused_elemwise_activation: functor_list must name one of {', '.join(_BINARY)} and "
                                  f"an activation. Received {list(functor_list)}.")
    outer, inner = functor_list
    of = _BINARY[outer if outer in _BINARY else inner]

    def on_one(value: Any, name: str) -> Any:
        name = {"gelu": "gelu_tanh"}.get(name, name)  # PaddlePaddle's approximates here
        return activated("fused_elemwise_activation", value, name, scale if name == "scale" else None)

    if outer in _BINARY:
        middle = on_one(y, inner)
        return apply(of, x, middle, axis=axis), middle
    middle = apply(of, x, y, axis=axis)
    return on_one(middle, outer), middle


decomposition("fused_elemwise_activation", "X, Y -> Out, IntermediateOut?&")(_functors)
decomposition("fused_elemwise_add_activation", "X, Y -> Out, IntermediateOut?&")(_functors)
