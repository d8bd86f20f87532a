"""Models whose forward asks for gradients: forces of an energy, residuals of equations, the slope of a critic.

PYTHON_WITH_PADDLE derivatives.py makes `fixtures/derivatives/` with PaddlePaddle 2.6.2.
"""

from pathlib import Path

import numpy as np

FIXTURES = Path(__file__).parent / "fixtures" / "derivatives"
#: PaddlePaddle prunes what its gradients of `unsqueeze` and `flatten` read: it runs the layer, and not its file.
NOT_RUN_THERE = ("Distances", "Critic", "Sounds")
#: Its recurrent layers keep what their gradients read in training alone.
NOT_MADE_THERE = ("Series",)


def networks(paddle):
    """The classes by name, and the shapes of their inputs."""
    nn = paddle.nn

    class Forces(nn.Layer):
        """An energy and minus its slope."""

        shape = [-1, 3]

        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 1)

        def forward(self, x):
            x.stop_gradient = False
            energy = self.b(paddle.tanh(self.a(x))).sum()
            return energy, -paddle.grad(energy, x)[0]

    class Residual(nn.Layer):
        """Derivatives of the second order."""

        shape = [-1, 2]

        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Linear(2, 4), nn.Linear(4, 4), nn.Linear(4, 1)

        def forward(self, x):
            x.stop_gradient = False
            u = self.a(x)
            u = self.c(paddle.nn.functional.sigmoid(self.b(paddle.tanh(u) + paddle.sin(u) * u)))
            slope = paddle.grad(u, x, create_graph=True)[0]
            return u, slope, paddle.grad(slope, x, create_graph=True)[0]

    class Critic(nn.Layer):
        """A convolution whose slope is held near 1."""

        shape = [-1, 1, 4, 4]

        def __init__(self):
            super().__init__()
            self.a, self.n, self.b = nn.Conv2D(1, 2, 3, padding=1), nn.BatchNorm2D(2), nn.Linear(8, 1)

        def forward(self, x):
            x.stop_gradient = False
            image = paddle.nn.functional.interpolate(paddle.nn.functional.pad(x, [1, 0, 0, 1]), [4, 4], mode="bilinear")
            pooled = paddle.nn.functional.max_pool2d(paddle.nn.functional.relu(self.n(self.a(image))), 2)
            score = self.b(pooled.flatten(1)).sum()
            slope = paddle.grad([score], [x])[0]
            return score, slope, (slope * slope).sum()

    class Distances(nn.Layer):
        """An energy of pairs, and many kinds of operators."""

        shape = [4, 3]

        def __init__(self):
            super().__init__()
            self.w = nn.Linear(3, 3)

        def forward(self, x):
            x.stop_gradient = False
            apart = x.unsqueeze(0) - x.unsqueeze(1)
            energy = paddle.exp(-(apart * apart).sum(-1) - 0.1).mean() + paddle.logsumexp(x)
            chances = paddle.nn.functional.softmax(self.w(x), -1)
            energy = energy + (chances * paddle.nn.functional.gelu(x)).sum() + paddle.nn.functional.relu6(x).sum()
            energy = energy + paddle.concat([x[:, :1], x[:, 1:] * 2], 1).prod() + paddle.matmul(x, x, False, True).sum()
            energy = energy + paddle.where(x > 0, x, x * 0.1).max() + paddle.nn.functional.leaky_relu(x).mean()
            return energy, paddle.grad(energy, x)[0]

    class Pictures(nn.Layer):
        """Positions: of maxima, of samples, of boxes."""

        shape = [2, 2, 6, 6]

        def __init__(self):
            super().__init__()
            self.n = nn.InstanceNorm2D(2)

        def forward(self, x):
            x.stop_gradient = False
            functional, there = paddle.nn.functional, paddle.vision.ops
            pooled, places = functional.max_pool2d(self.n(x), 2, return_mask=True)
            found = functional.max_unpool2d(pooled * pooled, places, 2)
            found = found + functional.grid_sample(x, paddle.tanh(x).transpose([0, 2, 3, 1]))
            found = found + functional.grid_sample(x, functional.affine_grid(x[:, :, 0, :3], [2, 2, 6, 6]))
            found = functional.temporal_shift(found, 2, 0.25) * x
            boxes = paddle.to_tensor([[0.0, 1.0, 4.0, 5.0], [1.0, 0.0, 5.0, 5.0]]).astype(x.dtype)
            counts = paddle.to_tensor([1, 1]).astype("int32")
            chosen = there.roi_align(x, boxes, counts, 2)
            if x.dtype == paddle.float32:  # PaddlePaddle has it for these alone
                chosen = chosen * there.roi_pool(found, boxes, counts, 2)
            energy = (found * found).sum() + chosen.sum() + functional.adaptive_max_pool2d(found, 4).sum()
            return energy, paddle.grad(energy, x)[0]

    class Choices(nn.Layer):
        """Elements by their order, products and sums of those before, alignments."""

        shape = [4, 4]

        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 4)

        def forward(self, x):
            x.stop_gradient = False
            h = self.a(x)
            energy = paddle.cumprod(h, 1).sum() + paddle.logcumsumexp(h, 0).sum()
            energy = energy + (paddle.kthvalue(h, 2)[0] * paddle.mode(x, 0)[0]).sum() + paddle.dist(x, h * h)
            energy = energy + (paddle.nn.functional.rrelu(x, 0.125, 0.375, training=False) ** 2).sum()
            rows = paddle.multiplex([x, h * x], paddle.to_tensor([[0], [1], [0], [1]]).astype("int32"))
            steps = [paddle.to_tensor([n]).astype("int64") for n in (4, 2)]
            labels = paddle.to_tensor([[1, 2]]).astype("int32")
            energy = energy + paddle.nn.functional.ctc_loss(rows.unsqueeze(1), labels, *steps, reduction="sum")
            return energy, paddle.grad(energy, x)[0]

    class Spectra(nn.Layer):
        """Of matrices and of signals."""

        shape = [4, 4]

        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 4)

        def forward(self, x):
            x.stop_gradient = False
            matrix = self.a(x) + x * x
            both = matrix + matrix.t()
            energy = (paddle.linalg.eigvalsh(both) ** 3).sum() + paddle.linalg.svd(matrix)[1].sum()
            energy = energy + (paddle.linalg.eigh(both)[1][:, 0] ** 2 * x[0]).sum()
            energy = energy + paddle.fft.rfft(matrix).abs().sum() + paddle.fft.rfft2(x[:, 1:]).abs().sum()
            energy = energy + (paddle.fft.irfft(paddle.complex(x, x * x)) ** 2).sum()
            return energy, paddle.grad(energy, x)[0]

    class Sounds(nn.Layer):
        """Of frames of a signal that is continued at its ends."""

        shape = [2, 32]

        def __init__(self):
            super().__init__()
            self.a = nn.Linear(32, 32)

        def forward(self, x):
            x.stop_gradient = False
            energy = (paddle.signal.stft(self.a(x), 8, 4).abs() ** 3).sum()
            return energy, paddle.grad(energy, x)[0]

    class Volumes(nn.Layer):
        """A determinant among other terms: PaddlePaddle declares another shape for its gradient."""

        shape = [3, 3]

        def __init__(self):
            super().__init__()
            self.a = nn.Linear(3, 3)

        def forward(self, x):
            x.stop_gradient = False
            energy = paddle.cumprod(self.a(x), 1).sum() + paddle.linalg.det(x + self.a(x))
            return energy, paddle.grad(energy, x)[0]

    class Series(nn.Layer):
        """Recurrent layers: several, in both directions, of sequences of several lengths."""

        shape = [3, 4, 3]

        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.LSTM(3, 2, 2, direction="bidirect"), nn.GRU(4, 3), nn.SimpleRNN(3, 2)

        def forward(self, x):
            x.stop_gradient = False
            lengths = paddle.to_tensor([4, 2, 3]).astype("int32")
            both, (h, _) = self.a(x)
            rows, last = self.b(both, sequence_length=lengths)
            energy = (rows ** 2).sum() + (last * last * last).sum() + (h * h).sum() + self.c(x)[0].sum()
            return energy, paddle.grad(energy, x)[0]

    return {each.__name__: each for each in (
        Forces, Residual, Critic, Distances, Pictures, Choices, Spectra, Sounds, Volumes, Series)}


