"""Text, letter by letter: a small Transformer learns to write like Python's own manual, and writes some.

    python examples/text.py --steps 700

The text is the manual's chapters on statements and expressions, which every Python carries for `help("if")`
(`pydoc_data.topics`). One tenth of it is held out. Needs matplotlib for the picture.
"""

import argparse
import re
import textwrap

import numpy as np
import proa as paddle
from matplotlib import pyplot
from proa import nn
from proa.nn import functional as F

CONTEXT = 64


def manual():
    """The chapters as one text of plain characters."""
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in sorted(topics))
    return re.sub(r"[^\n -~]", "", re.sub(r"\*{3,}|={3,}", "***", text))


class Attention(nn.Layer):
    """Each letter looks at those before it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        parts = self.inward(x).reshape([0, 0, 3, self.heads, -1])
        q, k, v = parts[:, :, 0], parts[:, :, 1], parts[:, :, 2]
        return self.outward(F.scaled_dot_product_attention(q, k, v, is_causal=True).flatten(2))


class Block(nn.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.inner = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.inner(self.between(x))


class Writer(nn.Layer):
    """Letters [N, T] to the scores of the letter that comes next, [N, T, letters]."""

    def __init__(self, letters, width=128, depth=3, heads=4):
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.last, self.scores = nn.LayerNorm(width), nn.Linear(width, letters)

    def forward(self, x):
        h = self.letters(x) + self.places(paddle.arange(x.shape[1]))
        return self.scores(self.last(self.blocks(h)))


def batches(letters, random, size=32):
    """Pieces of the text, and the same a letter on."""
    while True:
        starts = random.randint(0, len(letters) - CONTEXT - 1, size)
        pieces = np.stack([letters[s:s + CONTEXT + 1] for s in starts])
        yield paddle.to_tensor(pieces[:, :-1]), paddle.to_tensor(pieces[:, 1:])


def write(net, start, alphabet, length, random, warmth=0.7):
    """Goes on from `start`, a letter at a time."""
    found = [alphabet.index(letter) for letter in start]
    with paddle.no_grad():
        for _ in range(length):
            scores = net(paddle.to_tensor([found[-CONTEXT:]]))[0, -1].numpy() / warmth
            shares = np.exp(scores - scores.max())
            found.append(random.choice(len(alphabet), p=shares / shares.sum()))
    return "".join(alphabet[n] for n in found)


def draw(path, losses, held_out, sample):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 3.6), layout="constrained", width_ratios=[1, 1.4])
    left.plot(losses, alpha=0.4, label="training")
    left.plot(*zip(*held_out, strict=True), "o-", color="crimson", markersize=3, label="held out")
    left.set(xlabel="step", ylabel="nats a letter", title="Loss")
    left.legend()
    wrapped = "\n".join(textwrap.fill(line, 78, drop_whitespace=False) for line in sample.split("\n"))
    right.text(0, 1, wrapped, family="monospace", fontsize=8, va="top", parse_math=False)
    right.set_axis_off()
    figure.savefig(path, dpi=80)


def main(steps, picture):
    paddle.seed(0)
    random = np.random.RandomState(0)
    text = manual()
    alphabet = sorted(set(text))
    letters = np.array([alphabet.index(c) for c in text], "int64")
    cut = len(letters) * 9 // 10
    net = Writer(len(alphabet))
    converted = paddle.jit.to_static(Writer.forward.__get__(net))
    rate = paddle.optimizer.lr.CosineAnnealingDecay(3e-3, T_max=steps)
    adam = paddle.optimizer.AdamW(rate, parameters=net.parameters(), weight_decay=0.01,
                                  grad_clip=nn.ClipGradByGlobalNorm(1.0))

    def held_out_loss():
        source = batches(letters[cut:], np.random.RandomState(1), size=64)
        with paddle.no_grad():
            return float(np.mean([float(F.cross_entropy(converted(x), y)) for x, y in (next(source) for _ in "1234")]))

    losses, held_out = [], []
    for step, (x, y) in zip(range(steps), batches(letters[:cut], random), strict=False):
        loss = F.cross_entropy(converted(x), y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        losses.append(float(loss))
        if step % 100 == 99 or step == steps - 1:
            held_out.append((step + 1, held_out_loss()))
            print(f"step {step + 1}: {losses[-1]:.3f}, held out {held_out[-1][1]:.3f} nats a letter")
    sample = write(net, "The ", alphabet, 400, random)
    print(sample)
    draw(picture, losses, held_out, sample)
    return held_out[-1][1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--picture", default="text.png")
    main(**vars(parser.parse_args()))
