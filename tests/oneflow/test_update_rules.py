"""Update rules of jobs, against OneFlow's formulas in NumPy."""

import json
import os
import re

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from devices_of_tests import on_device
from proa.oneflow.job import session_guard

opt = flow.optimizer
SHAPE, STEPS = (3, 4), 6
RATES = [0.1, 0.1, 0.1, 0.02, 0.02, 0.02]


def begin(shape, dtype):
    return np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)


def rate():
    return opt.PiecewiseConstantScheduler([2], [0.1, 0.02])


def trained(make, steps=STEPS, dtype="float32"):
    """The values of a variable and of all that is kept beside it, after each of some steps by masks as gradients."""
    rng = np.random.default_rng(3)
    gradients = [rng.normal(size=SHAPE).astype(dtype) for _ in range(steps)]
    with session_guard() as session:
        @flow.global_function(type="train")
        def job(mask: tp.Numpy.Placeholder(SHAPE, dtype=getattr(flow, dtype))) -> tp.Numpy:
            w = flow.get_variable("w-weight", SHAPE, dtype=getattr(flow, dtype), initializer=begin)
            b = flow.get_variable("b-bias", SHAPE, dtype=getattr(flow, dtype), initializer=begin)
            make().minimize(w * mask + b * mask)
            return w

        found = [job(gradient) for gradient in gradients]
        values = {name: session.value(name) for name in session.variables}
    assert values["System-Train-TrainStep-job"] == steps
    return gradients, [*found[1:], values["w-weight"]], values


class Sgd:
    def __init__(self, momentum=0.0, decay=0.0):
        self.momentum, self.decay, self.m = momentum, decay, 0.0

    def __call__(self, w, g, lr, t):
        if not self.momentum:
            return w - lr * (g + self.decay * w)
        self.m = self.momentum * self.m - lr * g
        return w + self.m - lr * self.decay * w


class Adam:
    def __init__(self, corrects, decay=0.0, b1=0.9, b2=0.99, eps=1e-3):
        self.b, self.eps, self.corrects, self.decay = (b1, b2), eps, corrects, decay
        self.m = self.v = 0.0

    def moments(self, g):
        b1, b2 = self.b
        self.m = b1 * self.m + (1 - b1) * g
        self.v = b2 * self.v + (1 - b2) * g * g

    def __call__(self, w, g, lr, t):
        self.moments(g)
        c1, c2 = (1 - b ** (t + 1) for b in self.b) if self.corrects else (1, 1)
        return w - lr / c1 * self.m / (np.sqrt(self.v) / np.sqrt(c2) + self.eps) - lr * self.decay * w


class Lamb(Adam):
    def __call__(self, w, g, lr, t):
        self.moments(g)
        c1, c2 = (1 - b ** (t + 2) for b in self.b)
        u = self.m / c1 / np.sqrt(self.v / c2 + self.eps)
        return w - lr * np.linalg.norm(w) / np.linalg.norm(u) * (u + self.decay * w)


class Lars(Sgd):
    def __call__(self, w, g, lr, t):
        ratio = 0.01 * np.linalg.norm(w) / (1e-3 + np.linalg.norm(g) + self.decay * np.linalg.norm(w))
        return super().__call__(w, g, lr * ratio, t)


class RmsProp:
    def __init__(self, centered):
        self.centered, self.s, self.a = centered, 0.0, 0.0

    def __call__(self, w, g, lr, t):
        self.s, self.a = 0.9 * self.s + 0.1 * g * g, 0.9 * self.a + 0.1 * g
        return w - lr * g / np.sqrt(self.s - (self.a**2 if self.centered else 0) + 1e-3)


