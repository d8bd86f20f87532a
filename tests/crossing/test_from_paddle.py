"""What PaddlePaddle 2.6.2 wrote (fixtures/, made by oracle_make.py) is loaded, run, trained on and saved again.

Tolerances: outputs of networks of this size differ by float32 rounding in another order of summation, some 1e-7 of a
value's size, so 1e-5 leaves two digits. Losses after ten steps carry the differences of all updates before: 1e-4
relative (measured: below 1e-6), and 4e-5 where a loaded model is tuned towards a loss near 0.
"""

from pathlib import Path

import functions
import nets
import numpy as np
import proa as paddle
import pytest

FIXTURES = Path(__file__).parent / "fixtures"
LAYERS = [name for name in nets.SPECS if not name.endswith("_function")]
RANDOM = ("Words",)  # with dropout
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def wanted():
    """The oracle's outputs."""
    return np.load(FIXTURES / "outputs.npz")


@pytest.fixture(scope="module")
def trained():
    """The oracle's losses and first gradients."""
    return np.load(FIXTURES / "training.npz")


def check_outputs(model, name, wanted, inputs=nets.inputs):
    for number, arrays in enumerate(inputs(name)):
        for k, result in enumerate(nets.outputs(paddle, model, arrays)):
            expected = wanted[f"{name}.{number}.{k}"]
            assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(result, expected, **CLOSE, err_msg=f"input {number}, output {k}")


def test_every_saved_method_gives_the_same(wanted):
    found = nets.both_methods(paddle, paddle.jit.load(str(FIXTURES / "TwoMethods")))
    for key, result in found.items():
        np.testing.assert_allclose(result, wanted[f"TwoMethods.{key}"], **CLOSE, err_msg=key)


@pytest.mark.parametrize("name", LAYERS)
def test_state_of_a_saved_model_fills_the_network(name, wanted):
    net = nets.build(paddle, name)
    for value in net.state_dict().values():
        value.set_value(np.zeros(value.shape, "float32"))
    assert net.set_state_dict(paddle.load(str(FIXTURES / name))) == ([], [])
    net.eval()
    check_outputs(net, name, wanted)


@pytest.mark.parametrize("name", functions.KEPT)
def test_function_gives_the_same(name, wanted):
    check_outputs(paddle.jit.load(str(FIXTURES / name)), name, wanted, functions.inputs)
    check_outputs(functions.functions(paddle)[name], name, wanted, functions.inputs)


@pytest.mark.parametrize("name", LAYERS)
def test_the_network_itself_gives_the_same(name, wanted):
    net = nets.build(paddle, name)
    net.eval()
    check_outputs(net, name, wanted)


@pytest.mark.parametrize("name", LAYERS)
def test_loaded_parameters_are_those_of_the_network(name):
    loaded, net = paddle.jit.load(str(FIXTURES / name)), nets.build(paddle, name)
    theirs, ours = loaded.state_dict(), nets.names(net)
    assert set(theirs) == set(ours)
    for key, value in ours.items():
        np.testing.assert_array_equal(theirs[key].numpy(), value.numpy(), err_msg=key)
    assert {k for k, p in loaded.named_parameters() if not p.stop_gradient} == {
        k for k, p in ours.items() if not p.stop_gradient}


@pytest.mark.parametrize("name", LAYERS)
def test_tuning_equals_the_oracles_and_is_saved(name, wanted, tmp_path):
    paddle.seed(1)
    model = paddle.jit.load(str(FIXTURES / name))
    before = {key: value.numpy().copy() for key, value in model.state_dict().items()}
    losses = nets.tune(paddle, model, nets.inputs(name)[-1], nets.TUNING_STEPS)
    assert losses[-1] < losses[0]
    if name not in RANDOM:
        np.testing.assert_allclose(losses, wanted[f"{name}.tuning"], rtol=1e-4)
    gradients = {key: p.grad for key, p in model.named_parameters() if p.grad is not None}
    assert gradients and all(np.isfinite(g.numpy()).all() for g in gradients.values())
    changed = [key for key, value in model.state_dict().items() if not np.array_equal(value.numpy(), before[key])]
    assert len(changed) > len(before) // 2
    model.eval()
    paddle.jit.save(model, str(tmp_path / "again"))
    again = paddle.jit.load(str(tmp_path / "again"))
    for arrays in nets.inputs(name):
        for a, b in zip(nets.outputs(paddle, again, arrays), nets.outputs(paddle, model, arrays), strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)


