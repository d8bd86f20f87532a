"""Weights of 8 and 4 bits beside activations as they are: weight_quantize, weight_dequantize, and products of them."""


from typing import Any

from ...core.dtype import convert_dtype
from ..array.concat_split import stack
from ..array.reshape import reshape, transpose, unsqueeze
from ..array.where import where
from ..linalg.matrix_product import matmul
from ..math.casting import cast
from ..math.clip import clip
from ..math.elementwise import maximum
from ..math.reduce import any as any_of
from ..math.reduce import max as largest
from ..math.unary import abs as magnitude
from ..math.unary import round

_MOST = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}


def _most(what: str, algo: str) -> int:
    if algo not in _MOST:
        raise ValueError(f"nn.quant.{what}(algo): must be one of {', '.join(map(repr, _MOST))}. Received {algo!r}.")
    return _MOST[algo]


def _check_matrix(what: str, weight: Any) -> None:
    if len(weight.shape) != 2:
        raise ValueError(f"nn.quant.{what}: a weight must be a matrix. Received shape {list(weight.shape)}.")


def weight_quantize(x: Any, algo: str = "weight_only_int8", arch: int | None = None) -> tuple[Any, Any]:
    """A weight [in, out] as int8 [out, in], or [out / 2, in] of two numbers each, and a scale for each output.

    `algo`: "weight_only_int8", "weight_only_int4" or "llm.int8". The weight is the numbers times the scale. `arch`, the
    kind of a GPU that numbers would be arranged for, changes nothing.

    >>> import proa as paddle
    >>> numbers, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[127.0], [-63.0]]))
    >>> numbers.tolist(), scale.tolist()
    ([[127, -63]], [1.0])
    """
    most = _most("weight_quantize", algo)
    _check_matrix("weight_quantize(x)", x)
    values = cast(transpose(x, [1, 0]), "float32")
    scale = largest(magnitude(values), axis=1) / float(most)
    numbers = clip(round(values / unsqueeze(maximum(scale, scale.full_like(1e-30)), 1)), -float(most), float(most))
    numbers = cast(numbers, "int8")
    if most == 7:
        if numbers.shape[0] % 2:
            raise ValueError(f"nn.quant.weight_quantize(x): of 4 bits, the number of outputs must be even. "
                             f"Received shape {list(x.shape)}.")
        low, high = cast(numbers[0::2], "int32"), cast(numbers[1::2], "int32")
        numbers = cast((low + 16) % 16 + high * 16, "int8")
    return numbers, cast(scale, x.dtype)


def _numbers(x: Any, most: int) -> Any:
    """Whole numbers [out, in] of those that are packed, as int32."""
    wide = cast(x, "int32")
    if most == 127:
        return wide
    low = (wide + 256) % 16
    return reshape(stack([where(low > 7, low - 16, low), (wide - low) // 16], axis=1), [-1, x.shape[1]])


def _weight(x: Any, scale: Any, most: int, dtype: Any) -> Any:
    """The weight [out, in] of numbers and scales."""
    return cast(cast(_numbers(x, most), "float32") * unsqueeze(cast(scale, "float32"), 1), dtype)


def weight_dequantize(x: Any, scale: Any, algo: str = "weight_only_int8", out_dtype: Any = "float16") -> Any:
    """The weight [in, out] that `weight_quantize` made numbers and scales of.

    >>> import proa as paddle
    >>> numbers, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[127.0], [-63.0]]))
    >>> paddle.nn.quant.weight_dequantize(numbers, scale, out_dtype="float32").tolist()
    [[127.0], [-63.0]]
    """
    most = _most("weight_dequantize", algo)
    _check_matrix("weight_dequantize(x)", x)
    return transpose(_weight(x, scale, most, convert_dtype(out_dtype)), [1, 0])


def weight_only_linear(x: Any, weight: Any, bias: Any = None, weight_scale: Any = None, weight_dtype: str = "int8",
                       arch: int | None = None) -> Any:
    """x [*, in] times a weight of 8 or 4 bits (`weight_quantize`) [*, out], and a bias; gradients go to x and bias.

    >>> import proa as paddle
    >>> numbers, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[127.0], [-63.0]]))
    >>> paddle.nn.quant.weight_only_linear(paddle.ones([1, 2]), numbers, weight_scale=scale).tolist()
    [[64.0]]
    """
    what = "weight_only_linear"
    if weight_dtype not in ("int8", "int4"):
        raise ValueError(f"nn.quant.{what}(weight_dtype): must be 'int8' or 'int4'. Received {weight_dtype!r}.")
    _check_matrix(f"{what}(weight)", weight)
    if weight_scale is None:
        raise ValueError(f"nn.quant.{what}(weight_scale): must be given, as weight_quantize gives it.")
    out = matmul(x, _weight(weight, weight_scale, 127 if weight_dtype == "int8" else 7, x.dtype), transpose_y=True)
    return out if bias is None else out + bias


def llm_int8_linear(x: Any, weight: Any, bias: Any = None, weight_scale: Any = None, threshold: float = 6.0) -> Any:
    """x [*, in] times a weight of 8 bits: [*, out]; rows of x are rounded to 8 bits, but for large columns.

    Columns of x in which a magnitude is above `threshold` are taken as they are. Dettmers et al., LLM.int8(): 8-bit
    Matrix Multiplication for Transformers at Scale, 2022.

    >>> import proa as paddle
    >>> weight, scale = paddle.nn.quant.weight_quantize(paddle.eye(4) * 2.0, algo="llm.int8")
    >>> x = paddle.to_tensor([[0.5, -1.0, 20.0, 0.0]])  # 20 is above the threshold: it is not rounded
    >>> paddle.nn.quant.llm_int8_linear(x, weight, weight_scale=scale).numpy().round(1).tolist()
    [[1.0, -2.0, 40.0, 0.0]]
    """
    what = "llm_int8_linear"
    _check_matrix(f"{what}(weight)", weight)
    if weight_scale is None:
        raise ValueError(f"nn.quant.{what}(weight_scale): must be given, as weight_quantize gives it.")
    rows = cast(reshape(x, [-1, x.shape[-1]]), "float32")
    outlying = any_of(magnitude(rows) > threshold, axis=0, keepdim=True)
    nothing = rows.zeros_like()
    usual, large = where(outlying, nothing, rows), where(outlying, rows, nothing)
    scale = maximum(largest(magnitude(usual), axis=1, keepdim=True), rows[:, :1].full_like(1e-30)) / 127.0
    numbers = round(usual / scale)
    wide = cast(weight, "float32")
    out = (matmul(numbers, wide, transpose_y=True) * scale + matmul(large, wide, transpose_y=True)) * cast(
        weight_scale, "float32")
    out = cast(reshape(out, [*x.shape[:-1], weight.shape[0]]), x.dtype)
    return out if bias is None else out + bias
