"""nn.Graph: what is computed at once, compiled: the same results, updates and rates."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest
from eager_cases import RULES
from proa.oneflow import nn, optim

X = np.random.RandomState(0).rand(6, 8, 1, 6, 6).astype("float32")
Y = np.random.RandomState(1).randint(0, 4, (6, 8))


def network():
    flow.manual_seed(5)
    # in front of a batch norm a bias has a gradient of rounding alone, which some rules make as large as any
    return nn.Sequential(nn.Conv2d(1, 3, 3, bias=False), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(12, 4))


class Step(nn.Graph):
    def __init__(self, net, rule, schedule=None):
        super().__init__()
        self.net, self.loss = net, nn.CrossEntropyLoss()
        self.add_optimizer(rule, lr_sch=schedule)

    def build(self, x, y):
        scores = self.net(x)
        loss = self.loss(scores, y)
        loss.backward()
        return loss, scores.argmax(dim=1)


def schedule_of(rule):
    return optim.lr_scheduler.WarmUpLR(optim.lr_scheduler.StepLR(rule, 2, 0.5), 0.2, 2, warmup_prefix=True)


def run(make, compiled, scheduled=True):
    net = network()
    rule = make(optim, list(net.parameters()))
    schedule = schedule_of(rule) if scheduled else None
    step, losses, rates = Step(net, rule, schedule) if compiled else None, [], []
    for x, y in zip(X, Y):
        x, y = flow.tensor(x), flow.tensor(y)
        rates.append(rule.param_groups[0]["lr"])
        if compiled:
            loss, _ = step(x, y)
        else:
            loss = nn.CrossEntropyLoss()(net(x), y)
            loss.backward()
            rule.step()
            rule.zero_grad()
            if schedule is not None:
                schedule.step()
        losses.append(loss.item())
    return losses, rates, {name: value.numpy() for name, value in net.state_dict().items()}, rule


@pytest.mark.parametrize("name", RULES)
def test_a_training_step(name):
    wanted, rates, values, rule = run(RULES[name], False)
    found, found_rates, found_values, found_rule = run(RULES[name], True)
    np.testing.assert_allclose(found, wanted, rtol=2e-4)
    assert found_rates == rates and found_rule.steps == rule.steps == 6
    for key, value in values.items():
        np.testing.assert_allclose(found_values[key], value, rtol=2e-3, atol=2e-4, err_msg=key)


def test_it_is_compiled_once_and_leaves_no_gradients():
    net = network()
    step = Step(net, optim.SGD(net.parameters(), lr=0.1))
    losses = [step(flow.tensor(X[0]), flow.tensor(Y[0])) for _ in range(3)]
    assert losses[2][0] < losses[0][0] and kinds(losses[0]) == {flow.Tensor}
    assert step._compiled.get_traced_count() == 1 and all(p.grad is None for p in net.parameters())
    assert not losses[0][0].requires_grad and any(op.type == "conv2d" for op in step.main_program.global_block().ops)
    assert type(paddle.ones([1]) * 2) is paddle.Tensor


def kinds(values):
    return {type(value) for value in values}


def test_evaluation():
    net = network().eval()

    class Evaluate(nn.Graph):
        def __init__(self):
            super().__init__()
            self.net = net

        def build(self, x, scale=2.0):
            scores = self.net(x.view(-1, 1, 6, 6)) * scale
            best, place = scores.max(dim=1)
            return {"scores": scores, "best": (best, place), "size": x.size(0)}

    graph, x = Evaluate(), flow.tensor(X[0])
    found = graph(x)
    np.testing.assert_allclose(found["scores"].numpy(), (net(x) * 2).detach().numpy(), rtol=1e-5, atol=1e-6)
    assert found["best"][1].tolist() == net(x).argmax(1).tolist() and found["size"] == 8
    assert not found["scores"].requires_grad
    assert graph(flow.tensor(X[1][:3]), scale=1.0)["scores"].shape == (3, 4)


def test_methods_of_values_in_a_graph():
    class Calls(nn.Graph):
        def build(self, x, i):
            y = x.float().view(2, -1).transpose(0, 1).contiguous()
            y = y.masked_fill(y > 0.5, 0.0).to(flow.float32).to("cpu")
            z = y.sum(dim=1, keepdim=True).expand(-1, 3) + y.mean() + y.size(0)
            z[0] = 1.0
            return z, x.gather(1, i), x.max(), x.topk(2, dim=1)[1], flow.cat([x, x], dim=1), x.argmax(dim=-1), \
                x.norm(), (x.detach() * 2).clamp(min=0.3), x.split(2, dim=1)[1], x.new_zeros(2) + x.numel()

    x, i = flow.rand(2, 4), flow.tensor([[0], [1]])
    for a, b in zip(Calls()(x, i), Calls().build(x, i)):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


def test_mixed_precision():
    net = network()
    step = Step(net, optim.SGD(net.parameters(), lr=0.1))
    step.config.enable_amp(True)
    step.config.allow_fuse_add_to_output(True)
    losses = [step(flow.tensor(X[0]), flow.tensor(Y[0]))[0].item() for _ in range(4)]
    assert losses[-1] < losses[0] and net[0].weight.dtype is flow.float32


def test_gradients_are_clipped():
    net = nn.Linear(2, 1, bias=False)
    rule = optim.SGD([{"params": net.parameters(), "clip_grad_max_norm": 0.5, "clip_grad_norm_type": 2.0}], lr=1.0)

    class Clipped(nn.Graph):
        def __init__(self):
            super().__init__()
            self.net = net
            self.add_optimizer(rule)

        def build(self, x):
            loss = self.net(x).sum()
            loss.backward()
            return loss

    before = net.weight.numpy()
    Clipped()(flow.ones(4, 2) * 100)
    assert np.linalg.norm(net.weight.numpy() - before) == pytest.approx(0.5, rel=1e-3)


def test_state():
    a, b = network(), network()
    first, second = Step(a, optim.SGD(a.parameters(), lr=0.1)), Step(b, optim.SGD(b.parameters(), lr=0.1))
    first(flow.tensor(X[0]), flow.tensor(Y[0]))
    second.load_state_dict(first.state_dict())
    assert b[5].bias.tolist() == a[5].bias.tolist()
    with pytest.raises(RuntimeError, match="'net'"):
        second.load_state_dict({})


def test_mistakes_are_told():
    graph = nn.Graph()
    with pytest.raises(NotImplementedError, match="must define build"):
        graph(flow.ones(1))
    with pytest.raises(TypeError, match="optimizer of flow.optim"):
        graph.add_optimizer(paddle.optimizer.SGD(0.1, [flow.nn.Parameter(flow.ones(1))]))
    with pytest.raises(NotImplementedError, match="whole batch"):
        graph.config.set_gradient_accumulation_steps(2)
    with pytest.raises(AttributeError, match="enable_amp"):
        graph.config.enable_magic(True)
    with pytest.raises(RuntimeError, match="Call it first"):
        graph.main_program
