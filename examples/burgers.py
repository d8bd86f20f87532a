"""A network that obeys an equation: Burgers' equation solved by a PINN, with second derivatives by autograd.

    u_t + u u_x = (0.01 / pi) u_xx,   u(x, 0) = -sin(pi x),   u(-1, t) = u(1, t) = 0

    python examples/burgers.py --steps 9000

No data: the loss is how far the network is from the equation at random points. The reference is a finite difference
solution on a fine grid. Needs matplotlib for the picture.
"""

import argparse
import math

import numpy as np
import proa as paddle
from matplotlib import pyplot
from proa import nn

VISCOSITY = 0.01 / math.pi


class Solution(nn.Layer):
    """(x, t) to u; it is zero at x = -1 and 1 and -sin(pi x) at t = 0 whatever the weights are."""

    def __init__(self, width=32, depth=4):
        super().__init__()
        sizes = [2] + [width] * depth
        self.inner = nn.Sequential(*[part for a, b in zip(sizes, sizes[1:], strict=False)
                                     for part in (nn.Linear(a, b), nn.Tanh())], nn.Linear(width, 1))

    def forward(self, x, t):
        change = self.inner(paddle.concat([x, 2 * t - 1], axis=1))
        return -paddle.sin(math.pi * x) + t * (1 - x * x) * change


@paddle.jit.to_static
def loss_of(net, x, t):
    """The mean square of what is left of the equation: derivatives of derivatives, all of them in one Program."""
    x.stop_gradient = t.stop_gradient = False
    u = net(x, t)
    u_x, u_t = paddle.grad(u, [x, t], create_graph=True)
    u_xx = paddle.grad(u_x, x, create_graph=True)[0]
    return ((u_t + u * u_x - VISCOSITY * u_xx) ** 2).mean()


def reference(points=1001, until=1.0):
    """u at t = 0, 0.01, … by finite differences (upwind fluxes, small steps): the times, the grid, the values."""
    x = np.linspace(-1, 1, points)
    u, step = -np.sin(math.pi * x), 2 / (points - 1)
    per_frame = math.ceil(0.01 / (0.2 * step))
    dt, frames = 0.01 / per_frame, [u.copy()]
    for _ in range(round(until / 0.01)):
        for _ in range(per_frame):
            left, right = u[:-1], u[1:]
            flux = np.where(left + right > 0, left, right)
            flux = np.where((left < 0) & (right > 0), 0, flux) ** 2 / 2
            bend = (u[2:] - 2 * u[1:-1] + u[:-2]) / step**2
            u[1:-1] += dt * (VISCOSITY * bend - (flux[1:] - flux[:-1]) / step)
        frames.append(u.copy())
    return np.arange(len(frames)) * 0.01, x, np.stack(frames)


def points(random, count):
    """Random places, half of them near the middle, where the wave becomes steep."""
    x = np.where(random.rand(count, 1) < 0.5, random.uniform(-1, 1, (count, 1)), 0.1 * random.randn(count, 1))
    return (paddle.to_tensor(np.clip(x, -1, 1).astype("float32")),
            paddle.to_tensor(random.rand(count, 1).astype("float32")))


def draw(path, times, grid, found, true):
    figure, axes = pyplot.subplots(1, 4, figsize=(11, 2.6), layout="constrained", width_ratios=[1.6, 1, 1, 1])
    picture = axes[0].imshow(found.T, extent=(0, 1, -1, 1), origin="lower", aspect="auto", cmap="RdBu")
    axes[0].set(xlabel="t", ylabel="x", title="u(x, t) of the network")
    figure.colorbar(picture, ax=axes[0])
    for axis, t in zip(axes[1:], (25, 50, 75), strict=True):
        axis.plot(grid, true[t], color="0.6", linewidth=4, label="finite differences")
        axis.plot(grid, found[t], color="crimson", linewidth=1.3, label="network")
        axis.set(title=f"t = {times[t]:.2f}", xlabel="x", ylim=(-1.1, 1.1))
    axes[1].legend(fontsize=7)
    figure.savefig(path, dpi=75)


def main(steps, picture):
    paddle.seed(0)
    random = np.random.RandomState(0)
    net = Solution()
    rate = paddle.optimizer.lr.CosineAnnealingDecay(2e-3, T_max=steps)
    adam = paddle.optimizer.Adam(rate, parameters=net.parameters())
    for step in range(steps):
        loss = loss_of(net, *points(random, 1000))
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        if step % 1000 == 0 or step == steps - 1:
            print(f"step {step}: {float(loss):.5f}")
    times, grid, true = reference()
    t, x = np.meshgrid(times, grid, indexing="ij")
    with paddle.no_grad():
        found = net(paddle.to_tensor(x.reshape(-1, 1).astype("float32")),
                    paddle.to_tensor(t.reshape(-1, 1).astype("float32"))).numpy().reshape(x.shape)
    error = float(np.linalg.norm(found - true) / np.linalg.norm(true))
    print(f"relative error over all x and t: {error:.2%}")
    draw(picture, times, grid, found, true)
    return error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--picture", default="burgers.png")
    main(**vars(parser.parse_args()))
