"""Learning rates at train steps, against the formulas in double precision."""

import math

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard

make = flow.optimizer
STEPS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40, 1000]


def cosine(step, base, steps, alpha=0.0):
    return base * ((1 - alpha) * 0.5 * (1 + math.cos(math.pi * min(step, steps) / steps)) + alpha)


def polynomial(step, base, steps, end=0.0001, power=1.0, cycle=False):
    if cycle:
        step = max(step, 1)
        steps = steps * math.ceil(step / steps)
    return (base - end) * (1 - min(step, steps) / steps) ** power + end


def linear_cosine(step, base, steps, periods=0.5, alpha=0.0, beta=0.001):
    step = min(step, steps)
    return base * ((alpha + (steps - step) / steps) * 0.5 * (1 + math.cos(2 * math.pi * periods * step / steps)) + beta)


def exponent(step, steps, staircase):
    return math.floor(step / steps) if staircase else step / steps


def piecewise(step, boundaries, values):
    return next((value for boundary, value in zip(boundaries, values, strict=False) if step <= boundary), values[-1])


CASES = {
    "constant": (make.PiecewiseConstantScheduler([], [0.1]), lambda s: 0.1),
    "piecewise": (make.PiecewiseConstantScheduler([3, 8], [0.1, 0.02, 0.3]),
                  lambda s: piecewise(s, [3, 8], [0.1, 0.02, 0.3])),
    "scaled": (make.PiecewiseScalingScheduler(0.3, [3, 8], [0.1, 0.01]),
               lambda s: 0.3 * piecewise(s, [3, 8], [1, 0.1, 0.01])),
    "one scale": (make.PiecewiseScalingScheduler(0.3, [3, 8], 0.5),
                  lambda s: 0.3 * piecewise(s, [3, 8], [1, 0.5, 0.5])),
    "cosine": (make.CosineScheduler(0.3, 8, 0.1), lambda s: cosine(s, 0.3, 8, 0.1)),
    "polynomial": (make.PolynomialScheduler(0.3, 8), lambda s: polynomial(s, 0.3, 8)),
    "power": (make.PolynomialSchduler(0.3, 8, 0.01, 2.5), lambda s: polynomial(s, 0.3, 8, 0.01, 2.5)),
    "cycle": (make.PolynomialScheduler(0.3, 8, 0.01, 2.0, True), lambda s: polynomial(s, 0.3, 8, 0.01, 2.0, True)),
    "linear cosine": (make.LinearCosineScheduler(0.3, 8, 1.5, 0.2, 0.05),
                      lambda s: linear_cosine(s, 0.3, 8, 1.5, 0.2, 0.05)),
    "exponential": (make.ExponentialScheduler(0.3, 8, 0.7), lambda s: 0.3 * 0.7 ** exponent(s, 8, False)),
    "stairs": (make.ExponentialScheduler(0.3, 8, 0.7, True), lambda s: 0.3 * 0.7 ** exponent(s, 8, True)),
    "inverse": (make.InverseTimeScheduler(0.3, 8, 0.7), lambda s: 0.3 / (1 + 0.7 * exponent(s, 8, False))),
    "inverse stairs": (make.InverseTimeScheduler(0.3, 8, 0.7, True), lambda s: 0.3 / (1 + 0.7 * exponent(s, 8, True))),
    "natural": (make.NaturalExpScheduler(0.3, 8, 0.7), lambda s: 0.3 * math.exp(-0.7 * exponent(s, 8, False))),
    "natural stairs": (make.NaturalExpScheduler(0.3, 8, 0.7, True),
                       lambda s: 0.3 * math.exp(-0.7 * exponent(s, 8, True))),
}


@pytest.mark.parametrize("name", CASES)
def test_a_schedule_is_its_formula(name):
    schedule, formula = CASES[name]
    np.testing.assert_allclose([schedule.at(s) for s in STEPS], [formula(s) for s in STEPS], rtol=3e-7, atol=1e-9)


