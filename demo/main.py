"""The demo's steps: train, save and resume, export, reload elsewhere, fine-tune, save again, draw."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from .. import jit, optimizer, seed, static
from ..framework.io import load, save
from .digits import split
from .picture import draw
from .training import LeNet, accuracy, predict, train

_RELOAD = """
import sys, numpy, proa as paddle
prefix, images, scores = sys.argv[1:]
layer = paddle.jit.load(prefix)
layer.eval()
numpy.save(scores, layer(paddle.to_tensor(numpy.load(images))).numpy())
"""


def main(output: str, epochs: int, seed_value: int) -> int:
    """Runs the demo into the folder `output`; 0 when everything held that should."""
    begin = time.perf_counter()
    os.makedirs(output, exist_ok=True)
    np.random.seed(seed_value)
    seed(seed_value)
    train_digits, held_out = split()
    layer = LeNet()
    first, resumed = _train_and_resume(layer, output, train_digits, epochs)
    reached = accuracy(layer, held_out)
    print(f"held-out accuracy after eager training: {reached:.1%}")

    prefix = os.path.join(output, "lenet")
    jit.save(layer, prefix, input_spec=[static.InputSpec([None, 1, 28, 28], "float32", "images")])
    scores = predict(layer, held_out.images)
    difference = _reloaded_difference(output, prefix, held_out.images, scores)
    print(f"exported to {prefix}.pdmodel; a new process predicts the same (largest difference {difference:.1e})")

    loaded = jit.load(prefix)
    inverted, inverted_held_out = split(inverted=True)
    before = accuracy(loaded, inverted_held_out)
    adam = optimizer.Adam(0.002, parameters=loaded.parameters())
    tuned = train(loaded, adam, inverted, epochs, "loaded layer, inverted")
    after = accuracy(loaded, inverted_held_out)
    print(f"inverted digits: {before:.1%} before fine-tuning the loaded layer, {after:.1%} after")
    tuned_prefix = os.path.join(output, "lenet-inverted")
    jit.save(loaded, tuned_prefix)
    inverted_scores = predict(jit.load(tuned_prefix), inverted_held_out.images)

    picture = os.path.join(output, "digits.png")
    draw(picture, {"LeNet, eager": first + resumed, "loaded layer, inverted digits": tuned},
         [("held-out digits, the eager layer's reading (misread ones last)", held_out, scores),
          ("inverted held-out digits, the fine-tuned layer's reading", inverted_held_out, inverted_scores)])
    print(f"picture: {picture}   files: {', '.join(sorted(os.listdir(output)))}")
    print(f"done in {time.perf_counter() - begin:.0f} s")
    return 0 if reached >= 0.95 and after >= 0.95 and difference < 1e-5 else 1


def _train_and_resume(layer: LeNet, output: str, digits: Any, epochs: int) -> tuple[list[float], list[float]]:
    """Trains half the epochs, saves the state, goes on from the files with a new layer's worth of values."""
    adam = optimizer.Adam(0.002, parameters=layer.parameters())
    first = train(layer, adam, digits, epochs - epochs // 2, "LeNet, eager")
    state, moments = os.path.join(output, "lenet.pdparams"), os.path.join(output, "lenet.pdopt")
    save(layer.state_dict(), state)
    save(adam.state_dict(), moments)
    for parameter in layer.parameters():  # forget everything, so that resuming means something
        parameter.set_value(np.zeros(parameter.shape, "float32"))
    layer.set_state_dict(load(state))
    adam = optimizer.Adam(0.002, parameters=layer.parameters())
    adam.set_state_dict(load(moments))
    return first, train(layer, adam, digits, epochs // 2, "LeNet, resumed from files")


def _reloaded_difference(output: str, prefix: str, images: np.ndarray, scores: np.ndarray) -> float:
    """The largest difference between scores here and those of a new process that loads the export."""
    inputs, results = os.path.join(output, "images.npy"), os.path.join(output, "scores.npy")
    np.save(inputs, images)
    subprocess.run([sys.executable, "-c", _RELOAD, prefix, inputs, results], check=True)
    difference = float(np.abs(np.load(results) - scores).max())
    os.remove(inputs)
    os.remove(results)
    return difference
