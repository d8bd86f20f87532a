"""Training steps whole: `backward()`, `step()` and `clear_grad()` in a function under to_static(full_graph=True)."""

import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn, optimizer
from proa.core.errors import GraphFreedError, ModifiedInPlaceError
from proa.nn import functional as F

X = np.random.RandomState(0).rand(6, 4, 3).astype("float32")


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        # A bias in front of a batch norm has no gradient but rounding, which rules that scale by it would grow.
        self.first, self.norm, self.last = nn.Linear(3, 5, bias_attr=False), nn.BatchNorm1D(5), nn.Linear(5, 2)

    def forward(self, x):
        return self.last(F.dropout(F.relu(self.norm(self.first(x))), 0.2, training=self.training))


OPTIMIZERS = {
    "SGD": lambda p: optimizer.SGD(0.1, p),
    "SGD, L1": lambda p: optimizer.SGD(0.1, p, weight_decay=paddle.regularizer.L1Decay(0.01)),
    "Momentum, clipped": lambda p: optimizer.Momentum(
        0.1, 0.9, p, weight_decay=0.01, grad_clip=nn.ClipGradByGlobalNorm(0.1)),
    "Adam": lambda p: optimizer.Adam(0.05, parameters=p),
    "AdamW": lambda p: optimizer.AdamW(0.05, parameters=p, apply_decay_param_fun=lambda name: name.endswith("w_0")),
    "Adamax": lambda p: optimizer.Adamax(0.05, parameters=p),
    "Adagrad": lambda p: optimizer.Adagrad(0.05, parameters=p),
    "Adadelta": lambda p: optimizer.Adadelta(0.5, parameters=p),
    "RMSProp": lambda p: optimizer.RMSProp(0.01, parameters=p, centered=True, momentum=0.5),
    "Lamb": lambda p: optimizer.Lamb(0.01, parameters=p, grad_clip=nn.ClipGradByNorm(0.5)),
    "LookAhead": lambda p: paddle.incubate.LookAhead(optimizer.SGD(0.1, p), alpha=0.5, k=2),
    "groups": lambda p: optimizer.Adam(0.05, parameters=[
        {"params": p[:2], "learning_rate": 0.1, "beta1": 0.5}, {"params": p[2:], "weight_decay": 0.1}]),
    "schedule": lambda p: optimizer.SGD(optimizer.lr.StepDecay(0.2, 2, 0.5), p),
}


def state_of(net, rule):
    values = {name: value.numpy() for name, value in net.state_dict().items()}
    values.update({f"grad of {name}": np.array(np.nan) if p.grad is None else p.grad.numpy()
                   for name, p in net.named_parameters()})
    return values, {name: np.array(v.numpy()) for name, v in rule.state_dict().items()
                    if hasattr(v, "numpy")}


def run(make_step, make_rule, converted, between=lambda net, rule: None, net=Net):
    paddle.seed(7)
    with paddle.utils.unique_name.guard():
        made = net()
        rule = make_rule(made.parameters())
        step = make_step(made, rule)
        step = paddle.jit.to_static(step, full_graph=True) if converted else step
        losses = []
        for x in X:
            losses.append(np.array(step(paddle.to_tensor(x)).numpy()))
            between(made, rule)
    return losses, *state_of(made, rule), step.get_traced_count() if converted else 0


def check(make_step, make_rule=OPTIMIZERS["Momentum, clipped"], between=lambda net, rule: None, net=Net, programs=2):
    losses, values, kept, _ = run(make_step, make_rule, False, between, net)
    found, found_values, found_kept, count = run(make_step, make_rule, True, between, net)
    np.testing.assert_allclose(found, losses, rtol=2e-5, atol=1e-6)
    for old, new in ((values, found_values), (kept, found_kept)):
        assert old.keys() == new.keys()
        for name in old:
            # a gradient in front of a batch norm is 0 but for rounding
            np.testing.assert_allclose(new[name], old[name], rtol=2e-4, atol=5e-6, err_msg=name)
    assert count <= programs


def standard(net, rule):
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        return loss
    return step


