"""What a train job does behind its function: losses, which variables, clipping, scaling, the step; what is refused."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import default_session, session_guard
from proa.regularizer import L1Decay, L2Decay

opt = flow.optimizer


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def filled(value):
    return lambda shape, dtype: np.full(shape, value)


def counting(shape, dtype):
    return np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)


def rate(value=0.5):
    return opt.PiecewiseConstantScheduler([], [value])


def variable(name, shape=(4,), initializer=counting, **settings):
    return flow.get_variable(name, shape, initializer=initializer, **settings)


def one_step(write, mask=None, shape=(4,)):
    """Runs a train job of w and a mask once; the session's values."""
    @flow.global_function(type="train")
    def job(mask: tp.Numpy.Placeholder(shape)) -> tp.Numpy:
        return write(mask)

    job(np.ones(shape, "float32") if mask is None else mask)
    session = default_session()
    return {name: session.value(name) for name in session.variables}


def test_the_mean_of_a_loss_is_minimized():
    def write(mask):
        w = variable("w", (2, 4))
        opt.SGD(rate(), momentum=0).minimize(w * mask)
        return w

    mask = np.arange(8, dtype="float32").reshape(2, 4)
    found = one_step(write, mask, (2, 4))
    np.testing.assert_allclose(found["w"], counting((2, 4), None) - 0.5 * mask / 8, rtol=1e-6)


def test_several_losses_are_summed_up():
    def write(mask):
        w = variable("w")
        opt.SGD(rate(), momentum=0).minimize([w * mask, w * 2.0])
        return w

    found = one_step(write)
    np.testing.assert_allclose(found["w"], counting((4,), None) - 0.5 * 3 / 4, rtol=1e-6)


def test_a_variable_is_given_as_it_was_before_the_update():
    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        w = variable("w", initializer=filled(1.0))
        opt.SGD(rate(), momentum=0).minimize(w * x)
        return w

    x = np.full(4, 2, "float32")
    assert [job(x)[0] for _ in range(3)] == [1.0, 0.75, 0.5]


def test_what_stands_behind_minimize_sees_the_values_from_before_too():
    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        w = variable("w", initializer=filled(1.0))
        opt.SGD(rate(), momentum=0).minimize(w * x)
        return w * 10.0

    x = np.full(4, 2, "float32")
    assert [job(x)[0] for _ in range(2)] == [10.0, 7.5]


def test_what_is_not_trainable_and_what_no_loss_depends_on_stay():
    def write(mask):
        w, fixed, other = variable("w"), variable("fixed", trainable=False), variable("other")
        opt.SGD(rate()).minimize(w * fixed * mask)
        return other

    found = one_step(write)
    np.testing.assert_array_equal(found["fixed"], counting((4,), None).astype("float32"))
    np.testing.assert_array_equal(found["other"], counting((4,), None).astype("float32"))
    assert "w-momentum" in found and "fixed-momentum" not in found and "other-momentum" not in found


@pytest.mark.parametrize("given", [["w"], lambda: ["w"]])
def test_variables_are_given_by_names(given):
    def write(mask):
        w, v = variable("w"), variable("v")
        opt.SGD(rate(), momentum=0, variables=given).minimize(w * v * mask)
        return w

    found = one_step(write)
    np.testing.assert_array_equal(found["v"], counting((4,), None).astype("float32"))
    assert (found["w"] != found["v"]).any()


@pytest.mark.parametrize("penalty, slope", [(L2Decay(0.25), lambda w: 0.25 * w),
                                            (L1Decay(0.25), lambda w: 0.25 * np.sign(w))])
def test_regularizers_of_variables_come_before_clipping(penalty, slope):
    def write(mask):
        w = variable("w", regularizer=penalty)
        clip = opt.grad_clipping.by_global_norm(0.5)
        opt.SGD(rate(), momentum=0, grad_clipping=clip).minimize(w * mask)
        return w

    found, w = one_step(write, np.full(4, 4, "float32")), counting((4,), None)
    gradient = 1.0 + slope(w)
    gradient *= 0.5 / np.linalg.norm(gradient)
    np.testing.assert_allclose(found["w"], w - 0.5 * gradient, rtol=1e-6)


