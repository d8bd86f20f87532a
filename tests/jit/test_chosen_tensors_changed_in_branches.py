"""A tensor that a condition chose, changed in place in branches: what it may be has changed where these run."""

import numpy as np
import proa as paddle
import pytest


def what_it_may_be_was_changed_before(x):
    t = x
    if x.sum() > 0.5:
        t = x + x
    x[0] = 2.0
    if (x > 1.5).all():
        t[1] = 1
    return t * x


def chosen_twice(x):
    t = x
    if x.sum() > 0.5:
        t = x + x
    if (x > 0).any():
        t[1] = 1
    x[0] = 2.0
    if x.sum() > 0.5:
        t = x + x
    if (x > 0).any():
        t[1] = 1
    return t


def chosen_of_what_was_chosen(x):
    t = x
    if x.sum() > 0.5:
        t = x + x
    if (x > 0).any():
        t[1] = 1
    if x.sum() > 0.5:
        t = x + x
    if (x > -3).any():
        t[1] = 1
    return t


@pytest.mark.parametrize("function", [what_it_may_be_was_changed_before, chosen_twice, chosen_of_what_was_chosen])
def test_as_without_conversion(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for values in ([0.1, 0.1, -1.64], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [1.7, 0.4, -1.64]):
        found = []
        for each in (function, converted):
            leaf = paddle.to_tensor(values, stop_gradient=False)
            x = leaf * 1.0
            result = each(x)
            (gradient,) = paddle.grad([(result * result).sum() + x.sum()], [leaf])
            found.append((result.numpy(), x.numpy(), gradient.numpy()))
        for wanted, got in zip(*found, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)
