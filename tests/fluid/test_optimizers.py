"""Optimizers, schedules and clips of Paddle 1.x: parameters after each step, and names, as 1.8.5 gave them.

`fixtures/fluid/make_optimizers.py` made the answers, by the same text.
"""

import importlib.util
import json
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fluid"
CONTROL_FLOW = hasattr(fluid.layers, "Switch")
WAITING = {"polynomial, cycle", "piecewise", "warmup", "warmup of a schedule"}
spec = importlib.util.spec_from_file_location("make_optimizers", FIXTURES / "make_optimizers.py")
maker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(maker)
ANSWERS = json.loads((FIXTURES / "optimizers.json").read_text())
#: What 1.8.5 does not as it says: Adadelta reads the mean of squared steps after it has changed it; Ftrl passes l1 for
#: l2.
OTHERWISE = {"adadelta", "ftrl, l2"}
#: Roots of the means of small gradients show rounding.
LESS_CLOSE = {"adam, l2", "rmsprop", "rmsprop, centered"}



@pytest.mark.parametrize("name", [name for name in maker.CASES if CONTROL_FLOW or name not in WAITING])
def test_steps_are_those_of_paddle(name):
    found, expected = maker.trained(fluid, maker.CASES[name]), ANSWERS[name]
    for step, (values, wanted) in enumerate(zip(found["values"], expected["values"], strict=True)):
        for value, other in zip(values, wanted, strict=True):
            if name in OTHERWISE:
                assert not np.allclose(value, other, rtol=1e-4)
            else:
                rtol, atol = (3e-4, 1e-5) if name in LESS_CLOSE else (2e-5, 2e-6)
                np.testing.assert_allclose(value, other, rtol=rtol, atol=atol, err_msg=f"step {step}")
    assert found["persistable"] == expected["persistable"]


def program():
    return fluid.program_guard(fluid.Program(), fluid.Program())


def loss_of(hidden=None):
    x = fluid.data("x", [4, 3])
    hidden = fluid.layers.fc(x, 3) if hidden is None else hidden
    return hidden, fluid.layers.mean(fluid.layers.fc(hidden, 2))


def test_what_minimize_gives():
    with program(), fluid.unique_name.guard():
        _, loss = loss_of()
        operations, pairs = fluid.optimizer.SGD(0.1).minimize(loss)
    assert [op.type for op in operations] == ["sgd"] * 4
    assert [(p.name, g.name) for p, g in pairs][0] == ("fc_0.w_0", "fc_0.w_0@GRAD")


def test_a_learning_rate_is_changed_in_the_scope():
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        _, loss = loss_of()
        sgd = fluid.optimizer.SGD(0.0)
        sgd.minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        feed = {"x": np.ones((4, 3), "float32")}
        rate = scope.find_var(sgd._global_learning_rate().name).get_tensor()
        first, second = (exe.run(main, feed=feed, fetch_list=[loss])[0] for _ in range(2))
        rate.set(np.array([0.5], "float32"), fluid.CPUPlace())
        third, fourth = (exe.run(main, feed=feed, fetch_list=[loss])[0] for _ in range(2))
    assert first == second == third > fourth


def test_clippers_of_parameters():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        _, loss = loss_of()
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.01))
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(0.001), ["fc_1.b_0"])
        pairs = fluid.clip.append_gradient_clip_ops(fluid.backward.append_backward(loss))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        found = exe.run(main, feed={"x": np.ones((4, 3), "float32")}, fetch_list=[g for _, g in pairs])
        clipped = dict(zip([p.name for p, _ in pairs], found, strict=True))
        assert np.abs(clipped.pop("fc_1.b_0")).max() == np.float32(0.001)
        np.testing.assert_allclose(np.sqrt(sum((g**2).sum() for g in clipped.values())), 0.01, rtol=1e-5)
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.02), ["fc_0.b_0"])
        with pytest.raises(ValueError, match="must have one clip_norm"):
            fluid.clip.append_gradient_clip_ops(pairs)
        with pytest.raises(TypeError, match="must be a fluid.clip"):
            fluid.clip.set_gradient_clip(0.1)


