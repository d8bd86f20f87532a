"""Learning-rate schedules, by their formulas, and their state."""

import math
import pickle

import numpy as np
import proa as paddle
import pytest
from proa.optimizer import lr


def rates(schedule, steps=8):
    found = []
    for _ in range(steps):
        found.append(schedule())
        schedule.step()
    return found


CASES = {
    "NoamDecay": (lambda: lr.NoamDecay(16, 3, 1.0), lambda e: 0.25 * min(math.inf if e == 0 else e**-0.5, e * 3**-1.5)),
    "PiecewiseDecay": (lambda: lr.PiecewiseDecay([2, 5], [1.0, 0.5, 0.1]),
                       lambda e: 1.0 if e < 2 else 0.5 if e < 5 else 0.1),
    "NaturalExpDecay": (lambda: lr.NaturalExpDecay(0.5, 0.1), lambda e: 0.5 * math.exp(-0.1 * e)),
    "InverseTimeDecay": (lambda: lr.InverseTimeDecay(0.5, 0.1), lambda e: 0.5 / (1 + 0.1 * e)),
    "PolynomialDecay": (lambda: lr.PolynomialDecay(1.0, 5, 0.1, 2.0), lambda e: 0.9 * (1 - min(e, 5) / 5) ** 2 + 0.1),
    "cycle": (lambda: lr.PolynomialDecay(1.0, 3, 0.1, cycle=True),
              lambda e: 0.9 * (1 - e / (3 * max(1, math.ceil(e / 3)))) + 0.1),
    "LinearWarmup": (lambda: lr.LinearWarmup(0.5, 4, 0.1, 0.5), lambda e: 0.1 + 0.1 * e if e < 4 else 0.5),
    "warmup of a schedule": (lambda: lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.9), 4, 0.0, 0.5),
                             lambda e: 0.125 * e if e < 4 else 0.5 * 0.9 ** (e - 4)),
    "ExponentialDecay": (lambda: lr.ExponentialDecay(0.5, 0.9), lambda e: 0.5 * 0.9**e),
    "MultiStepDecay": (lambda: lr.MultiStepDecay(0.5, [2, 4], 0.1), lambda e: 0.5 * 0.1 ** ((e >= 2) + (e >= 4))),
    "StepDecay": (lambda: lr.StepDecay(0.5, 3, 0.1), lambda e: 0.5 * 0.1 ** (e // 3)),
    "LambdaDecay": (lambda: lr.LambdaDecay(0.5, lambda e: 1 / (e + 1)), lambda e: 0.5 / (e + 1)),
    "MultiplicativeDecay": (lambda: lr.MultiplicativeDecay(0.5, lambda e: 0.9), lambda e: 0.5 * 0.9**e),
    "CosineAnnealingDecay": (lambda: lr.CosineAnnealingDecay(0.5, 10, 0.1),
                             lambda e: 0.1 + 0.4 * (1 + math.cos(math.pi * e / 10)) / 2),
}


@pytest.mark.parametrize("name", CASES)
def test_formula(name):
    make, formula = CASES[name]
    np.testing.assert_allclose(rates(make()), [formula(e) for e in range(8)], rtol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_state_goes_on_where_it_was(name):
    make, _ = CASES[name]
    first = make()
    rates(first, 3)
    second = make()
    second.set_state_dict(first.state_dict())
    assert rates(second, 4) == rates(first, 4)


def test_plateau():
    schedule = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, cooldown=1)
    found = []
    for metric in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9):
        schedule.step(metric)
        found.append(schedule())
    assert found == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25]
    again = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    again.set_state_dict(schedule.state_dict())
    assert again.best == 0.9 and again() == 0.25
    with pytest.raises(TypeError, match="must be a number"):
        schedule.step("bad")


def test_given_epoch():
    schedule = lr.StepDecay(1.0, 2, 0.5)
    schedule.step(5)
    assert schedule() == 0.25


