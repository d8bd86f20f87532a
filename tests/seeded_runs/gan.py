"""A GAN of convolutions (arXiv:1511.06434): both losses of each step."""

from .data import pictures


def train(paddle, steps):
    paddle.seed(1)
    nn = paddle.nn
    normal = paddle.ParamAttr(initializer=nn.initializer.Normal(0.0, 0.02))
    scale = paddle.ParamAttr(initializer=nn.initializer.Normal(1.0, 0.02))

    def up(channels, out, stride, padding):
        return [nn.Conv2DTranspose(channels, out, 4, stride, padding, weight_attr=normal, bias_attr=False),
                nn.BatchNorm2D(out, weight_attr=scale), nn.ReLU()]

    generator = nn.Sequential(*up(16, 16, 1, 0), *up(16, 8, 2, 1), nn.Conv2DTranspose(8, 1, 4, 2, 1), nn.Tanh())
    discriminator = nn.Sequential(
        nn.Conv2D(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Dropout2D(0.25), nn.Conv2D(8, 16, 4, 2, 1, bias_attr=False),
        nn.BatchNorm2D(16, weight_attr=scale), nn.LeakyReLU(0.2), nn.Dropout(0.25), nn.Flatten(), nn.Linear(256, 1))
    adams = [paddle.optimizer.Adam(0.0002, beta1=0.5, epsilon=1e-6, parameters=net.parameters())
             for net in (generator, discriminator)]
    bce = nn.BCEWithLogitsLoss()
    images, _ = pictures(16 * steps, 6, 16, seed=6)
    losses = []
    for step in range(steps):
        real = paddle.to_tensor(images[16 * step:16 * step + 16])
        real = real + 0.05 * paddle.normal(shape=real.shape)
        fake = generator(paddle.randn([16, 16, 1, 1]))
        loss = bce(discriminator(real), paddle.uniform([16, 1], min=0.8, max=1.0)) + bce(
            discriminator(fake.detach()), paddle.zeros([16, 1]))
        loss.backward()
        adams[1].step()
        adams[1].clear_grad()
        losses.append(float(loss))
        loss = bce(discriminator(fake), paddle.ones([16, 1]))
        loss.backward()
        adams[0].step()
        for adam in adams:
            adam.clear_grad()
        losses.append(float(loss))
    return losses
