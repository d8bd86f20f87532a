"""A physics-informed network for Burgers' equation (arXiv:1711.10561): second derivatives inside the function."""

from ..workloads import values

SIZES = (100, 60)


def build(paddle):
    nn = paddle.nn

    class Physics(nn.Layer):
        def __init__(self):
            super().__init__()
            layers = [layer for _ in range(4) for layer in (nn.Linear(32, 32), nn.Tanh())]
            self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), *layers, nn.Linear(32, 1))

        def forward(self, x, t, start, value):
            x.stop_gradient = t.stop_gradient = False
            u = self.net(paddle.concat([x, t], 1))
            u_t = paddle.grad(u, t, create_graph=True)[0]
            u_x = paddle.grad(u, x, create_graph=True)[0]
            u_xx = paddle.grad(u_x, x, create_graph=True)[0]
            inside = u_t + u * u_x - 0.01 / 3.14159265 * u_xx
            return (inside ** 2).mean() + ((self.net(start) - value) ** 2).mean()

    net = Physics()
    residual = paddle.jit.to_static(net, full_graph=True)  # Paddle's other way of conversion cannot run this
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())

    def step(size):
        x, t, value = (paddle.to_tensor(values.random(seed, size, 1)) for seed in (1, 2, 3))
        loss = residual(x, t, paddle.to_tensor(values.random(4, size, 2)), value)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return float(loss)

    return step
