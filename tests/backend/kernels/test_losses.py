"""Losses of elements as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import cross_entropy, losses

pytestmark = needs_loops


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("delta", [0.5, 1.0])
def test_huber(delta, dtype):
    x, y = normal(50, 60, dtype=dtype), normal(50, 60, seed=1, dtype=dtype)
    x[1, 2], x[3, 4], y[5, 6] = np.nan, np.inf, -np.inf
    agree("huber_loss", losses.huber_loss, x, y, delta=delta)
    agree("huber_loss", losses.huber_loss, x, np.broadcast_to(y[:1], y.shape), delta=delta)


@pytest.mark.parametrize("ignored", [-100, 1])
def test_binary_cross_entropy(ignored):
    x, g = normal(50, 60) * 20, normal(50, 60, seed=2)
    label = np.random.default_rng(1).random((50, 60)).astype("float32").round()
    x[1, 2], x[3, 4], x[5, 6], label[7, 8] = np.nan, np.inf, -np.inf, 0.3
    agree("sigmoid_cross_entropy_with_logits", losses.sigmoid_cross_entropy_with_logits, x, label, ignore_index=ignored)
    agree("sigmoid_cross_entropy_with_logits_grad", losses.sigmoid_cross_entropy_with_logits_grad, x, label, g,
          ignore_index=ignored)


def test_binary_cross_entropy_with_weights_is_left_to_numpy():
    x = normal(50, 60)
    assert losses.sigmoid_cross_entropy_with_logits(x, x, x) is NotImplemented
    assert losses.sigmoid_cross_entropy_with_logits(x, x, normalize=True) is NotImplemented


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("ignored", [-100, 3])
def test_mean_cross_entropy(column, ignored):
    label = np.random.default_rng(0).integers(0, 10, (64, 1) if column else 64)
    agree("cross_entropy_mean", cross_entropy.cross_entropy_mean, normal(64, 10), label, ignore_index=ignored)
    agree("cross_entropy_mean", cross_entropy.cross_entropy_mean, normal(64, 10), np.full_like(label, ignored),
          ignore_index=ignored)