@pytest.mark.parametrize("make_rule", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_training_step_is_a_program(make_rule):
    def between(net, rule):
        if isinstance(rule._learning_rate, optimizer.lr.LRScheduler):
            rule._learning_rate.step()

    check(standard, make_rule, between, programs=1)


def cleared_before(net, rule):
    def step(x):
        rule.clear_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        rule.minimize(loss)
        return loss
    return step


def never_cleared(net, rule):
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        rule.step()
        return loss
    return step


def accumulated(net, rule):
    def step(x):
        total = 0.0
        for part in (x[:2], x[2:]):
            loss = (net(part) ** 2).mean() * 0.5
            loss.backward()
            total = total + loss
        rule.step()
        rule.clear_grad(set_to_zero=False)
        return total
    return step


def clipped_by_hand(net, rule):
    def step(x):
        loss = (net(x) ** 2).mean()
        paddle.autograd.backward(loss)
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        rule.step()
        net.clear_gradients()
        return loss
    return step


def scaled_by_hand(net, rule):
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        for p in net.parameters():
            if p.grad is not None:
                p.grad = p.grad * 0.5
        rule.step()
        for p in net.parameters():
            p.grad = None
        return loss
    return step


def with_a_weight(net, rule):
    def step(x):
        y = net(x)
        y.backward(paddle.full([4, 2], 0.25))
        rule.step()
        rule.clear_grad()
        return y.sum()
    return step


def retained(net, rule):
    def step(x):
        y = net(x)
        loss = (y ** 2).mean()
        loss.backward(retain_graph=True)
        y.mean().backward()
        rule.step()
        rule.clear_grad()
        return loss
    return step


def cast(net, rule):
    def step(x):
        with paddle.amp.auto_cast(level="O1"):
            loss = (net(x) ** 2).mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        return loss
    return step


def in_parts(net, rule):
    """Two updates in a call, the second of what the first has left."""
    def step(x):
        for part in (x[:2], x[2:]):
            loss = (net(part) ** 2).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
        return loss
    return step


def scheduled_inside(net, rule):
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        rule._learning_rate.step()
        return loss
    return step


STEPS = [cleared_before, never_cleared, accumulated, clipped_by_hand, scaled_by_hand, with_a_weight, retained, in_parts]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_gradients_are_held_as_without_conversion(step):
    check(step)


def test_mixed_precision():
    check(cast, net=lambda: nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)))


def test_frozen_and_freed_between_calls():
    calls = []

    def between(net, rule):
        calls.append(None)
        net.first.weight.stop_gradient = len(calls) % 6 in (2, 3)

    check(standard, between=between)


def test_a_hook_that_is_registered_between_calls_is_not_left_out():
    def doubled(net, rule):
        net.last.weight.register_hook(lambda gradient: gradient * 2)

    with pytest.raises(RuntimeError, match="has hooks on its gradient, which no Program calls"):
        run(standard, OPTIMIZERS["SGD"], True, between=doubled)


def test_a_gradient_from_outside_is_added_to():
    def between(net, rule):
        net.last(paddle.ones([1, 5])).sum().backward()

    check(standard, between=between, programs=3)


def test_a_schedule_that_moves_inside():
    check(scheduled_inside, OPTIMIZERS["schedule"], programs=99)


class Pair(nn.Layer):
    def __init__(self):
        super().__init__()
        self.maker, self.judge = nn.Linear(3, 3), nn.Linear(3, 1)


def test_a_generator_and_a_discriminator():
    def make_rule(parameters):
        rule = optimizer.Adam(0.05, parameters=parameters[:2])
        rule.other = optimizer.Adam(0.05, parameters=parameters[2:])
        return rule

    def make_step(net, rule):
        def step(x):
            made = net.maker(x)
            judged = (F.softplus(-net.judge(x)) + F.softplus(net.judge(made.detach()))).mean()
            judged.backward()
            rule.other.step()
            rule.other.clear_grad()
            loss = F.softplus(-net.judge(made)).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
            rule.other.clear_grad()
            return loss + judged.detach()
        return step

    check(make_step, make_rule, net=Pair)


def test_state_is_saved_and_goes_on():
    """What the optimizer keeps is its own: it is in its state, and what is loaded is what the next run goes on from."""
    def between(net, rule):
        rule.set_state_dict({name: value * 0.5 for name, value in rule.state_dict().items()})

    check(standard, OPTIMIZERS["Adam"], between)


