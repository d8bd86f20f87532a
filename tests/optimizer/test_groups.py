"""Options by group of parameters: where PaddlePaddle ends (fixtures/optimizer/make_groups.py), on every path."""

import pathlib
import runpy
import warnings

import numpy as np
import proa as paddle
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "optimizer"
CASES = runpy.run_path(str(FIXTURES / "group_cases.py"))
ANSWERS = np.load(FIXTURES / "groups.npz")["parameters"]
LABELLED = {CASES["label"](case): (case, answer) for case, answer in zip(CASES["CASES"], ANSWERS, strict=True)}
SOME = list(LABELLED)[2::10]  # by groups, of every rule
RULES = list(CASES["RULES"])


def close(found, answer, label):
    np.testing.assert_allclose(found, answer, rtol=1e-4, atol=1e-4, err_msg=label)


@pytest.mark.parametrize("rule", RULES)
def test_where_it_ends(rule):
    for label, (case, answer) in LABELLED.items():
        if case["rule"] == rule:
            close(CASES["run"](paddle, case), answer, label)


@pytest.mark.parametrize("label", SOME)
def test_a_converted_network(label):
    case, answer = LABELLED[label]
    with paddle.utils.unique_name.guard():
        net = CASES["network"](paddle, case)
        rule = CASES["optimizer"](paddle, case, net)
        CASES["train"](paddle, paddle.jit.to_static(net), rule)
    close(CASES["flat"](net), answer, label)


@pytest.mark.parametrize("label", SOME)
def test_a_state_in_the_middle(label, tmp_path):
    case, answer = LABELLED[label]
    with paddle.utils.unique_name.guard():
        net = CASES["network"](paddle, case)
        rule = CASES["optimizer"](paddle, case, net)
        CASES["train"](paddle, net, rule, 10)
    paddle.save(rule.state_dict(), str(tmp_path / "state.pdopt"))
    rule = CASES["optimizer"](paddle, case, net)
    rule.set_state_dict(paddle.load(str(tmp_path / "state.pdopt")))
    CASES["train"](paddle, net, rule, 10)
    close(CASES["flat"](net), answer, label)


@pytest.mark.parametrize("label", SOME)
def test_a_program(label):
    case, answer = LABELLED[label]
    scope = paddle.static.Scope()
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard(), \
                paddle.static.scope_guard(scope):
            net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(
                4, 3, weight_attr=CASES["ATTRS"][case["attr"]](paddle)), paddle.nn.Tanh(), paddle.nn.Linear(3, 2))
            loss = CASES["loss_of"](paddle, net)
            rule = CASES["optimizer"](paddle, case, net)
            rule.minimize(loss)
            executor = paddle.static.Executor()
            executor.run(startup)
            for seed, parameter in enumerate(net.parameters()):
                scope.find_var(parameter.name).get_tensor().set(CASES["values"](seed, *parameter.shape),
                                                                paddle.CPUPlace())
            for _ in range(CASES["STEPS"]):
                executor.run(main)
                CASES["step_rate"](rule)
            found = [np.asarray(scope.find_var(p.name).get_tensor()).ravel() for p in net.parameters()]
    finally:
        paddle.disable_static()
    close(np.concatenate(found), answer, label)


def parameter(values, dtype="float32", name=None):
    return paddle.create_parameter([len(values)], dtype, name=name,
                                   default_initializer=paddle.nn.initializer.Assign(np.array(values, "float32")))


def trained(make, dtype="float32", steps=3):
    """Two parameters after some steps of an optimizer of them."""
    with paddle.utils.unique_name.guard():
        both = [parameter([1.0, -2.0], dtype), parameter([0.5, 3.0], dtype)]
        rule = make(*both)
    for _ in range(steps):
        sum((p * paddle.to_tensor([0.5, -1.0], dtype)).sum() for p in both).backward()
        rule.step()
        rule.clear_grad()
    masters = rule.state_dict().get("master_weights", {})
    return [masters.get(p.name, p).numpy() for p in both]


