"""GradientMergeOptimizer in eager code: an update of several steps' gradients is that of one larger batch."""

import numpy as np
import proa as paddle
import pytest
from proa.incubate.optimizer import GradientMergeOptimizer

nn = paddle.nn


@paddle.utils.unique_name.guard()
def _net():
    paddle.seed(3)
    return nn.Sequential(nn.Embedding(30, 4, sparse=True), nn.Flatten(), nn.Linear(8, 5))


def _trained(merged, rule, scaled=False, ends=lambda optimizer: optimizer.step()):
    net = _net()
    optimizer = rule(parameters=net.parameters())
    optimizer = GradientMergeOptimizer(optimizer, 4, merged == "mean") if merged else optimizer
    scaler = paddle.amp.GradScaler(enable=scaled, init_loss_scaling=64.0)
    random = np.random.default_rng(2)
    ids, y = random.integers(0, 30, (3, 16, 2)), random.integers(0, 5, (3, 16))
    for one, label in zip(ids, y):
        for part in np.split(np.arange(16), 4 if merged else 1):
            loss = nn.functional.cross_entropy(net(paddle.to_tensor(one[part])), paddle.to_tensor(label[part]))
            if merged == "sum":
                loss = loss / 4
            scaler.scale(loss).backward()
            scaler.step(optimizer) if scaled else ends(optimizer)
            scaler.update()
            optimizer.clear_grad()
    return [p.numpy() for p in net.parameters()]


@pytest.mark.parametrize("merged", ["mean", "sum"])
@pytest.mark.parametrize("rule", [
    lambda **k: paddle.optimizer.SGD(0.5, **k), lambda **k: paddle.optimizer.Adam(0.1, epsilon=1e-3, **k)])
def test_small_batches_that_are_merged_train_as_one_large(rule, merged):
    wanted = _trained(None, rule)
    for found in (_trained(merged, rule), _trained(merged, rule, scaled=True),
                  _trained(merged, rule, ends=lambda optimizer: optimizer.minimize(paddle.zeros([])))):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_rows_stay_rows_and_what_is_asked_of_it_is_the_inner_optimizers():
    net = _net()
    seen = []

    class Watching(paddle.optimizer.SGD):
        def step(self):
            seen.append(net[0].weight.grad.rows())
            super().step()

    optimizer = GradientMergeOptimizer(Watching(0.1, parameters=net.parameters()), 2)
    for ids in ([[1, 2]], [[2, 7]]):
        net(paddle.to_tensor(ids)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    assert seen == [[1, 2, 7]]
    assert optimizer.get_lr() == 0.1 and optimizer.state_dict() == {} and len(optimizer._parameter_list) == 3