@pytest.mark.parametrize("norm", [0.5, 100.0])
def test_clipping_is_by_the_norm_of_all_gradients_of_an_optimizer(norm):
    def write(mask):
        w, v, u = variable("w"), variable("v"), variable("u")
        clip = opt.grad_clipping.by_global_norm(norm)
        clipped = opt.SGD(rate(), momentum=0, grad_clipping=clip, variables=["w", "v"])
        opt.CombinedOptimizer([clipped, opt.SGD(rate(), momentum=0, variables=["u"])]).minimize(w * mask + v * 2.0 + u)
        return w

    found, begin = one_step(write), counting((4,), None)
    total = np.sqrt(4 * (0.25**2 + 0.5**2))
    share = min(1.0, norm / total)
    for name, gradient in (("w", 0.25 * share), ("v", 0.5 * share), ("u", 0.25)):
        np.testing.assert_allclose(found[name], begin - 0.5 * gradient, rtol=1e-6)


@pytest.mark.parametrize("settings", [{"loss_scale_factor": 1024.0},
                                      {"loss_scale_policy": opt.loss_scale.static_loss_scale(1024.0)},
                                      {"loss_scale_policy": opt.loss_scale.dynamic_loss_scale(1024.0)}])
def test_a_scaled_loss_gives_the_same_update(settings):
    def write(mask):
        w = variable("w")
        opt.SGD(rate(), **settings).minimize(w * mask)
        return w

    found = one_step(write)
    np.testing.assert_allclose(found["w"], counting((4,), None) - 0.125, rtol=1e-6)


@pytest.mark.parametrize("rule", [lambda **s: opt.SGD(rate(), momentum=0, **s), lambda **s: opt.SGD(rate(), **s),
                                  lambda **s: opt.Adam(rate(), do_bias_correction=True, **s),
                                  lambda **s: opt.LAMB(rate(), **s), lambda **s: opt.RMSProp(rate(), **s)])
def test_dynamic_scaling_skips_steps_whose_gradients_are_not_finite(session, rule):
    @flow.global_function(type="train")
    def job(mask: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        w = variable("w")
        policy = opt.loss_scale.dynamic_loss_scale(initial_loss_scale=16.0, increment_period=2, multiplier=4.0)
        rule(loss_scale_policy=policy).minimize(w * mask)
        return w

    good, bad = np.ones(4, "float32"), np.array([1, np.inf, 1, 1], "float32")
    system = "System-Train-DynamicLossScale-job"
    scales, steps, counts = [], [], []
    for mask in (good, bad, good, good, good, bad, bad, bad):
        before = {name: session.value(name) for name in session.variables if session.scope.array(name) is not None}
        job(mask)
        if mask is bad:
            for name, value in before.items():
                if not name.startswith("System-Train-Dynamic"):
                    np.testing.assert_array_equal(session.value(name), value, err_msg=name)
        scales.append(float(session.value(f"{system}-LossScale")[0]))
        counts.append(int(session.value(f"{system}-GoodStepCounter")[0]))
        steps.append(int(session.value("System-Train-TrainStep-job")[0]))
    assert scales == [16, 4, 4, 16, 16, 4, 1, 1]
    assert counts == [1, 0, 1, 0, 1, 0, 0, 0]
    assert steps == [1, 1, 2, 3, 4, 4, 4, 4]
    assert np.isfinite(session.value("w")).all()


def network(make):
    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((8, 4)), label: tp.Numpy.Placeholder((8,), dtype=flow.int64)) -> tp.Numpy:
        def init(shape, dtype):
            return np.random.default_rng(5).normal(size=shape)

        hidden = paddle.tanh(paddle.matmul(x, variable("w1", (4, 6), init)) + variable("b1", (6,), filled(0.0)))
        logits = paddle.matmul(hidden, variable("w2", (6, 3), init)) + variable("b2", (3,), filled(0.0))
        loss = paddle.nn.functional.cross_entropy(logits, label, reduction="none")
        make().minimize(loss)
        return loss

    return job


def batches(count):
    rng = np.random.default_rng(9)
    return [(rng.normal(size=(8, 4)).astype("float32"), rng.integers(0, 3, 8)) for _ in range(count)]


