"""What passes for an engine add to operators: activations by the names that oneDNN gives them, other numbers."""

from collections.abc import Callable
from typing import Any

from ..array.reshape import reshape_op, unsqueeze_op
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..math.clip import clip
from ..math.elementwise import multiply_op, scale_op
from ..math.unary import abs as magnitude
from ..math.unary import exp, sqrt, square, tanh
from ..nn.activation import (
    gelu_op,
    hard_sigmoid_op,
    hard_swish_op,
    leaky_relu_op,
    mish_op,
    relu,
    sigmoid,
    softplus,
    swish_op,
)


def _hard_swish(x: Any, alpha: float, beta: float) -> Any:
    if abs(alpha * 6 - 1) < 1e-6 and beta == 0.5:
        return apply(hard_swish_op, x)
    return apply(multiply_op, x, apply(hard_sigmoid_op, x, slope=alpha, offset=beta))


_BY_NAME: dict[str, Callable[[Any, float, float], Any]] = {
    "": lambda x, alpha, beta: x,
    "abs": lambda x, alpha, beta: magnitude(x),
    "clip": clip,
    "exp": lambda x, alpha, beta: exp(x),
    "gelu": lambda x, alpha, beta: apply(gelu_op, x, approximate=False),
    "gelu_erf": lambda x, alpha, beta: apply(gelu_op, x, approximate=False),
    "gelu_tanh": lambda x, alpha, beta: apply(gelu_op, x, approximate=True),
    "hard_sigmoid": lambda x, alpha, beta: apply(hard_sigmoid_op, x, slope=alpha, offset=beta),
    "hard_swish": _hard_swish,
    "identity": lambda x, alpha, beta: x,
    "leaky_relu": lambda x, alpha, beta: apply(leaky_relu_op, x, alpha=alpha),
    "linear": lambda x, alpha, beta: apply(scale_op, x, scale=alpha, bias=beta),
    "mish": lambda x, alpha, beta: apply(mish_op, x),
    "relu": lambda x, alpha, beta: relu(x),
    "relu6": lambda x, alpha, beta: clip(x, 0.0, beta or 6.0),
    "scale": lambda x, alpha, beta: apply(scale_op, x, scale=alpha, bias=beta),
    "sigmoid": lambda x, alpha, beta: sigmoid(x),
    "softplus": lambda x, alpha, beta: softplus(x),
    "sqrt": lambda x, alpha, beta: sqrt(x),
    "square": lambda x, alpha, beta: square(x),
    "swish": lambda x, alpha, beta: apply(swish_op, x, beta=alpha),
    "tanh": lambda x, alpha, beta: tanh(x),
}
#: What alpha and beta are where a file does not say.
_DEFAULTS = {"hard_sigmoid": (0.2, 0.5), "hard_swish": (1 / 6, 0.5), "leaky_relu": (0.02, 0.0), "relu6": (0.0, 6.0),
             "swish": (1.0, 0.0), "linear": (1.0, 0.0), "scale": (1.0, 0.0)}


def activated(what: str, x: Any, name: str, alpha: float | None = None, beta: float | None = None) -> Any:
    """x behind the activation of this name; `what`: the operator that it was fused into, as errors call it."""
    if name not in _BY_NAME:
        raise NotImplementedError(f"{what}: the activation {name!r} that was fused into it is not known here, only "
                                  f"{', '.join(sorted(filter(None, _BY_NAME)))}. Load the model as it was before it "
                                  "was optimized.")
    first, second = _DEFAULTS.get(name, (0.0, 0.0))
    return _BY_NAME[name](x, first if alpha is None else alpha, second if beta is None else beta)


def finished(what: str, x: Any, fuse_activation: str, fuse_alpha: float | None, fuse_beta: float | None,
             fused_output_scale: float, reshaped: list[int], unsqueezed: list[int]) -> Any:
    """x behind all that oneDNN's passes fuse to the end of an operator: activation, factor, another shape."""
    x = activated(what, x, fuse_activation, fuse_alpha, fuse_beta)
    if fused_output_scale != 1.0:
        x = apply(scale_op, x, scale=fused_output_scale)
    if reshaped:
        x = apply(reshape_op, x, None, None, shape=list(reshaped))
    return apply(unsqueeze_op, x, None, None, axes=list(unsqueezed)) if unsqueezed else x


def refuse_whole_numbers(what: str, mkldnn_data_type: str) -> None:
    """NotImplementedError for an operator that an engine computes in whole numbers, by scales that it alone reads.

    What it computes in bfloat16 is computed in the float32 of the file's parameters here.
    """
    if mkldnn_data_type not in ("", "float32", "bfloat16"):
        raise NotImplementedError(
            f"{what}: the model was optimized for oneDNN in {mkldnn_data_type}, with scales that only that engine "
            "reads. Load the model as it was before it was optimized.")


@decomposition("quantize", "Input -> Output")
def _quantize(x: Any, *, bfloat16: bool = False) -> Any:
    refuse_whole_numbers("quantize", "bfloat16" if bfloat16 else "int8")
    return x


@decomposition("dequantize", "Input -> Output")
def _dequantize(x: Any, *, Scale: float = 1.0, Shift: float = 0.0) -> Any:
    refuse_whole_numbers("dequantize", "bfloat16" if (Scale, Shift) == (1.0, 0.0) else "int8")
    return x


@decomposition("requantize", "Input -> Output")
def _requantize(x: Any) -> Any:
    refuse_whole_numbers("requantize", "int8")
    return x