BETAS = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3}
LARS = {"momentum_beta": 0.9, "epsilon": 1e-3, "lars_coefficient": 0.01}
RULES = {
    "sgd": (lambda: opt.SGD(rate(), momentum=0), Sgd, []),
    "sgd, no momentum": (lambda: opt.SGD(rate(), momentum=None), Sgd, []),
    "momentum": (lambda: opt.SGD(rate(), momentum=0.9), lambda: Sgd(0.9), ["momentum"]),
    "sgdw": (lambda: opt.SGDW(rate(), momentum=0.9, weight_decay=0.5), lambda: Sgd(0.9, 0.5), ["momentum"]),
    "sgdw, no momentum": (lambda: opt.SGDW(rate(), momentum=0, weight_decay=0.5), lambda: Sgd(0, 0.5), []),
    "sgdw, no decay": (lambda: opt.SGDW(rate(), momentum=0.9), lambda: Sgd(0.9), ["momentum"]),
    "adam": (lambda: opt.Adam(rate(), **BETAS), lambda: Adam(False), ["m", "v"]),
    "adam, corrected": (lambda: opt.Adam(rate(), do_bias_correction=True, **BETAS), lambda: Adam(True), ["m", "v"]),
    "adamw": (lambda: opt.AdamW(rate(), weight_decay=0.5, **BETAS), lambda: Adam(False, 0.5), ["m", "v"]),
    "adamw, corrected": (lambda: opt.AdamW(rate(), weight_decay=0.5, do_bias_correction=True, **BETAS),
                         lambda: Adam(True, 0.5), ["m", "v"]),
    "adamw, no decay": (lambda: opt.AdamW(rate(), **BETAS), lambda: Adam(False), ["m", "v"]),
    "lazy adam": (lambda: opt.LazyAdam(rate(), **BETAS), lambda: Adam(True), ["m", "v"]),
    "lamb": (lambda: opt.LAMB(rate(), **BETAS), lambda: Lamb(True), ["m", "v", "beta1_t", "beta2_t"]),
    "lamb, decay": (lambda: opt.LAMB(rate(), weight_decay=0.5, **BETAS), lambda: Lamb(True, 0.5),
                    ["m", "v", "beta1_t", "beta2_t"]),
    "lars": (lambda: opt.LARS(rate(), **LARS), lambda: Lars(0.9), ["momentum"]),
    "lars, decay": (lambda: opt.LARS(rate(), weight_decay=0.5, **LARS), lambda: Lars(0.9, 0.5), ["momentum"]),
    "rmsprop": (lambda: opt.RMSProp(rate(), decay_rate=0.9, epsilon=1e-3), lambda: RmsProp(False), ["mean_square"]),
    "rmsprop, centered": (lambda: opt.RMSProp(rate(), decay_rate=0.9, epsilon=1e-3, centered=True),
                          lambda: RmsProp(True), ["mean_square", "mean_gradient"]),
}


def expected(rule, gradients):
    w, values = begin(SHAPE, None), []
    for t, gradient in enumerate(gradients):
        w = rule(w, gradient.astype("float64") / gradient.size, RATES[t], t)
        values.append(w)
    return values


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_its_formula(name):
    make, rule, kept = RULES[name]
    gradients, found, values = trained(make)
    np.testing.assert_allclose(found, expected(rule(), gradients), rtol=2e-5, atol=2e-6)
    variables = ("w-weight", "b-bias")
    assert set(values) == {"System-Train-TrainStep-job", *variables, *(f"{v}-{k}" for v in variables for k in kept)}
    np.testing.assert_array_equal(values["w-weight"], values["b-bias"])


@pytest.mark.parametrize("name", ["momentum", "adamw, corrected", "lamb, decay", "lars", "rmsprop, centered"])
def test_variables_of_float64(name):
    make, rule, _ = RULES[name]
    gradients, found, values = trained(make, dtype="float64")
    np.testing.assert_allclose(found, expected(rule(), gradients), rtol=3e-7, atol=3e-8)
    assert all(value.dtype == np.float64 for name, value in values.items() if not name.startswith("System"))


@pytest.mark.parametrize("rule", [opt.SGDW, opt.AdamW, opt.LARS, opt.LAMB])
@pytest.mark.parametrize("patterns", [{"weight_decay_includes": "weight"}, {"weight_decay_excludes": ["bias", "norm"]},
                                      {"weight_decay_includes": [re.compile(r"^w").pattern]}])
def test_patterns_say_which_variables_shrink(rule, patterns):
    _, _, values = trained(lambda: rule(rate(), weight_decay=0.5, **patterns), 2)
    _, _, all_shrink = trained(lambda: rule(rate(), weight_decay=0.5), 2)
    _, _, none = trained(lambda: rule(rate()), 2)
    np.testing.assert_array_equal(values["w-weight"], all_shrink["w-weight"])
    np.testing.assert_array_equal(values["b-bias"], none["b-bias"])
    assert not np.allclose(values["w-weight"], none["w-weight"])


def test_lazy_adam_leaves_what_has_no_gradient_as_it_is():
    with session_guard() as session:
        @flow.global_function(type="train")
        def job(mask: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
            w = flow.get_variable("w", (4,), initializer=begin)
            opt.LazyAdam(rate()).minimize(w * mask)
            return w

        before = job(np.array([1, 1, 0, 1], "float32"))
        kept = {name: session.value(name) for name in ("w", "w-m", "w-v")}
        job(np.array([0, 1, 0, 0], "float32"))
        after = {name: session.value(name) for name in kept}
    assert kept["w"][2] == before[2] and kept["w-m"][2] == 0
    for name, value in kept.items():
        np.testing.assert_array_equal(value != after[name], [False, True, False, False])


@pytest.mark.parametrize("rule", [opt.LARS, opt.LAMB])
def test_where_a_norm_is_zero_the_rate_is_the_schedules(rule):
    with session_guard() as session:
        @flow.global_function(type="train")
        def job(mask: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
            w = flow.get_variable("w", (4,), initializer=lambda shape, dtype: np.zeros(shape))
            rule(rate()).minimize(w * mask)
            return w

        job(np.zeros(4, "float32"))
        assert (session.value("w") == 0).all()
        job(np.ones(4, "float32"))
        assert np.isfinite(session.value("w")).all() and (session.value("w") < 0).all()
        if rule is opt.LARS:
            np.testing.assert_allclose(session.value("w"), -0.025, rtol=1e-6)


def test_momentum_with_the_rate_inside_gives_the_same_bits_by_loops_and_by_numpy():
    import proa as paddle
    from proa.backend import loops
    from proa.ops.core.trace import apply
    from proa.ops.optim.rules import momentum_op

    if not loops.is_ready():
        pytest.skip("no engine of loops")
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=1 << 17).astype("float32") for _ in range(3)]
    found = []
    for engines, after in (("", 0), ("loops", 0)):
        old = paddle.get_flags(["FLAGS_cpu_engines", "FLAGS_kernel_after_elements"])
        paddle.set_flags({"FLAGS_cpu_engines": engines, "FLAGS_kernel_after_elements": after})
        try:
            p, g, v = map(paddle.to_tensor, arrays)
            for nesterov in (False, True):
                p, v = apply(momentum_op, p, g, v, paddle.full([1], 0.3), mu=0.9, rate_in_velocity=True,
                             use_nesterov=nesterov)
            found.append((p.numpy(), v.numpy()))
        finally:
            paddle.set_flags(old)
    for by_numpy, by_loops in zip(*found, strict=True):
        np.testing.assert_array_equal(by_numpy, by_loops)


