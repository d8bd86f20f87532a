"""Records of the operators that reshape, rearrange, join and take apart."""

import numpy as np
from proa.ops.array import concat_split, creation, rearrange, reshape, slices
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.linalg import products
from records import Record, floats, ints

X = floats(2, 3, 4)


def _one(type, function, reference, *, x=X, **more):
    return Record(type, function, [x], reference, **more)


def _on_shape_tensor(function):
    """The function of x and its own first size as a tensor."""
    return lambda x: function(x, reshape.shape(x)[0])


SHAPES = [
    _one("reshape2", lambda x: x.reshape([0, -1]), lambda x: x.reshape(2, 12)),
    _one("reshape2", lambda x: x.reshape([-1, 2, 6]), lambda x: x.reshape(2, 2, 6), label="first inferred"),
    _one(
        "reshape2",
        _on_shape_tensor(lambda x, n: x.reshape([n, 2, 6])),
        lambda x: x.reshape(2, 2, 6),
        label="tensor in shape",
        data_dependent=True,
    ),
    Record(
        "reshape2",
        lambda x, s: x.reshape(s),
        [X, np.array([6, 4])],
        lambda x, s: x.reshape(6, 4),
        batched=[0],
        label="shape tensor",
        data_dependent=True,
    ),
    _one("transpose2", lambda x: x.transpose([2, 0, 1]), lambda x: x.transpose(2, 0, 1)),
    _one("transpose2", lambda x: x.T, lambda x: x.T, label="T"),
    _one("transpose2", lambda x: x.moveaxis(0, -1), lambda x: np.moveaxis(x, 0, -1), label="moveaxis"),
    _one("squeeze2", lambda x: x.squeeze([1, -1]), lambda x: x.squeeze((1, 3)), x=floats(2, 1, 3, 1)),
    _one("squeeze2", lambda x: x.squeeze(), lambda x: x.squeeze(), x=floats(2, 1, 3, 1), label="all"),
    _one("unsqueeze2", lambda x: x.unsqueeze([0, -1]), lambda x: x[None, ..., None]),
    _one("flatten_contiguous_range", lambda x: x.flatten(1), lambda x: x.reshape(2, 12)),
    _one("flatten_contiguous_range", lambda x: x.flatten(), lambda x: x.reshape(-1), label="all"),
    _one(
        "expand_v2",
        lambda x: x.expand([5, -1, 4]),
        lambda x: np.broadcast_to(x, (5, 3, 4)),
        x=floats(3, 1),
        batched=[0],
    ),
    _one(
        "expand_as_v2",
        lambda x: x.expand_as(x.unsqueeze(0).tile([3, 1, 1])),
        lambda x: np.broadcast_to(x, (3, 2, 4)),
        x=floats(2, 4),
    ),
    _one("tile", lambda x: x.tile([2, 1, 3]), lambda x: np.tile(x, (2, 1, 3))),
    _one("tile", lambda x: x.tile([2, 1, 2]), lambda x: np.tile(x, (2, 1, 2)), x=floats(2, 3), label="more dimensions"),
    _one(
        "fold_tiles",
        lambda g: apply(find("fold_tiles"), g, None, None, repeat_times=[2, 1, 2], rank=2),
        lambda g: g.reshape(2, 1, 3, 2, 2).sum((0, 3)).reshape(3, 2),
        x=floats(2, 3, 4),
        batched=[],
    ),
    _one("assign", lambda x: paddle_assign(x), lambda x: x),
    _one("increment", lambda x: reshape.increment(x + 1.0, 2.0), lambda x: x + 3, x=floats(1), differentiable=[]),
    _one("shape", reshape.shape, lambda x: np.array([2, 3, 4])),
    _one("one_hot_v2", lambda x: reshape.one_hot(x, 4), lambda x: np.eye(4)[x], x=ints(2, 3, high=4)),
    _one("view_dtype", lambda x: x.view("int64"), lambda x: x.view("int64"), float32=False),
    _one("share_data", lambda x: apply(find("share_data"), x), lambda x: x, differentiable=[]),
    _one(
        "expand_to_shape",
        lambda x: apply(find("expand_to_shape"), x, None, shape=(3, 2, 4)),
        lambda x: np.broadcast_to(x, (3, 2, 4)),
        x=floats(2, 4),
        batched=[],
    ),
    _one(
        "sum_to_shape",
        lambda x: apply(find("sum_to_shape"), x, None, shape=(3, 1)),
        lambda x: x.sum((0, 2)).reshape(3, 1),
        batched=[],
    ),
    _one(
        "reshape_to_shape",
        lambda x: apply(find("reshape_to_shape"), x, None, shape=(6, 4)),
        lambda x: x.reshape(6, 4),
        batched=[],
    ),
]