def test_a_gradient_that_is_clipped_where_it_is_computed():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        hidden, loss = loss_of()
        hidden.error_clip = fluid.clip.ErrorClipByValue(0.01)
        fluid.optimizer.SGD(0.1).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        feed = {"x": np.ones((4, 3), "float32")}
        error, bias = exe.run(main, feed=feed, fetch_list=[hidden.name + "@GRAD", "fc_0.b_0@GRAD"])
    assert np.abs(error).max() == np.float32(0.01)
    np.testing.assert_allclose(bias, error.sum(0), rtol=1e-5)


def test_computing_at_once():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones((1, 2), "float32"))
        with pytest.raises(AttributeError, match="parameter_list=model.parameters"):
            fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(x))
        layer = fluid.dygraph.Linear(2, 1)
        rate = fluid.layers.exponential_decay(0.1, 1, 0.5)
        adam = fluid.optimizer.Adam(rate, parameter_list=layer.parameters())
        for step in range(3):
            loss = fluid.layers.mean(layer(x))
            loss.backward()
            before = layer.bias.numpy()
            adam.minimize(loss)
            assert adam.current_step_lr() == pytest.approx(0.1 * 0.5**step)
            np.testing.assert_allclose(layer.bias.numpy(), before - 0.1 * 0.5**step, rtol=1e-4, atol=1e-5)
            layer.clear_gradients()
        assert layer.bias.name + "_moment1_0" in adam.get_opti_var_name_list()
        assert adam.state_dict()["global_step"] == 3
        by_losses = fluid.dygraph.ReduceLROnPlateau(0.1)  # 1.8.5 refuses a state of one without a step
        assert fluid.optimizer.Adam(by_losses, parameter_list=layer.parameters()).state_dict()["global_step"] == 0


@pytest.mark.parametrize("make, message", [
    (lambda: fluid.optimizer.SGD("0.1"), "must be a number, a Variable"),
    (lambda: fluid.optimizer.SGD(0.1, grad_clip=3), "grad_clip"),
    (lambda: fluid.optimizer.LookaheadOptimizer(None, alpha=2), "alpha"),
    (lambda: fluid.optimizer.PipelineOptimizer(None), "divides a Program among devices"),
    (lambda: fluid.layers.piecewise_decay([1], [0.1]), "one value more"),
])
def test_what_makes_no_sense_is_refused(make, message):
    with program(), pytest.raises((TypeError, ValueError, NotImplementedError), match=message):
        make()


def test_decoupled_weight_decay():
    """Each step: the share of the parameter that decays, then the update; 1.8.5's numbers."""
    SGD = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 2])
        loss = fluid.layers.mean(fluid.layers.fc(x, 3, param_attr=fluid.initializer.Constant(0.5)) * 2.0)
        optimizer = SGD(learning_rate=0.1, weight_decay=0.01, apply_decay_param_fun=lambda name: "w" in name)
        optimizer.minimize(loss)
        assert str(optimizer) == "Weight Decay, params: fc_0.w_0"
        types = [op.type for op in main.global_block().ops if op.attr("op_role") & 2]
        assert types == ["scale", "elementwise_sub", "assign", "sgd", "sgd"]
        exe.run(startup)
        for expected in ([0.36166668, 0.29500002], [0.22471668, 0.09205]):
            exe.run(main, feed={"x": np.float32([[1, 2], [3, 4]])})
            weight = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
            np.testing.assert_allclose(weight, np.repeat(np.transpose([expected]), 3, 1), 1e-6)
    with pytest.raises(TypeError, match=r"extend_with_decoupled_weight_decay\(base_optimizer\): must be a class"):
        fluid.contrib.extend_with_decoupled_weight_decay(int)


def _trained_by_variables(steps=3):
    """1.8.5's weight after some steps of an Adam whose betas are Variables of 0.8 and 0.9, and its persistables."""
    layers, main, startup = fluid.layers, fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.1))
        y = layers.fc(fluid.data("x", [None, 3]), 2, param_attr=weight, bias_attr=False)
        beta1, beta2 = (layers.create_global_var([1], value, "float32", persistable=True, name=name)
                        for name, value in (("b1", 0.8), ("b2", 0.9)))
        loss = layers.reduce_mean(y * y)
        fluid.optimizer.Adam(0.1, beta1=beta1, beta2=beta2).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for _ in range(steps):
            [found] = exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=["w"])
    return found


def test_betas_of_adam_may_be_variables():
    np.testing.assert_allclose(_trained_by_variables(), np.full((3, 2), -0.07607), atol=2e-6)


def test_betas_of_adam_may_be_variables_that_are_computed():
    with fluid.dygraph.guard():
        weight = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
        net, x = fluid.dygraph.Linear(3, 2, param_attr=weight), fluid.dygraph.to_variable(np.ones((2, 3), "float32"))
        beta1 = fluid.dygraph.to_variable(np.array([0.8], "float32"))
        adam = fluid.optimizer.Adam(0.1, beta1=beta1, parameter_list=net.parameters())
        for _ in range(3):
            loss = fluid.layers.reduce_mean(fluid.layers.square(net(x)))
            loss.backward()
            adam.minimize(loss)
            net.clear_gradients()
        np.testing.assert_allclose(net.weight.numpy(), np.full((3, 2), 0.0098805), atol=2e-7)


def test_a_program_is_updated_in_the_order_of_names():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3]), 2))
        operations, _ = fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
        assert [op.output("ParamOut")[0] for op in operations] == ["fc_0.b_0", "fc_0.w_0"]


@pytest.mark.parametrize("l1, l2, expected", [  # as 1.8.5
    (0.5, 0.3, [[0.8737864, -0.14563107], [0.0, -0.8252427]]),
    (0.0, 0.3, [[0.9223301, -0.1941748], [0.04854369, -0.8737864]])])
def test_a_step_towards_penalties(l1, l2, expected):
    start = np.float32([[1.0, -0.2], [0.0, -1.0]])
    gradient = np.float32([[0.5, 0.0], [-0.5, -1.0]])
    for kind, kept in (("proximal_gd", {}), ("proximal_adagrad", {"Moment": np.float32([[0.75, 1], [0.75, 0]])})):
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            given = {"Param": start, "Grad": gradient, "LearningRate": np.float32([0.1]), **kept}
            variables = {slot: fluid.data(slot, value.shape) for slot, value in given.items()}
            outputs = {f"{slot}Out": variables[slot] for slot in ("Param", *kept)}
            fluid.default_main_program().global_block().append_op(kind, variables, outputs, {"l1": l1, "l2": l2})
            found = fluid.Executor(fluid.CPUPlace()).run(feed=given, fetch_list=["Param", *kept])
        np.testing.assert_allclose(found[0], expected, rtol=1e-6)
        if kept:
            np.testing.assert_allclose(found[1], [[1, 1], [1, 1]])


def test_lookahead_makes_its_variables_in_the_order_of_1_8():
    with program(), fluid.unique_name.guard():
        loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.data("x", [3]), 2))
        fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
        names = [variable.name for variable in fluid.default_main_program().list_vars() if variable.persistable]
    assert names == ["fc_0.w_0", "fc_0.b_0", "learning_rate_0", "fc_0.w_0@SLOW", "fc_0.b_0@SLOW", "lookahead_k",
                     "lookahead_alpha", "lookahead_step"]


