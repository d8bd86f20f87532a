"""A program of a stranger's, who has installed proa and has no checkout: `python program.py FOLDER`."""

import os
import sys

import numpy as np
import proa as paddle
from proa.static import InputSpec


class Gate(paddle.nn.Layer):
    """A network with a branch and a loop that tensors decide."""

    def __init__(self):
        super().__init__()
        self.layers = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 4))

    @paddle.jit.to_static(input_spec=[InputSpec([None, 8], "float32")])
    def forward(self, x):
        y = self.layers(x)
        if y.mean() > 0:
            y = y * 2
        else:
            y = -y
        rounds = paddle.zeros([1], "int32")
        while rounds < 3:
            y = y + 1
            rounds = rounds + 1
        return y


def main(folder):
    assert os.path.dirname(os.path.abspath(paddle.__file__)) not in os.getcwd()
    paddle.seed(7)
    net, rng = Gate(), np.random.default_rng(0)
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    images, labels = paddle.to_tensor(rng.random((64, 8), np.float32)), paddle.to_tensor(rng.integers(0, 4, 64))
    losses = []
    for _ in range(40):
        loss = paddle.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0], losses
    path = os.path.join(folder, "gate")
    paddle.jit.save(net, path)
    loaded = paddle.jit.load(path)
    for sign in (1, -1):
        np.testing.assert_allclose(loaded(sign * images).numpy(), net(sign * images).numpy(), rtol=1e-5, atol=1e-6)
    paddle.save(net.state_dict(), path + ".pdparams")
    net.set_state_dict(paddle.load(path + ".pdparams"))
    print(f"trained from {losses[0]:.3f} to {losses[-1]:.3f}; saved and loaded equal, with {paddle.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
