"""A denoising diffusion network (arXiv:2006.11239), and an average of its weights that is judged every fifth step."""

import copy

from .data import pictures


def train(paddle, steps):
    paddle.seed(5)
    nn = paddle.nn

    class Denoiser(nn.Layer):
        def __init__(self, width=16):
            super().__init__()
            self.time = nn.Sequential(nn.Embedding(50, width), nn.Linear(width, width), nn.Silu())
            self.begin, self.end = nn.Conv2D(1, width, 3, padding=1), nn.Conv2D(width, 1, 3, padding=1)
            self.down = nn.Sequential(nn.GroupNorm(4, width), nn.Silu(), nn.Conv2D(width, width, 3, 2, 1))
            self.up = nn.Sequential(nn.GroupNorm(4, width), nn.Silu(), nn.Dropout(0.1),
                                    nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2D(width, width, 3, padding=1))

        def forward(self, x, t):
            h = self.begin(x)
            middle = self.down(h) + self.time(t).unsqueeze(-1).unsqueeze(-1)
            return self.end(h + self.up(middle))

    net = Denoiser()
    average = copy.deepcopy(net)
    average.eval()
    adam = paddle.optimizer.Adam(0.002, parameters=net.parameters())
    kept = paddle.cumprod(1 - paddle.linspace(1e-3, 0.2, 50), 0)
    images, _ = pictures(8 * steps, 5, 12, seed=8)
    losses = []
    for step in range(steps):
        x = paddle.to_tensor(images[8 * step:8 * step + 8])
        t = paddle.randint(0, 50, [8])
        noise = paddle.randn(x.shape)
        share = paddle.gather(kept, t).reshape([-1, 1, 1, 1])
        noised = share.sqrt() * x + (1 - share).sqrt() * noise
        loss = nn.functional.mse_loss(net(noised, t), noise)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
        with paddle.no_grad():
            for mean, now in zip(average.parameters(), net.parameters()):
                mean.set_value(0.9 * mean + 0.1 * now)
            if step % 5 == 4:
                losses.append(float(nn.functional.mse_loss(average(noised, t), noise)))
    return losses
