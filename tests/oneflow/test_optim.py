"""Optimizers and schedules of the OneFlow face beside their formulas, which test_eager_answers holds: groups, state."""

import numpy as np
import proa.oneflow as flow
import pytest
from eager_cases import RULES, arr
from proa.oneflow import nn, optim


def parameters():
    return [nn.Parameter(flow.tensor(arr(3, 2, seed=60))), nn.Parameter(flow.tensor(arr(4, seed=61)))]


def steps(held, rule, count, begin=0):
    for n in range(begin, begin + count):
        sum((p * flow.tensor(arr(*p.shape, seed=70 + n))).sum() + (p ** 2).sum() for p in held).backward()
        rule.step()
        rule.zero_grad()
    return [p.numpy() for p in held]


@pytest.mark.parametrize("name", RULES)
def test_state_goes_on(name):
    held = parameters()
    rule = RULES[name](optim, held)
    steps(held, rule, 2)
    state, values = rule.state_dict(), [p.numpy() for p in held]
    state["state"] = {k: {n: flow.tensor(v.numpy()) for n, v in s.items()} if isinstance(s, dict) else s
                      for k, s in state["state"].items()}
    wanted = steps(held, rule, 2, 2)
    others = [nn.Parameter(flow.tensor(v)) for v in values]
    other = RULES[name](optim, others)
    other.load_state_dict(state)
    for a, b in zip(wanted, steps(others, other, 2, 2)):
        np.testing.assert_array_equal(a, b)


def test_state_that_does_not_fit():
    held = parameters()
    rule = optim.SGD(held, lr=0.1, momentum=0.9)
    steps(held, rule, 1)
    state = rule.state_dict()
    with pytest.raises(ValueError, match="as many groups and parameters"):
        optim.SGD(held[:1], lr=0.1, momentum=0.9).load_state_dict(state)
    with pytest.raises(ValueError, match="has shape"):
        optim.SGD(held[::-1], lr=0.1, momentum=0.9).load_state_dict(state)
    assert sorted(state["state"][0]) == ["momentum_buf"] and state["param_groups"][0]["params"] == [0, 1]


def test_groups_can_be_changed():
    held = parameters()
    rule = optim.SGD(held[:1], lr=0.0)
    rule.add_param_group({"params": held[1], "lr": 1.0})
    before = [p.numpy() for p in held]
    after = steps(held, rule, 1)
    assert (before[0] == after[0]).all() and (before[1] != after[1]).all()
    rule.param_groups[1]["lr"] = 0.0
    assert (steps(held, rule, 1)[1] == after[1]).all()
    assert len(rule.param_groups) == 2 and rule.param_groups[0].parameters[0] is held[0] and "lr: 0.0" in repr(rule)


def test_a_closure_and_no_gradient():
    held = parameters()
    rule = optim.Adam(held, lr=0.1)
    rule.step()

    def closure():
        loss = (held[0] ** 2).sum()
        loss.backward()
        return loss

    assert rule.step(closure).item() > 0 and held[1].grad is None and held[0].grad is not None
    rule.zero_grad(set_to_none=True)
    assert held[0].grad is None


def test_gradients_are_clipped_by_group():
    held = parameters()
    rule = optim.SGD([{"params": held[:1], "clip_grad_max_norm": 1.0, "clip_grad_norm_type": 2.0},
                      {"params": held[1:]}], lr=1.0)
    sum((p * 100).sum() for p in held).backward()
    rule.clip_grad()
    assert np.linalg.norm(held[0].grad.numpy()) == pytest.approx(1.0, rel=1e-4) and held[1].grad.max() == 100


def test_a_tensor_is_trained_too():
    w = flow.tensor([2.0], requires_grad=True)
    rule = optim.SGD([w], lr=0.5)
    (w * w).sum().backward()
    rule.step()
    assert w.tolist() == [0.0]


def test_schedules_keep_their_state():
    rule = optim.SGD(parameters(), lr=1.0)
    schedule = optim.lr_scheduler.WarmUpLR(optim.lr_scheduler.CosineDecayLR(rule, 10), 0.1, 3)
    for _ in range(5):
        schedule.step()
    state, rate = schedule.state_dict(), schedule.get_last_lr()
    other = optim.lr_scheduler.WarmUpLR(optim.lr_scheduler.CosineDecayLR(optim.SGD(parameters(), lr=1.0), 10), 0.1, 3)
    other.load_state_dict(state)
    schedule.step()
    other.step()
    assert other.get_last_lr() == schedule.get_last_lr() != rate and other.last_step == 6


def test_a_plateau():
    rule = optim.SGD(parameters(), lr=1.0)
    schedule = optim.lr_scheduler.ReduceLROnPlateau(rule, factor=0.5, patience=1, cooldown=1, min_lr=0.2)
    rates = []
    for metric in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        schedule.step(metric)
        rates.append(rule.param_groups[0]["lr"])
    assert rates == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2]
    up = optim.lr_scheduler.ReduceLROnPlateau(rule, "max", threshold_mode="abs", threshold=0.5)
    assert up.is_better(1.6, 1.0) and not up.is_better(1.4, 1.0)


@pytest.mark.parametrize("call, words", [
    (lambda: optim.SGD([], lr=1.0), "there are none"), (lambda: optim.SGD(set(parameters()), lr=1.0), "order"),
    (lambda: optim.SGD(parameters(), lr=-1.0), "at least 0"), (lambda: optim.SGD([1.0], lr=1.0), "hold parameters"),
    (lambda: optim.SGD([parameters()[0] * 2], lr=1.0), "no leaf"),
    (lambda: optim.Adam(parameters(), betas=(1, 0)), "0, 1"),
    (lambda: optim.RMSprop(parameters(), momentum=0.5), "must be 0"),
    (lambda: optim.lr_scheduler.StepLR(1.0, 2), "Optimizer"),
    (lambda: optim.lr_scheduler.MultiStepLR(optim.SGD(parameters()), [3, 2]), "increasing"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
