"""A classifier whose forward decides by values: a gate on the mean, and a loop till the norm is small."""

from ..workloads import values

SIZES = (64, 37)


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Gated(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inward, self.inner = nn.Linear(20, 64), nn.Linear(64, 64)
            self.norm, self.outward = nn.LayerNorm(64), nn.Linear(64, 5)
            self.dropout = nn.Dropout(0.1)

        def forward(self, x):
            h = functional.gelu(self.inward(x))
            if h.mean() > 0:
                h = self.dropout(h)
            else:
                h = h * 2 + 1
            for _ in range(3):
                h = h + self.norm(paddle.tanh(self.inner(h)))
            while paddle.norm(h) > 10.0:
                h = h * 0.5
            return self.outward(h)

    net = paddle.jit.to_static(Gated())
    adam = paddle.optimizer.AdamW(0.001, parameters=net.parameters(), weight_decay=0.01)

    def step(size):
        x, y = values.random(1, size, 20), values.labels(2, size, 5)
        loss = functional.cross_entropy(net(paddle.to_tensor(x)), paddle.to_tensor(y))
        loss.backward()
        adam.step()
        adam.clear_grad()
        return float(loss)

    return step
