"""What proa writes, PaddlePaddle 2.6.2 loads, runs and trains on. PROA_ORACLE_PYTHON names the Python that has it.

Everything is written first and asked in one process. Tolerances as in test_from_paddle.py.
"""

import functions
import nets
import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

LAYERS = [name for name in nets.SPECS if not name.endswith("_function")]
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
# Dropout draws other numbers there; and PaddlePaddle's gradient of a loaded loop differs from its own of the layer.
TUNED_OTHERWISE = ("Words", "TensorWhile")

pytestmark = pytest.mark.oracle


class Written:
    """Everything that was written, with what is expected of it."""

    def __init__(self, folder):
        self.oracle, self.expected, self.losses, self.tuning = Oracle(folder), {}, {}, {}

    def model(self, key, model, inputs, save, kind="model", tune=0):
        """Writes a model, keeps its outputs for the inputs, and gives its files' prefix."""
        prefix = self.oracle.add(kind, key, inputs, tune=tune)
        save(prefix)
        if isinstance(model, paddle.nn.Layer):
            model.eval()
        self.expected[key] = {f"{n}.{k}": r for n, arrays in enumerate(inputs)
                              for k, r in enumerate(nets.outputs(paddle, model, arrays))}
        return prefix


def write_models(written):
    """Each network as proa saves it, for jit.load and for the predictor, and tuned here and saved again."""
    for name in nets.SPECS:
        net, specs, inputs = nets.build(paddle, name), nets.specs(paddle, name), nets.inputs(name)
        tune = nets.TUNING_STEPS if name in LAYERS else 0

        def save(prefix, net=net, specs=specs):
            paddle.jit.save(net, prefix, input_spec=specs)

        prefix = written.model(name, net, inputs, save, tune=tune)
        if name in LAYERS:
            written.model(f"predictor_{name}", net, inputs, save, kind="predictor")
            tuned = paddle.jit.load(prefix)
            save(written.oracle.add("state", f"prefix_{name}", net=name))
            written.tuning[name] = nets.tune(paddle, tuned, inputs[-1], nets.TUNING_STEPS)
            written.model(f"tuned_{name}", tuned, inputs, lambda p, m=tuned: paddle.jit.save(m, p))
    two = nets.build(paddle, "TwoMethods")
    two.eval()
    paddle.jit.save(two, written.oracle.add("methods", "TwoMethods"))
    written.expected["TwoMethods"] = nets.both_methods(paddle, two)


class Described(paddle.nn.Layer):
    """Parameters with attributes, a buffer of each kind, a shared weight."""

    def __init__(self):
        super().__init__()
        attr = paddle.ParamAttr(learning_rate=0.5, need_clip=False, regularizer=paddle.regularizer.L2Decay(0.1))
        self.a, self.b = paddle.nn.Linear(4, 4, weight_attr=attr), paddle.nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.norm = paddle.nn.BatchNorm1D(4)
        self.register_buffer("scale", paddle.full([4], 2.0))
        self.register_buffer("shift", paddle.full([4], 3.0), persistable=False)
        self.register_buffer("places", paddle.to_tensor([2, 1, 0, 3]))

    def forward(self, x):
        h = self.norm(self.b(paddle.tanh(self.a(x)))) * self.scale + self.shift.detach()
        return paddle.gather(h, self.places, axis=1)


def write_described(written):
    """A model whose info file says more than PaddlePaddle's, once for jit.load and once for the predictor."""
    net, inputs = Described(), [[np.random.RandomState(s).rand(s + 2, 4).astype("float32")] for s in range(2)]
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    for kind in ("model", "predictor"):
        written.model(f"described_{kind}", net, inputs, lambda p: paddle.jit.save(net, p, input_spec=spec), kind)


def write_functions(written):
    """Functions with control flow."""
    for name, function in functions.functions(paddle).items():
        specs = functions.specs(paddle, name)
        written.model(name, function, functions.inputs(name),
                      lambda p, f=function, s=specs: paddle.jit.save(f, p, input_spec=s))


def write_states(written):
    """The state of each network, and of each training run after some steps."""
    for name in LAYERS:
        paddle.save(nets.build(paddle, name).state_dict(), written.oracle.add("state", f"state_{name}", net=name))
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
    write_described(written)
    write_functions(written)
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


@pytest.mark.parametrize("kind", ["model", "predictor"])
def test_model_with_attributes_and_buffers_gives_the_same(written, kind):
    check(written.oracle.found(f"described_{kind}"), written.expected[f"described_{kind}"], **CLOSE)


@pytest.mark.parametrize("name", functions.NAMES)
def test_function_gives_the_same(written, name):
    check(written.oracle.found(name), written.expected[name], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_predictor_gives_the_same(written, name):
    check(written.oracle.found(f"predictor_{name}"), written.expected[f"predictor_{name}"], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_tuned_model_gives_the_same(written, name):
    check(written.oracle.found(f"tuned_{name}"), written.expected[f"tuned_{name}"], **CLOSE)


@pytest.mark.parametrize("name", LAYERS)
def test_tuning_there_equals_tuning_here(written, name):
    losses = written.oracle.found(name)["tuning"]
    assert losses.shape == (nets.TUNING_STEPS,) and np.isfinite(losses).all()
    if name not in TUNED_OTHERWISE:
        np.testing.assert_allclose(losses, written.tuning[name], rtol=1e-4)


@pytest.mark.parametrize("name", LAYERS)
def test_state_fills_the_network(written, name):
    for source in ("state", "prefix"):
        check(written.oracle.found(f"{source}_{name}"), written.expected[name], **CLOSE)


def test_every_saved_method_gives_the_same(written):
    check(written.oracle.found("TwoMethods"), written.expected["TwoMethods"], **CLOSE)


@pytest.mark.parametrize("name", nets.RUNS)
def test_training_resumes(written, name):
    np.testing.assert_allclose(written.oracle.found(f"run_{name}")["losses"], written.losses[name], rtol=1e-4)


@pytest.mark.parametrize("kind", ["static", "program"])
def test_programs_run_in_the_executor(written, kind):
    check(written.oracle.found(kind), written.expected[kind], **CLOSE)
