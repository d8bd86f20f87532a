"""Fake quantization of files: values as whole numbers of so many bits, times a scale, kept as floats.

Of `b` bits, m = 2^(b - 1) - 1: x becomes round(x / scale · m), at most ± m, and is that times scale / m again. The
scale is the largest magnitude of x, of each of its channels, or what training has found. Krishnamoorthi, Quantizing
deep convolutional networks for efficient inference, 2018.
"""

from typing import Any

from ..array.reshape import reshape_op
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.clip import clip
from ..math.elementwise import add_op, divide_op, maximum, multiply_op, scale_op
from ..math.reduce import max as largest
from ..math.unary import abs as magnitude
from ..math.unary import floor, round, sign
from ..nn.embedding import lookup_op

_LEAST = 1e-30  # a scale below it is taken for this one


def _most(bits: int) -> float:
    if not 2 <= bits <= 32:
        raise ValueError(f"numbers have 2 to 32 bits. Received {bits}")
    return float((1 << (bits - 1)) - 1)


def _times(x: Any, factor: float) -> Any:
    return apply(scale_op, x, scale=factor)


def _nearest(x: Any, round_type: int) -> Any:
    """The nearest whole number: of two the even one (0), or the one further from 0 (1)."""
    if round_type == 0:
        return round(x)
    return apply(multiply_op, sign(x), floor(apply(scale_op, magnitude(x), scale=1.0, bias=0.5)))


def _quantized(x: Any, scale: Any, bits: int, round_type: int) -> Any:
    """The whole numbers that x is; the scale broadcasts with it."""
    most = _most(bits)
    factor = _times(apply(divide_op, scale.full_like(1.0), maximum(scale, scale.full_like(_LEAST))), most)
    numbers = apply(multiply_op, x, factor)
    if round_type == 0:
        return clip(_nearest(numbers, 0), -most - 1, most)
    return _nearest(clip(numbers, -most, most), round_type)


def _along(scale: Any, x: Any, axis: int) -> Any:
    """A scale for each channel, as it broadcasts with x."""
    return apply(reshape_op, scale, None, None, shape=[-1 if n == axis else 1 for n in range(len(x.shape))])


def _of_channels(x: Any, axis: int) -> tuple[Any, Any]:
    """The largest magnitude of each channel: as a vector, and as it broadcasts with x."""
    found = largest(magnitude(x), axis=[n for n in range(len(x.shape)) if n != axis])
    return found, _along(found, x, axis)


def _whole(x: Any) -> Any:
    return apply(reshape_op, largest(magnitude(x)), None, None, shape=[1])


@decomposition("fake_quantize_abs_max", "X -> Out, OutScale?")
def _quantize_abs_max(x: Any, *, bit_length: int = 8, round_type: int = 1) -> tuple:
    scale = _whole(x)
    return _quantized(x, scale, bit_length, round_type), scale


@decomposition("fake_channel_wise_quantize_abs_max", "X -> Out, OutScale?")
def _quantize_channels(x: Any, *, bit_length: int = 8, round_type: int = 1, quant_axis: int = 0,
                       is_test: bool = False) -> tuple:
    if is_test:
        raise NotImplementedError("fake_channel_wise_quantize_abs_max: with is_test it reads its scales where it "
                                  "writes them, which is not known here. Save the model with the converted weights "
                                  "(QuantizationFreezePass, or save_quantized_model).")
    found, scale = _of_channels(x, quant_axis)
    return _quantized(x, scale, bit_length, round_type), found


@decomposition("fake_quantize_moving_average_abs_max",
               "X, InScale, InAccum?, InState? -> Out, OutScale?, OutState?, OutAccum?")
def _quantize_moving(x: Any, scale: Any, accum: Any, state: Any, *, bit_length: int = 8, round_type: int = 1,
                     is_test: bool = False, moving_rate: float = 0.9) -> tuple:
    """In training the scale follows the largest magnitude of what it is given."""
    if not is_test:
        state = apply(scale_op, state, scale=moving_rate, bias=1.0)
        accum = apply(add_op, _times(accum, moving_rate), _whole(x))
        scale = apply(divide_op, accum, state)
    return _quantized(x, scale, bit_length, round_type), scale, state, accum


@decomposition("fake_quantize_range_abs_max", "X, InScale, Iter? -> Out, OutScale?, OutScales?")
def _quantize_range(x: Any, scale: Any, count: Any, *, bit_length: int = 8, round_type: int = 1,
                    is_test: bool = False) -> tuple:
    _only_evaluated("fake_quantize_range_abs_max", is_test)
    return _quantized(x, scale, bit_length, round_type), scale, None


def _only_evaluated(what: str, is_test: bool) -> None:
    if not is_test:
        raise NotImplementedError(f"{what}: a Program that follows the scales of its values in training is not taken "
                                  "apart here. Save the model for inference (save_inference_model).")


@decomposition("fake_dequantize_max_abs", "X, Scale -> Out")
def _dequantize(x: Any, scale: Any, *, max_range: float) -> Any:
    return _times(apply(multiply_op, cast(x, dtype_of(scale)), scale), 1.0 / max_range)


@decomposition("fake_channel_wise_dequantize_max_abs", "X, Scales* -> Out")
def _dequantize_channels(x: Any, scales: list, *, quant_bits: Any = (8,), quant_axis: int = 0,
                         x_num_col_dims: int = 1) -> Any:
    """By a scale for each channel; behind a product by one for each of its columns, and one for all of its input."""
    axis, factor = quant_axis if len(scales) == 1 else x_num_col_dims, 1.0
    out = apply(multiply_op, cast(x, dtype_of(scales[0])), _along(scales[0], x, axis))
    for bits in list(quant_bits)[:len(scales)]:
        factor /= _most(bits)
    return _times(out if len(scales) == 1 else apply(multiply_op, out, scales[1]), factor)


@decomposition("dequantize_abs_max", "X, Scale -> Out")
def _from_int8(x: Any, scale: Any, *, max_range: float) -> Any:
    return _times(apply(multiply_op, cast(x, dtype_of(scale)), scale), 1.0 / max_range)


@decomposition("dequantize_log", "X, Dict -> Out")
def _from_logarithms(x: Any, table: Any) -> Any:
    """Numbers by a table of 128 magnitudes; what is negative stands for those below 0."""
    number = cast(x, "int64")
    below = cast(number < 0, "int64")
    rows = apply(reshape_op, table, None, None, shape=[-1, 1])
    found = apply(lookup_op, apply(add_op, number, below * 128), rows)
    shape = list(x.shape)
    found = apply(reshape_op, found, None, None, shape=[n if n > 0 else 0 for n in shape])
    return found * cast(1 - below * 2, dtype_of(table))


def _refuse_arranged(type: str, signature: str) -> None:
    @decomposition(type, signature)
    def _refused(*inputs: Any) -> Any:
        raise NotImplementedError(
            f"{type}: its weights are arranged for the GPU that the file was written on, which is not known here. Save "
            "the model with weights of floats, and quantize them here (paddle.nn.quant.weight_quantize).")


_refuse_arranged("weight_quantize", "x -> out, scale")
_refuse_arranged("weight_dequantize", "x, scale -> out")
_refuse_arranged("weight_only_linear", "x, weight, bias?, weight_scale -> out")
_refuse_arranged("llm_int8_linear", "x, weight, bias?, weight_scale -> out")
