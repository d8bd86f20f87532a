"""Training in dynamic mode beside PaddlePaddle 1.8.5: losses of 20 steps, states, runs that go on from its files."""

import json
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at

HERE = Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures" / "fluid"
RUNS = module_at(HERE / "training_runs.py")
ANSWERS = np.load(FIXTURES / "dygraph_training.npz")
NEAR = {"digits": 1e-5, "words": 2e-2}  # Adam makes whole steps of gradients that are nothing but rounding


@pytest.mark.parametrize("name", RUNS.CASES)
def test_losses_and_states_are_paddles(name, tmp_path):
    losses, state, kept = RUNS.run(fluid, name, prefix=str(tmp_path / "run"))
    np.testing.assert_allclose(losses, ANSWERS[f"{name}/losses"], rtol=1e-4)
    assert kept == json.loads(str(ANSWERS[f"{name}/kept"]))
    wanted = {key.split("/", 2)[2]: ANSWERS[key] for key in ANSWERS.files if key.startswith(f"{name}/state/")}
    assert set(state) == set(wanted)
    for key, value in wanted.items():
        np.testing.assert_allclose(state[key], value, rtol=1e-3, atol=NEAR[name], err_msg=key)
    parameters, optimizer = fluid.load_dygraph(str(tmp_path / "run"))
    assert set(parameters) == set(wanted) and set(kept) <= set(optimizer)


@pytest.mark.parametrize("name", RUNS.CASES)
def test_a_run_goes_on_from_paddles_files(name):
    losses = RUNS.go_on(fluid, name, str(FIXTURES / "files" / f"dygraph_{name}"), 6)
    np.testing.assert_allclose(losses, ANSWERS[f"{name}/further"], rtol=1e-4)


@pytest.mark.parametrize("name", RUNS.CASES)
def test_a_run_goes_on_from_its_own_files(name, tmp_path):
    losses, _, _ = RUNS.run(fluid, name, 6, str(tmp_path / "run"))
    np.testing.assert_allclose(losses, ANSWERS[f"{name}/losses"][:6], rtol=1e-4)
    further = RUNS.go_on(fluid, name, str(tmp_path / "run"), 6)
    np.testing.assert_allclose(further, ANSWERS[f"{name}/further"], rtol=1e-4)


def test_a_state_of_other_parameters_is_passed_over_before_the_first_step():
    """As where a model has another head than the one that was saved."""
    def optimizer_of(layer, steps):
        optimizer = fluid.optimizer.Adam(0.1, parameter_list=layer.parameters())
        for _ in range(steps):
            loss = fluid.layers.reduce_sum(layer(fluid.dygraph.to_variable(np.ones([2, 1], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
        return optimizer

    with fluid.dygraph.guard():
        state = optimizer_of(fluid.dygraph.Linear(1, 1), 1).state_dict()
        with pytest.warns(UserWarning, match="belongs to no parameter.*begin anew"):
            optimizer_of(fluid.dygraph.Linear(1, 1), 0).set_dict(state)
        with pytest.raises(KeyError, match="belongs to no parameter"):
            optimizer_of(fluid.dygraph.Linear(1, 1), 1).set_dict(state)


def test_optimizers_of_ones_own():
    """They update parameters by `_create_param_lr`, in code or by an operator that the block is given."""
    class Averaging(fluid.optimizer.Optimizer):
        def _create_accumulators(self, block, parameters):
            for parameter in parameters:
                self._add_accumulator("mean", parameter)

        def _append_optimize_op(self, block, param_and_grad):
            parameter, gradient = param_and_grad
            mean = self._get_accumulator("mean", parameter)
            fluid.layers.assign(mean * 0.9 + gradient, mean)
            fluid.layers.assign(parameter - self._create_param_lr(param_and_grad) * mean, parameter)

    class Plain(fluid.optimizer.SGDOptimizer):
        def _append_optimize_op(self, block, param_and_grad):
            block.append_op(type="sgd", inputs={"Param": param_and_grad[0], "Grad": param_and_grad[1],
                                                "LearningRate": self._create_param_lr(param_and_grad)},
                            outputs={"ParamOut": param_and_grad[0]}, stop_gradient=True)

    x = np.arange(6.0).reshape(2, 3).astype("float32") + 1
    for rule, steps, expected in ((Averaging, 3, [-0.2013, -0.4817, -0.7622]), (Plain, 1, [0.375, 0.325, 0.275])):
        with fluid.dygraph.guard():
            layer = fluid.dygraph.Linear(3, 2, fluid.initializer.Constant(0.5))
            optimizer = rule(0.1, parameter_list=layer.parameters())
            for _ in range(steps):
                loss = fluid.layers.reduce_mean(layer(fluid.dygraph.to_variable(x)))
                loss.backward()
                optimizer.minimize(loss)
                layer.clear_gradients()
            np.testing.assert_allclose(layer.weight.numpy(), np.repeat(np.transpose([expected]), 2, 1), atol=1e-4)


@pytest.mark.parametrize("rule", ["SGD", "Adam", "Momentum"])
def test_a_second_loss_has_its_gradient_behind_the_step_of_the_first(rule):
    """Both losses of a GAN are computed before its two steps: the second gradient has the new values, as in 1.8.5."""
    options = {"momentum": 0.9} if rule == "Momentum" else {}
    with fluid.dygraph.guard():
        one, other = (fluid.dygraph.Linear(2, 2, fluid.initializer.Constant(0.5)) for _ in range(2))
        optimizer = getattr(fluid.optimizer, rule)(0.1, parameter_list=other.parameters(), **options)
        x = fluid.dygraph.to_variable(np.ones([3, 2], "float32"))
        for _ in range(2):
            before = other.weight.numpy()
            first = fluid.layers.reduce_sum(other(one(x).detach()))
            second = fluid.layers.reduce_sum(other(one(x)))
            first.backward()
            optimizer.minimize(first)
            other.clear_gradients()
            second.backward()
            assert np.abs(other.weight.numpy() - before).min() > 0.01
            expected = np.repeat([other.weight.numpy().sum(1) * 3], 2, 0)
            np.testing.assert_allclose(one.weight.gradient(), expected, rtol=1e-5)
            one.clear_gradients()
            other.clear_gradients()
