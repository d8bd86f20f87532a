"""Networks trained by jobs: against the 2.x face with the same initial values, and interrupted against not."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from digits import batches
from proa.nn import functional as F
from proa.oneflow.job import session_guard

SIZE = 50


def mlp(images):
    initializer = flow.truncated_normal(0.1)
    flat = flow.reshape(images, [images.shape[0], -1])
    hidden = flow.layers.dense(flat, 64, activation=flow.nn.relu, kernel_initializer=initializer, name="dense1")
    return flow.layers.dense(hidden, 10, kernel_initializer=initializer, name="dense2")


def lenet(images, train=False):
    initializer = flow.truncated_normal(0.1)
    conv1 = flow.layers.conv2d(images, 8, 5, padding="SAME", activation=flow.nn.relu, name="conv1",
                               kernel_initializer=initializer)
    pool1 = flow.nn.max_pool2d(conv1, ksize=2, strides=2, padding="SAME", name="pool1", data_format="NCHW")
    conv2 = flow.layers.conv2d(pool1, 16, 5, padding="SAME", activation=flow.nn.relu, name="conv2",
                               kernel_initializer=initializer)
    pool2 = flow.nn.max_pool2d(conv2, ksize=2, strides=2, padding="SAME", name="pool2", data_format="NCHW")
    flat = flow.reshape(pool2, [pool2.shape[0], -1])
    hidden = flow.layers.dense(flat, 64, activation=flow.nn.relu, kernel_initializer=initializer, name="dense1")
    if train:
        hidden = flow.nn.dropout(hidden, rate=0.5, name="dropout")
    return flow.layers.dense(hidden, 10, kernel_initializer=initializer, name="dense2")


def schedule(rate=0.1):
    return flow.optimizer.PiecewiseConstantScheduler([], [rate])


OPTIMIZERS = {
    "sgd": lambda: flow.optimizer.SGD(schedule(), momentum=0),
    "momentum": lambda: flow.optimizer.SGD(flow.optimizer.CosineScheduler(
        0.1, 20, warmup=flow.optimizer.warmup.linear(3, 0.1)), momentum=0.9),
    "adam": lambda: flow.optimizer.Adam(flow.optimizer.PolynomialScheduler(0.01, 20, 0.001), do_bias_correction=True),
}


def train_job_of(net, optimizer):
    @flow.global_function(type="train")
    def train_job(images: tp.Numpy.Placeholder((SIZE, 1, 28, 28), dtype=flow.float),
                  labels: tp.Numpy.Placeholder((SIZE,), dtype=flow.int32)) -> tp.Numpy:
        with flow.scope.placement("cpu", "0:0"):
            loss = flow.nn.sparse_softmax_cross_entropy_with_logits(labels, net(images))
        OPTIMIZERS[optimizer]().minimize(loss)
        return loss

    return train_job


def mlp_of_2(value):
    first, second = value("dense1-weight").T, value("dense2-weight").T
    one, two = paddle.nn.Linear(784, 64), paddle.nn.Linear(64, 10)
    one.weight.set_value(first)
    two.weight.set_value(second)
    for layer, name in ((one, "dense1-bias"), (two, "dense2-bias")):
        layer.bias.set_value(value(name))
    return paddle.nn.Sequential(paddle.nn.Flatten(), one, paddle.nn.ReLU(), two)


def lenet_of_2(value):
    nn = paddle.nn
    net = nn.Sequential(nn.Conv2D(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2, 2),
                        nn.Conv2D(8, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten(),
                        nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    for layer, name in ((net[0], "conv1"), (net[3], "conv2"), (net[7], "dense1"), (net[9], "dense2")):
        weight = value(f"{name}-weight")
        layer.weight.set_value(weight.T if "dense" in name else weight)
        layer.bias.set_value(value(f"{name}-bias"))
    return net


@pytest.mark.parametrize(("net", "other"), [(mlp, mlp_of_2), (lenet, lenet_of_2)])
def test_the_2_x_face_has_the_same_losses(net, other):
    paddle.seed(3)
    with session_guard() as session:
        train_job = train_job_of(net, "sgd")
        flow.train.CheckPoint().init()
        model = other(session.value)
        rule = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        ours, theirs = [], []
        for images, labels in batches(8, SIZE):
            ours.append(train_job(images, labels).mean())
            loss = F.cross_entropy(model(paddle.to_tensor(images)), paddle.to_tensor(labels))
            loss.backward()
            rule.step()
            rule.clear_grad()
            theirs.append(loss.item())
    np.testing.assert_allclose(ours, theirs, rtol=2e-5)
    assert np.mean(ours[-2:]) < ours[0]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_that_is_taken_up_goes_on_to_the_last_bit(optimizer, tmp_path):
    data = batches(8, SIZE)
    paddle.seed(4)
    with session_guard() as session:
        train_job = train_job_of(mlp, optimizer)
        check_point = flow.train.CheckPoint()
        check_point.init()
        for images, labels in data[:4]:
            train_job(images, labels)
        check_point.save(str(tmp_path / "half"))
        whole = [train_job(images, labels) for images, labels in data[4:]]
        values = {name: session.value(name) for name in session.variables}
    paddle.seed(5)
    with session_guard() as session:
        train_job = train_job_of(mlp, optimizer)
        flow.train.CheckPoint().load(str(tmp_path / "half"))
        resumed = [train_job(images, labels) for images, labels in data[4:]]
        assert session.variables.keys() == values.keys()
        for name, value in values.items():
            np.testing.assert_array_equal(session.value(name), value, err_msg=name)
    np.testing.assert_array_equal(resumed, whole)
    assert values["System-Train-TrainStep-train_job"].tolist() == [8]


def test_a_network_that_drops_in_training_is_evaluated_whole(tmp_path):
    def train_job(images: tp.Numpy.Placeholder((SIZE, 1, 28, 28), dtype=flow.float),
                  labels: tp.Numpy.Placeholder((SIZE,), dtype=flow.int32)) -> tp.Numpy:
        loss = flow.nn.sparse_softmax_cross_entropy_with_logits(labels, lenet(images, train=True), name="softmax_loss")
        flow.optimizer.SGD(schedule(0.05), momentum=0.9).minimize(loss)
        return loss

    def eval_job(images: tp.Numpy.Placeholder((SIZE, 1, 28, 28), dtype=flow.float)) -> tp.Numpy:
        return lenet(images, train=True)  # which drops nothing, since it is a predict job

    paddle.seed(6)
    data = batches(30, SIZE)
    with session_guard():
        train, evaluate = flow.global_function(type="train")(train_job), flow.global_function()(eval_job)
        losses = [train(images, labels).mean() for images, labels in data]
        flow.train.CheckPoint().save(str(tmp_path / "lenet"))
        first, again = evaluate(data[0][0]), evaluate(data[0][0])
    with session_guard():
        evaluate = flow.global_function()(eval_job)
        flow.train.CheckPoint().load(str(tmp_path / "lenet"))
        loaded = evaluate(data[0][0])
    assert np.mean(losses[-4:]) < 0.7 * losses[0]
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, loaded)
    assert (first.argmax(1) == data[0][1]).mean() > 0.6


def generator(z, trainable):
    with flow.scope.namespace("g"):
        hidden = flow.layers.dense(z, 16, kernel_initializer=flow.random_normal_initializer(stddev=0.3), name="fc1",
                                   trainable=trainable)
        hidden = flow.layers.batch_normalization(hidden, axis=1, name="bn", trainable=trainable, training=trainable)
        return flow.layers.dense(flow.math.relu(hidden), 2, name="fc2", trainable=trainable,
                                 kernel_initializer=flow.random_normal_initializer(stddev=0.3))


def discriminator(x, trainable, reuse=False):
    weight = flow.get_variable("d-weight", shape=(2, 16), trainable=trainable, reuse=reuse,
                               initializer=flow.random_normal_initializer(stddev=0.5))
    out = flow.get_variable("d-out", shape=(16, 1), trainable=trainable, reuse=reuse,
                            initializer=flow.random_normal_initializer(stddev=0.5))
    return flow.matmul(flow.nn.leaky_relu(flow.matmul(x, weight), 0.3), out)


def test_two_networks_in_turns_each_with_the_other_held_still(tmp_path):
    def rule():
        return flow.optimizer.Adam(flow.optimizer.PiecewiseConstantScheduler([], [0.02]))

    def told(value, logits):
        return flow.nn.sigmoid_cross_entropy_with_logits(value(logits), logits)

    def train_g(z: tp.Numpy.Placeholder((32, 4))) -> tuple[tp.Numpy, tp.Numpy]:
        made = generator(z, trainable=True)
        loss = told(flow.ones_like, discriminator(made, trainable=False))
        rule().minimize(loss)
        return loss, made

    def train_d(z: tp.Numpy.Placeholder((32, 4)), real: tp.Numpy.Placeholder((32, 2))) -> tp.Numpy:
        fake = told(flow.zeros_like, discriminator(generator(z, trainable=False), trainable=True))
        loss = fake + told(flow.ones_like, discriminator(real, trainable=True, reuse=True))
        rule().minimize(loss)
        return loss

    def of(session, side):
        return {name: session.value(name) for name in session.variables if name.startswith(side)}

    def equal(before, after):
        return {name for name in before if np.array_equal(before[name], after[name])}

    paddle.seed(8)
    rng = np.random.default_rng(0)
    with session_guard() as session:
        make, judge = flow.global_function(type="train")(train_g), flow.global_function(type="train")(train_d)
        flow.train.CheckPoint().init()
        assert {name for name in session.variables if name.endswith("-m")} == {
            f"{name}-m" for name in ("g-fc1-weight", "g-fc1-bias", "g-bn-gamma", "g-bn-beta", "g-fc2-weight",
                                     "g-fc2-bias", "d-weight", "d-out")}
        for _ in range(60):
            z, real = rng.standard_normal((2, 32, 4), np.float32)
            real = real[:, :2] * 0.3 + np.array([2, -1], np.float32)
            held, own = of(session, "g-"), of(session, "d-")
            judge(z, real)
            assert len(equal(held, of(session, "g-"))) == len(held) and not equal(own, of(session, "d-"))
            held, own = of(session, "d-"), of(session, "g-")
            _, made = make(z)
            assert len(equal(held, of(session, "d-"))) == len(held) and not equal(own, of(session, "g-")) - {
                "g-fc1-bias", "g-fc1-bias-m", "g-fc1-bias-v"}  # batch normalization takes it away again
        steps = {name: session.value(name).tolist() for name in session.variables if name.startswith("System")}
    assert steps == {"System-Train-TrainStep-train_g": [60], "System-Train-TrainStep-train_d": [60]}
    assert np.abs(made.mean(0) - [2, -1]).max() < 1.0
