"""Operands of other kinds: NumPy's scalars and arrays, Python's numbers, whole numbers of few bits, many dimensions."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production

SAME = """
{0} * np.float32(0.5)
{0} * np.float64(0.5)
np.float32(0.5) * {0}
np.float64(1.5) - {0}
{0} + np.int64(2)
np.int32(2) * {0}
{0} / np.float64(3)
{0} ** np.int64(2) * 0.2
{0} * np.array(0.5)
np.array(0.5, 'float32') * {0}
{0} + np.array([0.25], 'float32')
{0} * np.bool_(True)
{0} * True + False
{0} - (1 > 0)
paddle.where({0} > np.float32(0.1), {0}, {1})
({0} > np.float64(0.1)).astype({0}.dtype) * {1}
paddle.clip({0}, np.float32(-0.5), np.float64(0.5))
paddle.full_like({0}, np.float32(0.5)) * {1}
paddle.scale({0}, np.float64(0.5), np.float32(0.25))
paddle.add({0}, paddle.to_tensor(np.float32(0.5)).astype({0}.dtype))
paddle.pow(paddle.abs({0}) + 0.5, np.float32(1.5))
{0}.scale(np.float32(0.5)).add(paddle.to_tensor(1))
(({0} * 4).astype('int16') + ({1} * 4).astype('int16')).astype({0}.dtype) * 0.1
(({0} * 4).astype('int8') * 2).astype({0}.dtype) * 0.1
(paddle.abs({0} * 4).astype('uint8') + 1).astype({0}.dtype) * 0.1
(paddle.abs({0} * 40).astype('uint8') * 5).astype({0}.dtype) * 0.01
(({0} * 4).astype('int16') // 3).astype({0}.dtype) * 0.1
(-({0} * 4).astype('int16')).astype({0}.dtype) * 0.1
(({0} * 4).astype('int8') > 1).astype({0}.dtype) * {1}
(({0} * 4).astype('int16') == ({1} * 4).astype('int16')).astype({0}.dtype) + {0}
paddle.abs(({0} * 4).astype('int32')).astype({0}.dtype) * 0.1
paddle.sign(({0} * 4).astype('int32')).astype({0}.dtype) + {0}
paddle.square(({0} * 4).astype('int32')).astype({0}.dtype) * 0.05
paddle.maximum(({0} * 4).astype('int32'), ({1} * 4).astype('int32')).astype({0}.dtype) * 0.1
paddle.minimum(({0} * 4).astype('int64'), paddle.to_tensor(1)).astype({0}.dtype) * 0.1
paddle.clip(({0} * 4).astype('int32'), -1, 2).astype({0}.dtype) * 0.3
paddle.clip(({0} * 4).astype('int64'), max=1).astype({0}.dtype) * 0.3
(({0} * 4).astype('int32') ** 2).astype({0}.dtype) * 0.05
(({0} * 4).astype('int64') * 0.5).astype({0}.dtype)
(({0} * 4).astype('int32') * np.float32(0.5)).astype({0}.dtype)
(({0} * 4).astype('int32') + True).astype({0}.dtype) * 0.1
({0} > 0).astype('uint8').sum().astype({0}.dtype) * 0.1 + {0}
({0} > 0).astype('int8').astype('int32').cumsum(0).astype({0}.dtype) * 0.1
({0} > 0).sum().astype({0}.dtype) * 0.1 + {0}
({0} > 0).astype('int32').max() * {0}
({0} > 0).logical_xor({1} > 0.2).astype({0}.dtype) * {0}
(({0} > 0) == ({1} > 0.2)).astype({0}.dtype) * {0}
(({0} > 0) & True).astype({0}.dtype) * {0}
({0}[None, None, None] * {1}[:, None]).sum([0, 1, 2])[:1].mean() * {0}
({0}[None, None, None] + {1}[None, :, None, None]).mean(0).tanh().sum() * 0.01 + {0}
paddle.einsum('...a,...b->...ab', {0}, {1}).mean(-1)
paddle.transpose({0}[None, None, None], list(range(2 + {0}.ndim, -1, -1))).flatten().sum() * 0.1 * {1}
paddle.max({0}[None, None, None] * {1}[None, :, None], axis=[0, 2]).mean() * {0}
paddle.cumsum({0}[None, None, None], axis=-1)[0, 0, 0] * 0.3
F.softmax({0}[..., None, None] * {1}[..., None, None], axis=-3).squeeze([-1, -2])
paddle.flip({0}[None, :, None], [0, 1]).squeeze([0, 2])
paddle.broadcast_to({0}[None, None], [2, 3, *{0}.shape])[1, 2]
paddle.concat([{0}[None, None], {1}[None, None]], axis=1).max(1)[0]
paddle.stack([{0}, {1}], -1).unstack(axis=-1)[1]
paddle.moveaxis({0}[None, None], [0, 1], [-1, -2]).squeeze([-1, -2])
paddle.tile({0}[None], [2] + [1] * {0}.ndim).mean(0)
{0}.mean().reshape([1, 1, 1, 1, 1]).expand([1, 2, 1, 2, 1]).sum() * 0.1 + {1}
paddle.to_tensor({0}.shape[0]) * {0} * 0.1
paddle.full([], 0.5) * {0} + paddle.full([1], 0.25).astype({0}.dtype)
paddle.zeros([]).astype({0}.dtype) + {0}
{0} + paddle.zeros([0]).astype({0}.dtype).sum()
paddle.max(paddle.stack([{0}.mean(), {1}.mean()]), 0) * {0}
paddle.add_n([{0}, {1}, {0}]) * 0.3
sum([{0}, {1}], 0.25) * 0.5
{0}.numel().astype({0}.dtype) * 0.01 * {0}
paddle.numel({0}) * {0} * 0.01
{0}.ndim * {0} * 0.1
paddle.rank({0}).astype({0}.dtype) * {0} * 0.1
{0}.element_size() * {0} * 0.01
""".strip().splitlines()

_OF_DIMENSIONS = ("[:1]", "axis=-1", ".cumsum(0)", "[:, None", "[None, :", "'...a", "shape[0]")


@production(1, "numbers")
def _numbers(body: Body) -> Found | None:
    v = body.value("float")
    if v is None:
        return None
    u = body.rng.choice([u for u in body.all("float") if u.shape == v.shape])
    template = body.pick(*SAME)
    if v.rank > 3 and "None, None, None" in template:  # PaddlePaddle has six dimensions at most
        return None
    if not v.rank and any(word in template for word in _OF_DIMENSIONS):
        return None
    return template.format(v.text, u.text), v.shape, "float"