def test_sixteen_bits():
    def make_rule(parameters):
        return optimizer.Adam(0.05, parameters=parameters, multi_precision=True)

    def make_net():
        net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
        return net.to(dtype="float16")

    def make_step(net, rule):
        def step(x):
            loss = (net(x.astype("float16")) ** 2).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
            return loss
        return step

    losses, values, _, _ = run(make_step, make_rule, False, net=make_net)
    found, found_values, _, count = run(make_step, make_rule, True, net=make_net)
    np.testing.assert_allclose(found, losses, rtol=5e-3)
    for name in values:
        np.testing.assert_allclose(found_values[name], values[name], rtol=5e-3, atol=1e-3, err_msg=name)
    assert count == 1


def whole(function, *args):
    return paddle.jit.to_static(function, full_graph=True)(*args)


def test_what_is_returned_has_no_gradient_any_more():
    net, x = nn.Linear(3, 2), paddle.to_tensor(X[0])
    rule = optimizer.SGD(0.1, net.parameters())
    loss = whole(standard(net, rule), x)
    assert not loss.stop_gradient
    with pytest.raises(GraphFreedError, match="calls backward\\(\\) itself"):
        loss.backward()


def test_what_no_program_can_do_is_an_error():
    net, x = nn.Linear(3, 2), paddle.to_tensor(X[0])
    rule = optimizer.SGD(0.1, net.parameters())

    def twice(x):
        loss = net(x).mean()
        loss.backward()
        loss.backward()

    def late(x):
        loss = (net(x) * net.weight.sum()).mean()
        loss.backward(retain_graph=True)
        rule.step()
        loss.backward()

    def branch(x):
        loss = net(x).mean()
        if loss > 0:
            loss.backward()
        return loss

    for function, error, message in ((twice, GraphFreedError, "retain_graph=True"),
                                     (late, ModifiedInPlaceError, "before the optimizer"),
                                     (branch, RuntimeError, "in a branch or loop")):
        with pytest.raises(error, match=message):
            whole(function, x)
        assert net.weight.grad is None
    x.stop_gradient = False
    with pytest.raises(RuntimeError, match="x.detach\\(\\)"):
        whole(standard(net, rule), x)
    x.stop_gradient = True
    outer = x * paddle.to_tensor(2.0, stop_gradient=False)
    with pytest.raises(RuntimeError, match="computed outside"):
        whole(lambda x: (net(x) * outer.sum()).mean().backward(), x)
    net.weight.register_hook(lambda gradient: gradient * 2)
    with pytest.raises(RuntimeError, match="has hooks"):
        whole(standard(net, rule), x)


def test_a_file_of_a_training_step_has_what_its_outputs_need(tmp_path):
    net = Net()
    rule = optimizer.SGD(0.1, net.parameters())
    before = net.first.weight.numpy()
    step = paddle.jit.to_static(standard(net, rule), input_spec=[paddle.static.InputSpec([None, 3])], full_graph=True)
    net.eval()
    paddle.jit.save(step, str(tmp_path / "step"))
    x = paddle.to_tensor(X[0])
    loaded = paddle.jit.load(str(tmp_path / "step"))
    np.testing.assert_allclose(loaded(x).numpy(), (net(x) ** 2).mean().numpy(), rtol=1e-5)
    np.testing.assert_array_equal(net.first.weight.numpy(), before)


def read_in_python(net, rule):
    """A rate that Python reads and sets: another Program for each."""
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        rule.set_lr(rule.get_lr() * 0.9)
        rule.step()
        rule.clear_grad()
        return loss * rule.get_lr()
    return step


def test_a_rate_that_python_reads():
    check(read_in_python, OPTIMIZERS["Adam"], programs=99)


@pytest.mark.parametrize("read", [lambda s: s(), lambda s: s.last_lr, lambda s: s.get_lr()],
                         ids=["call", "last_lr", "get_lr"])
@pytest.mark.parametrize("first", [True, False], ids=["behind the step", "before the step"])
def test_a_schedule_that_is_read(read, first):
    """A run gave the rate that it was when the Program was made."""
    def make():
        schedule = optimizer.lr.StepDecay(1.0, 2, 0.5)

        def function(x):
            if first:
                schedule.step()
            result = x * read(schedule)
            if not first:
                schedule.step()
            return result

        return schedule, function

    (schedule, eager), (other, function) = make(), make()
    converted, x = paddle.jit.to_static(function), paddle.ones([1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        for _ in range(6):
            assert converted(x).item() == eager(x).item()
            assert (other.last_epoch, other.last_lr) == (schedule.last_epoch, schedule.last_lr)