SCHEDULE = opt.CosineScheduler(0.1, 20, warmup=opt.warmup.linear(3, 0.1))
RULES = {
    "SGD": lambda: opt.SGD(SCHEDULE, momentum=0.9, grad_clipping=opt.grad_clipping.by_global_norm(0.3)),
    "AdamW": lambda: opt.AdamW(SCHEDULE, do_bias_correction=True, weight_decay=0.1, weight_decay_excludes="b"),
    "LazyAdam": lambda: opt.LazyAdam(SCHEDULE),
    "LAMB": lambda: opt.LAMB(SCHEDULE, weight_decay=0.1),
    "LARS": lambda: opt.LARS(SCHEDULE, weight_decay=0.1),
    "RMSProp": lambda: opt.RMSProp(SCHEDULE, centered=True),
    "dynamic": lambda: opt.SGD(SCHEDULE, loss_scale_policy=opt.loss_scale.dynamic_loss_scale(2.0**10, 3)),
}


@pytest.mark.parametrize("name", RULES)
def test_training_that_is_resumed_is_training_that_was_never_interrupted(name):
    """To the last bit: of losses, variables, what optimizers keep and the train step."""
    with session_guard() as whole:
        job = network(RULES[name])
        losses = [job(*batch) for batch in batches(8)]
    with session_guard() as first:
        job = network(RULES[name])
        again = [job(*batch) for batch in batches(4)]
    with session_guard() as second:
        job = network(RULES[name])
        second.start()
        assert set(second.variables) == set(first.variables)
        for kept in first.variables:
            second.set_value(kept, first.value(kept))
        again += [job(*batch) for batch in batches(8)[4:]]
    np.testing.assert_array_equal(losses, again)
    for kept in whole.variables:
        np.testing.assert_array_equal(whole.value(kept), second.value(kept), err_msg=kept)


def test_the_same_network_trains_alike_in_the_other_face():
    with session_guard() as session:
        job = network(lambda: opt.SGD(rate(0.25), momentum=0))
        session.start()
        session.initialize()
        begin = {name: session.value(name) for name in ("w1", "b1", "w2", "b2")}
        losses = [job(*batch).mean() for batch in batches(6)]
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 6), paddle.nn.Tanh(), paddle.nn.Linear(6, 3))
    for parameter, name in zip(net.parameters(), begin, strict=True):
        parameter.set_value(begin[name])
    sgd = paddle.optimizer.SGD(0.25, parameters=net.parameters())
    others = []
    for x, label in batches(6):
        loss = paddle.nn.functional.cross_entropy(net(paddle.to_tensor(x)), paddle.to_tensor(label))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        others.append(float(loss))
    np.testing.assert_allclose(losses, others, rtol=1e-6)


