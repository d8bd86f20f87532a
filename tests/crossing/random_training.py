"""Random Programs that are trained, for PaddlePaddle and proa alike, each decided by its number.

`PYTHON random_training.py FOLDER FIRST COUNT` runs some with PaddlePaddle; `found.npz` in the folder holds what each
gave. What differs by intention (docs/differences.md) is not generated.
"""

import random
import sys
from pathlib import Path

import numpy as np

F32 = "float32"
ROWS, COLUMNS = 4, 6


class Generator:
    """Builds one Program; every choice is drawn from `self.draw`."""

    def __init__(self, p, number):
        self.p, self.draw, self.values = p, random.Random(number), np.random.RandomState(number)
        self.layers = 0
        self.branched = False  # a value has come out of control flow
        self.normed = False  # gradients of what stands before a batch norm are 0 but for rounding, which Adam blows up

    def name(self):
        self.layers += 1
        return f"l{self.layers}"

    def attr(self, name, shape, trainable=True):
        """An attr whose parameter begins with numbers of its own."""
        p, draw = self.p, self.draw
        filled = p.nn.initializer.Assign((self.values.rand(*shape) - 0.5).astype(F32))
        regularizer = draw.choice([None, None, None, p.regularizer.L2Decay(0.05), p.regularizer.L1Decay(0.02)])
        return p.ParamAttr(name=name, initializer=filled, regularizer=regularizer,
                           learning_rate=draw.choice([1.0, 1.0, 0.5]), need_clip=draw.random() > 0.1,
                           trainable=trainable)

    def fc(self, x, size=None):
        size, name = size or self.draw.choice([2, 3, 5]), self.name()
        activation = self.draw.choice([None, "relu", "tanh", "sigmoid"])
        bias = self.attr(f"{name}.b", (size,)) if self.draw.random() > 0.2 else False
        return self.p.static.nn.fc(x, size, bias_attr=bias, activation=activation, weight_attr=self.attr(
            f"{name}.w", (x.shape[1], size), trainable=self.draw.random() > 0.1))

    def batch_norm(self, x):
        name, size, self.normed = self.name(), x.shape[1], True
        return self.p.static.nn.batch_norm(
            x, epsilon=0.001, param_attr=self.attr(f"{name}.w", (size,)), bias_attr=self.attr(f"{name}.b", (size,)),
            moving_mean_name=f"{name}.mean", moving_variance_name=f"{name}.var")

    def layer_norm(self, x):
        name, size = self.name(), x.shape[1]
        return self.p.static.nn.layer_norm(x, param_attr=self.attr(f"{name}.w", (size,)),
                                           bias_attr=self.attr(f"{name}.b", (size,)))

    def scaled(self, x):
        w = self.p.create_parameter([x.shape[1]], F32, attr=self.attr(f"{self.name()}.s", (x.shape[1],)))
        return self.draw.choice([lambda: x * w, lambda: x + w, lambda: x / (1.0 + w * w), lambda: w * w * x])()

    def plain(self, x):
        p = self.p
        return self.draw.choice([
            lambda: p.tanh(x), lambda: p.nn.functional.relu(x) + 0.1 * x, lambda: p.nn.functional.softmax(x),
            lambda: x * x - x, lambda: p.concat([x, p.exp(-x * x)], 1), lambda: x - p.mean(x, 1, keepdim=True),
            lambda: p.reshape(p.transpose(x, [1, 0]), [ROWS, -1]), lambda: p.clip(x, -0.4, 0.4),
            lambda: x + p.max(x, 1, keepdim=True), lambda: p.nn.functional.leaky_relu(x),
            lambda: p.sqrt(p.abs(x) + 0.1), lambda: p.cumsum(x, 1), lambda: p.matmul(x, x, transpose_y=True),
            lambda: p.stack([x, -x]).sum(0) + x, lambda: p.split(p.concat([x, x * 2.0], 1), 2, 1)[1],
            lambda: p.where(x > 0, x, x * 0.5), lambda: p.flip(x, [1]) * x, lambda: p.log(1.0 + x * x)])()

    def stopped(self, x):
        y = self.plain(x) * 1.0
        y.stop_gradient = True
        return x + y.sum(1, keepdim=True) * 0.1

    def branch(self, x, size):
        """What a branch gives: layers within, or none."""
        kind = self.draw.randrange(3)
        if kind == 0:
            return self.fc(x, size)
        if kind == 1:
            return self.p.matmul(x, self.p.ones([x.shape[1], size])) * 0.3
        return self.fc(self.fc(x), size)

    def cond(self, x):
        self.branched, size = True, self.draw.choice([2, 4])
        return self.p.static.nn.cond(x.sum() > self.draw.uniform(-1, 1), lambda: self.branch(x, size),
                                     lambda: self.branch(x, size))

    def switch(self, x):
        self.branched, size = True, 3
        index = self.p.cast(self.p.clip(x.sum() + 1.5, 0.0, 4.0), "int64")
        functions = [lambda: self.branch(x, size) for _ in range(3)]
        if self.draw.random() > 0.5:
            return self.p.static.nn.switch_case(index, functions[:2], functions[2])
        return self.p.static.nn.switch_case(index, dict(zip(self.draw.sample(range(4), 3), functions)))

    def case(self, x):
        self.branched, size, total = True, 2, x.sum()
        return self.p.static.nn.case([(total < -0.5, lambda: self.branch(x, size)),
                                      (total < 0.5, lambda: self.branch(x, size))], lambda: self.branch(x, size))

    def loop(self, x):
        self.branched, p = True, self.p
        name, size = self.name(), x.shape[1]
        w = p.create_parameter([size, size], F32, attr=self.attr(f"{name}.w", (size, size)))
        h, i, rounds = x * 1.0, p.full([1], 0, "int64"), self.draw.choice([1, 2, 3])
        h.stop_gradient = False
        step = self.draw.choice([lambda h: p.tanh(p.matmul(h, w)), lambda h: h * 0.5 + p.matmul(h, w) * 0.3])
        return p.static.nn.while_loop(lambda i, h: i < rounds, lambda i, h: [i + 1, step(h)], [i, h])[1]

    def trunk(self, x, depth):
        kinds = [self.fc, self.fc, self.plain, self.plain, self.plain, self.scaled, self.batch_norm, self.layer_norm,
                 self.stopped]
        for _ in range(depth):
            ways = [*kinds, *([] if self.branched else [self.cond, self.switch, self.case, self.loop])]
            x = self.draw.choice(ways)(x)
        return x

    def loss(self, x):
        p = self.p
        return self.draw.choice([lambda: (x * x).mean(), lambda: p.abs(x - 0.3).mean(),
                                 lambda: p.nn.functional.softplus(x).mean(), lambda: p.tanh(x).sum(),
                                 lambda: ((x - 1.0) ** 2).sum() * 0.1])()

    def optimizer(self):
        p, draw = self.p, self.draw
        clip = draw.choice([None, None, p.nn.ClipGradByGlobalNorm(0.3), p.nn.ClipGradByNorm(0.2),
                            p.nn.ClipGradByValue(0.05)])
        decay = draw.choice([None, None, p.regularizer.L2Decay(0.1), p.regularizer.L1Decay(0.03), 0.05])
        kind = draw.choice(["SGD", "SGD", "Momentum", "Nesterov"] if self.normed else [
            "SGD", "Momentum", "Nesterov", "Adam", "AdamW", "RMSProp", "Adagrad", "Adamax", "Adadelta", "Lamb"])
        common = {"grad_clip": clip}
        if kind == "AdamW":
            return p.optimizer.AdamW(0.05, weight_decay=draw.choice([0.01, 0.2]), **common)
        if kind == "Lamb":
            return p.optimizer.Lamb(0.02, lamb_weight_decay=0.05, **common)
        if kind == "Nesterov":
            return p.optimizer.Momentum(0.05, 0.8, use_nesterov=True, weight_decay=decay, **common)
        rate = {"SGD": 0.1, "Momentum": 0.05, "Adam": 0.02, "RMSProp": 0.01, "Adagrad": 0.05, "Adamax": 0.02,
                "Adadelta": 0.5}[kind]
        return getattr(p.optimizer, kind)(rate, weight_decay=decay, **common)

    def minimize(self, loss, names):
        """One of the ways to train."""
        optimizer, some = self.optimizer(), None
        if self.draw.random() < 0.3 and len(names) > 2:
            some = self.draw.sample(names, len(names) - 1)
        way = self.draw.randrange(3)
        if way == 0:
            optimizer.minimize(loss, parameters=some)
        elif way == 1:
            optimizer.apply_gradients(optimizer.backward(loss, parameters=some))
        else:
            optimizer.apply_gradients(self.p.static.append_backward(loss, parameter_list=some))

    def average(self, names):
        """A running mean of a parameter."""
        p, main = self.p, self.p.static.default_main_program()
        w = main.global_block().var(self.draw.choice(names))
        mean = p.static.create_global_var(list(w.shape), 0.0, F32, persistable=True, name=f"mean.{w.name}")
        p.assign(mean * 0.9 + w * 0.1, mean)
        return mean


