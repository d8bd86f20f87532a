"""Networks in jobs against the same ones in the 2.x API, from the same values: losses of training, and what is left."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa import nn
from proa.oneflow.job import session_guard

random = np.random.default_rng(0)
RATE = 0.05


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def normal(*shape):
    return random.standard_normal(shape).astype("float32")


def minimized(loss):
    flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [RATE]), momentum=0).minimize(loss)
    return loss


def taken_over(session, pairs):
    """Gives a 2.x network's parameters the values of variables: (parameter, variable's name)."""
    session.start().initialize()
    for parameter, name in pairs:
        value = session.value(name)
        parameter.set_value(value.T if value.ndim == 2 and name.endswith("-weight") else value.reshape(parameter.shape))


def assert_alike(session, pairs, tolerance=1e-4):
    for parameter, name in pairs:
        value = session.value(name)
        value = value.T if value.ndim == 2 and name.endswith("-weight") else value
        np.testing.assert_allclose(value.reshape(parameter.shape), parameter.numpy(), rtol=tolerance, atol=1e-5,
                                   err_msg=name)


def trained_alike(session, job, network, pairs, x, labels, steps=4):
    """Trains both on the same batch, and looks at the losses and at all values."""
    taken_over(session, pairs)
    optimizer = paddle.optimizer.SGD(RATE, parameters=network.parameters())
    for _ in range(steps):
        loss = F.cross_entropy(network(paddle.to_tensor(x)), paddle.to_tensor(labels), reduction="none")
        np.testing.assert_allclose(job(x, labels), loss.numpy(), rtol=1e-3, atol=1e-4)
        loss.mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    assert_alike(session, pairs, 1e-2)


def layer_pairs(layer, name):
    pairs = [(layer.weight, f"{name}-weight")]
    return pairs if layer.bias is None else [*pairs, (layer.bias, f"{name}-bias")]


def norm_pairs(layer, name):
    return [(layer.weight, f"{name}-gamma"), (layer.bias, f"{name}-beta"), (layer._mean, f"{name}-moving_mean"),
            (layer._variance, f"{name}-moving_variance")]


def test_lenet(session):
    spread = flow.truncated_normal(0.1)

    @flow.global_function(type="train")
    def train(images: tp.Numpy.Placeholder((8, 1, 28, 28)),
              labels: tp.Numpy.Placeholder((8,), dtype=flow.int32)) -> tp.Numpy:
        with flow.scope.placement("cpu", "0:0"):
            x = flow.layers.conv2d(images, 8, 5, padding="SAME", activation=flow.nn.relu, kernel_initializer=spread,
                                   name="conv1")
            x = flow.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME", data_format="NCHW")
            x = flow.layers.conv2d(x, 16, 5, padding="SAME", activation=flow.nn.relu, kernel_initializer=spread,
                                   name="conv2")
            x = flow.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME", data_format="NCHW")
            x = flow.reshape(x, [x.shape[0], -1])
            x = flow.layers.dense(x, 32, activation=flow.nn.relu, kernel_initializer=spread, name="dense1")
            x = flow.layers.dense(x, 10, kernel_initializer=spread, name="dense2")
            return minimized(flow.nn.sparse_softmax_cross_entropy_with_logits(labels, x))

    convs = nn.Conv2D(1, 8, 5, padding=2), nn.Conv2D(8, 16, 5, padding=2)
    denses = nn.Linear(784, 32), nn.Linear(32, 10)
    network = nn.Sequential(convs[0], nn.ReLU(), nn.MaxPool2D(2), convs[1], nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
                            denses[0], nn.ReLU(), denses[1])
    pairs = [pair for layer, name in zip((*convs, *denses), ("conv1", "conv2", "dense1", "dense2"), strict=True)
             for pair in layer_pairs(layer, name)]
    trained_alike(session, train, network, pairs, normal(8, 1, 28, 28), random.integers(0, 10, 8).astype("int32"))


class Residual(nn.Layer):
    """Two stages of residual blocks, an inverted one with depthwise filters, and branches side by side."""

    def __init__(self):
        super().__init__()
        sizes = {"stem": (3, 8, 7, 2, 1), "shortcut": (8, 16, 1, 2, 1), "a": (8, 4, 1, 1, 1), "b": (4, 4, 3, 2, 1),
                 "c": (4, 16, 1, 1, 1), "expand": (16, 32, 1, 1, 1), "depth": (32, 32, 3, 1, 32),
                 "project": (32, 16, 1, 1, 1), "tall": (16, 4, (5, 1), 1, 1), "flat": (16, 4, (1, 5), 1, 1)}
        self.convs, self.norms = nn.LayerDict(), nn.LayerDict()
        for name, (channels, filters, kernel, stride, groups) in sizes.items():
            pad = (kernel // 2) if isinstance(kernel, int) else [n // 2 for n in kernel]
            self.convs[name] = nn.Conv2D(channels, filters, kernel, stride, pad, groups=groups, bias_attr=False)
            self.norms[name] = nn.BatchNorm2D(filters, 0.9, 1e-3)
        self.out = nn.Linear(24, 5)

    def unit(self, x, name):
        return self.norms[name](self.convs[name](x))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.unit(x, "stem")), 3, 2, 1)
        inner = F.relu(self.unit(F.relu(self.unit(x, "a")), "b"))
        x = F.relu(self.unit(inner, "c") + self.unit(x, "shortcut"))
        x = x + self.unit(F.relu6(self.unit(F.relu6(self.unit(x, "expand")), "depth")), "project")
        mean = F.avg_pool2d(x, 3, 1, 1, exclusive=True)
        x = paddle.concat([self.unit(x, "tall"), mean, self.unit(x, "flat")], 1)
        return self.out(paddle.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def residual(network, x, layout):
    """The same with flow's functions."""
    axis = 1 if layout == "NCHW" else 3

    def unit(x, name):
        conv = network.convs[name]
        filters, channels, *kernel = conv.weight.shape
        kernel_shape = (filters, channels, *kernel) if axis == 1 else (filters, *kernel, channels)
        weight = flow.get_variable(f"{name}-filters", shape=kernel_shape, dtype=x.dtype,
                                   initializer=flow.xavier_uniform_initializer(data_format=layout))
        x = flow.nn.conv2d(x, weight, conv._stride[0], "SAME", data_format=layout, groups=conv._groups, name=name)
        return flow.layers.batch_normalization(x, axis=axis, momentum=0.9, epsilon=1e-3, name=f"{name}_bn")

    x = flow.nn.max_pool2d(flow.nn.relu(unit(x, "stem")), 3, 2, "SAME", layout)
    inner = flow.nn.relu(unit(flow.nn.relu(unit(x, "a")), "b"))
    x = flow.nn.relu(flow.math.add(unit(inner, "c"), unit(x, "shortcut")))
    x = x + unit(flow.nn.relu6(unit(flow.clip_by_value(unit(x, "expand"), 0, 6), "depth")), "project")
    mean = flow.nn.avg_pool2d(x, ksize=3, strides=1, padding="SAME", data_format=layout)
    x = flow.concat([unit(x, "tall"), mean, unit(x, "flat")], axis=axis)
    x = flow.math.reduce_mean(x, axis=[2, 3] if axis == 1 else [1, 2])
    return flow.layers.dense(x, 5, kernel_initializer=flow.random_normal_initializer(stddev=0.1), name="out")