def test_two_train_jobs_share_variables_and_what_is_kept_of_them(session):
    def job_named(name):
        def job(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
            w = variable("w", initializer=filled(1.0))
            opt.SGD(rate(), momentum=0.5).minimize(w * x)
            return w

        job.__name__ = name
        return flow.global_function(type="train")(job)

    one, two = job_named("one"), job_named("two")
    x = np.full(4, 4, "float32")
    for job in (one, two, one):
        job(x)
    assert {name for name in session.variables if name.startswith("System")} == {
        "System-Train-TrainStep-one", "System-Train-TrainStep-two"}
    assert session.value("w-momentum")[0] == -(0.5 + 0.5 * (0.5 + 0.5 * 0.5))
    assert session.value("System-Train-TrainStep-one") == 2 and session.value("System-Train-TrainStep-two") == 1


# What is refused

def traced(write, kind="train"):
    @flow.global_function(type=kind)
    def job(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        return write(x)

    return lambda: job(np.ones(4, "float32"))


def combined(first, second, **settings):
    return opt.CombinedOptimizer([opt.SGD(rate(), variables=first), opt.Adam(rate(), variables=second)], **settings)


def twice(x):
    w = variable("w")
    opt.SGD(rate()).minimize(w * x)
    opt.SGD(rate()).minimize(w * x)


REFUSED = {
    "a predict job": (lambda x: opt.SGD(rate()).minimize(variable("w") * x), RuntimeError, "predict job", "predict"),
    "twice": (twice, RuntimeError, "has an optimizer already"),
    "no optimizer": (lambda x: variable("w") * x, RuntimeError, "trains nothing"),
    "no variables": (lambda x: opt.SGD(rate()).minimize(x * 2.0), ValueError, "no trainable variable"),
    "none trainable": (lambda x: opt.SGD(rate()).minimize(variable("w", trainable=False) * x), ValueError,
                       "no trainable variable"),
    "an empty list of variables": (lambda x: opt.SGD(rate(), variables=[]).minimize(variable("w") * x), ValueError,
                                   "no trainable variable"),
    "a loss of no variable": (lambda x: (variable("w"), opt.SGD(rate()).minimize(x * 2.0))[1], ValueError,
                               "depend on none"),
    "no loss": (lambda x: opt.SGD(rate()).minimize([]), ValueError, "there is none"),
    "an array": (lambda x: opt.SGD(rate()).minimize(np.ones(3)), TypeError, "must be a blob"),
    "integers": (lambda x: (variable("w"), opt.SGD(rate()).minimize(paddle.cast(x, "int32")))[1], ValueError,
                 "of floats"),
    "losses of several shapes": (lambda x: opt.SGD(rate()).minimize([variable("w") * x, variable("v", (2,)) * 2.0]),
                                 ValueError, "one shape"),
    "two rules for a variable": (lambda x: combined(["w"], ["w"]).minimize(variable("w") * x), ValueError,
                                 "updated by SGD and by Adam"),
    "an unknown blob": (lambda x: opt.SGD(opt.CustomScheduler("nothing/out")).minimize(variable("w") * x), ValueError,
                        "no blob"),
    "an unknown step": (lambda x: opt.SGD(rate(), train_step_lbn="nothing/out").minimize(variable("w") * x), ValueError,
                        "no blob"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_train_is_refused(name):
    write, kind, message, *job = REFUSED[name]
    with pytest.raises(kind, match=message):
        traced(write, *job)()


def test_one_optimizer_may_train_several_jobs():
    sgd = opt.SGD(rate(), momentum=0)

    def job_of(name):
        @flow.global_function(type="train")
        def job(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
            w = variable(name)
            sgd.minimize(w * x)
            assert sgd.Variables() == [name]
            return w

        job.job.name = name
        return job

    for name in ("u", "v"):
        job_of(name)(np.ones(4, "float32"))
        assert sgd.Variables() == [name]
        np.testing.assert_allclose(default_session().value(name), counting((4,), None) - 0.125, rtol=1e-6)


def test_a_name_that_is_given_twice_is_updated_once():
    def write(mask):
        w = variable("w")
        opt.SGD(rate(), momentum=0, variables=["w", "w"]).minimize(w * mask)
        return w

    np.testing.assert_allclose(one_step(write)["w"], counting((4,), None) - 0.125, rtol=1e-6)


def test_norms_of_zero_and_no_epsilon():
    def write(mask):
        w = variable("w", initializer=filled(0.0))
        opt.LARS(rate(), epsilon=0.0).minimize(w * mask)
        return w

    assert not one_step(write, np.zeros(4, "float32"))["w"].any()


def test_a_name_of_no_variable_is_told():
    with pytest.warns(UserWarning, match=r"no variables \['u'\]"):
        traced(lambda x: opt.SGD(rate(), variables=["u", "w"]).minimize(variable("w") * x) or x)()


def test_a_loss_of_another_job_is_refused():
    kept = []

    @flow.global_function()
    def other(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        kept.append(variable("w") * x)
        return kept[0]

    other(np.ones(4, "float32"))
    with pytest.raises(ValueError, match="another job"):
        traced(lambda x: opt.SGD(rate()).minimize(kept[0]))()


@pytest.mark.parametrize("call, message", [
    (lambda: opt.SGD(rate()).minimize(1.0), "global function"),
    (lambda: opt.SGD(rate(), grad_clipping=1.0), "by_global_norm"),
    (lambda: opt.SGD(rate(), loss_scale_policy=1.0), "static_loss_scale"),
    (lambda: opt.SGD(rate(), loss_scale_factor=2.0, loss_scale_policy=opt.loss_scale.static_loss_scale(2.0)), "both"),
    (lambda: opt.grad_clipping.by_global_norm(0.0), "above 0"),
    (lambda: opt.loss_scale.static_loss_scale(0), "above 0"),
    (lambda: opt.loss_scale.dynamic_loss_scale(increment_period=0), "1 or more"),
    (lambda: opt.AdamW(rate(), weight_decay_includes="a", weight_decay_excludes="b"), "only one"),
    (lambda: opt.AdamW(rate(), weight_decay_includes="("), "regular expression"),
    (lambda: opt.CombinedOptimizer([]), "none"),
    (lambda: opt.CombinedOptimizer([combined(["w"], ["v"])]), "optimizers of variables"),
    (lambda: opt.CombinedOptimizer([opt.SGD(rate(), loss_scale_factor=2.0)]), "loss_scale_policy of its own"),
    (lambda: opt.CombinedOptimizer([opt.SGD(rate(), train_step_lbn="s")]), "train_step_lbn of its own"),
])
def test_settings_that_say_nothing_are_refused(call, message):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=message):
        call()


# Losses by `add_loss`, rules by `function_config.train`

def configured(conf, rate=0.5, **settings):
    config = flow.FunctionConfig()
    config.train.primary_lr(rate)
    config.train.model_update_conf(conf)
    for name, value in settings.items():
        getattr(config.train, name)(value)
    return config


def by_configuration(config, write=None):
    @flow.global_function(config)
    def job(mask: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        w = variable("w-weight")
        flow.losses.add_loss(w * mask)
        return w if write is None else write(w)

    return job


POLYNOMIAL = {"polynomial_conf": {"decay_batches": 10, "end_learning_rate": 0.0}}
CONFIGURED = {
    "naive": ({"naive_conf": {}}, lambda r: opt.SGD(r, momentum=0)),
    "momentum": ({"momentum_conf": {"beta": 0.8}}, lambda r: opt.SGD(r, momentum=0.8)),
    "momentum, decay": ({"momentum_conf": {}, "weight_decay_conf": {"weight_decay_rate": 0.1,
                                                                    "includes": {"pattern": ["weight"]}}},
                        lambda r: opt.SGDW(r, weight_decay=0.1, weight_decay_includes="weight")),
    "rmsprop": ({"rmsprop_conf": {"centered": True}}, lambda r: opt.RMSProp(r, centered=True)),
    "lars": ({"lars_conf": {"lars_coefficient": 0.1}}, lambda r: opt.LARS(r, lars_coefficient=0.1)),
    "adam": ({"adam_conf": {}}, lambda r: opt.Adam(r)),
    "adam, decay": ({"adam_conf": {"epsilon": 1e-6}, "weight_decay_conf": {"weight_decay_rate": 0.1,
                                                                           "excludes": {"pattern": ["bias"]}},
                     "clip_conf": {"clip_by_global_norm": {"clip_norm": 0.1}}},
                    lambda r: opt.AdamW(r, epsilon=1e-6, weight_decay=0.1, weight_decay_excludes="bias",
                                        grad_clipping=opt.grad_clipping.by_global_norm(0.1))),
    "lazy adam": ({"lazy_adam_conf": {}}, lambda r: opt.LazyAdam(r)),
    "lamb": ({"lamb_conf": {}}, lambda r: opt.LAMB(r, epsilon=1e-8)),
    "decay": ({"naive_conf": {}, "learning_rate_decay": POLYNOMIAL},
              lambda r: opt.SGD(opt.PolynomialScheduler(0.5, 10, 0.0), momentum=0)),
    "decay behind a warmup": (
        {"naive_conf": {}, "learning_rate_decay": POLYNOMIAL,
         "warmup_conf": {"linear_conf": {"warmup_batches": 2, "start_multiplier": 0}}},
        lambda r: opt.SGD(opt.PolynomialScheduler(0.5, 10, 0.0, warmup=opt.warmup.linear(2, 0)), momentum=0)),
    "scales": ({"naive_conf": {}, "learning_rate_decay": {"piecewise_scaling_conf": {"boundaries": [1],
                                                                                     "scales": [0.5, 0.1]}}},
               lambda r: opt.SGD(opt.PiecewiseConstantScheduler([1], [0.25, 0.05]), momentum=0)),
}


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_rule_that_the_configuration_names(name):
    conf, make = CONFIGURED[name]
    masks = [np.linspace(-1, n, 4, dtype="float32") for n in range(1, 5)]
    found = []
    for begin in (lambda: by_configuration(configured(conf)), lambda: minimizing(make(rate()))):
        with session_guard() as session:
            job = begin()
            for mask in masks:
                job(mask)
            found.append({name: session.value(name) for name in session.variables})
    assert found[0].keys() == found[1].keys()
    for key, value in found[0].items():
        np.testing.assert_array_equal(value, found[1][key], err_msg=key)


def minimizing(optimizer):
    @flow.global_function(type="train")
    def job(mask: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
        w = variable("w-weight")
        optimizer.minimize(w * mask)
        return w

    return job


@pytest.mark.parametrize("config, message", [
    (lambda: configured({}), "one rule of"),
    (lambda: configured({"naive_conf": {}, "adam_conf": {}}), "one rule of"),
    (lambda: configured({"adagrad_conf": {}}), "knows naive_conf.*Received 'adagrad_conf'"),
    (lambda: configured({"adam_conf": {"beta": 0.9}}), "adam_conf: knows beta1.*Received 'beta'"),
    (lambda: configured({"naive_conf": {}, "clip_conf": {"by_norm": {}}}), "clip_by_global_norm"),
    (lambda: configured({"naive_conf": {}, "warmup_conf": {"cosine_conf": {}}}), "constant_conf"),
    (lambda: configured({"rmsprop_conf": {}, "weight_decay_conf": {"weight_decay_rate": 0.1}}), "no weight_decay_conf"),
    (lambda: configured({"naive_conf": {}}, secondary_lr=0.1), "secondary_lr"),
    (lambda: configured({"naive_conf": {}}, weight_l2=0.1), "regularizers"),
    (lambda: configured({"naive_conf": {}}, num_gradient_accumulation_steps=4), "not supported"),
    (lambda: configured("naive_conf"), "must be a dict"),
    (lambda: configured(None), "belong together"),
])
def test_a_configuration_that_describes_no_optimizer(config, message):
    with pytest.raises((TypeError, ValueError), match=message):
        by_configuration(config())(np.ones(4, "float32"))


def test_losses_without_a_configuration_and_with_an_optimizer_besides():
    with pytest.raises(RuntimeError, match="losses and no optimizer"):
        traced(lambda x: flow.losses.add_loss(variable("w") * x))()
    job = by_configuration(configured({"naive_conf": {}}), lambda w: opt.SGD(rate()).minimize(w * 2.0))
    with pytest.raises(RuntimeError, match="another one by func_config.train"):
        job(np.ones(4, "float32"))


def test_a_scaled_loss_of_the_configuration(session):
    by_configuration(configured({"naive_conf": {}}, loss_scale_factor=8.0))(np.ones(4, "float32"))
    np.testing.assert_allclose(session.value("w-weight"), counting((4,), None) - 0.125, rtol=1e-6)


def test_watched_gradients_are_those_of_the_sum_of_the_loss():
    seen = {}

    def keep(name):
        return lambda value: seen.update({name: value.numpy()})

    @flow.global_function(type="train")
    def job(mask: tp.Numpy.Placeholder((3,))) -> tp.Numpy:
        w = variable("w", (3,))
        half = w * 0.5
        loss = half * mask
        for name, blob in {"w": w, "half": half, "loss": loss}.items():
            flow.watch_diff(blob, keep(name))
        opt.SGD(rate()).minimize(loss)
        flow.watch(w, keep("value"))
        return loss

    job(np.array([1, 2, 3], "float32"))
    np.testing.assert_allclose(seen["loss"], [1, 1, 1], rtol=1e-6)
    np.testing.assert_allclose(seen["half"], [1, 2, 3], rtol=1e-6)
    np.testing.assert_allclose(seen["w"], [0.5, 1, 1.5], rtol=1e-6)
    np.testing.assert_array_equal(seen["value"], counting((3,), None).astype("float32"))