def trained(p, number):
    """What four runs of a Program fetch: losses, gradients, parameters and other values that are kept."""
    static, feeds = p.static, np.random.RandomState(number + 1)
    main, startup = static.Program(), static.Program()
    with p.utils.unique_name.guard(), static.scope_guard(static.Scope()), static.program_guard(main, startup):
        g = Generator(p, number)
        x = static.data("x", [ROWS, COLUMNS], F32)
        x.stop_gradient = g.draw.random() > 0.3
        h = g.trunk(g.fc(x), g.draw.randrange(1, 5))
        h = g.scaled(h)
        losses, fetched, passes = [g.loss(g.trunk(h, g.draw.randrange(0, 2)))], [], 1
        if not g.branched and g.draw.random() < 0.5:
            losses.append(g.loss(g.fc(h)))
            passes = 2
        names = [q.name for q in main.all_parameters() if q.trainable]
        test = main.clone(for_test=True)
        if g.draw.random() < 0.3:
            fetched.append(g.average(names))
        for loss in losses[:passes]:
            g.minimize(loss, names)
        fetched += [f"{v.name}@GRAD" for v in (x, h) if not v.stop_gradient]
        if g.draw.random() < 0.3:
            w = main.global_block().var(g.draw.choice(names))
            p.assign(p.clip(w, -0.3, 0.3), w)
        exe = static.Executor(p.CPUPlace())
        exe.run(startup)
        found = []
        for _ in range(4):
            feed = {"x": (feeds.rand(ROWS, COLUMNS) * 2 - 1).astype(F32)}
            found += [np.asarray(v) for v in exe.run(main, feed=feed, fetch_list=[*losses, *fetched])]
        found += [np.asarray(v) for v in exe.run(test, feed=feed, fetch_list=[losses[0].name, h.name])]
        parameters = [q.name for q in main.all_parameters()]
        found += [np.array(static.global_scope().find_var(name).get_tensor()) for name in sorted(parameters)]
    return found


def answers(p, first, count):
    """What the Programs of these numbers give, by number and place; an error by its text."""
    found = {}
    for number in range(first, first + count):
        try:
            found.update((f"{number} {place}", array) for place, array in enumerate(trained(p, number)))
        except Exception as error:
            found[f"{number} error"] = np.array(f"{type(error).__name__}: {str(error)[-300:]}")
    return found


if __name__ == "__main__":
    import bz2  # noqa: F401 - before paddle, as the next three, or some of its builds crash
    import gzip  # noqa: F401
    import lzma  # noqa: F401
    import zlib  # noqa: F401

    import paddle as real

    real.enable_static()
    np.savez(Path(sys.argv[1]) / "found.npz", **answers(real, int(sys.argv[2]), int(sys.argv[3])))
