"""Shapes that change, and places that are taken, put and chosen."""

from __future__ import annotations

from .drawing import Call, function


@function("reshape")
def _reshape(call: Call) -> str:
    shape = call.shape()
    left, sizes = 1, list[int]()
    for size in shape:
        left *= size
    while left > 1:
        size = call.random.choice([n for n in range(2, left + 1) if left % n == 0])
        sizes, left = [*sizes, size], left // size
    if sizes and call.below(2):
        sizes[call.below(len(sizes))] = -1
    form = call.choice(sizes, tuple(sizes), f"paddle.to_tensor(np.array({sizes}, 'int32'))")
    return f"paddle.reshape({call.x(shape)}, {form})"


@function("transpose")
def _transpose(call: Call) -> str:
    shape = call.shape()
    order = call.random.sample(range(len(shape)), len(shape))
    return f"paddle.transpose({call.x(shape)}, {[n - len(shape) if call.below(4) == 0 else n for n in order]})"


@function("squeeze")
def _squeeze(call: Call) -> str:
    shape = call.shape()
    return f"paddle.squeeze({call.x(shape)}, {call.over(len(shape))})"


@function("unsqueeze")
def _unsqueeze(call: Call) -> str:
    shape = call.shape(0, 3)
    axes = [call.below(-len(shape) - 1, len(shape) + 1) for _ in range(2)]
    return f"paddle.unsqueeze({call.x(shape)}, {call.choice(axes[0], axes, tuple(axes))})"


@function("flatten")
def _flatten(call: Call) -> str:
    shape = call.shape(1)
    start = call.below(len(shape))
    stop = call.below(start, len(shape))
    return f"paddle.flatten({call.x(shape)}, {start}, {call.choice(stop, stop - len(shape))})"


@function("concat")
def _concat(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    parts = []
    for _ in range(call.below(1, 4)):
        shape[axis] = call.below(1, 4)
        parts.append(call.x(shape))
    return f"paddle.concat([{', '.join(parts)}], axis={call.choice(axis, f'paddle.to_tensor({axis})')})"


@function("split")
def _split(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    shape[axis] = 6
    return f"paddle.split({call.x(shape)}, {call.choice(2, 3, [1, -1], [2, 1, 3], (4, 2))}, axis={axis})"


@function("tile")
def _tile(call: Call) -> str:
    times = [call.below(1, 4) for _ in range(call.below(1, 4))]
    return f"paddle.tile({call.x(call.shape(0, 3))}, {call.choice(times, tuple(times), f'paddle.to_tensor({times})')})"


@function("expand")
def _expand(call: Call) -> str:
    shape = call.shape(1, 3)
    sizes = [call.below(1, 3) for _ in range(call.below(3))] + [3 if n == 1 else -1 for n in shape]
    return f"paddle.expand({call.x(shape)}, {sizes})"


@function("roll")
def _roll(call: Call) -> str:
    shape = call.shape(1)
    axes = call.axes(len(shape))
    return f"paddle.roll({call.x(shape)}, {[call.below(-5, 6) for _ in axes]}, {axes})"


@function("slice")
def _slice(call: Call) -> str:
    shape = call.shape(1)
    axes = call.random.sample(range(len(shape)), call.below(1, len(shape) + 1))
    starts = [call.below(-shape[n], shape[n]) for n in axes]
    ends = [call.random.choice((start + 1 if start != -1 else 100, 100)) for start in starts]
    return f"paddle.slice({call.x(shape)}, {axes}, {starts}, {ends})"


@function("diagonal")
def _diagonal(call: Call) -> str:
    shape = call.shape(2)
    first, second = call.random.sample(range(len(shape)), 2)
    least, most = -shape[first] + 1, shape[second]
    return f"paddle.diagonal({call.x(shape)}, {call.below(least, most)}, {first}, {second})"


@function("pad")
def _pad(call: Call) -> str:
    rank = call.below(1, 4)
    form = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[rank]
    sizes = [call.below(3, 5) for _ in range(rank)]
    last = call.below(3) == 0
    shape = [2, *sizes, 2] if last else [2, 2, *sizes]
    widths = [call.below(3) for _ in range(2 * rank)]
    return (f"F.pad({call.x(shape)}, {widths}, mode={call.choice('constant', 'reflect', 'replicate', 'circular')!r}, "
            f"data_format={form if not last else 'N' + form[2:] + 'C'!r})")


@function("gather")
def _gather(call: Call) -> str:
    shape = call.shape(1)
    return f"paddle.gather({call.x(shape)}, {call.ints([call.below(1, 4)], shape[0])})"


@function("index_select")
def _index_select(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    return f"paddle.index_select({call.x(shape)}, {call.ints([3], shape[axis], call.choice('int32', 'int64'))}, {axis})"


@function("gather_nd")
def _gather_nd(call: Call) -> str:
    shape = call.shape(1)
    depth = call.below(1, len(shape) + 1)
    return f"paddle.gather_nd({call.x(shape)}, {call.ints([*call.shape(0, 2), depth], min(shape[:depth]))})"


@function("take_along_axis")
def _take_along_axis(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    places = [*shape]
    places[axis] = call.below(1, 4)
    return f"paddle.take_along_axis({call.x(shape)}, {call.ints(places, shape[axis])}, {axis})"


@function("put_along_axis")
def _put_along_axis(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    places = [*shape]
    places[axis] = call.below(1, shape[axis] + 1)
    return (f"paddle.put_along_axis({call.x(shape)}, {call.ints(places, shape[axis])}, {call.x(places)}, {axis}, "
            f"reduce={call.choice('add', 'mul')!r})")


@function("scatter_nd_add")
def _scatter_nd_add(call: Call) -> str:
    shape = call.shape(1)
    depth, lead = call.below(1, len(shape) + 1), call.shape(0, 2)
    places = call.ints([*lead, depth], min(shape[:depth]))
    return f"paddle.scatter_nd_add({call.x(shape)}, {places}, {call.x([*lead, *shape[depth:]])})"


@function("index_add")
def _index_add(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    added = [*shape]
    added[axis] = 3
    return f"paddle.index_add({call.x(shape)}, {call.ints([3], shape[axis])}, {axis}, {call.x(added)})"


@function("masked_select")
def _masked_select(call: Call) -> str:
    shape = call.shape(1)
    return f"paddle.masked_select({call.x(shape)}, {call.bools(shape)})"


@function("where")
def _where(call: Call) -> str:
    one, other = call.pair()
    return f"paddle.where({call.bools(one)}, {call.x(other)}, {call.x(one)})"


@function("repeat_interleave")
def _repeat_interleave(call: Call) -> str:
    shape = call.shape(1, 3)
    axis = call.axis(len(shape))
    return f"paddle.repeat_interleave({call.x(shape)}, {call.choice(2, call.ints([shape[axis]], 3))}, axis={axis})"