def paddle_assign(x):
    """A copy of x."""
    return creation.assign(x)


REARRANGED = [
    _one("flip", lambda x: x.flip([0, 2]), lambda x: np.flip(x, (0, 2))),
    _one("roll", lambda x: x.roll([1, -2], [0, 2]), lambda x: np.roll(x, (1, -2), (0, 2))),
    _one("roll", lambda x: x.roll(5), lambda x: np.roll(x, 5), label="flat"),
    _one("flip", lambda x: x.rot90(3, [1, 2]), lambda x: np.rot90(x, 3, (1, 2)), label="rot90"),
    _one("tril_triu", lambda x: x.tril(1), lambda x: np.tril(x, 1)),
    _one("tril_triu", lambda x: x.triu(-1), lambda x: np.triu(x, -1), label="upper"),
    _one("repeat_interleave", lambda x: x.repeat_interleave(2, 1), lambda x: np.repeat(x, 2, 1)),
    Record(
        "repeat_interleave",
        lambda x, n: x.repeat_interleave(n, 1),
        [X, np.array([2, 0, 3])],
        lambda x, n: np.repeat(x, n, 1),
        label="tensor",
        data_dependent=True,
        batched=[0],
    ),
    _one(
        "sum_repeats",
        lambda g: apply(find("sum_repeats"), g, None, Repeats=2, dim=2),
        lambda g: g.reshape(2, 3, 2, 2).sum(3),
    ),
    _one("as_complex", lambda x: x.as_complex(), lambda x: x[..., 0] + 1j * x[..., 1], x=floats(3, 2)),
    _one(
        "as_real",
        lambda x: (x.as_complex() * x.as_complex()).as_real(),
        lambda x: np.stack([x[..., 0] ** 2 - x[..., 1] ** 2, 2 * x[..., 0] * x[..., 1]], -1),
        x=floats(3, 2),
    ),
    Record("complex", rearrange.complex, [floats(3), floats(3, seed=1)], lambda x, y: x + 1j * y),
    Record(
        "real",
        lambda x, y: rearrange.complex(x, y).real(),
        [floats(3), floats(3, seed=1)],
        lambda x, y: x,
        second=False,
    ),
    Record(
        "imag",
        lambda x, y: rearrange.complex(x, y).imag(),
        [floats(3), floats(3, seed=1)],
        lambda x, y: y,
        second=False,
    ),
]

