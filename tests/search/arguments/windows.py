"""Convolutions, pooling, interpolation, normalization and losses, with strides and padding in all their forms."""

from __future__ import annotations

from .drawing import Call, function

FORMS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
REDUCTIONS = "'mean'", "'sum'", "'none'"


def _image(call: Call, rank: int, channels: int, last: int) -> list[int]:
    sizes = [call.below(5, 8) for _ in range(rank)]
    return [2, *sizes, channels] if last else [2, channels, *sizes]


def _numbers(call: Call, rank: int, least: int, most: int) -> str:
    return call.choice(call.below(least, most + 1), [call.below(least, most + 1) for _ in range(rank)])


def _padding(call: Call, rank: int, most: int, last: int) -> str:
    pairs = [[call.below(most + 1), call.below(most + 1)] for _ in range(rank)]
    every = [[0, 0], *pairs, [0, 0]] if last else [[0, 0], [0, 0], *pairs]
    return call.choice("'SAME'", "'VALID'", call.below(most + 1), [pair[0] for pair in pairs],
                       [n for pair in pairs for n in pair], every)


def _convolution(rank: int) -> None:
    @function(f"conv{rank}d")
    def write(call: Call) -> str:
        groups, last = call.below(1, 3), call.below(2)
        x = call.x(_image(call, rank, 2 * groups, last))
        weight = call.x([2 * groups, 2, *[call.below(1, 4) for _ in range(rank)]])
        bias = call.choice("None", call.x([2 * groups]))
        return (f"F.conv{rank}d({x}, {weight}, {bias}, stride={_numbers(call, rank, 1, 3)}, "
                f"padding={_padding(call, rank, 2, last)}, dilation={_numbers(call, rank, 1, 2)}, groups={groups}, "
                f"data_format={FORMS[rank][last]!r})")

    @function(f"conv{rank}d_transpose")
    def write_transposed(call: Call) -> str:
        groups, last = call.below(1, 3), call.below(2)
        x = call.x(_image(call, rank, 2 * groups, last))
        weight = call.x([2 * groups, 2, *[call.below(1, 4) for _ in range(rank)]])
        return (f"F.conv{rank}d_transpose({x}, {weight}, stride={_numbers(call, rank, 1, 3)}, "
                f"padding={_padding(call, rank, 1, last)}, dilation={_numbers(call, rank, 1, 2)}, groups={groups}, "
                f"data_format={FORMS[rank][last]!r})")

    @function(f"max_pool{rank}d")
    def write_greatest(call: Call) -> str:
        x = call.x(_image(call, rank, 2, 0))
        return (f"F.max_pool{rank}d({x}, {_numbers(call, rank, 2, 3)}, {call.choice('None', 1, 2)}, {call.below(2)}, "
                f"ceil_mode={call.choice(True, False)})")

    @function(f"avg_pool{rank}d")
    def write_mean(call: Call) -> str:
        x = call.x(_image(call, rank, 2, 0))
        return (f"F.avg_pool{rank}d({x}, {_numbers(call, rank, 2, 3)}, {call.choice('None', 1, 2)}, {call.below(2)}, "
                f"exclusive={call.choice(True, False)}, ceil_mode={call.choice(True, False)})")

    @function(f"adaptive pooling of {rank}")
    def write_adaptive(call: Call) -> str:
        kind = call.choice("avg", "max")
        return f"F.adaptive_{kind}_pool{rank}d({call.x(_image(call, rank, 2, 0))}, {_numbers(call, rank, 1, 4)})"


for _rank in FORMS:
    _convolution(_rank)


@function("interpolate")
def _interpolate(call: Call) -> str:
    mode = call.choice("nearest", "bilinear", "bicubic")
    size = call.choice(f"size={[call.below(2, 8), call.below(2, 8)]}", f"scale_factor={call.choice(2, 0.5, [2, 1.5])}")
    corners = call.choice(True, False) if mode != "nearest" else False
    return (f"F.interpolate({call.x(_image(call, 2, 2, 0))}, {size}, mode={mode!r}, align_corners={corners}, "
            f"align_mode={call.below(2)})")


@function("unfold")
def _unfold(call: Call) -> str:
    return (f"F.unfold({call.x([2, 2, 6, 5])}, {_numbers(call, 2, 1, 3)}, {_numbers(call, 2, 1, 2)}, "
            f"{call.choice(0, 1, [1, 0], [0, 1, 1, 2])}, {call.choice(1, [1, 2])})")


@function("layer_norm")
def _layer_norm(call: Call) -> str:
    shape = call.shape(2)
    normed = shape[call.below(1, len(shape)):]
    return f"F.layer_norm({call.x(shape)}, {normed}, {call.x(normed)}, {call.x(normed)}, {call.choice(1e-5, 0.1)})"


@function("softmax")
def _softmax(call: Call) -> str:
    shape = call.shape(1)
    return f"F.{call.choice('softmax', 'log_softmax')}({call.x(shape)}, axis={call.axis(len(shape))})"


@function("cross_entropy")
def _cross_entropy(call: Call) -> str:
    shape, classes = call.shape(1, 3), call.below(2, 5)
    axis = call.below(len(shape) + 1)
    labels = call.ints([*shape[:axis], 1, *shape[axis:]] if call.below(2) else shape, classes)
    weight = call.choice("None", call.positive([classes]))
    return (f"F.cross_entropy({call.x([*shape[:axis], classes, *shape[axis:]])}, {labels}, weight={weight}, "
            f"axis={call.choice(axis, axis - len(shape) - 1)}, reduction={call.choice(*REDUCTIONS)}, "
            f"ignore_index={call.choice(-100, 0, 1)})")


for _name in ("mse_loss", "l1_loss", "smooth_l1_loss", "soft_margin_loss", "square_error_cost"):
    @function(_name)
    def _loss(call: Call, name: str = _name) -> str:
        shape = call.shape(1)
        how = "" if name == "square_error_cost" else f", reduction={call.choice(*REDUCTIONS)}"
        return f"F.{name}({call.x(shape)}, paddle.sign({call.x(shape)}){how})"


@function("cosine_similarity")
def _cosine_similarity(call: Call) -> str:
    one, other = call.pair(1)
    return f"F.cosine_similarity({call.x(one)}, {call.x(other)}, axis={call.axis(len(one))})"


@function("grid_sample")
def _grid_sample(call: Call) -> str:
    rank = call.below(2, 4)
    mode = call.choice("bilinear", "nearest")
    padding = call.choice("zeros", "border", "reflection")
    if rank == 3 and mode == "nearest" and padding == "zeros":  # PaddlePaddle: 0 beyond the outermost voxels' centres
        padding = "border"
    return (f"F.grid_sample({call.x([2, 2, *[4] * rank])}, {call.x([2, *[3] * rank, rank])}, mode={mode!r}, "
            f"padding_mode={padding!r}, align_corners={call.choice(True, False)})")
