"""A variational autoencoder (arXiv:1312.6114) with its loss inside the converted function."""

from ..workloads import values

SIZES = (32, 20)


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Autoencoder(nn.Layer):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
            self.mean, self.spread = nn.Linear(64, 8), nn.Linear(64, 8)
            self.decoder = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 128), nn.ReLU(),
                                         nn.Linear(128, 784))

        def forward(self, x):
            h = self.encoder(x)
            mean, log_variance = self.mean(h), self.spread(h)
            z = mean + paddle.randn(mean.shape) * paddle.exp(0.5 * log_variance)
            logits = self.decoder(z)
            likelihood = functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
            divergence = -0.5 * paddle.sum(1 + log_variance - mean * mean - paddle.exp(log_variance))
            return (likelihood + divergence) / x.shape[0]

    net = paddle.jit.to_static(Autoencoder())
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())

    def step(size):
        loss = net(paddle.nn.functional.sigmoid(paddle.to_tensor(values.random(1, size, 784))))
        loss.backward()
        adam.step()
        adam.clear_grad()
        return float(loss)

    return step
