"""GAN on a ring."""
import math

import numpy as np
import proa as paddle
from proa import Tensor, nn
from proa.nn import functional as F


class Generator(nn.Layer):
    def __init__(self, noise: int, width: int) -> None:
        super().__init__()
        self.noise = noise
        self.body = nn.Sequential(nn.Linear(noise, width), nn.BatchNorm1D(width), nn.LeakyReLU(0.2),
                                  nn.Linear(width, 2))

    def forward(self, z: Tensor) -> Tensor:
        out: Tensor = self.body(z)
        return out


class Critic(nn.Layer):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.a = nn.utils.spectral_norm(nn.Linear(2, width))
        self.b = nn.Linear(width, 1, weight_attr=paddle.ParamAttr(initializer=nn.initializer.XavierUniform()))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        h = F.leaky_relu(self.a(x), 0.2)
        return self.b(self.drop(h)).squeeze(-1)


def real(n: int) -> Tensor:
    angle = paddle.uniform([n], min=0.0, max=2 * math.pi)
    return paddle.stack([paddle.cos(angle), paddle.sin(angle)], axis=1)


g, d = Generator(4, 32), Critic()
opt_g = paddle.optimizer.Adam(learning_rate=1e-3, beta1=0.5, parameters=g.parameters())
opt_d = paddle.optimizer.AdamW(learning_rate=1e-3, parameters=d.parameters(), weight_decay=0.01,
                               grad_clip=nn.ClipGradByGlobalNorm(1.0))
bce = nn.BCEWithLogitsLoss(reduction="mean")
history: list[tuple[float, float]] = []
for _ in range(5):
    z = paddle.randn([16, g.noise])
    fake = g(z)
    loss_d = bce(d(real(16)), paddle.ones([16])) + bce(d(fake.detach()), paddle.zeros([16]))
    loss_d.backward()
    opt_d.step()
    opt_d.clear_grad()
    loss_g: Tensor = bce(d(fake), paddle.ones([16]))
    loss_g.backward()
    opt_g.minimize(loss_g)
    opt_g.clear_grad()
    x = real(16)
    x.stop_gradient = False
    (slope,) = paddle.grad(d(x).sum(), x, create_graph=True)
    penalty = ((slope.norm(p=2, axis=1) - 1) ** 2).mean()
    penalty.backward()
    d.clear_gradients()
    history.append((loss_d.item(), float(loss_g)))
array: np.ndarray = g(paddle.randn([3, 4])).numpy()
print(history[-1], array.shape, g.state_dict().keys(), [p.name for p in d.parameters() if not p.stop_gradient])