JOINED = [
    Record(
        "concat",
        lambda x, y: concat_split.concat([x, y], 1),
        [X, floats(2, 2, 4, seed=1)],
        lambda x, y: np.concatenate([x, y], 1),
        batched=[0, 1],
    ),
    Record(
        "concat",
        lambda x, y: concat_split.concat([x, y, x]),
        [floats(2, 3), floats(4, 3, seed=1)],
        lambda x, y: np.concatenate([x, y, x]),
        label="unknown sizes",
        batched=[0, 1],
    ),
    Record(
        "split_like",
        lambda x, y: apply(find("split_like"), x, [y], sections=[-1, 3], axis=0),
        [floats(5, 2), floats(2, 2, seed=1)],
        lambda x, y: [x[:2], x[2:]],
        differentiable=[0],
        batched=[],
        data_dependent=True,
    ),
    _one("split", lambda x: concat_split.split(x, [1, -1], 2), lambda x: [x[:, :, :1], x[:, :, 1:]]),
    _one("split", lambda x: concat_split.split(x, 3, 1)[::2], lambda x: [x[:, :1], x[:, 2:]], label="parts unused"),
    Record(
        "stack", lambda x, y: concat_split.stack([x, y], 1), [X, floats(2, 3, 4, seed=1)],
        lambda x, y: np.stack([x, y], 1),
    ),
    _one("unstack", lambda x: concat_split.unstack(x, 1), lambda x: [x[:, n] for n in range(3)]),
    _one("unbind", lambda x: concat_split.unbind(x, 2)[1:], lambda x: [x[:, :, n] for n in range(1, 4)]),
    Record(
        "meshgrid",
        creation.meshgrid,
        [floats(3), floats(4, seed=1)],
        lambda x, y: np.meshgrid(x, y, indexing="ij"),
        batched=[0],
    ),
    Record(
        "broadcast_tensors",
        lambda x, y: concat_split.broadcast_tensors([x, y]),
        [floats(2, 3), floats(3, seed=1)],
        lambda x, y: np.broadcast_arrays(x, y),
        batched=[0],
    ),
    Record(
        "concat",
        lambda x: products.reshape(concat_split.vstack([x, x]), [-1]),
        [floats(3)],
        lambda x: np.concatenate([x, x]),
        label="vstack",
    ),
]

SLICES = [
    _one("slice", lambda x: x[:, 1:, 2], lambda x: x[:, 1:, 2]),
    _one("slice", lambda x: x[-1], lambda x: x[-1], label="int"),
    _one("slice", lambda x: slices.slice_(x, [0, 1], [0, -2], [1, 9]), lambda x: x[0:1, -2:9], label="function"),
    Record(
        "slice",
        lambda x, n: x[:, n:],
        [X, np.array(1)],
        lambda x, n: x[:, 1:],
        label="tensor",
        data_dependent=True,
        batched=[0],
    ),
    Record("slice", lambda x, n: x[:, n], [X, np.array(2)], lambda x, n: x[:, 2], label="tensor int", batched=[0]),
    _one("strided_slice", lambda x: x[:, ::-2, 1::2], lambda x: x[:, ::-2, 1::2]),
    _one("strided_slice", lambda x: x[::-1], lambda x: x[::-1], label="reversed"),
    _one(
        "place_slice",
        lambda g: apply(
            find("place_slice"),
            g,
            *[None] * 7,
            shape=[5, 4],
            axes=[0],
            starts=[1],
            ends=[5],
            strides=[2],
            infer_flags=[1],
            decrease_axis=[],
        ),
        lambda g: np.stack([g[0] * 0, g[0], g[0] * 0, g[1], g[0] * 0]),
        x=floats(2, 4),
        batched=[],
    ),
    Record(
        "set_value",
        lambda x, v: _set(x, v, (slice(None), slice(None, None, 2), 1)),
        [X, floats(2, 1, seed=1)],
        lambda x, v: _set(x, v, (slice(None), slice(None, None, 2), 1)),
        batched=[0],
    ),
    Record(
        "set_value",
        lambda x, v: _set(x, v, (0, None)),
        [X, floats(4, seed=1)],
        lambda x, v: _set(x, v, (0, None)),
        label="none",
        batched=[0],
    ),
    Record(
        "set_value",
        lambda x, n: _set(x, 2.0, (slice(None), n)),
        [X, np.array(1)],
        lambda x, n: _set(x, 2.0, (slice(None), 1)),
        label="tensor",
        batched=[0],
    ),
]


def _set(x, value, key):
    """A copy of x with a part set."""
    result = x.copy() if isinstance(x, np.ndarray) else x * 1.0
    result[key] = value
    return result


RECORDS = SHAPES + REARRANGED + JOINED + SLICES
