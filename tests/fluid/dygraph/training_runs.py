"""Short training runs of dynamic mode for PaddlePaddle 1.8.5 and for proa: the same losses from the same values.

Runs under Python 3.7 too.
"""

import numpy as np

STEPS = 20


def values(seed, *shape, **kw):
    return np.random.RandomState(seed).uniform(kw.get("low", -1), kw.get("high", 1), shape).astype("float32")


def digits(fluid):
    """A network of convolutions on images of digits, by Momentum with a decaying rate."""
    D, L = fluid.dygraph, fluid.layers

    class Digits(D.Layer):
        def __init__(self):
            super().__init__()
            self.first = D.Conv2D(1, 4, 5, padding=2, act="relu")
            self.pool = D.Pool2D(2, "max", 2)
            self.norm = D.BatchNorm(4)
            self.second = D.Conv2D(4, 6, 3, act="relu")
            self.out = D.Linear(6 * 3 * 3, 5, act="softmax")

        def forward(self, x):
            x = self.norm(self.pool(self.first(x)))
            x = self.pool(self.second(x))
            return self.out(L.reshape(x, [x.shape[0], -1]))

    images, labels = values(1, 8, 1, 16, 16), np.arange(8).reshape([8, 1]) % 5

    def loss(net, step):
        at = np.random.RandomState(step).permutation(8)
        predicted = net(D.to_variable(images[at]))
        label = D.to_variable(labels[at].astype("int64"))
        cost = L.cross_entropy(predicted, label)
        return L.mean(cost)

    def optimizer(parameters):
        rate = D.PiecewiseDecay([5, 12], [0.1, 0.05, 0.02], begin=0)
        return fluid.optimizer.Momentum(rate, 0.9, parameter_list=parameters,
                                        regularization=fluid.regularizer.L2Decay(1e-3))

    return Digits(), loss, optimizer


def words(fluid):
    """An embedding and a GRUUnit over sequences of words, by Adam with clipped gradients."""
    D, L = fluid.dygraph, fluid.layers

    class Words(D.Layer):
        def __init__(self):
            super().__init__("words")
            self.table = D.Embedding([11, 6])
            self.inner = D.Linear(6, 12, bias_attr=False)
            self.step = D.GRUUnit(12)
            self.out = D.Linear(4, 11)

        def forward(self, ids):
            rows = self.inner(self.table(ids))
            hidden = D.to_variable(np.zeros([ids.shape[0], 4], "float32"))
            found = []
            for t in range(ids.shape[1]):
                row = L.squeeze(L.slice(rows, [1], [t], [t + 1]), [1])
                hidden, _, _ = self.step(row, hidden)
                found.append(hidden)
            return self.out(L.stack(found, axis=1))

    text = np.random.RandomState(3).randint(0, 11, [6, 7]).astype("int64")

    def loss(net, step):
        logits = L.reshape(net(D.to_variable(text[:, :-1])), [-1, 11])
        label = D.to_variable(text[:, 1:].reshape([-1, 1]))
        return L.mean(L.softmax_with_cross_entropy(logits, label))

    def optimizer(parameters):
        return fluid.optimizer.Adam(D.NoamDecay(16, 4, learning_rate=1.0), parameter_list=parameters,
                                    grad_clip=fluid.clip.GradientClipByGlobalNorm(0.5))

    return Words(), loss, optimizer


CASES = {"digits": digits, "words": words}


def begin(net):
    """Gives the parameters values of their own."""
    for number, (name, parameter) in enumerate(sorted(net.state_dict().items())):
        low = 0.5 if "variance" in name else -0.4
        parameter.set_value(values(70 + number, *parameter.shape, low=low, high=low + 0.8))


def run(fluid, name, steps=STEPS, prefix=None):
    """The losses of a run, and the state at its end; written as files where there is a prefix."""
    with fluid.dygraph.guard():
        net, loss_of, make = CASES[name](fluid)
        begin(net)
        optimizer = make(net.parameters())
        losses = []
        for step in range(steps):
            loss = loss_of(net, step)
            loss.backward()
            optimizer.minimize(loss)
            net.clear_gradients()
            losses.append(float(loss.numpy()[0]))
        if prefix is not None:
            fluid.save_dygraph(net.state_dict(), prefix)
            fluid.save_dygraph(optimizer.state_dict(), prefix)
        state = {key: value.numpy() for key, value in net.state_dict().items()}
        kept = sorted(optimizer.state_dict())
    return losses, state, kept


def go_on(fluid, name, prefix, steps):
    """The losses of a run that goes on with what files hold."""
    with fluid.dygraph.guard():
        net, loss_of, make = CASES[name](fluid)
        parameters, kept = fluid.load_dygraph(prefix)
        net.set_dict(parameters)
        optimizer = make(net.parameters())
        optimizer.set_dict(kept)
        losses = []
        for step in range(steps):
            loss = loss_of(net, 100 + step)
            loss.backward()
            optimizer.minimize(loss)
            net.clear_gradients()
            losses.append(float(loss.numpy()[0]))
    return losses


def traced(fluid, folder):
    """What a network gives for images, which is saved as it was traced."""
    with fluid.dygraph.guard():
        net, _, _ = CASES["digits"](fluid)
        begin(net)
        net.eval()
        images = fluid.dygraph.to_variable(values(1, 8, 1, 16, 16))
        out, program = fluid.dygraph.TracedLayer.trace(net, [images])
        program.save_inference_model(folder)
        return out.numpy()


def run_traced(fluid, folder):
    """What the saved network gives for the same images."""
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        return exe.run(program, feed={feeds[0]: values(1, 8, 1, 16, 16)}, fetch_list=fetches)[0]