@pytest.mark.parametrize("make", [
    lambda: lr.NoamDecay(0, 1), lambda: lr.PiecewiseDecay([], []), lambda: lr.PiecewiseDecay([1], [1.0]),
    lambda: lr.PolynomialDecay(1.0, 0), lambda: lr.MultiStepDecay(1.0, [3, 2]), lambda: lr.StepDecay(1.0, 2, 1.5),
    lambda: lr.StepDecay("x", 2), lambda: lr.LambdaDecay(1.0, 3), lambda: lr.ReduceOnPlateau(1.0, mode="best"),
    lambda: lr.CosineAnnealingDecay(1.0, 0), lambda: lr.LinearWarmup(1.0, 3, 2.0, 1.0), lambda: lr.StepDecay(-1.0, 2),
])
def test_bad_arguments(make):
    with pytest.raises((TypeError, ValueError)):
        make()


@pytest.mark.parametrize(("kind", "make"), [
    (TypeError, lambda: lr.OneCycleLR(0.1, 10.5)), (ValueError, lambda: lr.OneCycleLR(0.1, -3)),
    (TypeError, lambda: lr.CyclicLR(0.1, 0.5, "x")), (TypeError, lambda: lr.CyclicLR(0.1, 0.5, 10, 5.5)),
    (ValueError, lambda: lr.CyclicLR(0.1, 0.5, 0)), (ValueError, lambda: lr.CyclicLR(0.1, -0.5, 10)),
    (ValueError, lambda: lr.CyclicLR(-0.1, 0.5, 10)),
])
def test_steps_that_are_no_whole_number_are_of_another_kind_than_too_few(kind, make):
    with pytest.raises(kind, match="Received"):
        make()


def test_a_state_that_lacks_something():
    with pytest.raises(RuntimeError, match="last_lr"):
        lr.StepDecay(1.0, 2).set_state_dict({"last_epoch": 1})


@pytest.mark.parametrize("mode", ["triangular", "triangular2", "exp_range"])
def test_cycles_can_be_pickled(mode):
    first = lr.CyclicLR(0.01, 0.1, 2, mode=mode, exp_gamma=0.9)
    for _ in range(6):
        first.step()
    second = pickle.loads(pickle.dumps(first))
    for _ in range(6):
        first.step()
        second.step()
        assert second() == first()


@pytest.mark.parametrize("make", [
    lambda: lr.LinearWarmup(1.0, 3, 2.0, 1.0), lambda: lr.LinearWarmup(1.0, 0, 0.0, 1.0), lambda: lr.StepDecay(1.0, 0),
    lambda: lr.LinearWarmup(1.0, -1, 0.0, 1.0), lambda: lr.LinearWarmup(1.0, 2.5, 0.0, 1.0),
    lambda: lr.ExponentialDecay(1.0, 0.0), lambda: lr.ExponentialDecay(1.0, 1.0), lambda: lr.ExponentialDecay(1.0, -1),
    lambda: lr.NaturalExpDecay(1.0, 0.0), lambda: lr.PolynomialDecay(1.0, 0), lambda: lr.CosineAnnealingDecay(1.0, 0),
    lambda: lr.PolynomialDecay(1.0, 3, power=0),
])
@pytest.mark.parametrize("kind", [AssertionError, ValueError])
def test_what_paddle_asserts_is_a_wrong_value_too(make, kind):
    with pytest.raises(kind, match="Received"):
        make()


def test_a_plateau_compares_in_the_dtype_of_the_metric():
    """As PaddlePaddle does: 0.45 is no tenth below 0.5 in float32, where it is the margin itself."""
    def rates(kind):
        schedule = lr.ReduceOnPlateau(1.0, factor=0.5, patience=0, threshold=0.1)
        found = []
        for metric in (0.5, 0.45):
            schedule.step(kind(metric))
            found.append(schedule())
        return found

    assert rates(paddle.to_tensor) == rates(lambda m: np.array([m], "float32")) == [1.0, 0.5]
    assert rates(lambda m: paddle.to_tensor(m, dtype="float64"))[0] == 1.0


@pytest.mark.parametrize(("make", "error"), [
    (lambda: lr.StepDecay(0.5, 2.0), TypeError), (lambda: lr.StepDecay(0.5, 0), AssertionError),
    (lambda: lr.CosineAnnealingDecay(0.5, "x"), TypeError), (lambda: lr.CosineAnnealingDecay(0.5, 0), AssertionError),
    (lambda: lr.CosineAnnealingWarmRestarts(0.5, 1, 0.5), ValueError),
    (lambda: lr.CosineAnnealingWarmRestarts(0.5, "x"), TypeError)])
def test_what_is_no_number_of_steps(make, error):
    with pytest.raises(error, match="must be an int above 0"):
        make()