def build(paddle, name, dtype="float32"):
    """A model with weights that both packages know, in evaluation mode."""
    before = paddle.get_default_dtype()
    paddle.set_default_dtype(dtype)
    try:
        net = networks(paddle)[name]()
    finally:
        paddle.set_default_dtype(before)
    for key, value in net.state_dict().items():
        spread = np.linspace(0.2, 1.0, int(np.prod(value.shape))).reshape(value.shape)
        value.set_value((spread - (0.6 if "weight" in key and len(value.shape) > 1 else 0.0)).astype(dtype))
    net.eval()
    return net


def example(name, dtype, shape):
    """An input."""
    sizes = [3 if size == -1 else size for size in shape]
    return np.random.default_rng(len(name)).uniform(-1, 1, sizes).astype(dtype)


def save(paddle, net, prefix, dtype):
    """jit.save, for any number of samples where the model takes that."""
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec(net.shape, dtype)])


def main():
    """Makes the files."""
    import oracle_make
    import paddle

    FIXTURES.mkdir(exist_ok=True)
    kept = {}
    for name in networks(paddle).keys() - set(NOT_MADE_THERE):
        for dtype in ("float32", "float64"):
            net, prefix = build(paddle, name, dtype), str(FIXTURES / f"{name}_{dtype}")
            results = net(paddle.to_tensor(example(name, dtype, net.shape)))
            kept.update({f"{name}_{dtype}.{n}": each.numpy() for n, each in enumerate(results)})
            save(paddle, net, prefix, dtype)
            oracle_make.strip(prefix)
            Path(prefix + ".pdiparams.info").unlink()
    np.savez_compressed(FIXTURES / "outputs.npz", **kept)


if __name__ == "__main__":
    main()
