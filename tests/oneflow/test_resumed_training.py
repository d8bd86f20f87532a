"""Training that is saved and goes on elsewhere gives what uninterrupted training gives, to the last bit."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from devices_of_tests import KIND, on_device
from proa.backend import place_of
from proa.oneflow.job import session_guard

STEPS, BREAK = 7, 3
RATES = {
    "constant": lambda: flow.optimizer.PiecewiseConstantScheduler([], [0.05]),
    "piecewise": lambda: flow.optimizer.PiecewiseConstantScheduler([2, 4], [0.05, 0.01, 0.002]),
    "cosine": lambda: flow.optimizer.CosineScheduler(
        0.05, 6, warmup=flow.optimizer.warmup.linear(steps=4, start_multiplier=0.1)),
}
OPTIMIZERS = {
    "SGD": lambda rate: flow.optimizer.SGD(rate, momentum=0),
    "momentum": lambda rate: flow.optimizer.SGD(rate, momentum=0.9,
                                                grad_clipping=flow.optimizer.grad_clipping.by_global_norm(0.1)),
    "Adam": lambda rate: flow.optimizer.Adam(rate, do_bias_correction=True),
    "AdamW": lambda rate: flow.optimizer.AdamW(rate, weight_decay=0.01, weight_decay_excludes=["bias"]),
    "LazyAdam": flow.optimizer.LazyAdam,
    "LAMB": flow.optimizer.LAMB,
    "LARS": flow.optimizer.LARS,
    "RMSProp": lambda rate: flow.optimizer.RMSProp(rate, centered=True),
    "scaled": lambda rate: flow.optimizer.SGD(
        rate, loss_scale_policy=flow.optimizer.loss_scale.dynamic_loss_scale(2.0**10, increment_period=2)),
}


def train_job(optimizer, rate):
    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((8, 4)), y: tp.Numpy.Placeholder((8,), dtype=flow.int32)) -> tp.Numpy:
        hidden = flow.layers.dense(x, 6, name="dense1", kernel_initializer=flow.truncated_normal(0.5))
        hidden = flow.nn.relu(flow.layers.batch_normalization(hidden, name="norm"))
        logits = flow.layers.dense(hidden, 3, name="dense2", kernel_initializer=flow.truncated_normal(0.5))
        loss = flow.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
        OPTIMIZERS[optimizer](RATES[rate]()).minimize(loss)
        return loss

    return job


def batches():
    draw = np.random.default_rng(0)
    return [(draw.normal(size=(8, 4)).astype("float32"), draw.integers(0, 3, 8, "int32")) for _ in range(STEPS)]


def values():
    return {name: value.numpy() for name, value in flow.get_all_variables().items()}


FORMS = {
    "CheckPoint": (lambda path: flow.train.CheckPoint().save(path), lambda path: flow.train.CheckPoint().load(path)),
    "checkpoint": (flow.checkpoint.save, lambda path: flow.load_variables(flow.checkpoint.get(path))),
}


@pytest.mark.parametrize("optimizer, rate, form", [
    *((name, "constant", "CheckPoint") for name in OPTIMIZERS), ("momentum", "piecewise", "CheckPoint"),
    ("Adam", "cosine", "CheckPoint"), ("LAMB", "piecewise", "checkpoint"), ("scaled", "cosine", "checkpoint"),
])
def test_resumed_is_uninterrupted(tmp_path, capsys, optimizer, rate, form):
    save, load = FORMS[form]
    with session_guard():
        job = train_job(optimizer, rate)
        flow.train.CheckPoint().init()
        losses = []
        for n, batch in enumerate(batches()):
            if n == BREAK:
                save(tmp_path / "models")
            losses.append(job(*batch))
        expected = values()
    with session_guard():
        job = train_job(optimizer, rate)
        load(tmp_path / "models")
        resumed = [job(*batch) for batch in batches()[BREAK:]]
        found = values()
    np.testing.assert_array_equal(resumed, losses[BREAK:])
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    assert found["System-Train-TrainStep-job"].tolist() == [STEPS]
    assert capsys.readouterr().out == ""


SCRIPT = """
    import sys
    import numpy as np
    import oneflow as flow
    import oneflow.typing as tp

    @flow.global_function(type="train")
    def train_job(x: tp.Numpy.Placeholder((8, 4)), y: tp.Numpy.Placeholder((8,), dtype=flow.int32)) -> tp.Numpy:
        hidden = flow.layers.dense(x, 6, name="dense1", kernel_initializer=flow.truncated_normal(0.5))
        loss = flow.nn.sparse_softmax_cross_entropy_with_logits(y, flow.layers.dense(hidden, 3, name="dense2"))
        flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1]), momentum=0.9).minimize(loss)
        return loss

    check_point = flow.train.CheckPoint()
    check_point.init() if sys.argv[1] == "train" else check_point.load("./models")
    x, y = np.ones((8, 4), "float32"), np.zeros(8, "int32")
    for step in range(6):
        if sys.argv[1] == "train" and step == 3:
            check_point.save("./models")
        loss = train_job(x, y)
        if sys.argv[1] != "resume" or step < 3:
            print(repr(float(loss.mean())))
