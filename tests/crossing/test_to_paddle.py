"""What proa writes, PaddlePaddle 2.6.2 loads, runs and trains on. Needs the oracle: PROA_ORACLE_PYTHON names its Python.

Everything is written first and asked in one process. Tolerances as in test_from_paddle.py.
"""

import nets
import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

LAYERS = [name for name in nets.SPECS if not name.endswith("_function")]
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
WRONGLY_TUNED = ("TensorWhile",)  # PaddlePaddle's gradient of a loaded loop differs from its own of the layer
RANDOM = ("Words",)

pytestmark = pytest.mark.oracle


class Written:
    """Everything that was written, with what is expected of it."""

    def __init__(self, folder):
        self.oracle, self.expected, self.losses, self.tuning = Oracle(folder), {}, {}, {}

    def model(self, key, model, name, save, kind="model", tune=0):
        """Writes a model, and keeps its outputs for the inputs of the network `name`."""
        inputs = nets.inputs(name)
        save(self.oracle.add(kind, key, inputs, tune=tune))
        if isinstance(model, paddle.nn.Layer):
            model.eval()
        self.expected[key] = {f"{n}.{k}": r for n, arrays in enumerate(inputs)
                              for k, r in enumerate(nets.outputs(paddle, model, arrays))}


def write_models(written):
    for name in nets.SPECS:
        net, specs = nets.build(paddle, name), nets.specs(paddle, name)
        tune = nets.TUNING_STEPS if name in LAYERS else 0
        written.model(name, net, name, lambda p, m=net, s=specs: paddle.jit.save(m, p, input_spec=s), tune=tune)
        if name in LAYERS:
            written.model(f"predictor_{name}", net, name,
                          lambda p, m=net, s=specs: paddle.jit.save(m, p, input_spec=s), kind="predictor")
            tuned = paddle.jit.load(written.oracle.add("state", f"state_{name}", net=name)[:-len("saved")] + "../"
                                    + f"{name}/saved")
            written.tuning[name] = nets.tune(paddle, tuned, nets.inputs(name)[-1], nets.TUNING_STEPS)
            written.model(f"tuned_{name}", tuned, name, lambda p, m=tuned: paddle.jit.save(m, p))


def write_states(written):
    for name in LAYERS:
        net = nets.build(paddle, name)
        prefix = next(t for t in written.oracle.tasks if t["key"] == f"state_{name}")["prefix"]
        paddle.save(net.state_dict(), prefix)
    for name in nets.RUNS:
        run = nets.Run(paddle, name)
        run.steps(0, nets.RESUME_AT)
        run.save(written.oracle.add("resume", f"run_{name}", run=name))
        written.losses[name] = run.steps(nets.RESUME_AT, nets.STEPS)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What proa expects, and what the oracle found."""
    if missing():
        pytest.skip(missing())
    paddle.seed(3)
    written = Written(tmp_path_factory.mktemp("crossing"))
    write_models(written)
    write_states(written)
    written.expected["static"] = nets.save_static(paddle, written.oracle.add("static", "static"))
    written.expected["program"] = nets.save_program(paddle, written.oracle.add("program", "program"))
    written.oracle.ask()
    return written


@pytest.mark.parametrize("name", nets.SPECS)
def test_model_gives_the_same(written, name):
    found = written.oracle.found(name)
    found.pop("tuning", None)
    check(found, written.expected[name], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_predictor_gives_the_same(written, name):
    check(written.oracle.found(f"predictor_{name}"), written.expected[f"predictor_{name}"], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_tuned_model_gives_the_same(written, name):
    check(written.oracle.found(f"tuned_{name}"), written.expected[f"tuned_{name}"], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_tuning_there_equals_tuning_here(written, name):
    losses = written.oracle.found(name)["tuning"]
    assert np.isfinite(losses).all()
    if name in RANDOM or name in WRONGLY_TUNED:
        pytest.skip("dropout draws other numbers there" if name in RANDOM else "its gradient of a loaded loop is wrong")
    np.testing.assert_allclose(losses, written.tuning[name], rtol=1e-4)


@pytest.mark.parametrize("name", LAYERS)
def test_state_fills_the_network(written, name):
    check(written.oracle.found(f"state_{name}"), written.expected[name], **CLOSE)


@pytest.mark.parametrize("name", nets.RUNS)
def test_training_resumes(written, name):
    np.testing.assert_allclose(written.oracle.found(f"run_{name}")["losses"], written.losses[name], rtol=1e-4)


@pytest.mark.parametrize("kind", ["static", "program"])
def test_programs_run_in_the_executor(written, kind):
    check(written.oracle.found(kind), written.expected[kind], **CLOSE)
