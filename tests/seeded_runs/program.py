"""A Program of layers with weights of many initializers, dropout and noise, by `random_seed`."""

from .data import pictures


def train(paddle, steps):
    paddle.seed(77)
    paddle.enable_static()
    try:
        return _train(paddle, steps)
    finally:
        paddle.disable_static()


def _train(paddle, steps):
    static, initializer = paddle.static, paddle.nn.initializer
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = 77
    kinds = [initializer.Uniform(-0.2, 0.2), initializer.XavierNormal(), initializer.KaimingUniform(),
             initializer.TruncatedNormal(std=0.2), None]
    with static.program_guard(main, startup):
        x, y = static.data("x", [None, 64]), static.data("y", [None, 1], "int64")
        h = x + 0.1 * paddle.randn([16, 64])
        for kind in kinds:
            h = paddle.nn.functional.dropout(static.nn.fc(h, 32, activation="tanh", weight_attr=kind), 0.2)
        loss = paddle.nn.functional.cross_entropy(static.nn.fc(h, 6), y)
        paddle.optimizer.Adam(0.003).minimize(loss)
    executor = static.Executor(paddle.CPUPlace())
    executor.run(startup)
    images, labels = pictures(16 * steps, 6, 8, seed=10)
    losses = []
    for step in range(steps):
        part = slice(16 * step, 16 * step + 16)
        feed = {"x": images[part].reshape(16, 64), "y": labels[part, None]}
        losses.append(float(executor.run(main, feed, [loss])[0]))
    return losses
