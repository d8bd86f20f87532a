"""A DCGAN (arXiv:1511.06434): a generator of transposed convolutions and a discriminator, each with its step."""

from ..workloads import values

SIZES = (8, 5)


def build(paddle):
    nn = paddle.nn
    functional = nn.functional
    generator = nn.Sequential(
        nn.Linear(16, 16 * 4 * 4), nn.Unflatten(1, [16, 4, 4]), nn.BatchNorm2D(16), nn.ReLU(),
        nn.Conv2DTranspose(16, 8, 4, 2, 1), nn.BatchNorm2D(8), nn.ReLU(), nn.Conv2DTranspose(8, 1, 4, 2, 1), nn.Tanh())
    discriminator = nn.Sequential(
        nn.Conv2D(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2D(8, 16, 4, 2, 1), nn.BatchNorm2D(16), nn.LeakyReLU(0.2),
        nn.Flatten(), nn.Linear(16 * 4 * 4, 1))
    judge = functional.binary_cross_entropy_with_logits

    @paddle.jit.to_static
    def loss_of_discriminator(real, noise):
        true, false = discriminator(real), discriminator(generator(noise).detach())
        return judge(true, paddle.ones_like(true)) + judge(false, paddle.zeros_like(false))

    @paddle.jit.to_static
    def loss_of_generator(noise):
        false = discriminator(generator(noise))
        return judge(false, paddle.ones_like(false))

    adams = [paddle.optimizer.Adam(2e-4, beta1=0.5, parameters=net.parameters()) for net in (generator, discriminator)]

    def update(adam, loss):
        adam.clear_grad()
        loss.backward()
        adam.step()
        return float(loss)

    def step(size):
        real, noise = paddle.to_tensor(values.random(1, size, 1, 16, 16)), paddle.to_tensor(values.random(2, size, 16))
        first = update(adams[1], loss_of_discriminator(real, noise))
        return first + update(adams[0], loss_of_generator(noise))

    return step
