"""A GAN: two networks in turns, each step a converted function."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn


class Generator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8 * 2 * 2)
        self.up = nn.Conv2DTranspose(8, 4, 4, stride=2, padding=1)
        self.norm = nn.BatchNorm2D(4)
        self.out = nn.Conv2DTranspose(4, 1, 4, stride=2, padding=1)

    def forward(self, z):
        x = F.relu(self.fc(z)).reshape([-1, 8, 2, 2])
        return F.tanh(self.out(F.relu(self.norm(self.up(x)))))


class Discriminator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 4, 3, stride=2, padding=1), nn.LeakyReLU(0.2),
            nn.Conv2D(4, 8, 3, stride=2, padding=1), nn.BatchNorm2D(8), nn.LeakyReLU(0.2))
        self.out = nn.Linear(8 * 2 * 2, 1)

    def forward(self, x):
        return self.out(paddle.flatten(self.features(x), 1))


def test_two_steps(same_curve):
    def train(convert):
        generator, discriminator = Generator(), Discriminator()
        loss_of = nn.BCEWithLogitsLoss()
        g_adam = paddle.optimizer.Adam(2e-3, beta1=0.5, parameters=generator.parameters())
        d_adam = paddle.optimizer.Adam(2e-3, beta1=0.5, parameters=discriminator.parameters())

        def judge(real, z):
            fake = generator(z).detach()
            there, made = discriminator(real), discriminator(fake)
            return loss_of(there, paddle.ones_like(there)) + loss_of(made, paddle.zeros_like(made))

        def fool(z):
            made = discriminator(generator(z))
            return loss_of(made, paddle.ones_like(made))

        judge, fool = convert(judge), convert(fool)
        rng, losses = np.random.RandomState(0), []
        for _ in range(20):
            real = paddle.to_tensor(rng.rand(4, 1, 8, 8).astype("float32"))
            z = paddle.to_tensor(rng.randn(4, 4).astype("float32"))
            d_loss = judge(real, z)
            d_loss.backward()
            d_adam.step()
            d_adam.clear_grad()
            g_loss = fool(z)
            g_loss.backward()
            g_adam.step()
            g_adam.clear_grad()
            d_adam.clear_grad()
            losses.append([float(d_loss), float(g_loss)])
        return losses

    same_curve(train)


def test_gradient_penalty(same_curve):
    """The discriminator's gradient is part of its loss: second order through a Program."""
    def train(convert):
        critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        static = convert(critic)
        sgd = paddle.optimizer.SGD(0.05, parameters=critic.parameters())
        rng, losses = np.random.RandomState(0), []
        for _ in range(20):
            x = paddle.to_tensor(rng.randn(5, 3).astype("float32"), stop_gradient=False)
            score = static(x)
            (gradient,) = paddle.grad(score.sum(), x, create_graph=True)
            loss = score.mean() + ((gradient.norm(axis=-1) - 1) ** 2).mean()
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            losses.append(float(loss))
        return losses

    same_curve(train)