def plan_of(make, **options):
    @flow.global_function(type="train")
    def job(mask: tp.Numpy.Placeholder(SHAPE)) -> None:
        w = flow.get_variable("w", SHAPE, initializer=begin)
        b = flow.get_variable("b", SHAPE, initializer=begin)
        make().minimize(w * mask * b)

    with session_guard():
        job.job.trace()
        return str(job.job.program.plan(["Input_0"], []))


@pytest.mark.parametrize("name", ["sgd", "momentum", "adam", "adam, corrected", "adamw, corrected"])
def test_all_variables_are_updated_by_one_loop(name):
    assert plan_of(RULES[name][0]).count(" merged_") == 1


@pytest.mark.parametrize("name", ["sgdw", "lamb, decay", "lars, decay", "rmsprop, centered", "lazy adam"])
def test_nothing_is_copied_into_variables(name):
    assert " assign " not in plan_of(RULES[name][0])


@pytest.mark.parametrize("name", ["momentum", "sgdw", "sgdw, no momentum", "adam", "adamw, corrected"])
def test_rows_without_a_gradient_stay_as_they_are(name):
    """Of variables that the configuration names: as if only the others were there."""
    make, rule, kept = RULES[name]
    config = flow.FunctionConfig()
    config.indexed_slices_optimizer_conf({"include_op_names": {"op_name": ["table", "other"]}})
    batches = [[0, 2, 2], [2, 3, 3], [3, 0, 3], [2, 2, 2]]
    with session_guard() as session:
        @flow.global_function(type="train", function_config=config)
        def job(ids: tp.Numpy.Placeholder((3,), dtype=flow.int32)) -> tp.Numpy:
            table = flow.get_variable("table", (5, 2), initializer=begin)
            make().minimize(flow.gather(table, ids) * 2.0)
            return table

        for ids in batches:
            job(np.array(ids, "int32"))
        values = {kind: session.value(f"table-{kind}") for kind in kept}
        found = session.value("table")
    table, rules = begin((5, 2), None), [rule() for _ in range(5)]
    for t, ids in enumerate(batches):
        for row in set(ids):
            table[row] = rules[row](table[row], np.full(2, 2.0 * ids.count(row) / 6), RATES[t], t)
    np.testing.assert_allclose(found, table, rtol=1e-5)
    np.testing.assert_array_equal(found[[1, 4]], begin((5, 2), None).astype("float32")[[1, 4]])
    assert all(not value[[1, 4]].any() and value[[0, 2, 3]].all() for value in values.values())


def test_which_variables_go_by_rows_is_said_by_names():
    with pytest.raises(TypeError, match="op_name"):
        flow.FunctionConfig().indexed_slices_optimizer_conf({"include_op_names": ["table"]})


FIXTURE = os.path.join(os.path.dirname(__file__), "..", "fixtures", "oneflow", "update_rules.json")
with open(FIXTURE) as file:
    ANSWERS = json.load(file)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_rule_gives_what_oneflow_gives(name):
    """Version 0.9.0, of the rules that are there what they are in job functions."""
    _, found, _ = trained(RULES[name][0])
    np.testing.assert_allclose(np.reshape(found, (STEPS, -1)), ANSWERS[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_on_a_device(name):
    make, rule, _ = RULES[name]
    with on_device():
        gradients, found, _ = trained(make, 4)
    np.testing.assert_allclose(found, expected(rule(), gradients), rtol=2e-5, atol=2e-6)


def test_updates_are_written_as_in_other_programs():
    """By values that may be without dimensions, and Paddle's division: nothing is reshaped, nothing asks for zeros."""
    clip = flow.optimizer.grad_clipping.by_global_norm(1.0)
    for make in (lambda: opt.SGD(rate(), grad_clipping=clip), RULES["lamb, decay"][0], RULES["lars"][0]):
        plan = plan_of(make)
        assert "reshape" not in plan and "reciprocal" not in plan