@pytest.mark.parametrize("scheduled", [False, True])
def test_what_updates_keep_stands_before_the_learning_rate(scheduled: bool) -> None:
    """list_vars of 1.8.5 has the moments first, then the rate, or what is made of it for a parameter."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [3])
        loss = fluid.layers.mean(fluid.layers.fc(x, 2, param_attr=fluid.ParamAttr(learning_rate=0.5)))
        rate = fluid.layers.exponential_decay(0.1, 1, 0.5) if scheduled else 0.1
        fluid.optimizer.Momentum(rate, 0.9).minimize(loss)
        names = [variable.name for variable in fluid.default_main_program().list_vars()]
    kept = ["fc_0.b_0_velocity_0", "fc_0.w_0_velocity_0"]
    behind = ["tmp_4"] if scheduled else ["learning_rate_0", "tmp_0"]
    assert names[-len(kept + behind):] == kept + behind


@pytest.mark.parametrize("computes", [False, True])
def test_lamb_lets_excluded_parameters_move_by_their_length_too(computes):
    """What 1.8.5 gives: the rate is relative to a parameter's length whether or not it decays."""
    def rule(parameters=None):
        return fluid.optimizer.Lamb(0.1, lamb_weight_decay=0.5, parameter_list=parameters,
                                    exclude_from_weight_decay_fn=lambda p: "excluded" in p.name)

    first, wanted = np.array([3.0, -4.0], "float32"), np.array([2.646447, -4.353553], "float32")
    if computes:
        with fluid.dygraph.guard():
            weight = fluid.layers.create_parameter([2], "float32", "excluded")
            weight.set_value(first)
            loss = fluid.layers.reduce_sum(weight)
            loss.backward()
            rule([weight]).minimize(loss)
            found = weight.numpy()
    else:
        with program(), fluid.scope_guard(fluid.Scope()):
            weight = fluid.layers.create_parameter([2], "float32", "excluded", default_initializer=(
                fluid.initializer.NumpyArrayInitializer(first)))
            rule().minimize(fluid.layers.reduce_sum(weight))
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(fluid.default_startup_program())
            exe.run(fluid.default_main_program())
            found = np.asarray(fluid.global_scope().find_var("excluded").get_tensor())
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_an_average_leaves_out_what_was_made_so():
    """1.8.5 keeps sums for these parameters alone."""
    with fluid.unique_name.guard(), program():
        own = fluid.ParamAttr(do_model_average=False)
        y = fluid.layers.fc(fluid.layers.data("x", [3]), 2, param_attr=own)
        y = fluid.layers.batch_norm(y, do_model_average_for_mean_and_var=False) + fluid.layers.create_parameter(
            [2], "float32", attr=own)
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(y))
        fluid.optimizer.ModelAverage(0.5)
        summed = [v.name for v in fluid.default_main_program().list_vars() if v.name.endswith("_sum_1_0")]
    assert sorted(summed) == ["batch_norm_0.b_0_sum_1_0", "batch_norm_0.w_0_sum_1_0", "fc_0.b_0_sum_1_0"]


def test_penalties_by_hand_are_added_once_on_several_devices():
    """They stand behind the sum of the devices' gradients, where 1.8.5 has them, and no clone for tests has them."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard(), fluid.program_guard(main, startup):
        attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1, param_attr=attr, bias_attr=False))
        rule = fluid.optimizer.SGD(0.5)
        pairs = fluid.regularizer.append_regularization_ops(rule.backward(loss), fluid.regularizer.L1Decay(0.1))
        rule.apply_gradients(pairs)
        assert [op.type for op in main.clone(for_test=True).global_block().ops] == ["mul", "mean"]
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        compiled = fluid.CompiledProgram(main).with_data_parallel(loss.name, places=fluid.cpu_places(2))
        exe.run(compiled, feed={"x": np.ones((2, 2), "float32")}, fetch_list=[loss])
        found = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    np.testing.assert_allclose(found, [[0.45], [0.45]], rtol=1e-6)  # 1 - 0.5 * (1 + 0.1)