def test_residual_blocks_depthwise_filters_and_branches(session):
    network = Residual()

    @flow.global_function(type="train")
    def train(x: tp.Numpy.Placeholder((4, 3, 32, 32)), y: tp.Numpy.Placeholder((4,), dtype=flow.int32)) -> tp.Numpy:
        return minimized(flow.nn.sparse_softmax_cross_entropy_with_logits(y, residual(network, x, "NCHW")))

    @flow.global_function()
    def predict(x: tp.Numpy.Placeholder((4, 3, 32, 32))) -> tp.Numpy:
        return residual(network, x, "NCHW")

    pairs = layer_pairs(network.out, "out")
    for name in network.convs.keys():
        pairs += [(network.convs[name].weight, f"{name}-filters"), *norm_pairs(network.norms[name], f"{name}_bn")]
    x = normal(4, 3, 32, 32)
    trained_alike(session, train, network, pairs, x, random.integers(0, 5, 4).astype("int32"))
    network.eval()
    np.testing.assert_allclose(predict(x), network(paddle.to_tensor(x)).numpy(), rtol=1e-2, atol=1e-3)


def test_channels_last_compute_the_same(session):
    network = Residual()

    @flow.global_function()
    def second(x: tp.Numpy.Placeholder((2, 3, 32, 32))) -> tp.Numpy:
        return residual(network, x, "NCHW")

    x = normal(2, 3, 32, 32)
    expected = second(x)
    values = {name: session.value(name) for name in session.variables}
    with session_guard() as other:
        @flow.global_function()
        def last(x: tp.Numpy.Placeholder((2, 3, 32, 32))) -> tp.Numpy:
            return residual(network, flow.transpose(x, perm=[0, 2, 3, 1]), "NHWC")

        other.start()
        for name, value in values.items():
            other.set_value(name, value.transpose(0, 2, 3, 1) if value.ndim == 4 else value)
        np.testing.assert_allclose(last(x), expected, rtol=1e-3, atol=1e-4)


