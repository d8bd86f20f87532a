"""The scripts of OneFlow's guide to snapshots, as they stand there, under `python -m proa run`."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from digits import write_digits

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")
WARNINGS = [f"WARNING! CANNOT find variable path in : ./mlp_models_1/dense3-{part}/out. It will be initialized. "
            for part in ("bias", "weight")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlp")
    write_digits(folder)
    return folder


def run(folder, script):
    shutil.copy(os.path.join(SCRIPTS, script), folder)
    done = subprocess.run([sys.executable, "-m", "proa", "run", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


def tree(folder):
    return {os.path.relpath(os.path.join(path, name), folder) for path, folders, files in os.walk(folder)
            for name in [*folders, *files]}


def test_a_network_is_trained_saved_extended_and_trained_on(folder):
    losses = [float(line) for line in run(folder, "mlp_mnist_origin.py")]
    assert len(losses) == 3 and losses[0] > 2 * losses[1] > 2 * losses[2]
    names = ["System-Train-TrainStep-train_job", "dense1-bias", "dense1-weight", "dense2-bias", "dense2-weight"]
    wanted = {"snapshot_done", *names, *(os.path.join(name, "out") for name in names)}
    assert tree(folder / "mlp_models_1") == wanted and os.listdir(folder / "mlp_models_1" / "snapshot_done") == []
    steps = np.fromfile(folder / "mlp_models_1" / names[0] / "out", "<i8")
    assert steps.tolist() == [45]
    weight = np.fromfile(folder / "mlp_models_1" / "dense1-weight" / "out", "<f4")
    assert weight.size == 512 * 784 and 0.05 < weight.std() < 0.15

    lines = run(folder, "mlp_mnist_finetune.py")
    assert lines[:2] == WARNINGS
    losses = [float(line) for line in lines[2:]]
    assert len(losses) == 3 and losses[0] > losses[1] > losses[2]
    more = ["dense3-bias", "dense3-weight"]
    assert tree(folder / "mlp_ext_models_1") == wanted | {*more, *(os.path.join(name, "out") for name in more)}
    assert np.fromfile(folder / "mlp_ext_models_1" / names[0] / "out", "<i8").tolist() == [90]
