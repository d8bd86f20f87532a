"""The scripts of OneFlow's guide to snapshots under `python -m proa run`: as written there, and in our own words.

The text is its authors' and is not part of this repository: it is read where it lies beside the checkout.
"""

import glob
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from digits import write_digits

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXTS = glob.glob(os.path.join(os.path.dirname(ROOT), "shared", "seeds", "003_*.txt"))
WARNINGS = [f"WARNING! CANNOT find variable path in : ./mlp_models_1/dense3-{part}/out. It will be initialized. "
            for part in ("bias", "weight")]

OURS = '''
import oneflow as flow
import oneflow.typing as tp

SIZE = 100
MORE = {more}


@flow.global_function(type="train")
def train_job(images: tp.Numpy.Placeholder((SIZE, 1, 28, 28), dtype=flow.float),
              labels: tp.Numpy.Placeholder((SIZE,), dtype=flow.int32)) -> tp.Numpy:
    with flow.scope.placement("cpu", "0:0"):
        begin = flow.truncated_normal(0.1)
        x = flow.reshape(images, [images.shape[0], -1])
        x = flow.layers.dense(x, 512, activation=flow.nn.relu, kernel_initializer=begin, name="dense1")
        x = flow.layers.dense(x, 10, kernel_initializer=begin, name="dense2")
        if MORE:
            x = flow.layers.dense(x, 10, kernel_initializer=begin, name="dense3")
        loss = flow.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
    flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1]), momentum=0).minimize(loss)
    return loss


if __name__ == "__main__":
    check_point = flow.train.CheckPoint()
    if MORE:
        check_point.load("./mlp_models_1")
    else:
        check_point.init()
    training, _ = flow.data.load_mnist(SIZE, SIZE)
    for n, (images, labels) in enumerate(zip(*training)):
        loss = train_job(images, labels)
        if n % 20 == 0:
            print(loss.mean())
    check_point.save("./mlp_ext_models_1" if MORE else "./mlp_models_1")
'''


def scripts(whose):
    """The script that trains and saves, and the one that goes on with a layer more."""
    if whose == "ours":
        return [OURS.replace("{more}", more) for more in ("False", "True")]
    with open(TEXTS[0], encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    return [next(block for block in blocks if block.startswith(f"# mlp_mnist_{name}.py"))
            for name in ("origin", "finetune")]


def run(folder, name, script):
    (folder / name).write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "proa", "run", name], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


def tree(folder):
    return {os.path.relpath(os.path.join(path, name), folder) for path, folders, files in os.walk(folder)
            for name in [*folders, *files]}


@pytest.mark.parametrize("whose", ["ours", pytest.param("theirs", marks=pytest.mark.skipif(
    not TEXTS, reason="the guide's text is not beside this checkout"))])
def test_a_network_is_trained_saved_extended_and_trained_on(whose, tmp_path):
    write_digits(tmp_path)
    origin, finetune = scripts(whose)
    losses = [float(line) for line in run(tmp_path, "mlp_mnist_origin.py", origin)]
    assert len(losses) == 3 and losses[0] > 2 * max(losses[1:])  # of different digits each, weights by chance
    names = ["System-Train-TrainStep-train_job", "dense1-bias", "dense1-weight", "dense2-bias", "dense2-weight"]
    wanted = {"snapshot_done", *names, *(os.path.join(name, "out") for name in names)}
    assert tree(tmp_path / "mlp_models_1") == wanted and os.listdir(tmp_path / "mlp_models_1" / "snapshot_done") == []
    steps = np.fromfile(tmp_path / "mlp_models_1" / names[0] / "out", "<i8")
    assert steps.tolist() == [45]
    weight = np.fromfile(tmp_path / "mlp_models_1" / "dense1-weight" / "out", "<f4")
    assert weight.size == 512 * 784 and 0.05 < weight.std() < 0.15

    lines = run(tmp_path, "mlp_mnist_finetune.py", finetune)
    assert lines[:2] == WARNINGS
    losses = [float(line) for line in lines[2:]]
    assert len(losses) == 3 and losses[0] > max(losses[1:])
    more = ["dense3-bias", "dense3-weight"]
    assert tree(tmp_path / "mlp_ext_models_1") == wanted | {*more, *(os.path.join(name, "out") for name in more)}
    assert np.fromfile(tmp_path / "mlp_ext_models_1" / names[0] / "out", "<i8").tolist() == [90]
