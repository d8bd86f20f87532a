"""Generators of known items, of which a tensor decides which are taken."""

import numpy as np
import proa as paddle
import pytest


def summed(x):
    return sum((r.mean() * i for i, r in enumerate(x) if r.sum() > 0), x.sum() * 0)


def counted(x):
    return len(list(r for r in x if r.sum() > 0)) * x


def any_of(x):
    return x * 2 if any(r.sum() > 2 for r in x if r.max() > 1) else x


def in_pairs(x):
    return sum((a.sum() for a, b in zip(x, x.flip(0), strict=True) if (a > b).any()), x.sum() * 0)


def drawn(x):
    return sum((r for r in x if paddle.rand([]) > 0.5), x[0] * 0)


def by_what_python_knows(x):
    seen = []
    found = sum(r * i for i, r in enumerate(x) if seen.append(i) or i != 1)
    return found * len(seen)


@pytest.mark.parametrize("function", [summed, counted, any_of, in_pairs, drawn, by_what_python_knows])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_as_without_conversion(function, sign):
    x = paddle.to_tensor(np.float32(sign) * np.arange(-3, 9, dtype="float32").reshape([4, 3]))
    paddle.seed(0)
    expected = function(x).numpy()
    paddle.seed(0)
    np.testing.assert_allclose(paddle.jit.to_static(function, full_graph=True)(x).numpy(), expected, rtol=1e-6)
