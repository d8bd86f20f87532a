"""A variational autoencoder (arXiv:1312.6114) as a converted function."""

from .data import pictures


def train(paddle, steps):
    paddle.seed(11)
    nn = paddle.nn

    class Autoencoder(nn.Layer):
        def __init__(self, inside=8):
            super().__init__()
            self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU())
            self.mean, self.spread = nn.Linear(64, inside), nn.Linear(64, inside)
            self.decoder = nn.Sequential(nn.Linear(inside, 64), nn.ELU(), nn.AlphaDropout(0.1), nn.Linear(64, 144))

        @paddle.jit.to_static
        def forward(self, x):
            h = self.encoder(x)
            mean, spread = self.mean(h), self.spread(h)
            z = mean + paddle.exp(0.5 * spread) * paddle.randn(mean.shape)
            loss = nn.functional.binary_cross_entropy_with_logits(self.decoder(z), x.reshape([-1, 144]),
                                                                  reduction="sum") / x.shape[0]
            return loss - 0.5 * (1 + spread - mean ** 2 - paddle.exp(spread)).sum(1).mean()

    net = Autoencoder()
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    images, _ = pictures(16 * steps, 5, 12, seed=7)
    images = images.clip(0, 1)
    losses = []
    for step in range(steps):
        loss = net(paddle.to_tensor(images[16 * step:16 * step + 16]))
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses
