"""Negative log likelihood as a loop."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import nll

pytestmark = needs_loops


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(300, 7), (5, 11, 17), (3, 4, 6, 9)])
def test_losses_and_weights(shape, reduction, dtype):
    x = normal(*shape, dtype=dtype)
    label = np.random.default_rng(1).integers(0, shape[1], (shape[0], *shape[2:]))
    label.flat[::5] = -100
    for weight in (None, np.abs(normal(shape[1], seed=2, dtype=dtype))):
        agree("nll_loss", nll.nll_loss, x, label, weight, reduction=reduction, rtol=1e-5)


@pytest.mark.parametrize("wrong", [-1, 7, 1 << 40])
def test_labels_that_are_none_are_left_to_the_error(wrong):
    label = np.zeros(300, "int64")
    label[299] = wrong
    assert nll.nll_loss(normal(300, 7), label) is NotImplemented
    assert nll.nll_loss(normal(300, 7), np.full(300, wrong), ignore_index=wrong, reduction="sum")[1] == 0
    assert nll.nll_loss(normal(300, 7), np.zeros(300, "int64"), np.ones(6, "float32")) is NotImplemented