def test_loaded_model_trains_as_the_network_does():
    """Batch statistics, running means and gradients of the loaded Program are those of the Layer."""
    loaded, net = paddle.jit.load(str(FIXTURES / "ResidualBlock")), nets.build(paddle, "ResidualBlock")
    arrays = nets.inputs("ResidualBlock")[-1]
    np.testing.assert_allclose(nets.tune(paddle, loaded, arrays, 5), nets.tune(paddle, net, arrays, 5), rtol=1e-4)
    for key, value in net.state_dict().items():
        np.testing.assert_allclose(loaded.state_dict()[key].numpy(), value.numpy(), rtol=1e-3, atol=1e-4, err_msg=key)


@pytest.mark.parametrize("name", nets.RUNS)
def test_training_from_the_same_start(name, trained):
    run = nets.Run(paddle, name)
    np.testing.assert_allclose(run.steps(0, nets.STEPS), trained[f"{name}.losses"], rtol=1e-4)
    prefix = f"{name}.gradient."
    assert {k.removeprefix(prefix) for k in trained if k.startswith(prefix)} == set(run.gradients)
    for key, gradient in run.gradients.items():
        np.testing.assert_allclose(gradient, trained[prefix + key], rtol=1e-4, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("name", nets.RUNS)
def test_training_resumes_from_files(name, trained):
    run = nets.Run(paddle, name)
    for value in run.net.state_dict().values():
        value.set_value(np.zeros(value.shape, "float32"))
    run.load(str(FIXTURES / name))
    losses = run.steps(nets.RESUME_AT, nets.STEPS)
    np.testing.assert_allclose(losses, trained[f"{name}.losses"][nets.RESUME_AT:], rtol=1e-4)


@pytest.mark.parametrize("name", nets.RUNS)
def test_state_after_the_same_steps_is_the_same(name, tmp_path):
    """The files of both sides after five steps: the same keys, shapes and dtypes, and nearly the same numbers."""
    run = nets.Run(paddle, name)
    run.steps(0, nets.RESUME_AT)
    run.save(str(tmp_path / name))
    for suffix in (".pdparams", ".pdopt"):
        ours, theirs = (paddle.load(str(folder / name) + suffix) for folder in (tmp_path, FIXTURES))
        assert set(ours) == set(theirs)
        for key, value in theirs.items():
            if key == "LR_Scheduler":
                assert ours[key] == pytest.approx(value), key
                continue
            mine = ours[key]
            assert (list(mine.shape), mine.dtype) == (list(value.shape), value.dtype), key
            np.testing.assert_allclose(mine.numpy(), value.numpy(), rtol=1e-3, atol=1e-5, err_msg=key)


def test_inference_model_runs_in_the_executor():
    found, expected = nets.load_static(paddle, str(FIXTURES / "static_net")), np.load(FIXTURES / "static.npz")
    assert set(found) == set(expected)
    for key in expected:
        np.testing.assert_allclose(found[key], expected[key], **CLOSE)


def test_inference_model_loads_as_a_layer():
    model, expected = paddle.jit.load(str(FIXTURES / "static_net")), np.load(FIXTURES / "static.npz")
    for number, array in enumerate(nets.STATIC_INPUTS):
        for k, result in enumerate(nets.outputs(paddle, model, [array])):
            np.testing.assert_allclose(result, expected[f"{number}.{k}"], **CLOSE)


def test_program_and_its_state_load():
    found, expected = nets.load_program(paddle, str(FIXTURES / "program")), np.load(FIXTURES / "program.npz")
    assert set(found) == set(expected)
    for key in expected:
        np.testing.assert_allclose(found[key], expected[key], **CLOSE)