"""


def test_processes_that_follow_one_another(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))

    def run(what):
        done = subprocess.run([sys.executable, "-m", "proa", "run", "script.py", what], cwd=tmp_path, timeout=120,
                              capture_output=True, text=True, env={**os.environ})
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    losses = run("train")
    assert len(losses) == 6 and float(losses[-1]) < float(losses[0])
    assert run("resume") == losses[3:]
    assert sorted(os.listdir(tmp_path / "models")) == [
        "System-Train-TrainStep-train_job", *(f"dense{n}-{name}" for n in (1, 2) for name in
                                              ("bias", "bias-momentum", "weight", "weight-momentum")), "snapshot_done"]


def test_on_a_device(tmp_path):
    """Values on a device are copied to the host while they are written; loaded ones go where the old ones were."""
    with on_device(), session_guard() as session:
        job = train_job("momentum", "piecewise")
        flow.train.CheckPoint().init()
        losses = []
        for n, batch in enumerate(batches()):
            if n == BREAK:
                flow.train.CheckPoint().save(tmp_path / "models")
            losses.append(job(*batch))
        places = {name: place_of(session.scope.array(name)).kind for name in session.variables}
        assert KIND in places.values()
        expected = values()
        flow.train.CheckPoint().load(tmp_path / "models")
        assert {name: place_of(session.scope.array(name)).kind for name in session.variables} == places
        np.testing.assert_array_equal([job(*batch) for batch in batches()[BREAK:]], losses[BREAK:])
        assert all(np.array_equal(value, expected[name]) for name, value in values().items())
    with session_guard():  # and on the host
        job = train_job("momentum", "piecewise")
        flow.train.CheckPoint().load(tmp_path / "models")
        np.testing.assert_allclose([job(*batch) for batch in batches()[BREAK:]], losses[BREAK:], rtol=1e-4)


def test_what_was_loaded_is_moved_to_the_device_once(tmp_path):
    with session_guard():
        train_job("SGD", "constant")
        flow.train.CheckPoint().save(tmp_path / "models")
    with on_device(), session_guard() as session:
        @flow.global_function()
        def predict() -> tp.Numpy:
            return flow.get_variable("dense1-weight", (6, 4)) * 2

        flow.train.CheckPoint().load(tmp_path / "models")
        expected = np.fromfile(tmp_path / "models" / "dense1-weight" / "out", "float32").reshape(6, 4)
        np.testing.assert_array_equal(predict(), 2 * expected)
        there = session.scope.array("dense1-weight")
        assert place_of(there).kind == KIND
        np.testing.assert_array_equal(predict(), 2 * expected)
        assert session.scope.array("dense1-weight") is there