def test_an_encoder_of_transformers(session):
    size, heads, steps, classes = 16, 4, 6, 20
    network = nn.Sequential(nn.Embedding(classes, size), nn.TransformerEncoderLayer(
        size, heads, 32, dropout=0.0, activation="gelu", normalize_before=False), nn.Linear(size, classes))
    encoder = network[1]

    def heads_of(x):
        return flow.transpose(flow.reshape(x, [-1, steps, heads, size // heads]), perm=[0, 2, 1, 3])

    def dense(x, units, name, activation=None):
        return flow.layers.dense(x, units, activation, kernel_initializer=flow.truncated_normal(0.2), name=name)

    def norm(x, name):
        return flow.layers.layer_norm(x, begin_norm_axis=-1, begin_params_axis=-1, name=name)

    @flow.global_function(type="train")
    def train(x: tp.Numpy.Placeholder((3, steps), dtype=flow.int64),
              y: tp.Numpy.Placeholder((3, steps), dtype=flow.int64)) -> tp.Numpy:
        table = flow.get_variable("table", shape=[classes, size], initializer=flow.random_normal_initializer())
        with flow.scope.namespace("layer_0"):
            x = flow.gather(params=table, indices=x, axis=0)
            query, key, value = (heads_of(dense(x, size, name)) for name in ("query", "key", "value"))
            scores = flow.matmul(query, key, transpose_b=True) * (1.0 / np.sqrt(size // heads))
            context = flow.matmul(flow.nn.softmax(scores), value)
            context = flow.reshape(flow.transpose(context, perm=[0, 2, 1, 3]), [-1, steps, size])
            x = norm(x + dense(context, size, "dense"), "LayerNorm1")
            x = norm(x + dense(dense(x, 32, "inner", flow.math.gelu), size, "outer"), "LayerNorm2")
        return minimized(flow.nn.sparse_softmax_cross_entropy_with_logits(y, dense(x, classes, "logits")))

    attention = encoder.self_attn
    pairs = [(network[0].weight, "table")]
    for layer, name in ((attention.q_proj, "query"), (attention.k_proj, "key"), (attention.v_proj, "value"),
                        (attention.out_proj, "dense"), (encoder.linear1, "inner"), (encoder.linear2, "outer")):
        pairs += layer_pairs(layer, f"layer_0-{name}")
    pairs += layer_pairs(network[2], "logits")
    for layer, name in ((encoder.norm1, "LayerNorm1"), (encoder.norm2, "LayerNorm2")):
        pairs += [(layer.weight, f"layer_0-{name}-gamma"), (layer.bias, f"layer_0-{name}-beta")]
    taken_over(session, pairs)
    optimizer = paddle.optimizer.SGD(RATE, parameters=network.parameters())
    x, y = random.integers(0, classes, (2, 3, steps))
    for _ in range(4):
        loss = F.cross_entropy(network(paddle.to_tensor(x)), paddle.to_tensor(y), reduction="none")
        np.testing.assert_allclose(train(x, y), loss.numpy().reshape(3, steps), rtol=1e-3, atol=1e-4)
        loss.mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    assert_alike(session, pairs, 1e-2)


def test_fused_attention_is_the_plain_one():
    x = normal(5, 2, 24)

    def plain(h):
        parts = flow.reshape(h, (5, 2, 2, 12))
        query, key, value = (flow.transpose(flow.slice(parts, begin=[None] * 3 + [4 * n], size=[None] * 3 + [4]),
                                            perm=[1, 2, 0, 3]) for n in range(3))
        scores = flow.math.fused_scale_tril(flow.matmul(query, key, transpose_b=True, alpha=0.25),
                                            fill_value=float("-inf"), scale=2.0)
        return flow.matmul(flow.nn.softmax(scores, axis=-1), value)

    def fused(h):
        products, value = flow.nn.fused_self_attention_query_mul_key_and_value(h, head_size=4, alpha=0.25)
        weights = flow.nn.fused_scale_tril_softmax_dropout(products, diagonal=0, scale=2.0, fill_value=float("-inf"),
                                                           rate=0.0)
        return flow.matmul(weights, value)

    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((5, 2, 24))) -> tp.Bundle[tp.Numpy]:
        return plain(x), fused(x)

    one, other = job(x)
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert np.isfinite(one).all() and one.shape == (2, 2, 5, 4)


def test_two_jobs_train_what_they_share(session):
    """A generator and a discriminator: each job trains one of them, and leaves the other as it is."""
    spread = flow.random_normal_initializer(stddev=0.3)

    def generator(z, trainable):
        x = flow.layers.dense(z, 4 * 3 * 3, kernel_initializer=spread, trainable=trainable, name="g_fc")
        x = flow.layers.batch_normalization(x, axis=1, trainable=trainable, name="g_bn")
        x = flow.nn.leaky_relu(flow.reshape(x, (-1, 4, 3, 3)), 0.3)
        weight = flow.get_variable("g_up", shape=(4, 1, 5, 5), initializer=spread, trainable=trainable)
        return flow.math.tanh(flow.nn.conv2d_transpose(x, weight, (x.shape[0], 1, 6, 6), [2, 2], "SAME"))

    def discriminator(images, trainable):
        weight = flow.get_variable("d_conv", shape=(3, 1, 3, 3), initializer=spread, trainable=trainable)
        x = flow.nn.leaky_relu(flow.nn.compat_conv2d(images, weight, strides=[2, 2], padding="same"), 0.3)
        table = flow.get_variable("d_fc", shape=(1, 27), initializer=spread, trainable=trainable)
        return flow.matmul(flow.reshape(x, (images.shape[0], -1)), table, transpose_b=True)

    def mean(labels, logits):
        return flow.math.reduce_mean(flow.nn.sigmoid_cross_entropy_with_logits(labels, logits))

    noise, digits = normal(4, 5), normal(4, 1, 6, 6)
    ones, zeros = np.ones((4, 1), "float32"), np.zeros((4, 1), "float32")

    @flow.global_function(type="train")
    def train_generator(z: tp.Numpy.Placeholder((4, 5)), ones: tp.Numpy.Placeholder((4, 1))) -> tp.Numpy:
        return minimized(mean(ones, discriminator(generator(z, True), False)))

    @flow.global_function(type="train")
    def train_discriminator(z: tp.Numpy.Placeholder((4, 5)), images: tp.Numpy.Placeholder((4, 1, 6, 6)),
                            ones: tp.Numpy.Placeholder((4, 1)), zeros: tp.Numpy.Placeholder((4, 1))) -> tp.Numpy:
        fake = mean(zeros, discriminator(generator(z, False), True))
        return minimized(fake + mean(ones, discriminator(images, True)))

    session.start().initialize()
    values = {name: paddle.to_tensor(session.value(name), stop_gradient="moving" in name) for name in session.variables
              if name.startswith(("g_", "d_"))}

    def generated(training):
        x = F.linear(paddle.to_tensor(noise), values["g_fc-weight"].t(), values["g_fc-bias"])
        x = F.batch_norm(x, values["g_bn-moving_mean"], values["g_bn-moving_variance"], values["g_bn-gamma"],
                         values["g_bn-beta"], training, 0.99, 1e-3)
        x = F.leaky_relu(x.reshape([-1, 4, 3, 3]), 0.3)
        return paddle.tanh(F.conv2d_transpose(x, values["g_up"], stride=2, padding=[1, 2, 1, 2], output_size=[6, 6]))

    def judged(images):
        x = F.leaky_relu(F.conv2d(images, values["d_conv"], stride=2, padding=[0, 1, 0, 1]), 0.3)
        return x.reshape([4, -1]).matmul(values["d_fc"], transpose_y=True)

    def stepped(loss, prefix):
        trained = [value for name, value in values.items() if name.startswith(prefix) and not value.stop_gradient]
        for value, slope in zip(trained, paddle.grad(loss, trained), strict=True):
            value.set_value(value - RATE * slope)
        return loss

    def cost(logits, labels):
        return F.binary_cross_entropy_with_logits(logits, paddle.to_tensor(labels))

    for _ in range(3):
        loss = stepped(cost(judged(generated(False)), zeros) + cost(judged(paddle.to_tensor(digits)), ones), "d_")
        np.testing.assert_allclose(train_discriminator(noise, digits, ones, zeros), [loss.item()], rtol=1e-4)
        loss = stepped(cost(judged(generated(True)), ones), "g_")
        np.testing.assert_allclose(train_generator(noise, ones), [loss.item()], rtol=1e-4)
    for name, value in values.items():
        np.testing.assert_allclose(session.value(name), value.numpy(), rtol=1e-3, atol=1e-5, err_msg=name)