@pytest.mark.parametrize("rule", ["SGD", "Momentum", "Adam", "AdamW", "Lamb"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_float32_copies_of_16_bit_parameters(rule, dtype):
    def make(a, b):
        first = {"weight_decay": 0.25, "learning_rate": 0.5}
        second = {"beta1": 0.5} if rule in ("Adam", "AdamW", "Lamb") else {}
        return getattr(paddle.optimizer, rule)(0.1, parameters=[{"params": [a], **first}, {"params": [b], **second}],
                                               multi_precision=True)
    for copy, expected in zip(trained(make, dtype), trained(make), strict=True):
        np.testing.assert_allclose(copy, expected, rtol=2e-6)


def test_options_that_are_functions():
    """PaddlePaddle passes them over in a group, and has no lr_ratio on a CPU."""
    def grouped(a, b):
        return paddle.optimizer.AdamW(0.1, weight_decay=0.5, parameters=[
            {"params": [a], "apply_decay_param_fun": lambda name: False}, {"params": [b], "lr_ratio": lambda p: 0.25}])

    def chosen(a, b):
        return paddle.optimizer.AdamW(0.1, weight_decay=0.5, parameters=[a, b], lr_ratio=lambda p: {
            a.name: 1.0, b.name: 0.25}[p.name], apply_decay_param_fun=lambda name: name == b.name)
    np.testing.assert_array_equal(trained(grouped), trained(chosen))


def test_rescaled_gradients_of_a_group():
    def grouped(a, b):
        return paddle.optimizer.Momentum(0.1, parameters=[{"params": [a], "rescale_grad": 0.5}, {"params": [b]}])
    half, whole = trained(grouped)
    np.testing.assert_allclose(half - [1.0, -2.0], (whole - [0.5, 3.0]) / 2, rtol=1e-5)


def test_rows_of_an_embedding_by_group():
    def rows(grouped):
        with paddle.utils.unique_name.guard():
            table = paddle.nn.Embedding(4, 2, sparse=True, weight_attr=paddle.nn.initializer.Constant(1.0))
            scale = parameter([1.0, 2.0])
            if grouped:
                rule = paddle.optimizer.Adam(0.1, parameters=[
                    {"params": table.weight, "lazy_mode": True, "beta1": 0.5}, {"params": [scale]}])
            else:
                rule = paddle.optimizer.Adam(0.1, 0.5, parameters=[table.weight], lazy_mode=True)
        for row in (0, 1, 1):
            (table(paddle.to_tensor([row])) * scale.detach()).sum().backward()
            rule.step()
            rule.clear_grad()
        return table.weight.numpy()
    np.testing.assert_array_equal(rows(True), rows(False))


def test_a_group_stays_with_its_optimizer():
    """In PaddlePaddle its rate and its decay stay on the parameter, and count in the optimizers that follow."""
    def make(a, b):
        paddle.optimizer.SGD(1.0, parameters=[{"params": [a, b], "learning_rate": 0.1, "weight_decay": 0.5}])
        return paddle.optimizer.SGD(1.0, parameters=[a, b])
    np.testing.assert_allclose(trained(make, steps=1), [[0.5, -1.0], [0.0, 4.0]])


def test_what_a_parameter_is_given_behind_its_group_counts():
    """As in PaddlePaddle: `p.optimize_attr['learning_rate'] = …` and `p.regularizer = …` of a parameter in a group."""
    def make(set_first):
        def made(a, b):
            if set_first:
                a.optimize_attr["learning_rate"], b.regularizer = 0.25, paddle.regularizer.L2Decay(0.5)
            rule = paddle.optimizer.SGD(1.0, parameters=[{"params": [a, b], "learning_rate": 0.1}])
            if not set_first:
                a.optimize_attr["learning_rate"], b.regularizer = 0.25, paddle.regularizer.L2Decay(0.5)
            return rule
        return trained(made, steps=1)
    np.testing.assert_allclose(make(False), [[0.875, -1.75], [0.425, 2.95]], rtol=1e-6)
    np.testing.assert_allclose(make(True), [[0.95, -1.9], [0.45, 3.1]], rtol=1e-6)


def test_a_rate_that_is_a_tensor_is_the_rate():
    def make(a, b):
        return paddle.optimizer.SGD(1.0, parameters=[{"params": [a], "learning_rate": paddle.to_tensor(0.25)},
                                                     {"params": [b]}])
    np.testing.assert_allclose(trained(make, steps=1)[0], [0.875, -1.75])


def test_none_as_a_group_s_decay():
    def make(rule):
        return lambda a, b: rule(0.1, parameters=[{"params": [a], "weight_decay": None}, {"params": [b]}],
                                 weight_decay=0.5)
    def plain(rule, decay):
        return lambda a, b: rule(0.1, parameters=[a, b], weight_decay=decay)
    sgd, momentum = paddle.optimizer.SGD, paddle.optimizer.Momentum
    np.testing.assert_array_equal(trained(make(sgd))[0], trained(plain(sgd, 0.5))[0])
    np.testing.assert_array_equal(trained(make(momentum))[0], trained(plain(momentum, None))[0])


def test_a_group_that_comes_later():
    def later(a, b):
        rule = paddle.optimizer.Adam(0.1, parameters=[{"params": [a]}])
        rule._add_param_group({"params": [b], "beta1": 0.5})
        return rule

    def at_once(a, b):
        return paddle.optimizer.Adam(0.1, parameters=[{"params": [a]}, {"params": [b], "beta1": 0.5}])
    np.testing.assert_array_equal(trained(later), trained(at_once))


def test_parameters_that_are_replaced():
    def replaced(a, b):
        rule = paddle.optimizer.SGD(0.1, parameters=[{"params": [a], "learning_rate": 3.0}])
        assert rule._param_groups[0]["learning_rate"] == 3.0
        rule._parameter_list = [a, b]
        assert rule._param_groups == rule._parameter_list == [a, b]
        return rule
    np.testing.assert_array_equal(trained(replaced), trained(lambda a, b: paddle.optimizer.SGD(0.1, [a, b])))


def test_lookahead_around_groups():
    def grouped(a, b):
        return paddle.optimizer.SGD(1.0, parameters=[{"params": [a], "learning_rate": 0.1}, {"params": [b]}])
    fast = trained(grouped, steps=2)
    slow = trained(lambda a, b: paddle.incubate.LookAhead(grouped(a, b), 0.5, 2), steps=2)
    np.testing.assert_allclose(slow[0], (fast[0] + [0.95, -1.9]) / 2, rtol=1e-6)


def test_an_option_that_is_none_is_told():
    a = parameter([1.0])
    with pytest.warns(UserWarning, match=r"Adam\(parameters\): 'lr' of a group changes nothing.*'learning_rate'"):
        paddle.optimizer.Adam(parameters=[{"params": [a], "lr": 0.1}])
    with pytest.warns(UserWarning, match="Did you mean 'momentum'"):
        paddle.optimizer.Momentum(parameters=[{"params": [a], "momentun": 0.1}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.optimizer.AdamW(parameters=[{"params": a, "learning_rate": 1, "weight_decay": 1, "beta1": 0.1}])


@pytest.mark.parametrize(("given", "error", "said"), [
    (lambda a: paddle.nn.Linear(1, 1), TypeError, r"Adam\(parameters\).*Received Linear. Call its parameters\(\)"),
    (lambda a: a, TypeError, "must be a list of parameters.*Put it into a list"),
    (lambda a: {"params": [a]}, TypeError, "groups are a list of dicts"),
    (lambda a: {a}, TypeError, "an order that repeats"),
    (lambda a: 3, TypeError, "Received int"),
    (lambda a: [("name", a)], TypeError, r"named_parameters\(\) gives names too"),
    (lambda a: [{"parameters": [a]}], ValueError, r"needs 'params'.*\['parameters'\]"),
    (lambda a: [{"params": [a]}, {"params": [a]}], ValueError, "in more than one group"),
    (lambda a: [a, named(a.name)], ValueError, "two parameters.*would share momentum"),
    (lambda a: [{"params": {a}}], TypeError, "an order that repeats"),
    (lambda a: [{"params": [a], "beta1": 1.5}], ValueError, r"Adam\(beta1\): must lie in \[0, 1\)"),
    (lambda a: [{"params": [a], "weight_decay": "1"}], TypeError, "must be a number or a regularizer"),
    (lambda a: [{"params": [a], "grad_clip": 1.0}], TypeError, r"Adam\(grad_clip\).*ClipGradBy"),
    (lambda a: [{"params": [a], "learning_rate": paddle.optimizer.lr.NoamDecay(2, 2)}], TypeError, "is a factor"),
])
def test_what_it_refuses(given, error, said):
    with pytest.raises(error, match=said):
        paddle.optimizer.Adam(parameters=given(parameter([1.0])))


def named(name):
    """Another parameter of this name."""
    return paddle.create_parameter([2], "float32", attr=paddle.ParamAttr(name=name))


def test_gradients_that_are_none_are_passed_over():
    """`apply_gradients` takes the pairs of all parameters, as PaddlePaddle's does."""
    net = paddle.nn.Linear(2, 2)
    before = [p.numpy() for p in net.parameters()]
    rule = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    rule.apply_gradients([(p, p.grad) for p in net.parameters()])
    assert all((p.numpy() == b).all() for p, b in zip(net.parameters(), before, strict=True))
    rule.apply_gradients([(net.weight, paddle.ones([2, 2])), (net.bias, None)])
    assert (net.weight.numpy() != before[0]).all() and (net.bias.numpy() == before[1]).all()