WARMUPS = {"constant": (make.warmup.constant(4, 0.2), lambda s: 0.2),
           "linear": (make.warmup.linear(4, 0.2), lambda s: 0.2 + 0.8 * s / 4)}


@pytest.mark.parametrize("name", WARMUPS)
def test_a_schedule_counts_from_step_0_however_long_the_warmup_is(name):
    warmup, factor = WARMUPS[name]
    schedule = make.CosineScheduler(0.3, 8, warmup=warmup)
    expected = [0.3 * factor(s) if s < 4 else cosine(s, 0.3, 8) for s in STEPS]
    np.testing.assert_allclose([schedule.at(s) for s in STEPS], expected, rtol=3e-7, atol=1e-9)


def test_no_steps_of_warmup():
    assert make.PiecewiseConstantScheduler([], [0.5], warmup=make.warmup.linear(0, 0)).at(0) == 0.5


@pytest.mark.parametrize("call, message", [
    (lambda: make.warmup.linear(4, 1.0), "less than 1"),
    (lambda: make.warmup.linear(-1, 0.1), "0 or more"),
    (lambda: make.warmup.constant(4, 0), "multiplier"),
    (lambda: make.PiecewiseConstantScheduler([1], [0.1]), "one value more"),
    (lambda: make.PiecewiseScalingScheduler(0.1, [1, 2], [0.1]), "one scale for each"),
    (lambda: make.CosineScheduler(0.1, 0), "1 or more"),
    (lambda: make.ExponentialScheduler(0.1, -3, 0.5), "1 or more"),
    (lambda: make.PolynomialScheduler("a", 3), "base_lr"),
    (lambda: make.PolynomialScheduler(0.1, 3, warmup=0.5), "warmup"),
    (lambda: make.CustomScheduler(0.1), "logical_blob_name"),
    (lambda: make.SGD(0.1), "PiecewiseConstantScheduler"),
])
def test_what_makes_no_schedule_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_a_job_follows_the_schedule_step_by_step():
    with session_guard():
        @flow.global_function(type="train")
        def job(x: tp.Numpy.Placeholder((1,))) -> tp.Numpy:
            w = flow.get_variable("w", (1,), initializer=lambda shape, dtype: np.zeros(shape))
            schedule = make.CosineScheduler(0.3, 8, warmup=make.warmup.linear(3, 0.5))
            make.SGD(schedule, momentum=0).minimize(w * x)
            return w

        values = [float(job(np.ones(1, "float32"))[0]) for _ in range(7)]
    expected = [0.3 * (0.5 + 0.5 * s / 3) if s < 3 else cosine(s, 0.3, 8) for s in range(6)]
    np.testing.assert_allclose(-np.diff(values), expected, rtol=1e-5)


def test_the_rate_may_be_a_blob_and_the_step_too():
    with session_guard() as session:
        @flow.global_function(type="train")
        def job(rate: tp.Numpy.Placeholder((1,)), step: tp.Numpy.Placeholder((1,), dtype=flow.int64)) -> tp.Numpy:
            w = flow.get_variable("w", (1,), initializer=lambda shape, dtype: np.zeros(shape))
            v = flow.get_variable("v", (1,), initializer=lambda shape, dtype: np.zeros(shape))
            given = make.SGD(make.CustomScheduler(rate.logical_blob_name), momentum=0, variables=["w"])
            by_step = make.SGD(make.InverseTimeScheduler(1.0, 1, 1.0), momentum=0, variables=["v"])
            make.CombinedOptimizer([given, by_step], train_step_lbn=step.logical_blob_name).minimize(w + v)
            return w

        for rate, step in ((0.5, 0), (0.25, 3)):
            job(np.full(1, rate, "float32"), np.full(1, step, "int64"))
        assert session.value("w") == -0.75 and session.value("v") == -1.25
        assert not any(name.startswith("System") for name in session.variables)
